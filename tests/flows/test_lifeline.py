"""The guard of a process that works: what is its own to end, and what is not."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from flows import lifeline, station_processes
from tests.engine import eventually

GUARDED = """
import os, socket, subprocess, sys
from flows.lifeline import guard
guard()
child = subprocess.Popen(["sleep", "600"])
socket.gethostname = lambda: "renamed"
guard()
print(child.pid, os.environ["RERENDER_OWNER"], os.environ["TMPDIR"], flush=True)
sys.stdin.read()
"""


@pytest.fixture
def guarded(tmp_path):
    """A process with a guard, whose host gets another name; its child, mark and folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", GUARDED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"TMPDIR": str(tmp_path)},
    )  # fmt: skip
    child, mark, folder = process.stdout.readline().split()
    yield process, psutil.Process(int(child)), mark, folder
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_a_host_that_is_renamed_costs_a_process_neither_children_nor_folder(guarded):
    _, child, mark, folder = guarded
    assert not mark.startswith("renamed")
    time.sleep(2)
    assert child.is_running()
    assert os.path.isdir(folder)  # noqa: PTH112


@pytest.mark.parametrize("killed", [True, False])
def test_what_a_process_has_begun_ends_with_it(guarded, killed, tmp_path):
    process, child, mark, _ = guarded
    if killed:
        process.kill()
    else:
        process.stdin.close()
    process.wait()
    eventually(lambda: not child.is_running(), "its child stays")
    eventually(lambda: not lifeline.marked(mark), "its processes stay")
    eventually(lambda: not list(tmp_path.iterdir()), "its folder stays")


def test_a_station_outlives_the_process_that_works_and_starts_it(tmp_path, monkeypatch):
    outer, inner = (f"rerender-{digit * 16}" for digit in "ab")
    monkeypatch.setenv(lifeline.MARK, "here/1/2")
    monkeypatch.setenv("TMPDIR", str(tmp_path / outer / inner))
    tells = "import os; print(os.environ.get('RERENDER_OWNER'), os.environ['TMPDIR'])"
    station_processes.start(["-c", tells], {}, tmp_path / "log")
    eventually(lambda: (tmp_path / "log").read_text().endswith("\n"), "it says nothing")
    assert (tmp_path / "log").read_text() == f"None {tmp_path}\n"


def test_a_folder_of_the_users_own_is_left_as_it_is():
    theirs = {"TMPDIR": "/scratch/rerender-0123456789abcdef"}
    assert lifeline.unmarked(theirs) == theirs
