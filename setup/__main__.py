"""``python3 -m setup [STEP ...]``: make this machine ready; without steps, all that a run needs.

The step ``postgresql``, which only the tests need, is taken when it is named.

Exit status: 0 ready, 2 something is missing that we cannot make (the last lines say what to do).
"""

from __future__ import annotations

import fcntl
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from setup import environment
from setup.console import STATE, SetupError, elapsed, explain, say

if TYPE_CHECKING:
    from collections.abc import Iterator

STEPS = ("environment", "engine", "images", "weights")
ON_DEMAND = ("postgresql",)


def main(steps: list[str]) -> int:
    """Take the steps in their order; tell the exit status."""
    known = STEPS + ON_DEMAND
    unknown = set(steps) - set(known)
    try:
        if unknown:
            raise SetupError(f"Unknown step {' '.join(unknown)}; there are {' '.join(known)}.")
        environment.require_python()
        with _alone():
            ready = _take(steps or list(STEPS))
    except SetupError as error:
        explain(error)
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted; run the same command again to go on.\n")
        return 130
    say(f"ready: {', '.join(ready)} ({elapsed():.1f} s)")
    return 0


def _take(steps: list[str]) -> list[str]:
    """Take steps, the environment beside the engine and its images; tell what is ready."""
    from setup import engine, images, postgresql, weights  # noqa: PLC0415 - after the version check

    ready = []
    with ThreadPoolExecutor() as beside:
        if "environment" in steps:
            installing = beside.submit(environment.prepare)
            ready.append("environment")
        if "engine" in steps:
            found = engine.prepare()
            ready.append(f"Docker {found.version} ({found.runtime}, {found.storage})")
        if "images" in steps:
            images.prepare()
            ready.append("images")
    if "environment" in steps:
        installing.result()
    if "weights" in steps:
        weights.prepare()
        ready.append("weights")
    if "postgresql" in steps and postgresql.prepare():
        ready.append("PostgreSQL")
    return ready


@contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock, so that two set-ups in one checkout do not build the same things."""
    STATE.mkdir(exist_ok=True)
    with (STATE / "setup.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("another set-up runs in this checkout; waiting for it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
