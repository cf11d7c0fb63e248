"""Rendering and scoring on a real Dask cluster: a scheduler and two workers on loopback."""

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from benchmark.records import Instance
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot, freeze
from benchmark.store import Store
from flows import cluster, slots
from flows.failures import ClusterError, describe
from flows.forms import EvaluateRequest, RefreshRequest
from flows.progress import observed_by
from flows.workshop import opened
from tests.flows import drawn, toy
from tests.flows.test_evaluate import Counts

PROJECT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(900)  # a server, a scheduler and two workers start first


class Dask:
    """A scheduler and its workers, each a process of its own; all start at the same time."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        drawn.install(folder / "plugins")
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        self.workers = [self.start_worker() for _ in range(2)]

    @property
    def address(self):
        written = self.folder / "scheduler.json"
        deadline = time.monotonic() + 120
        while not written.exists():
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.1)
        return json.loads(written.read_text())["address"]

    def start_worker(self):
        return self._start(
            "worker", "--host", "127.0.0.1", "--no-nanny", "--nthreads", "1",
            "--local-directory", str(self.folder),
        )  # fmt: skip

    def wait_for(self, workers):
        from distributed import Client

        with Client(self.address, set_as_default=False, timeout=60) as client:
            client.wait_for_workers(workers, timeout=180)

    def settings(self, store, **changes):
        changed = {"batch": 3, "workers": 2, "runner": "dask", "dask_address": self.address}
        return Settings(store=str(store), **changed | changes)

    def _start(self, *command):
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(PROJECT), str(self.folder / "plugins")]),
            "TOY_SECONDS": "0.4",
        }
        environment.pop("RERENDER_STORE", None)
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--no-dashboard",
             "--scheduler-file", str(self.folder / "scheduler.json")],
            env=environment, cwd=self.folder, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.processes.append(process)
        return process

    def end(self):
        for process in reversed(self.processes):
            with suppress(ProcessLookupError):
                process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture(scope="module")
def dask(tmp_path_factory, request):
    """Start a cluster, and Prefect's server while it starts."""
    started = Dask(tmp_path_factory.mktemp("dask"))
    try:
        request.getfixturevalue("server")
        started.wait_for(2)
        yield started
    finally:
        started.end()


@pytest.fixture(scope="module")
def server(prefect):
    """Prefect's server, which knows the limit of the renderer of these tests too."""
    from prefect.client.orchestration import get_client

    drawn.register()
    with get_client(sync_client=True) as client:
        slots.ensure(client, slots.wanted(Settings()))


def refresh(settings, source):
    from flows.refresh import refresh as flow

    counts = Counts()
    with opened(settings), observed_by(counts):
        return flow(RefreshRequest(sources=[source])), counts


def evaluate(settings, snapshot, models=("oracle", "blank")):
    from flows import runs
    from flows.evaluate import evaluate as flow

    counts = Counts()
    with opened(settings) as workshop, observed_by(counts):
        state = flow(EvaluateRequest(snapshot=snapshot, models=list(models)), return_state=True)
        name = state.result(raise_on_failure=False)
        if isinstance(name, BaseException):
            raise name
        traced = runs.look_up(workshop, runs.load(workshop.store, name))
    return state, traced, counts


def scores(traced):
    return {
        (each.model, each.instance.id, score.metric): (score.value, score.reason)
        for each in traced
        for score in each.scores
    }


def lines(store, stage):
    """Return keys by the process that wrote them."""
    found = {}
    for path in sorted((Path(store) / "journals" / stage).rglob("*.jsonl")):
        keys = [json.loads(line)["key"] for line in path.read_bytes().splitlines()]
        found.setdefault(int(path.name.split("-")[0]), []).extend(keys)
    return found


def test_scores_are_the_same_to_the_last_digit_wherever_they_are_made(dask, tmp_path):
    here = Settings(store=str(tmp_path / "here"), batch=3, workers=2)
    far = dask.settings(tmp_path / "far")
    name, counts = refresh(here, "drawn")
    far_name, far_counts = refresh(far, "drawn")
    assert (far_name, far_counts.results) == (name, counts.results)
    state, traced, counts = evaluate(here, name)
    far_state, far_traced, far_counts = evaluate(far, name)
    assert (state.is_completed(), far_state.is_completed()) == (True, True)
    expected = scores(traced)
    assert len({value for value, _ in expected.values() if value is not None}) > 8, "real values"
    assert scores(far_traced) == expected
    assert far_counts.totals == counts.totals
    assert {k: sum(v.values()) for k, v in far_counts.results.items()} == counts.totals
    pids = {worker.pid for worker in dask.workers}
    assert set(lines(far.store, "query")) == {os.getpid()}, "models are asked by the flow"
    for stage in ("render", "score"):
        assert set(lines(far.store, stage)) <= pids
    _, again, counts = evaluate(far, name)
    assert scores(again) == expected
    assert set(counts.results["score"]) == {"cached"}


