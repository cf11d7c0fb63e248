"""Stages that fail in real runs, and the three ways to run them again: only what is missing is
done. One station for all: a Prefect server, a worker, the deployments of prefect.yaml."""

import datetime as dt
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import psutil
import pytest

from flows import station
from tests.flows import dots
from tests.flows.test_station import PATIENCE, PROJECT, client_of, free_port, rerender, settings_of
from tests.servers.docker_door import DockerDoor
from tests.servers.openai_server import OpenAIServer, answer, error, hang

MODEL = "openai-api/stand-in/m"
PROVIDER = "rerender-provider-openai-api"
ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}
pytestmark = pytest.mark.timeout(1200)


class Patient(httpx.HTTPTransport):
    """Asks again while the server's database is busy, as Prefect's own client does."""

    def handle_request(self, request):
        for _ in range(20):
            response = super().handle_request(request)
            if response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            response.close()
            time.sleep(0.5)
        return response


@pytest.fixture(scope="module")
def provider():
    with OpenAIServer() as server:
        yield server


@pytest.fixture(scope="module")
def environment(tmp_path_factory, provider):
    home = tmp_path_factory.mktemp("retries")
    dots.install(home / "plugin")
    return os.environ | {
        "PYTHONPATH": f"{home / 'plugin'}{os.pathsep}{PROJECT}",
        "RERENDER_PREFECT_HOME": str(home / "prefect"),
        "RERENDER_PREFECT_PORT": str(free_port()),
        "RERENDER_STORE": str(home / "store"),
        "RERENDER_MODEL_BASE_URL": provider.url,
        "RERENDER_MODEL_RETRIES": "0",
        "RERENDER_MODEL_CONCURRENCY": "2",
        "RERENDER_WORKERS": "1",
        "RERENDER_BATCH": "4",
        "COLUMNS": "200",
    }


@pytest.fixture(scope="module")
def api(environment):
    """A client of the station's server."""
    started = rerender(environment, "up", "--detach")
    assert started.returncode == 0, started.stderr
    settings = settings_of(environment)
    signed = tuple(station.sign_in(settings).split(":"))
    with httpx.Client(
        base_url=station.find(settings).api, auth=signed, timeout=60, transport=Patient()
    ) as client:
        yield client
    assert rerender(environment, "down").returncode == 0


@pytest.fixture(scope="module")
def frozen(environment):
    """A store with a snapshot of graphs; each test takes a copy of it."""
    made = rerender(environment, "refresh", "--source", "dots", "--name", "graphs")
    assert made.returncode == 0, made.stderr
    return Path(environment["RERENDER_STORE"])


@pytest.fixture
def store(frozen, tmp_path):
    return Path(shutil.copytree(frozen, tmp_path / "store"))


class Answers:
    """A provider that writes another graph to each request and fails where it is told to."""

    def __init__(self, provider, fails=lambda number: None):
        self.given = 0
        self.fails = fails
        provider.script(self)

    def __call__(self, received):
        self.given += 1
        failed = self.fails(self.given)
        return (failed or answer(f"digraph {{ a -> c{self.given} }}"))(received)


def begin(api, store, **environment) -> str:
    """Start an evaluation as the interface does; returns the run's id."""
    deployment = api.get("/deployments/name/evaluate/evaluate").json()["id"]
    wanted = {
        "parameters": {"request": {"snapshot": "graphs", "models": [MODEL], "name": "graphs"}},
        "job_variables": {"env": {"RERENDER_STORE": str(store), **environment}},
        "state": {"type": "SCHEDULED"},
        "idempotency_key": secrets.token_hex(8),  # asked again, it is the same run
    }
    made = api.post(f"/deployments/{deployment}/create_flow_run", json=wanted)
    assert made.status_code in {200, 201}, made.text
    return made.json()["id"]


