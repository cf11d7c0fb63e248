"""The processes of a station: started with their output in files, ended with all they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import httpx
import psutil

from flows.station import Member

START_SECONDS = 300
"""A first start makes the database: ten seconds on a quiet machine, minutes on a busy one."""
GRACE_SECONDS = 8
"""What is asked to end is ended by force after so long."""
TAIL_LINES = 3


class StationError(RuntimeError):
    """A station could not be started; the text says why and what to do."""


def start(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Member:
    """Start a process of its own session, so that Ctrl-C reaches only who keeps the station.

    It inherits which signals are ignored: what a shell starts in the background ignores Ctrl-C, so
    whoever calls this sets a handler of its own for that first.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter with fixed arguments
            [sys.executable, *command],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    return Member.of(process.pid)


def wait_until(ready: Callable[[], bool], member: Member, log: Path, what: str) -> None:
    """Wait until a process is ready.

    Raises:
        StationError: it ended, or was not ready in time; with the end of its log.
    """
    end = time.monotonic() + START_SECONDS
    while not ready():
        if not member.lives():
            raise StationError(f"{what} ended at once: {_tail(log)} (all of it: {log})")
        if time.monotonic() > end:
            raise StationError(f"{what} was not ready after {START_SECONDS} s: see {log}")
        time.sleep(0.2)


def answers(address: str) -> bool:
    """Tell whether a server answers at an address."""
    try:
        return httpx.get(address, timeout=2, trust_env=False).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def end(members: Sequence[Member]) -> list[int]:
    """End processes and all that they started, first by asking; return what had to be killed."""
    killed: list[int] = []
    for member in members:
        if not member.lives():
            continue
        process = psutil.Process(member.pid)
        family = _family(process)
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGINT)
        _, left = psutil.wait_procs([process], timeout=GRACE_SECONDS)
        family += [child for child in _family(process) if child not in family] if left else []
        killed += _end_by_force([*left, *family])
    return killed


def _family(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _end_by_force(processes: Sequence[psutil.Process]) -> list[int]:
    """Terminate what still runs, and kill what does not listen."""
    running = [process for process in processes if process.is_running()]
    for process in running:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, left = psutil.wait_procs(running, timeout=GRACE_SECONDS)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=GRACE_SECONDS)
    return [int(process.pid) for process in left]


def _tail(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return "no log"
    told = [line.strip() for line in lines if line.strip()]
    return " / ".join(told[-TAIL_LINES:]) or "an empty log"
