"""Playwright's driver: a node process that speaks for us with the browsers.

One serves all browsers, since each costs memory and the better part of a second. When it hangs or
ends, every browser that it drives is lost, whichever page was to blame; so a page is never blamed
before its driver was looked at (`Driver.lost`), and is then tried again with a driver of its own.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Playwright, async_playwright

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok

START_SECONDS = 30
STOP_SECONDS = 10

_started: ContextVar[list[asyncio.SubprocessTransport]] = ContextVar("started")


class Loop(asyncio.SelectorEventLoop):
    """An event loop whose processes are known to the task that started them.

    Playwright keeps its process to itself, and a driver that hangs only ends by a signal.
    """

    async def subprocess_exec(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - asyncio's
        """Start a process, as asyncio does, and note it."""
        transport, protocol = await super().subprocess_exec(*args, **options)
        _started.get([]).append(transport)
        return transport, protocol


@dataclass(eq=False)
class Driver:
    """A driver that has started."""

    playwright: Playwright
    process: asyncio.SubprocessTransport
    _ended: bool = False

    @property
    def lost(self) -> bool:
        """Whether it has ended, by itself or by `end`; true before Playwright's calls can fail."""
        output = self.process.get_pipe_transport(1)
        return self._ended or output is None or output.is_closing()

    async def end(self) -> None:
        """End the process, by force when it does not react, and with it all its browsers."""
        self._ended = True
        stopping = asyncio.ensure_future(self.playwright.stop())
        if not await _done(stopping, STOP_SECONDS):
            _kill(self.process)
            await _done(stopping, STOP_SECONDS)


class Drivers:
    """The driver that pages share, replaced when it is lost. For `Loop` only."""

    def __init__(self) -> None:
        self._shared: asyncio.Task[Outcome[Driver]] | None = None
        self._closed = False

    async def share(self) -> Outcome[Driver]:
        """Return the driver that pages share; those who wait for its start wait for the same."""
        if self._closed:
            return _failed("the renderer was closed meanwhile")
        if self._shared is None or _useless(self._shared):
            self._shared = asyncio.ensure_future(begin())
        return await asyncio.shield(self._shared)

    async def close(self) -> None:
        """End the shared driver; no other one starts."""
        self._closed = True
        if self._shared is not None:
            driver = await self._shared
            if not isinstance(driver, Failed):
                await driver.value.end()


async def begin() -> Outcome[Driver]:
    """Start a driver; ``sandbox_lost`` if it does not answer within `START_SECONDS`."""
    processes: list[asyncio.SubprocessTransport] = []
    _started.set(processes)
    starting = asyncio.ensure_future(async_playwright().start())
    if not await _done(starting, START_SECONDS):
        for process in processes:
            _kill(process)
        await _done(starting, STOP_SECONDS)
        return _failed(f"Playwright's driver did not answer within {START_SECONDS:g} s")
    error = starting.exception()
    if error is not None:
        return _failed(f"Playwright's driver did not start: {error}")
    return ok(Driver(starting.result(), processes[-1]))


async def _done(task: asyncio.Future[Any], seconds: float) -> bool:
    """Wait for a task, whatever comes of it; tell whether it ended in time."""
    await asyncio.wait({task}, timeout=seconds)
    if task.done() and not task.cancelled():
        task.exception()  # read, so that asyncio does not report it
    return task.done()


def _kill(process: asyncio.SubprocessTransport) -> None:
    with suppress(ProcessLookupError):
        process.kill()


def _useless(starting: asyncio.Task[Outcome[Driver]]) -> bool:
    if not starting.done():
        return False
    outcome = starting.result()
    return isinstance(outcome, Failed) or outcome.value.lost


def _failed(message: str) -> Failed:
    return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, message)
