"""What renderers share that run one command line per job: a pool, an image, a verdict."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Digest, Flag, Picture
from benchmark.settings import Settings
from renderers import canvas
from renderers.image_digest import reference
from renderers.sandbox import Execution, Limits, Pool, image_digest, stopped_failure

LOG_CHARACTERS = 4000
MAX_FLAGS = 8


class PooledRenderer:
    """Base of the renderers whose jobs each get a fresh container of the image ``name``."""

    name: str
    version: str
    limits: Limits

    def __init__(self, *, workers: int | None = None, runtime: str | None = None) -> None:
        """Describe the pool; nothing is started before the first job.

        Args:
            workers: containers kept ready, by default the setting of that name.
            runtime: OCI runtime, by default the setting ``container_runtime``.
        """
        settings = Settings()
        self.image = reference(self.name)
        self._workers = workers or settings.workers
        self._runtime = runtime or settings.container_runtime
        self._lock = threading.Lock()
        self._pool: Pool | None = None
        self._closed = False

    def __enter__(self) -> Self:
        """Open the renderer, again if it was closed."""
        with self._lock:
            self._closed = False
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            self._closed = True
            pool, self._pool = self._pool, None
        if pool:
            pool.close()

    def image_digest(self) -> Outcome[Digest]:
        """Return the identifier of the container image, part of every key."""
        return image_digest(self.image)

    @property
    def pool(self) -> Pool:
        """The pool of this renderer's containers.

        Raises:
            RuntimeError: the renderer is closed; nobody would close what is started now.
        """
        with self._lock:
            self._check_open()
            if self._pool is None:
                self._pool = Pool(
                    self.image,
                    size=self._workers,
                    limits=self.limits,
                    runtime=self._runtime,
                )
            return self._pool

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the renderer is closed")


def judge(
    execution: Execution,
    pages: Sequence[bytes],
    limits: Limits,
    read_errors: Callable[[str], Sequence[Flag]],
    finish: Callable[[canvas.Array, tuple[int, int]], bytes] | None = None,
) -> Outcome[Picture]:
    """Decide what a run means; exit status and picture are independent facts.

    =================  ======================  =============================================
    exit status        something visible       nothing visible, or no picture
    =================  ======================  =============================================
    0                  clean success           ``EMPTY_RENDER``
    not 0              success with flags      the first error that the tool reported
    stopped by limit   ``TIMEOUT`` or ``RESOURCE_LIMIT``, whatever was written so far
    =================  =====================================================================

    Args:
        execution: what the tool did.
        pages: the picture files that it wrote, in reading order.
        limits: that it ran under.
        read_errors: finds errors in the tool's log, the first one first; they become flags.
        finish: as for ``canvas.picture``.
    """
    stopped = stopped_failure(execution, limits)
    if stopped:
        return stopped
    log = execution.log[-LOG_CHARACTERS:]
    flags = list(dict.fromkeys(read_errors(execution.log)))[:MAX_FLAGS]
    if execution.exit_code and not flags:
        flags = [Flag(kind=Kind.COMPILE_ERROR, message=_exit_message(execution))]
    outcome = canvas.picture(pages, finish=finish, flags=flags, log=log, seconds=execution.seconds)
    nothing = isinstance(outcome, Failed) and outcome.kind is Kind.EMPTY_RENDER
    if nothing and execution.exit_code:
        return Failed.of(Stage.RENDER, flags[0].kind, flags[0].message, log)
    return outcome


def _exit_message(execution: Execution) -> str:
    """Describe a tool that failed without naming an error."""
    code = execution.exit_code or 0
    what = f"crashed with signal {code - 128}" if code > 128 else f"ended with status {code}"
    last = execution.log.rstrip().rpartition("\n")[2][:200]
    return f"the tool {what}" + (f": {last}" if last else "")
