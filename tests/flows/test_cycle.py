"""The weekly run: refresh, evaluate and report in one flow, and what its retry does."""

import pytest
from prefect.states import Completed

from benchmark.outcome import Failed, Kind, Stage
from flows import cycle, runs
from flows.cycle import benchmark
from flows.forms import BenchmarkRequest, RefreshRequest
from flows.freezing import NothingNew
from flows.workshop import opened
from tests.flows import toy
from tests.flows.test_refresh import LOOKS, lost, piece, refresh, settings, sites, toys

NOTHING = Completed(data=NothingNew("nothing here"))

__all__ = ["settings", "sites", "toys"]


@pytest.mark.parametrize("known", [False, True])
def test_a_week_without_anything_new_is_no_failure(settings, sites, known):
    site, _ = sites
    if known:
        site.script = [piece("site-a", 1)]
        refresh(settings, "site-a")
    asked = BenchmarkRequest(sources=["site-a"], models=["oracle"], days=36_500)
    with opened(settings):
        state = benchmark(asked, return_state=True)
    assert state.is_completed()
    assert state.message.startswith("nothing new: source 'site-a' gave no usable material")


@pytest.mark.parametrize(
    ("sources", "days"),
    [(["bundled"], None), (["bundled", "arxiv"], 7), (["all"], 7), (["synthetic-mindmaps"], None)],
)
def test_only_what_sites_have_grows_too_old(monkeypatch, settings, sources, days):
    wanted = []
    monkeypatch.setattr(cycle, "refresh", lambda request, **_: wanted.append(request) or NOTHING)
    with opened(settings):
        assert benchmark(BenchmarkRequest(sources=sources), return_state=True).is_completed()
    assert [request.days for request in wanted] == [days]


def test_a_week_in_which_nothing_is_usable_is_a_failure(settings, sites):
    site, _ = sites
    site.script = [lost(Stage.FETCH, Kind.GONE)]
    asked = BenchmarkRequest(sources=["site-a"], models=["oracle"], days=36_500)
    with opened(settings):
        assert benchmark(asked, return_state=True).is_failed()


def retried(state, parameters, flow=benchmark):
    """Do a flow run again, as a worker does after Retry in the interface."""
    from prefect.client.orchestration import get_client
    from prefect.flow_engine import run_flow
    from prefect.states import AwaitingRetry, Pending

    run = state.state_details.flow_run_id
    with get_client(sync_client=True) as client:
        client.set_flow_run_state(run, AwaitingRetry(), force=True)
        client.set_flow_run_state(run, Pending(), force=True)
        taken = client.read_flow_run(run)
    return run_flow(flow, taken, parameters, return_type="state")


def test_a_retry_evaluates_what_the_first_attempt_has_frozen(
    settings, sites, tmp_path, monkeypatch
):
    """By then nothing is new any more: a retry that refreshed again would find nothing to do."""
    site, _ = sites
    site.script = [piece("site-a", 1), piece("site-a", 2)]
    monkeypatch.setattr(
        cycle, "RefreshRequest", lambda **asked: RefreshRequest(without=[*LOOKS], **asked)
    )
    settings = settings.model_copy(update={"reports": tmp_path / "reports"})
    asked = BenchmarkRequest(sources=["site-a"], models=["toy-counting"], days=36_500)
    with opened(settings) as workshop:
        with monkeypatch.context() as broken:
            busy = Failed.of(Stage.QUERY, Kind.PROVIDER_ERROR, "error 500")
            broken.setattr(toy.Counting, "complete", lambda self, request: busy)
            state = benchmark(asked, return_state=True)
        assert state.is_failed()
        assert "2 to run again: query failed" in state.message
        site.script.append(piece("site-a", 3))
        state = retried(state, {"request": asked})
        assert state.is_completed(), state.message
        run = runs.load(workshop.store, state.result())
        assert [one.fate for one in runs.look_up(workshop, run)] == ["clean"] * 2
        assert workshop.store.documents("snapshots") == [run.snapshot]
        assert benchmark(asked) != run.name, "another run takes up what has come since"
