"""`rerender rerun`: a stage of a run that there is, forced, with toy scenario and real server."""

import os
import time

import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Completion
from benchmark.settings import Settings
from flows import runs
from flows.forms import RerunRequest
from flows.progress import observed_by
from flows.runs import RunError
from flows.workshop import opened
from tests.flows import toy
from tests.flows.test_evaluate import Counts, evaluate, refresh


class Fickle:
    """A model that says what the test wants, and counts how often it was asked."""

    name, concurrency, sees_truth = "toy-fickle", 2, False
    answers, asked = {}, []

    def settings(self):
        return {"temperature": os.environ.get("FICKLE", "0")}

    def complete(self, request):
        self.asked.append(request.instance)
        answer = self.answers.get(request.instance, "something")
        return answer if isinstance(answer, Failed) else ok(Completion(text=answer))


@pytest.fixture(scope="module", autouse=True)
def fickle(prefect):
    toy.register()
    registry.models.register("toy-fickle", lambda name, settings, snapshot: Fickle())


@pytest.fixture(autouse=True)
def forgotten():
    Fickle.answers, Fickle.asked = {}, []


@pytest.fixture
def settings(tmp_path):
    return Settings(store=str(tmp_path / "store"), batch=6, workers=2)


@pytest.fixture
def rendered(monkeypatch):
    """The texts that the toy renderer drew."""
    texts = []
    original = toy.ToyRenderer.render

    def render(self, structure):
        texts.append(structure.text)
        return original(self, structure)

    monkeypatch.setattr(toy.ToyRenderer, "render", render)
    return texts


def rerun(settings, **asked):
    from flows.rerunning import rerun as flow

    counts = Counts()
    with opened(settings) as workshop, observed_by(counts):
        state = flow(RerunRequest(**asked), return_state=True)
        name = state.result(raise_on_failure=False)
        if isinstance(name, Exception):
            raise name
        traced = runs.look_up(workshop, runs.load(workshop.store, name))
    return state, {one.instance.id: one for one in traced}, counts.results


def begun(settings):
    name, _ = refresh(settings, limit=6)  # five instances: the fifth is no reference
    evaluate(settings, name, models=("toy-fickle",))
    Fickle.asked.clear()
    return name


def texts_of(traced):
    return {ident: one.completion.value.text for ident, one in traced.items()}


FIVE = [f"toy/{n}" for n in (1, 2, 3, 4, 6)]
REFUSED = Failed.of(Stage.QUERY, Kind.REFUSED, "I cannot help with that")
BUSY = Failed.of(Stage.QUERY, Kind.PROVIDER_ERROR, "error 500")


def test_what_failed_is_asked_again_and_the_rest_of_the_road_follows(settings):
    Fickle.answers = {"toy/1": REFUSED, "toy/2": BUSY}
    begun(settings)
    Fickle.answers = {"toy/1": "new", "toy/2": "newer"}
    state, traced, results = rerun(settings, stage="query")
    assert state.is_completed()
    assert sorted(Fickle.asked) == ["toy/1", "toy/2"], "a refusal is final, unless it is forced"
    assert texts_of(traced) == {
        "toy/1": "new", "toy/2": "newer", **dict.fromkeys(FIVE[2:], "something")
    }  # fmt: skip
    assert results == {"query": {"done": 2}, "render": {"done": 2}, "score": {"done": 2}}
    assert all({s.metric: s.value for s in one.scores}["toy_text"] == 0 for one in traced.values())
    state, _, results = rerun(settings, stage="query")
    assert "nothing failed at the stage query" in state.message
    assert results == {}


def test_everything_is_asked_again_and_success_is_not_replaced_by_a_fault_of_ours(settings):
    begun(settings)
    Fickle.answers = {"toy/1": "changed", "toy/2": BUSY}
    began = time.time()
    state, traced, results = rerun(settings, stage="query", only="all")
    assert state.is_failed()
    assert ": 1 to run again: query failed" in state.message
    assert results["query"] == {"done": 4, "infra": 1}
    assert texts_of(traced) == {"toy/1": "changed", **dict.fromkeys(FIVE[1:], "something")}
    assert all(isinstance(one.rendering, Ok) for one in traced.values())
    Fickle.answers, Fickle.asked = {"toy/2": "at last"}, []
    state, traced, _ = rerun(settings, stage="query", only="all", since=began)
    assert state.is_completed()
    assert Fickle.asked == ["toy/2"], "the others have been asked since the wish was said"
    assert texts_of(traced)["toy/2"] == "at last"


def test_a_forced_entry_counts_in_whichever_file_it_is(settings):
    """Files have random names; here the older one is read last."""
    from benchmark.store import Store

    begun(settings)
    Fickle.answers = dict.fromkeys(FIVE, "changed")
    rerun(settings, stage="query", only="all")
    store = Store(settings.store)
    folder = store.path("journals", "query", "toy-fickle__toy")
    for number, path in enumerate(sorted(store.fs.ls(folder, detail=False), key=os.path.getmtime)):
        os.rename(path, f"{folder}/{9 - number}.jsonl")  # noqa: PTH104
    with opened(settings) as workshop:
        run = runs.load(workshop.store, runs.newest(workshop.store))
        found = {one.instance.id: one for one in runs.look_up(workshop, run)}
    assert texts_of(found) == dict.fromkeys(FIVE, "changed")


