import os
import shutil
import subprocess
import sys

import pytest

from setup import engine
from setup.console import ROOT, SetupError


@pytest.fixture
def bare_checkout(tmp_path):
    """What set-up needs, in a folder of its own (the real one may be being set up)."""
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "setup", checkout / "setup")
    (checkout / "renderers").mkdir()
    for name in ("__init__.py", "image_digest.py"):
        shutil.copy(ROOT / "renderers" / name, checkout / "renderers")
    return checkout


def test_unreachable_docker_host_stops_with_two_lines(bare_checkout, tmp_path):
    """No engine is installed behind the back of somebody who named one."""
    host = f"unix://{tmp_path}/none.sock"
    done = subprocess.run(
        [sys.executable, "-S", "-m", "setup", "engine"],
        cwd=bare_checkout, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
        env={"PATH": str(tmp_path), "DOCKER_HOST": host},
    )  # fmt: skip
    assert done.returncode == 2
    first, second = done.stderr.splitlines()
    assert f"DOCKER_HOST={host}" in first
    assert "Docker Desktop" in first
    assert "rootless" in first
    assert "podman.sock" in second


def test_without_root_or_debian_nothing_is_installed(monkeypatch):
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(engine, "ask", lambda: None)
    monkeypatch.setattr(engine, "can_install", lambda: False)
    monkeypatch.setattr(engine, "install", lambda *_: pytest.fail("installed something"))
    with pytest.raises(SetupError) as stopped:
        engine.prepare()
    assert len(stopped.value.lines) == 2
    assert "\n" not in "".join(stopped.value.lines)


def test_an_engine_that_answers_is_used(monkeypatch):
    found = engine.Engine("1.2", "runc", "overlay2")
    monkeypatch.setattr(engine, "ask", lambda: found)
    monkeypatch.setattr(engine, "install", lambda *_: pytest.fail("installed something"))
    assert engine.prepare() is found


def test_an_engine_that_this_user_may_not_use_is_explained(monkeypatch):
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(engine, "ask", lambda: None)
    monkeypatch.setattr(engine, "can_install", lambda: True)
    monkeypatch.setattr(engine, "install", lambda *_: None)
    monkeypatch.setattr(engine, "_start", lambda *_: None)
    with pytest.raises(SetupError, match="may not use it"):
        engine.prepare()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ('printf "20.10\\trunc\\toverlay2\\n"', engine.Engine("20.10", "runc", "overlay2")),
        ('printf "\\t\\t\\n"; exit 1', None),
        ("echo not what was asked", None),
    ],
    ids=["answers", "no daemon", "another program"],
)
def test_ask_reads_the_command_line_client(tmp_path, monkeypatch, script, expected):
    client = tmp_path / "docker"
    client.write_text(f"#!/bin/sh\n{script}\n")
    client.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert engine.ask() == expected


def test_pid_files_of_dead_daemons_are_removed(tmp_path, monkeypatch):
    """After a kill -9, the number in the file may belong to any other process by now."""
    gone, reused, broken = (tmp_path / name for name in ("gone.pid", "reused.pid", "broken.pid"))
    gone.write_text("4194305")
    reused.write_text(str(os.getpid()))
    broken.write_text("")
    monkeypatch.setattr(engine, "PID_FILES", (gone, reused, broken, tmp_path / "absent.pid"))
    engine._clear_pid_files([], tmp_path / "log")
    assert not list(tmp_path.glob("*.pid"))


def test_in_a_chroot_the_daemon_gets_a_root_that_is_a_mount_point():
    """Else `docker import` ends with "remount /: invalid argument"."""
    machine = "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    inside = "90 21 0:5 / /proc rw - proc proc rw\n91 21 8:1 /opt /opt rw - ext4 /dev/sda1 rw\n"
    assert engine.own_root(machine + inside) == []
    assert engine.own_root(inside)[0] == "unshare"
    assert engine.own_root(inside)[-1] == engine.CHROOT_MOUNT
