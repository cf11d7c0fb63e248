"""FlowCE's questions on the road: missing pictures, and `--scenario flowce` from end to end."""

from __future__ import annotations

import pytest

from benchmark import registry
from benchmark.outcome import Blame, Failed, Kind, Ok, Stage
from benchmark.protocols import Needs
from benchmark.records import Completion
from benchmark.settings import Settings
from flows import road
from flows.batches import applicable
from flows.evaluate import select
from flows.forms import EvaluateRequest
from flows.freezing import RefreshError, freeze, require_no_infra
from flows.gathering import Gathering, Lost
from flows.scoring import Scorer
from flows.workshop import Workshop
from tests.sources.flowce_copy import build, draw

ALL = ("3", "84", "5", "6", "7", "8", "9")


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("RERENDER_FLOWCE_FOLDER", str(build(tmp_path / "copy")))
    monkeypatch.setenv("RERENDER_FLOWCE_IMAGES", str(tmp_path / "images"))
    made = Workshop(Settings())
    yield made
    made.close()


def gathered(workshop, folder, numbers=ALL) -> Gathering:
    """Ask the source as a refresh does, with pictures of these numbers in its folder."""
    draw(folder, numbers)
    gathering = Gathering("flowce")
    while not gathering.exhausted:
        for material in gathering.pull(100):
            made = road.refer(workshop, material)
            if isinstance(made, Ok):
                gathering.keep(material, made.value)
            else:
                gathering.lose(material, made)
    return gathering


def test_what_there_is_is_frozen_without_the_pictures_that_are_missing(workshop, tmp_path):
    gathering = gathered(workshop, tmp_path / "images", ("3", "5", "6", "8", "9"))
    require_no_infra([gathering], [], partial=False)
    frozen = workshop.snapshot(freeze(workshop, [gathering], "some"))
    assert [one.id for one in frozen.rejected] == ["flowce-logic/1", "flowce-reasoning/0"]
    assert {one.failure.blame for one in frozen.rejected} == {Blame.INFRA}
    assert frozen.funnel[0].unfetched == {str(Kind.PICTURE_MISSING): 2}
    assert "flowce-logic/1" not in {instance.id for instance in frozen.instances}


def test_a_network_that_is_down_freezes_nothing_unless_it_is_wanted(workshop, tmp_path):
    gathering = gathered(workshop, tmp_path / "images", ("3", "5", "6", "8", "9"))
    down = Failed.of(Stage.FETCH, Kind.NETWORK, "not asked: 12 hosts in a row did not answer")
    gathering.unfetched.append(Lost.of(down))
    with pytest.raises(RefreshError, match=r"flowce: 1 infra failures, the first: not asked"):
        require_no_infra([gathering], [], partial=False)
    require_no_infra([gathering], [], partial=True)


def test_the_family_is_asked_and_the_truth_is_the_best_answer_to_every_question(workshop, tmp_path):
    name = freeze(workshop, [gathered(workshop, tmp_path / "images")], "whole")
    frozen = workshop.snapshot(name)
    chosen = select(workshop, name, EvaluateRequest(snapshot=name, scenarios=["flowce"]))
    assert len(chosen) == len(frozen.instances) == 8
    assert {instance.scenario for instance in chosen} == set(frozen.scenarios())
    for instance in chosen:
        assert instance.attributes["width"] == 60
        truth = workshop.store.get(instance.truth).decode()
        for name, value in scored(workshop, instance, truth).items():
            assert value == registry.metrics.get(name).best


def test_a_blank_answer_is_scored_and_worth_nothing(workshop, tmp_path):
    name = freeze(workshop, [gathered(workshop, tmp_path / "images")], "blank")
    for instance in select(workshop, name, EvaluateRequest(snapshot=name, scenarios=["flowce"])):
        scenario = registry.scenarios.get(instance.scenario)
        values = scored(workshop, instance, scenario.blank())
        said_nothing_wrong = values.pop("effective_factor", 1.0)
        assert said_nothing_wrong == 1.0
        assert all(value == registry.metrics.get(name).worst for name, value in values.items())


def scored(workshop, instance, text) -> dict[str, float]:
    """Score an answer; what a judge is asked about is judged offline."""
    scenario = registry.scenarios.get(instance.scenario)
    rendering = road.render(workshop, scenario, instance, Completion(text=text))
    assert isinstance(rendering, Ok), rendering
    metrics = {name: registry.metrics.get(name) for name in applicable(scenario, instance)}
    judged = {name: each for name, each in metrics.items() if each.needs is Needs.JUDGMENT}
    found = Scorer(workshop.store, scenario).score(
        instance, rendering.value, [name for name in metrics if name not in judged]
    )
    truth = workshop.store.get(instance.truth).decode()
    return {
        **{name: each.value.value for name, each in found.items()},
        **{name: each(rendering.value.text, truth) for name, each in judged.items()},
    }