def test_rendering_again_asks_no_model_and_draws_all_or_what_failed(settings, rendered):
    Fickle.answers = {"toy/1": "fail: to compile", "toy/2": "xx"}
    begun(settings)
    rendered.clear()
    state, _, results = rerun(settings, stage="render")
    assert state.is_completed()
    assert rendered == ["fail: to compile"], "the model's failures are tried again too"
    assert results == {"render": {"failed": 1}, "score": {"skipped": 1}}
    rendered.clear()
    _, traced, _ = rerun(settings, stage="render", only="all")
    assert sorted(rendered) == ["fail: to compile", "something", "xx"]
    assert "xx" in rendered, "though it equals a reference"
    assert isinstance(traced["toy/1"].rendering, Failed)
    assert Fickle.asked == []


def test_pictures_of_two_container_images_are_not_mixed(settings, rendered, monkeypatch):
    Fickle.answers = {"toy/1": REFUSED, "toy/2": "fail: to compile"}
    begun(settings)
    rendered.clear()
    monkeypatch.setattr(toy.ToyRenderer, "version", "another")
    for stage in ("query", "render"):
        with pytest.raises(RunError, match="toy is rendered in another way now"):
            rerun(settings, stage=stage)
    assert Fickle.asked == rendered == []
    state, _, results = rerun(settings, stage="render", only="all")
    assert state.is_completed()
    assert results["render"] == {"done": 1, "failed": 1, "cached": 2}
    Fickle.answers = {}
    assert rerun(settings, stage="query")[0].is_completed()


def test_a_run_is_scored_again_without_engine_and_model(settings, monkeypatch):
    begun(settings)
    monkeypatch.setenv("TOY_ENGINE", "down")
    monkeypatch.setenv("FICKLE", "1")  # it would be asked with other settings now
    state, traced, results = rerun(settings, stage="score", only="all")
    assert state.is_completed()
    assert results == {"score": {"done": 5}}
    assert all(isinstance(one.rendering, Ok) for one in traced.values())
    with pytest.raises(RunError, match="asked toy-fickle in another way"):
        rerun(settings, stage="query", only="all")


def test_scores_of_an_older_version_are_told_and_computed_when_asked(settings, monkeypatch):
    from flows.forms import ReportRequest
    from flows.report import report

    begun(settings)
    older = registry.metrics.get("toy_text")
    newer = toy.FunctionMetric("toy_text", "2", older.needs, (0.0, 1.0), True, lambda p, r: 0.5)
    monkeypatch.setitem(registry.metrics._loaded, "toy_text", newer)
    with opened(settings) as workshop:
        run = runs.newest(workshop.store)
        found = runs.look_up(workshop, runs.load(workshop.store, run))
        board = report(ReportRequest(run=run, folder=settings.store + "/report")).board
    scores = [score for one in found for score in one.scores if score.metric == "toy_text"]
    told = f"scored by toy_text version 1, now 2: `rerender rerun {run} --stage score`"
    assert {(score.value, score.reason) for score in scores} == {(None, told)}
    assert told in board.model_dump_json()
    state, traced, results = rerun(settings, run=run, stage="score")
    assert state.is_completed()
    assert results == {"score": {"done": 5}}
    values = {s.metric: s.value for one in traced.values() for s in one.scores}
    assert values["toy_text"] == 0.5
    again = toy.FunctionMetric("toy_text", "1", older.needs, (0.0, 1.0), True, lambda p, r: 0.7)
    monkeypatch.setitem(registry.metrics._loaded, "toy_text", again)
    _, traced, results = rerun(settings, run=run, stage="score")
    assert values == {"toy_same": 0.0, "toy_text": 0.5, "toy_absent": None}
    values = {s.metric: s.value for one in traced.values() for s in one.scores}
    assert values["toy_text"] == 0.0, "the old version's scores are still there"


def test_the_form_refuses_other_stages_and_choices():
    from pydantic import ValidationError

    for wrong in ({"stage": "fetch"}, {"stage": "score", "only": "some"}, {}):
        with pytest.raises(ValidationError):
            RerunRequest(**wrong)


def test_a_time_without_a_zone_is_utc_wherever_the_worker_is(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        asked = RerunRequest(stage="score", since="2026-01-01T12:00:00")
        assert asked.since.timestamp() == 1767268800
        zoned = RerunRequest(stage="score", since="2026-01-01T12:00:00+09:00")
        assert zoned.since.timestamp() == 1767268800 - 9 * 3600
    finally:
        monkeypatch.undo()
        time.tzset()


def test_the_command_line_tells_an_unknown_run_and_how_to_go_on(settings, monkeypatch, capsys):
    from flows import cli

    begun(settings)
    monkeypatch.setenv("RERENDER_STORE", settings.store)
    with opened(settings) as workshop:
        run = runs.newest(workshop.store)

    def code(*arguments):
        monkeypatch.setattr("sys.argv", ["rerender", "rerun", *arguments])
        with pytest.raises(SystemExit) as left:
            cli.main()
        return left.value.code, capsys.readouterr()

    status, printed = code("nobody", "--stage", "score")
    assert status == 2
    assert f"no run is called 'nobody' (known: {run})" in printed.err
    status, printed = code(run, "--stage", "fetch")
    assert status == 2
    assert "--stage" in printed.err
    Fickle.answers = {"toy/1": BUSY}
    status, printed = code(run, "--stage", "query", "--only", "all")
    assert status == 1
    assert "1 to run again: query failed (provider_error, infra): error 500" in printed.out
    command = printed.err.split("go on with: ")[1].split()
    assert command[:-1] == [
        "rerender", "rerun", run, "--stage", "query", "--only", "all", "--since"
    ]  # fmt: skip
    Fickle.answers, Fickle.asked = {}, []
    status, printed = code(*command[2:])
    assert status == 0
    assert Fickle.asked == ["toy/1"]
    assert f"next: rerender report {run}" in printed.out
