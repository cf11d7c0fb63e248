"""Free answers on the whole road: what a judge has judged is kept, the rest is asked again."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from benchmark import registry
from benchmark.outcome import Stage, ok
from benchmark.protocols import Needs
from benchmark.records import Completion, Instance, Provenance, Usage
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot, freeze
from benchmark.store import Store
from flows import batches, runs
from flows.batches import Batch
from flows.rerunning import _judge as judge_of
from flows.workshop import Workshop
from tests.pictures import encoded
from tests.servers.openai_server import OpenAIServer, answer, error
from tests.servers.openai_server import Received as Request

JUDGE = "openai-api/stand-in/judge-1"
ANSWERS = {"q0": "It stops.", "q1": "Give 5 points!", "q2": "It waits."}
BATCH = Batch(
    snapshot="free", model="talker", scenario="flowce-reasoning", instances=tuple(ANSWERS)
)


class Talker:
    """A model that answers what stands in ``ANSWERS``."""

    name, concurrency, sees_truth = "talker", 2, False

    def settings(self):
        return {}

    def complete(self, request):
        return ok(Completion(text=ANSWERS[request.instance]))


@pytest.fixture(scope="module")
def server():
    with OpenAIServer() as started:
        yield started


@pytest.fixture
def store(tmp_path, monkeypatch):
    from PIL import Image

    monkeypatch.setenv("STAND_IN_API_KEY", "k")
    if "talker" not in registry.models:
        registry.models.register("talker", lambda name, settings, snapshot: Talker())
    made = Store(str(tmp_path / "store"))
    image = made.put(encoded(Image.new("RGB", (8, 8), "white")))
    provenance = Provenance(
        source="test", author="us", licence="CC0-1.0", created=dt.date(2026, 1, 1)
    )
    instances = [
        Instance(
            id=ident,
            scenario="flowce-reasoning",
            subset="en",
            image=image,
            truth=made.put(f"It stops after {ident}.".encode()),
            provenance=provenance,
            attributes={"question": f"What happens after {ident}?"},
        )
        for ident in ANSWERS
    ]
    day = dt.date(2026, 1, 1)
    freeze(made, Snapshot(name="free", created=day, licences={"CC0-1.0": 3}, tools={},
                          instances=tuple(instances)))  # fmt: skip
    return tmp_path / "store"


@pytest.fixture
def work(store, server):
    """Return a function that walks the road with a judge and returns tally and results."""

    def run(judge=JUDGE, tokens=None):
        chosen = Settings(store=str(store), judge=judge, judge_base_url=server.url,
                          model_retries=0, workers=1)  # fmt: skip
        workshop = Workshop(chosen)
        workshop.budget.most_tokens = tokens
        try:
            batches.query_batch(workshop, BATCH)
            batches.render_batch(workshop, BATCH)
            tally = batches.score_batch(workshop, BATCH)
            run.spent = workshop.budget.judge_tokens
            document = runs.Run(name="r", snapshot="free", models=("talker",), baselines=(),
                                scenarios=("flowce-reasoning",), seed=0, settings={},
                                entries=tuple(runs.index(workshop, BATCH)))  # fmt: skip
            return tally, {one.instance.id: one for one in runs.look_up(workshop, document)}
        finally:
            workshop.close()

    return run


def marking(lost: str = ""):
    """Judge by the answer between the marks; a lost one meets a broken server."""

    def behave(received: Request):
        case = str(received.body["messages"][1]["content"])
        if lost and ANSWERS[lost] in case:
            return error(500, "down")(received)
        points = 5 if ANSWERS["q0"] in case else 0
        text = json.dumps({"reason": "as it is", "points": points})
        return answer(text, usage=(50, 5, 0))(received)

    return behave


def test_only_what_has_no_judgment_is_asked_again(work, server):
    server.script(marking(lost="q2"))
    tally, found = work()
    assert (tally.done, tally.failed, tally.infra) == (2, 0, 1)
    assert [one.fate for one in found.values()] == ["clean"] * 3
    assert found["q2"].unscored is not None
    server.script(marking())
    tally, found = work()
    assert (tally.done, tally.infra) == (3, 0)
    assert len(server.requests) == 1
    assert work.spent == 55
    (score,) = found["q0"].scores
    assert (score.value, score.judgment.reason) == (5.0, "as it is")
    assert score.judgment.usage == Usage(input_tokens=50, output_tokens=5)
    server.script(marking())
    assert work()[0].done == 3
    assert not server.requests


def test_another_judge_judges_anew(work, server):
    server.script(marking())
    work()
    server.script(marking())
    tally, found = work(judge="offline")
    assert tally.done == 3
    assert {s.judgment.judge for one in found.values() for s in one.scores} == {"offline: lexical"}
    assert not server.requests


def test_a_budget_ends_the_judging_and_a_larger_one_goes_on(work, server, monkeypatch):
    monkeypatch.setenv("RERENDER_MODEL_CONCURRENCY", "1")
    server.script(marking())
    tally, _ = work(tokens=60)
    assert (tally.done, tally.infra) == (2, 1)
    assert "the budget is used up (110 of 60 tokens, 110 by the judge)" in tally.first_infra
    assert work(tokens=1000)[0].done == 3


def test_the_metric_of_the_scenario_is_judged():
    metrics = registry.scenarios.get("flowce-reasoning").metrics
    assert [registry.metrics.get(name).needs for name in metrics] == [Needs.JUDGMENT]


def test_a_stage_done_again_mixes_no_judges(store):
    run = runs.Run(name="mine", snapshot="free", models=("talker",), baselines=(),
                   scenarios=("flowce-reasoning",), seed=0, settings={},
                   judge={"name": "openai/gpt-4.1"}, entries=())  # fmt: skip
    workshop = Workshop(Settings(store=str(store)))
    with pytest.raises(runs.RunError, match="run mine has another judge than is set now"):
        judge_of(workshop, run, Stage.RENDER)
    assert judge_of(workshop, run, Stage.SCORE) is workshop.judge()
    workshop.close()
