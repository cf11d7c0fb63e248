"""Faults of the container engine, what it says of itself, and a browser's container."""

from __future__ import annotations

import os
import subprocess

import docker

from benchmark.outcome import Failed, Kind, Ok
from renderers import sandbox
from renderers.hardening import OWNER, hardening, owner
from renderers.sandbox import Limits, Pool
from tests.engine import eventually
from tests.renderers.sandboxes import IMAGE


def test_an_engine_that_does_not_answer_is_unavailable(monkeypatch, tmp_path):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")
    for outcome in (
        Pool(IMAGE).run(["true"], {}), sandbox.image_digest(IMAGE), sandbox.engine_status(),
        sandbox.image_status("tex"),
    ):  # fmt: skip
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.ENGINE_UNAVAILABLE
        assert "none.sock" in outcome.message
    sandbox.stop_container("anything")


def test_missing_image_says_how_to_make_it():
    name = "rerender-none:latest"
    for outcome in (Pool(name).run(["true"], {}), sandbox.image_digest(name)):
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.IMAGE_MISSING
        assert "make setup" in outcome.message


def test_unknown_runtime_is_the_machines_fault():
    outcome = Pool(IMAGE, runtime="no-such-runtime").run(["true"], {})
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.ENGINE_UNAVAILABLE
    assert "no-such-runtime" in outcome.message


def test_engine_and_images_tell_their_status():
    engine = sandbox.engine_status()
    assert isinstance(engine, Ok)
    assert engine.value.runtime in engine.value.runtimes
    image = sandbox.image_status("graphviz")
    assert isinstance(image, Ok)
    assert image.value.state == "present"
    digest = sandbox.image_digest(IMAGE)
    assert isinstance(digest, Ok)
    assert image.value.digest == digest.value
    assert len(digest.value) == 64


def test_a_browsers_container_is_hardened_like_a_jobs():
    limits = Limits(memory_mb=200, pids=50, cpus=0.5, work_mb=30)
    name = f"rerender-test-{os.getpid()}"
    command = sandbox.browser_command(IMAGE, name=name, limits=limits)
    process = subprocess.Popen([*command, "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    client = docker.from_env()
    try:
        process.stdin.write(b"hello\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"hello\n"
        found = client.api.inspect_container(name)
        wanted = client.api.create_host_config(**hardening(limits))
        wanted["IpcMode"] = "private"  # a browser shares memory between its processes
        for key, value in wanted.items():
            assert found["HostConfig"][key] == value, key
        assert found["Config"]["User"] == "65534:65534"
        assert found["Config"]["Labels"][OWNER] == owner()
        assert found["Mounts"] == []
        sandbox.stop_container(name)
        process.wait(60)
        eventually(lambda: not client.api.containers(all=True, filters={"name": name}))
    finally:
        process.kill()
        process.stdin.close()
        process.stdout.close()
        sandbox.stop_container(name)
        client.close()
