"""The processes of a station: started with their output in files, ended with all they started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import httpx
import psutil

from flows.lifeline import unmarked
from flows.station import Member

START_SECONDS = 300
"""A first start makes the database: ten seconds on a quiet machine, minutes on a busy one."""
GRACE_SECONDS = 4
"""What is asked to end is ended by force after so long."""
TAIL_LINES = 3


class StationError(RuntimeError):
    """A station could not be started; the text says why and what to do."""


def start(command: Sequence[str], environment: Mapping[str, str], log: Path) -> Member:
    """Start a process of its own session, so that Ctrl-C reaches only who keeps the station.

    It inherits which signals are ignored: what a shell starts in the background ignores Ctrl-C, so
    whoever calls this sets a handler of its own for that first. It outlives a process that works
    and happens to start it (a notebook, a flow).
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter with fixed arguments
            [sys.executable, *command],
            env={**unmarked(os.environ), **environment},
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
    """End processes and all that they started, one member after the other.

    Each is asked first, what it started with it: a run of the worker then tells the server that it
    was ended. Who takes longer than `GRACE_SECONDS` is killed; what is finished is in the store.

    Returns:
        The numbers of the processes that had to be killed.
    """
    killed: list[int] = []
    for member in members:
        if member.lives():
            killed += _end_family(psutil.Process(member.pid))
    return killed


def _end_family(process: psutil.Process) -> list[int]:
    family = _family(process)
    for child in family:
        _signal(child, signal.SIGTERM)
    _signal(process, signal.SIGINT)  # Prefect's worker does not end its runs at SIGTERM
    _, left = psutil.wait_procs([process, *family], timeout=GRACE_SECONDS)
    born = [child for one in left for child in _family(one) if child not in left]
    for each in (*left, *born):
        _signal(each, signal.SIGKILL)
    psutil.wait_procs([*left, *born], timeout=GRACE_SECONDS)
    return [int(each.pid) for each in (*left, *born)]


def end_children(but: Iterable[Member]) -> None:
    """End what this process has started, but for some: the command that makes deployments."""
    spared = {member.pid for member in but}
    for child in psutil.Process().children():
        if child.pid not in spared:
            _end_family(child)


def ask_to_end(member: Member) -> None:
    """Let who keeps a station end it, and wait until it has, but not for ever."""
    if member.lives():
        process = psutil.Process(member.pid)
        _signal(process, signal.SIGTERM)
        psutil.wait_procs([process], timeout=4 * GRACE_SECONDS)


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)


def _family(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _tail(log: Path) -> str:
    try:
        lines = log.read_text(errors="replace").splitlines()
    except OSError:
        return "no log"
    told = [line.strip() for line in lines if line.strip()]
    return " / ".join(told[-TAIL_LINES:]) or "an empty log"