def test_a_worker_that_is_killed_loses_nothing(dask, tmp_path):
    settings = dask.settings(tmp_path / "store", batch=2)
    name, _ = refresh(settings, "toy")
    killed = []

    def kill():
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline:
            if sum(map(len, lines(settings.store, "score").values())) >= 3:
                victim = dask.workers.pop()
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                killed.append(lines(settings.store, "score"))
                return
            time.sleep(0.05)

    killer = threading.Thread(target=kill)
    killer.start()
    state, traced, counts = evaluate(settings, name)
    killer.join()
    dask.workers.append(dask.start_worker())
    assert killed, "the evaluation ended before a worker could be killed"
    assert state.is_completed(), state.message
    before = [key for keys in killed[0].values() for key in keys]
    written = lines(settings.store, "score")
    after = [key for keys in written.values() for key in keys]
    assert 3 <= len(before) < len(after)
    assert set(before) < set(after)
    assert len(after) == len(set(after)) == 44, "two metrics of 11 instances and 2 models"
    told = {value for (_, _, metric), value in scores(traced).items() if metric == "toy_absent"}
    assert told == {(None, "no weights here; run `rerender weights`")}
    assert {k: sum(v.values()) for k, v in counts.results.items()} == counts.totals


def test_a_judge_stays_with_the_flow_and_sees_what_workers_made(dask, tmp_path):
    place = tmp_path / "store"
    freeze_questions(Store(str(place)))
    here = Settings(store=str(place), runner="threads")
    far = dask.settings(place)
    state, traced, counts = evaluate(far, "questions")
    assert state.is_completed(), state.message
    assert set(lines(place, "score")) == {os.getpid()}, "it has the budget, and may have the key"
    assert set(lines(place, "render")) <= {worker.pid for worker in dask.workers}
    values = scores(traced)
    assert len(values) == 2 * 5
    assert all(values[key][0] == 5.0 for key in values if key[0] == "oracle")
    assert all(value is not None for value, _ in values.values())
    assert {k: sum(v.values()) for k, v in counts.results.items()} == counts.totals
    assert scores(evaluate(here, "questions")[1]) == values


def freeze_questions(store):
    """Freeze questions whose answers a judge gives points for."""
    image = store.put(drawn.picture("What happens?"))
    instances = tuple(
        Instance(
            id=f"q{number}", scenario="flowce-reasoning", subset="en", image=image,
            truth=store.put(f"It stops after step {number}.".encode()), provenance=toy.PROVENANCE,
            attributes={"question": f"What happens after step {number}?"},
        )
        for number in range(5)
    )  # fmt: skip
    day = dt.date(2026, 1, 1)
    freeze(store, Snapshot(name="questions", created=day, licences={"CC0-1.0": 5}, tools={},
                           instances=instances))  # fmt: skip


@pytest.mark.parametrize(("breaks", "told"), [("sending", "not sent to"), ("telling", "lost on")])
def test_a_cluster_that_breaks_ends_the_run_and_never_hangs_it(
    dask, breaks, told, tmp_path, monkeypatch
):
    from flows.telling import News

    settings = dask.settings(tmp_path / "store")
    freeze_questions(Store(settings.store))
    where = cluster._reach

    def broken(address):
        runner = where(address)

        def submit(*_):
            raise OSError("the scheduler is gone")

        monkeypatch.setattr(runner, "submit", submit)
        return runner

    def lost(news):
        raise OSError("the scheduler is gone")

    if breaks == "sending":
        monkeypatch.setattr(cluster, "_reach", broken)
    else:
        monkeypatch.setattr(News, "tell", lost)
    state, traced, _ = evaluate(settings, "questions", ["oracle"])
    assert state.is_failed()
    assert f"{told} the Dask cluster: OSError: the scheduler is gone; run again" in state.message
    assert len(traced) == 5


