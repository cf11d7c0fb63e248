"""Nothing outlives a run that was killed: whatever it started is ended by a guard.

A process that gets SIGKILL cannot end its children, and Prefect's own server of a run without a
station would stay for ever. So a process that works says in its environment, which its children
inherit, who it is, and starts a guard in a session of its own. The guard waits at the end of a
pipe that closes with the process, however it ends, and then ends all that carries the mark.
Containers end with their owner's connection; one that the engine was just making is removed too,
and so is the folder that process and children have for temporary files.

Run as a program (``python -m flows.lifeline MARK FOLDER``) this module is that guard.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psutil

MARK = "RERENDER_OWNER"
"""The variable that says whose a process is, as the label of a container does."""

GRACE_SECONDS = 3
"""What is asked to end is killed after so long."""

ROUNDS = 10
"""How often it is looked for what is left: what cannot be killed is not waited for."""

SETTLE_SECONDS = 2
"""How long the engine may still be making a container that nobody waits for."""

_PRIVATE = re.compile("rerender-[0-9a-f]{16}")
"""Names of folders for temporary files that end with a process."""

_BYE = b"bye"
"""What a process says that ends by itself, having closed everything."""

_lock = threading.Lock()
_guards: dict[int, subprocess.Popen[bytes]] = {}
"""By the process that each was started by: one that was forked has its parent's still."""

log = logging.getLogger(__name__)


def guard() -> None:
    """Let all that this process starts from now on end with it; said again, nothing happens."""
    from renderers.hardening import owner

    with _lock:
        if os.getpid() in _guards:
            return
        environment = {name: value for name, value in os.environ.items() if name != MARK}
        folder = Path(tempfile.gettempdir(), f"rerender-{secrets.token_hex(8)}")
        started = subprocess.Popen(  # noqa: S603 - our own interpreter with fixed arguments
            [sys.executable, "-m", "flows.lifeline", owner(), str(folder)],
            env=environment,
            stdin=subprocess.PIPE,  # only this process holds the other end
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if started.wait() != 0:
            log.warning("the guard did not start: what a killed run has begun may stay")
            return
        folder.mkdir(mode=0o700)  # from now on the guard clears it away
        os.environ |= {MARK: owner(), "TMPDIR": str(folder)}
        tempfile.tempdir = str(folder)
        _guards.clear()  # one of a process that forked this one must not wait for us
        _guards[os.getpid()] = started
        atexit.register(_part, started, os.getpid())


def _part(guard: subprocess.Popen[bytes], pid: int) -> None:
    """Tell a guard that its process ends by itself; a forked child has no say in that."""
    if os.getpid() == pid and guard.stdin is not None:
        with contextlib.suppress(OSError):
            guard.stdin.write(_BYE)
            guard.stdin.close()


def unmarked(environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables for what shall outlive this process: without mark and private folder."""
    found = {name: value for name, value in environment.items() if name != MARK}
    folder = Path(found.get("TMPDIR", ""))
    if MARK in environment and _PRIVATE.fullmatch(folder.name):
        found["TMPDIR"] = str(folder.parent)
        return unmarked({**found, MARK: environment[MARK]})  # one may lie in another
    return found


def marked(mark: str) -> list[psutil.Process]:
    """Return the processes that were started by who bears a mark, or by their children."""
    import psutil

    found = []
    for process in psutil.process_iter():
        try:
            ours = process.environ().get(MARK) == mark
        except (psutil.Error, OSError):  # it has ended, or is somebody else's
            continue
        if ours and process.pid != os.getpid():
            found.append(process)
    return found


def end_all(processes: list[psutil.Process]) -> list[int]:
    """Ask processes to end, and kill what does not within `GRACE_SECONDS`; return those."""
    import psutil

    for process in processes:
        with contextlib.suppress(psutil.Error):  # it has ended, or is not ours to end
            process.terminate()
    _, left = psutil.wait_procs(processes, timeout=GRACE_SECONDS)
    for process in left:
        with contextlib.suppress(psutil.Error):
            process.kill()
    psutil.wait_procs(left, timeout=GRACE_SECONDS)
    return [int(process.pid) for process in left]


def keep_watch(mark: str, folder: str) -> None:
    """Wait until standard input closes, then clear away what the owner of a mark left behind.

    First it becomes nobody's child, so that who ends a process with its children spares the guard.
    """
    if os.fork() > 0:
        os._exit(0)
    killed = sys.stdin.buffer.read() != _BYE
    try:
        for _ in range(ROUNDS):  # what is being ended may have started something meanwhile
            if not (left := marked(mark)):
                break
            end_all(left)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if killed:
        from renderers.sandbox import remove_stale

        remove_stale()
        time.sleep(SETTLE_SECONDS)
        remove_stale()


if __name__ == "__main__":
    keep_watch(*sys.argv[1:3])