def ended(api, run: str, attempt: int = 1) -> dict:
    """Wait for the end of an attempt of a run and return its state."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = api.get(f"/flow_runs/{run}").json()
        if found["run_count"] >= attempt and found["state"]["type"] in ENDED:
            return found["state"]
        time.sleep(0.3)
    raise AssertionError(f"the run has not ended: {found['state']}")


def retry_in_the_interface(api, run: str) -> None:
    state = {"type": "SCHEDULED", "name": "AwaitingRetry", "message": "Retry from the UI"}
    told = api.post(f"/flow_runs/{run}/set_state", json={"state": state, "force": True})
    assert told.status_code in {200, 201}, told.text


def retry_in_the_terminal(environment, run: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prefect", "flow-run", "retry", run],
        env=client_of(environment), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def journalled(store: Path, stage: str) -> Counter:
    """Return how often each result of the model is in the journals."""
    paths = store.glob(f"journals/{stage}/{MODEL.replace('/', '__')}__dots/*.jsonl")
    lines = [json.loads(line) for path in paths for line in path.read_bytes().splitlines()]
    return Counter(line["key"] for line in lines if line["outcome"]["outcome"] == "ok")


def everything_once(store: Path) -> None:
    for stage in ("query", "render", "score"):
        assert list(journalled(store, stage).values()) == [1] * dots.PIECES, stage


def wait_for(condition, what: str):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.05)
    raise AssertionError(f"waited in vain: {what}")


@pytest.fixture(scope="module")
def killed(api, environment, frozen, provider, tmp_path_factory):
    """A run that was killed with what had started it, while it waited for answers; and its store.

    The automation that would mark it is taken away, as if the server had been down as well. That
    the run is silent for long enough is waited for while other tests run.
    """
    from flows.provisioning import ZOMBIES

    for automation in api.post("/automations/filter", json={}).json():
        if automation["name"] == ZOMBIES:
            assert api.delete(f"/automations/{automation['id']}").status_code == 204
    home = tmp_path_factory.mktemp("killed")
    store = shutil.copytree(frozen, home / "store")
    Answers(provider, lambda number: hang() if number > 3 else None)
    take_runs(api, paused=True)  # the worker leaves it to us
    try:
        run = begin(api, store)
        log = home / "log"
        with log.open("wb") as told:
            starter = subprocess.Popen(
                [sys.executable, "-m", "prefect", "flow-run", "execute", run],
                env={**client_of(environment), "RERENDER_STORE": str(store)}, cwd=PROJECT,
                stdin=subprocess.DEVNULL, stdout=told, stderr=told,
            )  # fmt: skip

        def is_asking():
            assert starter.poll() is None, log.read_text()
            return len(provider.requests) > 3

        try:
            wait_for(is_asking, "models are asked")
            assert api.get(f"/v2/concurrency_limits/{PROVIDER}").json()["active_slots"] > 0
        finally:
            if starter.poll() is None:
                for process in [*psutil.Process(starter.pid).children(True), starter]:
                    process.kill()
                starter.wait()
    finally:
        take_runs(api, paused=False)
    return run, store


def take_runs(api, *, paused: bool) -> None:
    """Let the worker take runs of the pool, or none."""
    told = api.patch("/work_pools/rerender", json={"is_paused": paused})
    assert told.status_code == 204, told.text


def test_a_provider_that_fails_is_asked_again_for_what_it_did_not_answer(
    api, killed, store, provider
):
    Answers(provider, lambda number: error(500, "on fire") if number % 4 == 0 else None)
    run = begin(api, store)
    state = ended(api, run)
    assert state["type"] == "FAILED"
    assert "2 to run again: query failed (provider_error, infra): " in state["message"]
    assert "\n" not in state["message"]
    assert len(provider.requests) == dots.PIECES
    assert len(journalled(store, "score")) == dots.PIECES - 2, "the others went on"
    Answers(provider).given = 100
    retry_in_the_interface(api, run)
    assert ended(api, run, attempt=2)["type"] == "COMPLETED"
    assert len(provider.requests) == 2
    everything_once(store)
    assert ended(api, begin(api, store))["type"] == "COMPLETED"
    assert len(provider.requests) == 2, "a new run with the same parameters has nothing to do"
    everything_once(store)


def test_an_engine_that_stops_in_the_middle_is_gone_on_with(
    api, environment, store, provider, tmp_path
):
    Answers(provider)
    with DockerDoor(tmp_path / "docker.sock") as door:
        run = begin(api, store, DOCKER_HOST=door.host)
        wait_for(lambda: len(journalled(store, "render")) > 1, "something is rendered")
        door.shut()
        state = ended(api, run)
        assert state["type"] == "FAILED"
        assert "to run again: render failed (" in state["message"]
        assert ", infra): " in state["message"]
        rendered = set(journalled(store, "render"))
        assert 2 <= len(rendered) < dots.PIECES
        door.open()
        retry_in_the_terminal(environment, run)
        assert ended(api, run, attempt=2)["type"] == "COMPLETED"
    assert len(provider.requests) == dots.PIECES, "nobody is asked twice"
    assert rendered < set(journalled(store, "render"))
    everything_once(store)


@pytest.fixture
def small_disk(frozen, tmp_path):
    """A store on a disk of its own that is nearly full; and what fills it."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if mounted.returncode != 0:
        pytest.skip(f"no file system may be mounted here: {mounted.stderr.strip()}")
    try:
        store, filler = disk / "store", disk / "filler"
        shutil.copytree(frozen, store)
        left = shutil.disk_usage(disk).free
        filler.write_bytes(b"x" * (left - 40 * 1024))
        yield store, filler
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_loses_nothing_and_a_new_run_does_what_is_missing(api, small_disk, provider):
    store, filler = small_disk
    Answers(provider)
    state = ended(api, begin(api, store))
    assert state["type"] == "FAILED"
    assert "no space left on the device; free some, run again" in state["message"]
    asked, done = len(provider.requests), set(journalled(store, "query"))
    assert len(journalled(store, "score")) < dots.PIECES
    filler.unlink()
    assert ended(api, begin(api, store))["type"] == "COMPLETED"
    assert len(provider.requests) == asked + dots.PIECES - len(done)
    everything_once(store)