def test_what_waits_for_a_task_without_an_end_state_is_not_forgotten():
    from concurrent.futures import Future
    from uuid import uuid4

    from prefect.futures import PrefectConcurrentFuture

    told = []
    ends = [Future(), Future()]
    futures = [PrefectConcurrentFuture(uuid4(), end) for end in ends]
    cluster._once_done(futures, lambda: told.append("both have ended"))
    ends[0].set_exception(OSError("the server does not answer"))
    assert not told
    ends[1].set_exception(OSError("the server does not answer"))
    assert told == ["both have ended"]


def test_tasks_elsewhere_need_a_server_to_report_to():
    from prefect.settings import PREFECT_API_URL, temporary_settings
    from prefect.task_runners import ThreadPoolTaskRunner

    made = cluster.Cluster(ThreadPoolTaskRunner(), "tcp://127.0.0.1:1")
    with (
        temporary_settings(restore_defaults={PREFECT_API_URL}),
        pytest.raises(ClusterError, match=r"needs a Prefect server.*`rerender up --detach`"),
    ):
        made._connect()


def test_of_two_flows_that_name_a_store_one_does(tmp_path, monkeypatch):
    from flows.cluster_worker import identity

    store, other = Store(str(tmp_path)), Store(str(tmp_path))
    read = store.read_document

    def slow(path):
        monkeypatch.setattr(store, "read_document", read)
        try:
            return read(path)
        finally:
            identity(other)  # which is quicker

    monkeypatch.setattr(store, "read_document", slow)
    assert identity(store) == identity(other) == read("identity.json")


def test_another_store_at_the_same_place_is_refused(dask, tmp_path, monkeypatch):
    from dataclasses import replace

    from flows.cluster_worker import Kept, Terms, Unfit

    monkeypatch.setattr(os, "environ", dict(os.environ))
    with opened(Settings(store=str(tmp_path / "store"))) as workshop:
        terms = Terms.of(workshop)
    kept = Kept()
    with pytest.raises(Unfit, match="is another store there, or none"):
        kept.take("flow", replace(terms, location=str(tmp_path / "elsewhere")), 1)
    with pytest.raises(Unfit, match=r"numpy: 1\.0 in the flow"):
        kept.take("flow", replace(terms, program={**terms.program, "numpy": "1.0"}), 1)
    assert not kept.works_for("flow")
    kept.take("flow", terms, 1)
    with pytest.raises(Unfit, match="seed: 9 in the flow, 0 there"):
        kept.take("other", replace(terms, settings={**terms.settings, "seed": 9}), 1)
    kept.leave("flow")
    kept.take("other", replace(terms, settings={**terms.settings, "seed": 9}), 1)
    kept.close()


def test_secrets_and_what_is_a_machines_own_stay_at_home(tmp_path):
    from flows.cluster_worker import Terms

    settings = Settings(store=str(tmp_path), github_token="s3cret", workers=3)  # noqa: S106
    with opened(settings) as workshop:
        terms = Terms.of(workshop)
    assert "s3cret" not in repr(terms)
    assert not {"workers", "github_token", "prefect_home"} & set(terms.settings)


@pytest.mark.parametrize(
    ("address", "told"),
    [("tcp://127.0.0.1:1", "no Dask scheduler answers"), ("nonsense://x:1", "no Dask scheduler"),
     (None, "RERENDER_DASK_ADDRESS")],
)  # fmt: skip
def test_a_wrong_address_is_told_with_the_next_step(address, told, server, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 3)
    settings = Settings(store=str(tmp_path), runner="dask", dask_address=address)
    with pytest.raises(ClusterError, match=told) as caught:
        refresh(settings, "toy")
    assert "\n" not in describe(caught.value)


def test_a_scheduler_that_dies_ends_the_run_and_the_next_does_the_rest(dask, tmp_path):
    """The last one: the cluster is gone after it."""
    settings = dask.settings(tmp_path / "store", batch=2)
    here = Settings(store=settings.store, workers=2)
    name, _ = refresh(here, "toy")

    def kill():
        deadline = time.monotonic() + 200
        while time.monotonic() < deadline and not lines(settings.store, "score"):
            time.sleep(0.05)
        dask.scheduler.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    state, _, _ = evaluate(settings, name)
    killer.join()
    assert state.is_failed()
    assert "the flow or the scheduler ended" in state.message
    state, traced, _ = evaluate(here, name)
    assert state.is_completed(), state.message
    assert len({key for keys in lines(settings.store, "score").values() for key in keys}) == 44
    assert len(traced) == 22
