"""Runs whose free answers a model judges: named by their judge, done again, within a budget."""

import pytest

from benchmark.settings import Settings
from flows import runs
from flows.forms import EvaluateRequest, RerunRequest
from flows.runs import RunError
from flows.workshop import opened
from tests.flows.test_judge_road import ANSWERS, JUDGE, marking, server, store

__all__ = ["server", "store"]

pytestmark = pytest.mark.usefixtures("prefect")


@pytest.fixture
def settings(store, server):
    """Return a function that gives the settings with a judge."""

    def made(judge=JUDGE):
        return Settings(store=str(store), judge=judge, judge_base_url=server.url,
                        model_retries=0, model_concurrency=1, workers=1)  # fmt: skip

    return made


@pytest.fixture(autouse=True)
def limit(prefect):
    from prefect.client.orchestration import get_client

    from flows import slots

    with get_client(sync_client=True) as client:
        slots.ensure(client, slots.wanted(Settings(judge=JUDGE)))


def done(settings, flow, request):
    with opened(settings) as workshop:
        state = flow(request, return_state=True)
        name = state.result(raise_on_failure=False)
        if isinstance(name, Exception):
            raise name
        run = runs.load(workshop.store, name)
        found = {one.instance.id: one for one in runs.look_up(workshop, run)}
        judges = {
            one.judgment.judge for each in found.values() for one in each.scores if one.judgment
        }
        return state, run, found, judges


def evaluate(settings, **asked):
    from flows.evaluate import evaluate as flow

    return done(settings, flow, EvaluateRequest(snapshot="free", models=["talker"], **asked))


def rerun(settings, **asked):
    from flows.rerunning import rerun as flow

    return done(settings, flow, RerunRequest(stage="score", **asked))


def test_what_has_no_judgment_is_judged_within_a_budget(settings, server):
    server.script(marking(lost="q2"))
    state, run, _, _ = evaluate(settings())
    assert state.is_failed()
    server.script(marking())
    state, run, found, _ = rerun(settings(), run=run.name, max_tokens=1)
    assert state.is_completed(), "one may be asked before the budget is found to be used up"
    assert len(server.requests) == 1
    assert run.judge["name"] == JUDGE
    assert [one.scores[0].value for one in found.values()] == [5.0, 0.0, 0.0]
    server.script(marking())
    state, _, found, _ = rerun(settings(), run=run.name, only="all", max_tokens=1)
    assert ": 2 to run again: score failed" in state.message
    assert "the budget is used up (55 of 1 tokens, 55 by the judge)" in state.message
    assert [one.scores[0].value for one in found.values()] == [5.0, 0.0, 0.0], "nothing is lost"


def test_runs_of_two_judges_stand_side_by_side_and_none_replaces_the_other(settings, server):
    server.script(marking())
    _, judged, _, _ = evaluate(settings())
    _, offline, _, _ = evaluate(settings("offline"))
    assert judged.name != offline.name
    _, named, _, _ = evaluate(settings(), name="mine")
    with pytest.raises(RunError, match=f"run mine was judged by {JUDGE}, now offline"):
        evaluate(settings("offline"), name="mine")
    assert evaluate(settings(), name="mine")[1] == named


def test_a_run_goes_over_to_another_judge_and_back_for_nothing(settings, server):
    server.script(marking())
    _, run, _, judges = evaluate(settings(), name="there-and-back")
    assert judges == {JUDGE}
    _, run, found, judges = rerun(settings("offline"), run=run.name)
    assert judges == {"offline: lexical"}
    assert run.judge == {"name": "offline: lexical"}
    server.script(marking())
    _, run, found, judges = rerun(settings(), run=run.name)
    assert judges == {JUDGE}
    assert len(found) == len(ANSWERS)
    assert run.judge["name"] == JUDGE
    assert not server.requests, "what it has judged before is found again"