def test_a_run_that_is_stuck_in_running_is_found_dead_and_taken_up_again(
    api, environment, killed, provider
):
    from flows.provisioning import SILENCE

    run, store = killed
    Answers(provider).given = 100
    state = api.get(f"/flow_runs/{run}").json()["state"]
    assert state["type"] == "RUNNING", "nobody has told the server"
    died = dt.datetime.fromisoformat(state["timestamp"])
    time.sleep(max(0, (died + SILENCE - dt.datetime.now(dt.UTC)).total_seconds() + 40))
    told = rerender(environment, "recover")
    assert told.returncode == 0, told.stderr
    assert "Crashed, and scheduled again" in told.stdout
    assert ended(api, run, attempt=2)["type"] == "COMPLETED"
    assert len(provider.requests) == dots.PIECES - 3
    everything_once(store)
    slots = wait_for(
        lambda: api.get(f"/v2/concurrency_limits/{PROVIDER}").json()["active_slots"] == 0,
        "the slots of the killed run come back",
    )
    assert slots
    assert "no run is dead" in rerender(environment, "recover").stdout


def test_every_deploy_makes_limits_and_automations_and_a_new_provider_gets_its_own(
    api, environment
):
    from flows.provisioning import ZOMBIES

    def automations():
        return {one["name"]: one["id"] for one in api.post("/automations/filter", json={}).json()}

    if ZOMBIES in automations():
        api.delete(f"/automations/{automations()[ZOMBIES]}")
    tex = "/v2/concurrency_limits/rerender-container-tex"
    api.patch("/v2/concurrency_limits/rerender-container-web", json={"limit": 3})
    assert api.delete(tex).status_code == 204
    deployed = subprocess.run(
        [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"], cwd=PROJECT,
        env=client_of(environment), capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert deployed.returncode == 0, deployed.stdout
    assert ZOMBIES in automations()
    assert api.get(tex).json()["limit"] == 256
    assert api.get("/v2/concurrency_limits/rerender-site-arxiv").json()["limit"] == 1
    assert api.get("/v2/concurrency_limits/rerender-container-web").json()["limit"] == 3
    new = "/v2/concurrency_limits/rerender-provider-newcomer"
    assert api.get(new).status_code == 404
    told = rerender(environment, "provision", "--provider", "newcomer")
    assert told.returncode == 0, told.stderr
    assert api.get(new).json()["limit"] == 64
