"""An evaluation whose store is on a real S3 server, by several processes at once."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmark.settings import Settings
from benchmark.store import Store
from flows.forms import EvaluateRequest, RefreshRequest, ReportRequest
from flows.workshop import opened
from tests.flows import toy
from tests.servers.s3_server import S3Server

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 400
COUNT = 11
"""Instances of the toy scenario: the twelfth piece of material does not compile."""

CLI = """
import sys
from flows.cli import main
from tests.flows import toy
toy.register()
main()
"""
"""The command line, with a scenario whose rendering and scoring cost nothing."""


@pytest.fixture
def server():
    with S3Server() as running:
        yield running


@pytest.fixture
def start():
    """Starts the command line, and ends what a test that failed has left running."""
    started = []

    def starts(environment, *arguments) -> subprocess.Popen:
        process = begin(environment, *arguments)
        started.append(process)
        return process

    yield starts
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def begin(environment, *arguments) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", CLI, *arguments], cwd=PROJECT, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
    )  # fmt: skip


def finished(process) -> str:
    told, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, told
    return told


def keys(store: Store, stage: str, part: str) -> list[str]:
    """Return the key of each line of a journal."""
    folder = store.path("journals", stage, part)
    data = [
        store.backend.read(f"{folder}/{one.name}") for one in store.backend.files(folder)
    ]  # fmt: skip
    return [json.loads(line)["key"] for each in data for line in each.splitlines()]


def evaluated(settings: Settings) -> dict:
    """Return every score and picture of both models, finding or making them in this process."""
    from flows import runs
    from flows.evaluate import evaluate

    with opened(settings) as workshop:
        request = EvaluateRequest(snapshot="toys", models=["oracle", "blank"], name="both")
        state = evaluate(request, return_state=True)
        assert state.is_completed(), state.message
        found = runs.look_up(workshop, runs.load(workshop.store, "both"))
        manifest = workshop.snapshot("toys").digest
    results = {
        (one.model, one.instance.id): (
            one.rendering.value.image,
            {score.metric: (score.value, score.reason) for score in one.scores},
        )
        for one in found
    }
    return {"manifest": manifest, "results": results}


@pytest.mark.timeout(1200)
def test_two_evaluations_share_a_store_and_one_is_killed(
    prefect, server, start, tmp_path, monkeypatch
):  # fmt: skip
    toy.register()
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    place = server.make_bucket()
    environment = os.environ | {
        "PREFECT_API_URL": prefect,
        "RERENDER_STORE": place, "RERENDER_BATCH": "4", "RERENDER_WORKERS": "1",
        "RERENDER_PREFECT_HOME": str(tmp_path / "prefect"),
    }  # fmt: skip
    finished(start(environment, "refresh", "--source", "toy", "--name", "toys"))
    store = Store(place)
    assert store.newest("snapshots") == "toys"

    killed = start(environment | {"TOY_SECONDS": "0.5"}, "evaluate", "toys", "-m", "oracle")
    other = start(environment, "evaluate", "toys", "-m", "blank")
    end = time.monotonic() + PATIENCE
    while len(keys(store, "score", "oracle__toy")) < 2:
        assert killed.poll() is None, killed.communicate()[0]
        assert time.monotonic() < end
        time.sleep(0.05)
    os.killpg(killed.pid, signal.SIGKILL)
    killed.communicate()
    before = {stage: keys(store, stage, "oracle__toy") for stage in ("query", "score")}
    finished(other)
    assert "oracle" in finished(start(environment, "evaluate", "toys", "-m", "oracle"))

    for stage in ("query", "render", "score"):
        found = keys(store, stage, "oracle__toy")
        assert len(found) == len(set(found)), "what had been finished was done again"
        assert set(before.get(stage, [])) <= set(found)

    asked = len(server.asked())
    shared = Settings(store=place, reports=tmp_path / "reports", workers=2)
    ours = evaluated(shared)
    written = [one.path for one in server.asked()[asked:] if one.method == "PUT"]
    assert [path.rpartition("/")[2] for path in written] == ["both.json"], "nothing was left to do"
    assert len(ours["results"]) == 2 * COUNT

    from flows.refresh import refresh
    from flows.report import report

    local = Settings(store=str(tmp_path / "store"), workers=2)
    with opened(local):
        refresh(RefreshRequest(sources=["toy"], name="toys"))
    assert ours == evaluated(local)
    with opened(shared):
        published = report(ReportRequest(run="both"))
    assert published.page.exists()
    rows = subprocess.run(
        [sys.executable, "-c", CLI, "list", "runs"], cwd=PROJECT, env=environment,
        capture_output=True, text=True, timeout=PATIENCE, check=True,
    ).stdout.splitlines()  # fmt: skip
    assert len(rows) == 3


def test_a_store_out_of_reach_is_told_in_one_line(tmp_path):
    environment = os.environ | {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_MAX_ATTEMPTS": "1",
        "AWS_ACCESS_KEY_ID": "someone", "AWS_SECRET_ACCESS_KEY": "secret",
        "RERENDER_STORE": "s3://bucket/store",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", "list", "runs"], cwd=PROJECT, env=environment,
        capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert "s3://bucket/store: no answer" in line
    assert "is AWS_ENDPOINT_URL right, and the server up?" in line
