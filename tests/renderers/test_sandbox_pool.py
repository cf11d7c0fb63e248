"""The life of a pool: what is left when it ends, and who is to blame for a lost container."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import docker
import pytest

from benchmark.outcome import Failed, Kind, Ok
from renderers import result, sandbox
from renderers.hardening import OWNER, owner
from renderers.sandbox import Limits, Pool
from tests.engine import containers, eventually
from tests.renderers.sandboxes import IMAGE, shell

PROJECT = Path(__file__).resolve().parents[2]


def test_many_threads_share_a_pool(pool):
    with ThreadPoolExecutor(4) as threads:
        logs = list(threads.map(lambda i: shell(pool, f"echo {i}; ls").stdout, range(8)))
    assert logs == [f"{i}\n" for i in range(8)]


def test_closing_leaves_nothing():
    with Pool(IMAGE, size=3) as pool:
        shell(pool, "true")
        eventually(lambda: len(containers(owner())) >= 3)
        own = {container.id for container in pool._ready}
    eventually(lambda: not own & containers(owner()))
    with pytest.raises(RuntimeError, match="closed"):
        pool.run(["true"], {})


PROGRAM = """
import sys, time
from renderers.hardening import owner
from renderers.sandbox import Pool, Limits
print(owner(), flush=True)
pool = Pool(sys.argv[1], size=2)
pool.run(["true"], {})
while len(pool._ready) < 2: time.sleep(0.05)
print("ready", flush=True)
pool.run(["sleep", "8"], {}, limits=Limits(seconds=100))
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_killed_owner_leaves_no_container(number):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, IMAGE], cwd=PROJECT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stdout is not None
    label = process.stdout.readline().strip()
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(number)
    process.wait(60)
    process.stdout.close()
    eventually(lambda: not containers(label))


def test_containers_of_dead_owners_are_removed_at_the_next_start():
    client = docker.from_env()
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    label = owner().split("/")[0] + f"/{dead.stdout.strip()}/1"
    alive = f"another-host/{os.getpid()}/1"
    made = [
        client.api.create_container(IMAGE, ["sleep", "1000"], labels={OWNER: value})["Id"]
        for value in (label, alive)
    ]
    try:
        with Pool(IMAGE) as pool:
            shell(pool, "true")
            eventually(lambda: not containers(label))
        assert containers(alive) == {made[1]}
    finally:
        sandbox.stop_container(made[1])
        client.close()


def test_a_lost_container_is_tried_once_more(pool):
    """Somebody kills the first container from outside; the job runs in a second one."""
    logs = []
    worker = threading.Thread(target=lambda: logs.append(pool.run(["sleep", "3"], {})))
    worker.start()
    kill_running("sleep 3")
    worker.join(60)
    assert isinstance(logs[0], Ok)
    assert logs[0].value.exit_code == 0


def test_a_container_lost_twice_is_our_fault(pool):
    logs = []
    worker = threading.Thread(target=lambda: logs.append(pool.run(["sleep", "4"], {})))
    worker.start()
    first = kill_running("sleep 4")
    kill_running("sleep 4", but=first)
    worker.join(60)
    assert isinstance(logs[0], Failed)
    assert logs[0].kind is Kind.SANDBOX_LOST


def test_a_restart_of_the_engine_costs_no_job():
    """Every container that waited is gone; the next job gets a new one."""
    with Pool(IMAGE, size=2) as pool:
        shell(pool, "true")
        eventually(lambda: len(pool._ready) == 2)
        for container in list(pool._ready):
            sandbox.stop_container(container.id)
        assert shell(pool, "echo fine").stdout == "fine\n"


@pytest.mark.parametrize("files", [{}, {"big": bytes(8 << 20)}])
def test_a_stalled_container_is_no_fault_of_the_jobs(monkeypatch, files):
    """It is paused before it has its job: the input fits into the pipe, or it does not."""
    client = docker.from_env()
    with Pool(IMAGE, size=1, limits=Limits(seconds=20)) as pool:
        shell(pool, "true")
        eventually(lambda: len(pool._ready) == 1)
        client.api.pause(pool._ready[0].id)
        client.close()
        pool._size = 0
        start = pool._start
        monkeypatch.setattr(result, "START_SECONDS", 2)

        def start_with_time(limits: Limits):
            monkeypatch.setattr(result, "START_SECONDS", 60)
            return start(limits)

        monkeypatch.setattr(pool, "_start", start_with_time)
        assert shell(pool, "echo fine", files, limits=Limits(seconds=20)).stdout == "fine\n"


@pytest.mark.parametrize("step", ["attach_socket", "start"])
def test_a_container_that_cannot_be_started_is_removed(monkeypatch, step):
    def fail(*_args, **_options):
        raise docker.errors.APIError("the engine gave up")

    before = containers(owner())
    monkeypatch.setattr(docker.APIClient, step, fail)
    started = sandbox._start(IMAGE, Limits(), None)
    assert isinstance(started, Failed)
    assert started.kind is Kind.ENGINE_UNAVAILABLE
    assert containers(owner()) <= before


def kill_running(command: str, but: str = "") -> str:
    """Kill the container of ours that runs a command."""
    client = docker.from_env()
    found = []

    def search() -> bool:
        found.extend(
            identifier
            for identifier in containers(owner()) - {but}
            if command in running_in(client, identifier)
        )
        return bool(found)

    try:
        eventually(search)
        client.api.kill(found[0])
    finally:
        client.close()
    return found[0]


def running_in(client: docker.DockerClient, identifier: str) -> list[str]:
    """Return the command lines in a container: as the engine tells them, else asked inside.

    The engine asks the `ps` beside it, which a bare Debian does not have.
    """
    script = "for file in /proc/[0-9]*/cmdline; do tr '\\0' ' ' <$file; echo; done"
    try:
        return [line[-1] for line in client.api.top(identifier)["Processes"]]
    except docker.errors.APIError as error:
        if '"ps"' not in str(error):
            return []  # it has just ended
    try:
        started = client.api.exec_create(identifier, ["sh", "-c", script], stderr=False)
        lines = client.api.exec_start(started["Id"]).decode("utf-8", "replace").splitlines()
    except docker.errors.APIError:
        return []
    return [line.strip() for line in lines]
