"""Scoring in processes of its own, for what threads of one process share badly.

Each process serves one caller at a time, so that one that dies (memory ran out) costs exactly the
instance that it was at; another one takes its place. All answers to one picture go to the same
process, which keeps what metrics made of the reference. Results come back to the caller, who
journals them as he does his own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Instance, Rendering, Score, digest_bytes
from flows.scoring import Scorer
from flows.scoring_child import OUTCOME, Reply, Request

START_AFTER = 30.0
"""Seconds of scoring in threads before processes are started: each takes some 5 s of a core to get
ready (torch, weights, compiled kernels), which a small run would never get back."""

CALLERS = 4
"""Threads that wait for each process, so that none is idle while pictures of others are waited
for."""


class Died(Exception):
    """A process that ended before it answered; the text says how."""


class ScoringProcess:
    """One process and whoever may talk to it now."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Prepare; the process is started when it is first asked."""
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = threading.Lock()
        self._stopped = False

    @property
    def pid(self) -> int | None:
        """The process that serves now, if one does."""
        return None if self._process is None else self._process.pid

    def ask(self, request: Request) -> Reply:
        """Wait for a turn, ask, and wait for the answer.

        Raises:
            Died: there is no answer.
        """
        with self._turn:
            if self._stopped:
                raise Died("scoring was stopped")
            if self._process is None:
                self._process = self._start()
            process = self._process
            if self._stopped:  # while it was started
                process.kill()
            assert process.stdin is not None  # noqa: S101 - narrows the type
            assert process.stdout is not None  # noqa: S101
            try:
                process.stdin.write(request.model_dump_json().encode() + b"\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = b""
            if not line.endswith(b"\n"):
                self._process = None
                raise Died(_how(_end(process)))
            return Reply.model_validate_json(line)

    def stop(self) -> None:
        """End the process, whatever it is at, and start none any more."""
        self._stopped = True
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """Wait until the process that was stopped is gone."""
        with self._turn:
            if self._process is not None:
                _end(self._process)
                self._process = None

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "flows.scoring_child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | self._environment,
        )


class ScoringPool:
    """A few scoring processes, and which of them an instance goes to."""

    def __init__(self, size: int, environment: Mapping[str, str]) -> None:
        """Prepare `size` processes; each is started when it is first needed.

        Args:
            size: how many at once.
            environment: variables that they have besides our own; the store's location above all.
        """
        self.processes = tuple(ScoringProcess(environment) for _ in range(size))
        self.callers = CALLERS * size

    def score(
        self, scenario: str, instance: Instance, rendering: Rendering, names: Sequence[str]
    ) -> tuple[dict[str, Outcome[Score]], dict[str, str]]:
        """Return outcomes and reasons of unavailable metrics, as ``Scorer`` has them."""
        request = Request(
            scenario=scenario, instance=instance, rendering=rendering, names=tuple(names)
        )
        try:
            reply = self._of(instance).ask(request)
        except Died as died:
            failure = Failed.of(Stage.SCORE, Kind.INTERNAL_ERROR, f"{died}; run again")
            return dict.fromkeys(names, failure), {}
        outcomes = {name: OUTCOME.validate_python(each) for name, each in reply.outcomes.items()}
        return outcomes, reply.unavailable

    def stop(self) -> None:
        """End all processes, whatever they are at."""
        for process in self.processes:
            process.stop()

    def close(self) -> None:
        """End all processes and wait until they are gone."""
        self.stop()
        for process in self.processes:
            process.close()

    def _of(self, instance: Instance) -> ScoringProcess:
        number = int(digest_bytes(instance.compared.encode())[:8], 16)
        return self.processes[number % len(self.processes)]


class PooledScorer:
    """A scorer like ``Scorer``: in threads while there is little to do, in processes from then on.

    The values are the same; `unavailable` too.
    """

    def __init__(self, near: Scorer, pool: ScoringPool) -> None:
        """Score by `near` first, then by a pool."""
        self._near = near
        self._pool = pool
        self._seconds = 0.0
        self._turns = threading.BoundedSemaphore(len(pool.processes))

    @property
    def unavailable(self) -> dict[str, str]:
        """Metrics that cannot run here, with the reason."""
        return self._near.unavailable

    def key(self, name: str, instance: Instance, rendering: Rendering) -> str:
        """Return the key of one metric of one rendering."""
        return self._near.key(name, instance, rendering)

    def score(
        self, instance: Instance, rendering: Rendering, names: Sequence[str]
    ) -> dict[str, Outcome[Score]]:
        """Return outcomes by metric name; metrics that cannot run here are left out."""
        if self._seconds < START_AFTER:
            with self._turns:
                begun = time.monotonic()
                outcomes = self._near.score(instance, rendering, names)
                self._seconds += time.monotonic() - begun
                return outcomes
        wanted = [name for name in names if name not in self.unavailable]
        outcomes, reasons = self._pool.score(self._near.scenario, instance, rendering, wanted)
        self.unavailable.update(reasons)
        return outcomes


def _end(process: subprocess.Popen[bytes]) -> int:
    """End a process and return its status."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):  # what was left to write has no reader
                pipe.close()
    return process.wait()


def _how(status: int) -> str:
    if status == -signal.SIGKILL:
        return "the scoring process was killed, perhaps because memory ran out"
    if status < 0:
        return f"the scoring process ended by {signal.Signals(-status).name}"
    return f"the scoring process ended with status {status}"
