"""What a person sees while a flow works: one bar per stage with done, failed and cached counts.

The stages report to whatever observer is current; the command line installs a rich display, a
worker of Prefect has none. Counts from several threads are fine.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import TaskID


LINE_SECONDS = 10
"""How often progress is printed where there is no terminal."""

RESULTS = ("done", "failed", "infra", "cached", "skipped")


class Observer(Protocol):
    """Is told of work ahead and of every finished instance."""

    def expect(self, stage: str, count: int) -> None:
        """Note that `count` more instances will pass through a stage."""

    def advance(self, stage: str, result: str) -> None:
        """Note one finished instance; result is done, failed, infra, cached or skipped.

        Skipped are the instances that never reach a stage, since one before it failed.
        """


class Silent:
    """The observer when nobody looks."""

    def expect(self, stage: str, count: int) -> None:
        """Ignore."""

    def advance(self, stage: str, result: str) -> None:
        """Ignore."""


class Counted:
    """An observer that counts, for a task that nobody can look at: on a worker elsewhere.

    `told` has the number of instances by stage and result; safe for threads.
    """

    def __init__(self) -> None:
        """Nothing has been told yet."""
        self.told: Counter[tuple[str, str]] = Counter()
        self._lock = threading.Lock()

    def expect(self, stage: str, count: int) -> None:
        """Ignore: whoever sent the task expects it."""

    def advance(self, stage: str, result: str) -> None:
        """Count one instance."""
        with self._lock:
            self.told[str(stage), result] += 1


_silent: Observer = Silent()
_installed: list[Observer] = []
_here: ContextVar[Observer | None] = ContextVar("observer", default=None)


def current() -> Observer:
    """Return the observer of this task, or the one that was installed last."""
    return _here.get() or (_installed[-1] if _installed else _silent)


@contextmanager
def counted() -> Iterator[Counted]:
    """Count what is told within a block, in this thread alone."""
    counting = Counted()
    token = _here.set(counting)
    try:
        yield counting
    finally:
        _here.reset(token)


@contextmanager
def observed_by(observer: Observer) -> Iterator[None]:
    """Install an observer for the duration of a block."""
    _installed.append(observer)
    try:
        yield
    finally:
        _installed.remove(observer)


class Bars:
    """A rich progress display; where there is no terminal, a line every few seconds instead."""

    def __init__(self, console: Console) -> None:
        """Prepare the display; it appears with the first expected work."""
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        self._console = console
        self._progress = Progress(
            TextColumn("{task.description:<8}"),
            BarColumn(bar_width=28),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            Elapsed(),
            console=console,
            disable=not console.is_terminal,
        )
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._totals: dict[str, int] = {}
        self._starting: TaskID
        self._printed = time.monotonic()

    def __enter__(self) -> Bars:
        self._progress.start()
        self._starting = self._progress.add_task("starting", total=None, counts="Prefect")
        return self

    def __exit__(self, *error: object) -> None:
        self._progress.stop()
        if not self._console.is_terminal:
            for stage in self._totals:
                self._console.print(self._line(stage), soft_wrap=True, markup=False)

    def expect(self, stage: str, count: int) -> None:
        """Raise the total of a stage."""
        with self._lock:
            self._progress.update(self._starting, visible=False)
            if stage not in self._tasks:
                self._tasks[stage] = self._progress.add_task(stage, total=0, counts="")
                self._counts[stage] = dict.fromkeys(RESULTS, 0)
                self._totals[stage] = 0
            self._totals[stage] += count
            self._progress.update(self._tasks[stage], total=self._totals[stage])

    def advance(self, stage: str, result: str) -> None:
        """Count one instance."""
        with self._lock:
            self._counts[stage][result] += 1
            self._progress.update(self._tasks[stage], advance=1, counts=self._text(stage))
            if self._console.is_terminal or time.monotonic() - self._printed < LINE_SECONDS:
                return
            self._printed = time.monotonic()
            lines = [self._line(stage) for stage in self._totals]
            self._console.print("; ".join(lines), soft_wrap=True, markup=False)

    def all_cached(self) -> bool:
        """Tell whether there was work and all of it had been done before."""
        counts = [count for stage in self._counts.values() for count in stage.items()]
        fresh = sum(count for name, count in counts if name in {"done", "failed", "infra"})
        return fresh == 0 and sum(count for _, count in counts) > 0

    def _line(self, stage: str) -> str:
        through = sum(self._counts[stage].values())
        return f"{stage} {through}/{self._totals[stage]}: {self._text(stage)}"

    def _text(self, stage: str) -> str:
        counts = self._counts[stage]
        words = [f"{counts[name]} {name}" for name in ("done", "failed", "cached")]
        if counts["infra"]:
            words.append(f"{counts['infra']} infra failures")
        return ", ".join(words)
