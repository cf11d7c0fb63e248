"""The ceiling and the floor."""

from __future__ import annotations

import datetime as dt

import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Instance, Provenance, Request
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from benchmark.store import Store
from tests.contracts.model_contract import ModelContract, small_picture
from vlms import blank, oracle

TRUTH = '{"text": "思维导图 — root", "children": []}'
EMPTY = '{"text": "", "children": []}'


class Tree:
    """As much of a scenario as the floor looks at."""

    name = "vlms-test-tree"

    def blank(self) -> str:
        return EMPTY


@pytest.fixture(scope="module", autouse=True)
def _scenario():
    if Tree.name not in registry.scenarios:
        registry.scenarios.register(Tree.name, Tree())


def instance(name: str, truth: str | None, store: Store) -> Instance:
    return Instance(
        id=name,
        scenario=Tree.name,
        subset="en",
        image=store.put(small_picture()),
        truth=None if truth is None else store.put(truth.encode()),
        provenance=Provenance(
            source="test", author="test", licence="CC0-1.0", created=dt.date(2026, 1, 1)
        ),
    )


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(store=str(tmp_path / "store"))


@pytest.fixture
def snapshot(settings) -> Snapshot:
    store = Store(settings.store)
    instances = (instance("contract/1", TRUTH, store), instance("scan/1", None, store))
    return Snapshot(
        name="s",
        created=dt.date(2026, 1, 1),
        licences={"CC0-1.0": 2},
        tools={},
        instances=instances,
    )


def ask(name: str) -> Request:
    return Request(instance=name, scenario=Tree.name, prompt="?", image=small_picture())


class TestOracle(ModelContract):
    scenario = Tree.name

    @pytest.fixture
    def model(self, settings, snapshot):
        return oracle.build("oracle", settings, snapshot)

    def test_returns_the_truth_to_the_letter(self, model):
        outcome = model.complete(ask("contract/1"))
        assert isinstance(outcome, Ok)
        assert outcome.value.text == TRUTH
        assert outcome.value.finish_reason == "stop"

    def test_unknown_truth_is_a_failure_not_an_empty_answer(self, model):
        outcome = model.complete(ask("scan/1"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.NO_ANSWER

    def test_instance_of_another_snapshot_is_our_fault(self, model):
        outcome = model.complete(ask("elsewhere/1"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.INTERNAL_ERROR

    def test_lost_blob_is_our_fault(self, model, snapshot, settings):
        store = Store(settings.store)
        store.fs.rm(store.path("blobs", snapshot.instances[0].truth[:2]), recursive=True)
        outcome = model.complete(ask("contract/1"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.INTERNAL_ERROR

    def test_says_that_it_sees_the_truth(self, model):
        assert model.sees_truth  # so that the truth becomes part of the key


class TestBlank(ModelContract):
    scenario = Tree.name

    @pytest.fixture
    def model(self, settings, snapshot):
        return blank.build("blank", settings, snapshot)

    def test_returns_what_the_scenario_calls_blank(self, model):
        outcome = model.complete(ask("contract/1"))
        assert isinstance(outcome, Ok)
        assert outcome.value.text == EMPTY

    def test_says_that_it_depends_on_the_scenario(self, model):
        assert model.sees_truth
