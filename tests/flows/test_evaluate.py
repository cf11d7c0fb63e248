"""The flows in a real Prefect server (its test harness), with a toy scenario."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from flows.forms import EvaluateRequest, RefreshRequest
from flows.progress import observed_by
from flows.workshop import opened
from tests.flows import toy

PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module", autouse=True)
def toys(prefect):
    toy.register()


@pytest.fixture
def settings(tmp_path):
    return Settings(store=str(tmp_path / "store"), batch=5, workers=2)


class Counts:
    def __init__(self):
        self.totals, self.results = {}, {}

    def expect(self, stage, count):
        self.totals[str(stage)] = self.totals.get(str(stage), 0) + count

    def advance(self, stage, result):
        counts = self.results.setdefault(str(stage), {})
        counts[result] = counts.get(result, 0) + 1


def refresh(settings, **arguments):
    from flows.refresh import refresh as flow

    counts = Counts()
    with opened(settings), observed_by(counts):
        return flow(RefreshRequest(sources=["toy"], **arguments)), counts


def evaluate(settings, snapshot, models=("oracle", "blank"), **arguments):
    from flows import runs
    from flows.evaluate import evaluate as flow

    counts = Counts()
    with opened(settings) as workshop, observed_by(counts):
        asked = EvaluateRequest(snapshot=snapshot, models=list(models), **arguments)
        state = flow(asked, return_state=True)
        name = state.result(raise_on_failure=False)
        traced = runs.look_up(workshop, runs.load(workshop.store, name))
    return state, traced, counts


def test_a_snapshot_says_what_it_holds_and_what_it_rejected(settings):
    name, _ = refresh(settings)
    with opened(settings) as workshop:
        frozen = workshop.snapshot(name)
    assert len(frozen.instances) == 11
    assert frozen.licences == {"CC0-1.0": 11}
    assert [(r.id, r.failure.kind) for r in frozen.rejected] == [("toy/5", Kind.COMPILE_ERROR)]
    again, counts = refresh(settings)
    assert again == name, "the same material gives the same snapshot"
    assert counts.results["render"] == {"cached": 12}


def test_oracle_is_the_ceiling_and_blank_the_floor(settings):
    name, _ = refresh(settings)
    state, traced, counts = evaluate(settings, name)
    assert state.is_completed()
    assert counts.totals == {"query": 22, "render": 22, "score": 22}
    assert {stage: sum(r.values()) for stage, r in counts.results.items()} == counts.totals
    values = {
        model: {
            score.metric: score.value for each in traced if each.model == model
            for score in each.scores
        }
        for model in ("oracle", "blank")
    }  # fmt: skip
    assert values["oracle"] == {"toy_same": 1.0, "toy_text": 1.0, "toy_absent": None}
    assert values["blank"]["toy_text"] == 0.0
    reasons = {s.reason for each in traced for s in each.scores if s.metric == "toy_absent"}
    assert reasons == {"no weights here; run `rerender weights`"}


def test_the_interface_shows_progress_funnel_failures_and_examples(settings, monkeypatch):
    from prefect.client.orchestration import get_client

    name, _ = refresh(settings)
    monkeypatch.setenv("TOY_ENGINE", "down")
    evaluate(settings, name, models=("oracle",))
    monkeypatch.delenv("TOY_ENGINE")
    evaluate(settings, name, models=("oracle",))
    with get_client(sync_client=True) as client:
        found = client.request("POST", "/artifacts/filter", json={"sort": "CREATED_DESC"}).json()
    shown = {each["key"]: each for each in reversed(found)}
    assert json.loads(shown["funnel"]["data"]) == [
        {"source": "toy", "found": 12, "fetched": 12, "rendered": 11, "kept": 11,
         "lost": "1 compile_error"}
    ]  # fmt: skip
    for stage, done in (("query", "11"), ("render", "11"), ("score", "22 scores")):
        told = shown[f"progress-{stage}"]["description"]
        counts = f"{done} done, 0 failed by the model, 0 to run again"
        assert told == f"{stage}: 11 of 11 instances; {counts}"
        assert shown[f"progress-{stage}"]["data"] == 100.0
    earlier = [each for each in found if each["key"] == "progress-render"][1]
    assert "11 to run again" in earlier["description"]
    assert json.loads(shown["failures"]["data"])[0]["kind"] == "engine_unavailable"
    assert "data:image/png;base64," in shown["examples"]["data"]


def test_the_interface_shows_what_is_spent_and_where_the_report_is(tmp_path):
    from prefect.client.orchestration import get_client

    from flows.forms import ReportRequest
    from flows.report import report

    settings = Settings(
        store=str(tmp_path / "store"), batch=5, reports=tmp_path / "reports",
        report_url="https://example.org/reports",
    )  # fmt: skip
    name, _ = refresh(settings)
    evaluate(settings, name, models=("toy-counting",), name="mine", max_tokens=1000)
    with opened(settings):
        report(ReportRequest(run="mine"))
    with get_client(sync_client=True) as client:
        found = client.request("POST", "/artifacts/filter", json={"sort": "CREATED_DESC"}).json()
    shown = {each["key"]: each for each in reversed(found)}
    (row,) = json.loads(shown["spending"]["data"])
    assert (row["model"], row["answers"], row["input tokens"]) == ("toy-counting", 11, 77)
    assert row["cost"] == "unknown"
    told = shown["spending"]["description"]
    assert told.startswith("spent in this run: 110 tokens of 1,000; $0.00 and what toy-counting")
    run = shown["spending"]["flow_run_id"]
    ours = [each["key"] for each in found if each["flow_run_id"] == run]
    assert ours.count("spending") == 1, "it is moved on"
    assert "(https://example.org/reports/mine/index.html)" in shown["report"]["data"]
    assert json.loads(shown["leaderboard"]["data"])[0]["n"] == 11


def with_scans(settings, *, alone: bool = False) -> str:
    """Freeze the toy snapshot with pictures whose truth nobody knows, or those alone."""
    from benchmark import snapshot

    name, _ = refresh(settings)
    with opened(settings) as workshop:
        whole = workshop.snapshot(name)
        scans = tuple(
            one.model_copy(
                update={"id": f"scan/{one.id}", "truth": None, "reference": None,
                        "metrics": ("toy_same",)}
            )
            for one in whole.instances[:3]
        )  # fmt: skip
        kept = () if alone else whole.instances
        made = whole.model_copy(update={"name": "scans", "instances": (*kept, *scans)})
        snapshot.freeze(workshop.store, made)
    return "scans"


def test_oracle_is_not_asked_where_the_truth_is_not_known(settings):
    from reports.leaderboard import leaderboard

    state, traced, counts = evaluate(settings, with_scans(settings))
    assert state.is_completed()
    assert counts.totals == {"query": 25, "render": 25, "score": 25}
    assert {stage: sum(r.values()) for stage, r in counts.results.items()} == counts.totals
    scans = [one for one in traced if one.instance.truth is None]
    assert [one.model for one in scans] == ["blank"] * 3
    assert {score.metric for one in scans for score in one.scores} == {"toy_same"}
    board = leaderboard(traced, toy.METRICS, [toy.ToyScenario()], baselines=("oracle", "blank"))
    rows = {row.model: row for row in board.tables[0].rows}
    assert (rows["oracle"].n, rows["oracle"].failed, rows["blank"].n) == (11, 0, 14)
    means = {cell.metric: cell.interval.mean for cell in rows["oracle"].cells}
    assert means["toy_same"] == 1.0, "the ceiling holds no failures of its own"


def test_a_snapshot_of_scans_alone_is_nothing_for_oracle(settings):
    from flows.evaluate import evaluate as flow
    from flows.splits import NothingChosen

    name = with_scans(settings, alone=True)
    with opened(settings), pytest.raises(NothingChosen, match="only their pictures are known"):
        flow(EvaluateRequest(snapshot=name, models=["oracle"]))
    state, traced, _ = evaluate(settings, name)
    assert state.is_completed()
    assert {one.model for one in traced} == {"blank"}


def test_nothing_is_computed_twice(settings):
    name, _ = refresh(settings)
    _, first, _ = evaluate(settings, name)
    _, second, counts = evaluate(settings, name)
    assert second == first
    assert counts.results == {
        "query": {"cached": 22}, "render": {"cached": 22}, "score": {"cached": 22}
    }  # fmt: skip
    _, _, counts = evaluate(settings, name, models=("oracle",), limit=4)
    assert counts.results["render"] == {"cached": 4}


def test_an_answer_that_equals_a_reference_is_not_rendered_again(settings, monkeypatch):
    name, _ = refresh(settings)
    rendered = []
    original = toy.ToyRenderer.render

    def render(self, structure):
        rendered.append(structure.text)
        return original(self, structure)

    monkeypatch.setattr(toy.ToyRenderer, "render", render)
    state, traced, _ = evaluate(settings, name, limit=4)
    assert state.is_completed()
    assert set(rendered) == {"blank"}
    for each in traced:
        if each.model == "oracle":
            assert each.rendering.value.image == each.instance.image


def test_an_infra_failure_is_shown_not_scored_and_retried(settings, monkeypatch):
    name, _ = refresh(settings)
    monkeypatch.setenv("TOY_ENGINE", "down")
    state, traced, counts = evaluate(settings, name, models=("oracle",))
    assert state.is_failed()
    assert "no engine answers" in state.message
    assert counts.results["render"] == {"infra": 11}
    assert {each.rendering.kind for each in traced} == {Kind.ENGINE_UNAVAILABLE}
    assert all(each.scores == () for each in traced)
    monkeypatch.delenv("TOY_ENGINE")
    state, traced, counts = evaluate(settings, name, models=("oracle",))
    assert state.is_completed()
    assert counts.results["query"] == {"cached": 11}, "what was done is found"
    assert counts.results["render"] == {"done": 11}
    assert all(isinstance(each.rendering, Ok) for each in traced)


def test_a_budget_stops_the_asking_and_a_larger_one_goes_on(settings):
    name, _ = refresh(settings)
    state, _, counts = evaluate(settings, name, models=("toy-counting",), max_tokens=35)
    assert state.is_failed()
    assert "the budget is used up (40 of 35 tokens)" in state.message
    assert counts.results["query"] == {"done": 4, "infra": 7}
    render = counts.results["render"]
    assert (render["skipped"], render["done"] + render.get("cached", 0)) == (7, 4), "one answer"
    state, _, counts = evaluate(settings, name, models=("toy-counting",), max_tokens=1000)
    assert state.is_completed()
    assert counts.results["query"] == {"cached": 4, "done": 7}


def test_a_refresh_without_engine_freezes_nothing(settings, monkeypatch):
    from flows.refresh import RefreshError

    monkeypatch.setenv("TOY_ENGINE", "down")
    with pytest.raises(RefreshError, match="no engine answers"):
        refresh(settings)
    with opened(settings) as workshop:
        assert not workshop.store.documents("snapshots")


def test_unknown_names_end_the_flow_before_any_work(settings):
    from benchmark.registry import RegistryError

    name, _ = refresh(settings)
    with opened(settings):
        from flows.evaluate import evaluate as flow

        for arguments in ({"models": ["orakle"]}, {"models": ["oracle"], "scenarios": ["toi"]}):
            with pytest.raises(RegistryError, match="did you mean"):
                flow(EvaluateRequest(snapshot=name, **arguments))


def test_a_choice_that_leaves_nothing_is_told(settings):
    from flows.evaluate import evaluate as flow
    from flows.splits import NothingChosen

    name, _ = refresh(settings)
    with opened(settings):
        for arguments in ({"source": "XMind"}, {"split": "test*"}):
            with pytest.raises(NothingChosen, match="sources: toy"):
                flow(EvaluateRequest(snapshot=name, models=["oracle"], **arguments))


KILLED = """
import sys
sys.path.insert(0, {project!r})
from flows.console import quieten_prefect
quieten_prefect(debug=False)
from tests.flows import toy
toy.register()
from benchmark.settings import Settings
from flows.workshop import opened
from flows.evaluate import evaluate
from flows.forms import EvaluateRequest
with opened(Settings()) as workshop:
    evaluate(EvaluateRequest(snapshot={snapshot!r}, models=["oracle", "blank"]))
"""


def test_a_killed_evaluation_goes_on_where_it_stopped(settings, tmp_path):
    name, _ = refresh(settings)
    environment = os.environ | {
        "RERENDER_STORE": settings.store, "RERENDER_BATCH": "5", "RERENDER_WORKERS": "2",
        "TOY_SECONDS": "0.3",
    }  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED.format(project=str(PROJECT), snapshot=name)],
        env=environment, cwd=PROJECT, start_new_session=True,
    )  # fmt: skip
    journals = Path(settings.store) / "journals" / "score"

    def finished():
        paths = journals.rglob("*.jsonl")
        return [json.loads(line)["key"] for p in paths for line in p.read_bytes().splitlines()]

    deadline = time.monotonic() + 120
    while len(finished()) < 3 and time.monotonic() < deadline:
        assert process.poll() is None, "the evaluation ended before it could be killed"
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    before = finished()
    assert 3 <= len(before) < 20
    state, traced, _ = evaluate(settings, name)
    after = finished()
    assert state.is_completed()
    assert len(after) == len(set(after)), "nothing that had been finished was done again"
    assert set(before) < set(after)
    assert not [each for each in traced if isinstance(each.rendering, Failed)]
