"""Rendering and scoring on a real Dask cluster: a scheduler and two workers on loopback."""

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

from benchmark.settings import Settings
from flows import cluster
from flows.console import quieten_prefect
from flows.failures import ClusterError, describe
from flows.forms import EvaluateRequest, RefreshRequest
from flows.progress import observed_by
from flows.workshop import opened
from tests.flows import drawn
from tests.flows.test_evaluate import Counts

PROJECT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(900)  # a server, a scheduler and two workers start first


class Dask:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        drawn.install(folder / "plugins")
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        deadline = time.monotonic() + 120
        while not (folder / "scheduler.json").exists():
            assert time.monotonic() < deadline, "the scheduler did not start"
            time.sleep(0.1)
        self.address = json.loads((folder / "scheduler.json").read_text())["address"]
        self.workers = [self.start_worker() for _ in range(2)]
        self.wait_for(2)

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


@pytest.fixture(scope="module", autouse=True)
def prefect():
    quieten_prefect(debug=False)
    from prefect.testing.utilities import prefect_test_harness

    drawn.register()
    with prefect_test_harness(server_startup_timeout=180):
        yield


@pytest.fixture(scope="module")
def dask(tmp_path_factory, prefect):
    started = Dask(tmp_path_factory.mktemp("dask"))
    yield started
    started.end()


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
def test_a_wrong_address_is_told_with_the_next_step(address, told, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 3)
    settings = Settings(store=str(tmp_path), runner="dask", dask_address=address)
    with pytest.raises(ClusterError, match=told) as caught:
        refresh(settings, "toy")
    assert "\n" not in describe(caught.value)
