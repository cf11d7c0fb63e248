"""Browsers in containers: who starts them, who uses them, who ends them.

Playwright drives Chromium over its debugging pipe: Chromium reads commands from file descriptor 3
and writes to 4. Playwright starts `BRIDGE`, a shell that puts these two descriptors on its standard
input and output and becomes ``docker run --interactive``; in the container another shell (`INSIDE`)
maps them back and becomes Chromium. So Chromium needs neither a network nor a file of the host.

Chromium's own sandbox needs privileges that the container does not have (user namespaces), so it is
off: the container is the sandbox, and a page that breaks out of the renderer process is in a
container without network, files, capabilities and privileges.

All browsers are driven by one event loop in one thread, so that a hard limit of wall-clock time can
be put on each page from outside, whatever page, browser or driver do.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeVar

from playwright.async_api import Browser, Error, Playwright, async_playwright
from playwright.async_api import TimeoutError as StepTimeout

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from renderers.sandbox import Limits, browser_command, image_digest, stop_container
from renderers.web_page import PageCrashed, Shot, photograph
from renderers.web_site import ORIGIN, Site

T = TypeVar("T")

PAGES = 50
"""A browser is replaced after so many pages."""

LAUNCH_SECONDS = 60
CLOSE_SECONDS = 10

BRIDGE = 'exec "$@" <&3 >&4 3<&- 4>&-'
INSIDE = 'exec chromium-headless-shell "$@" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null'

FLAGS = (
    "--remote-debugging-pipe", "--no-startup-window", "--user-data-dir=/tmp/profile",
    "--no-sandbox", f"--unsafely-treat-insecure-origin-as-secure={ORIGIN}",
    "--disable-dev-shm-usage", "--disable-crash-reporter", "--disable-breakpad",
    "--js-flags=--max-old-space-size=512",
    # nothing runs that nobody asked for
    "--no-first-run", "--no-default-browser-check", "--no-service-autorun",
    "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
    "--disable-extensions", "--disable-sync", "--disable-client-side-phishing-detection",
    "--disable-domain-reliability", "--disable-popup-blocking", "--metrics-recording-only",
    "--disable-features=Translate,MediaRouter,OptimizationHints,PaintHolding,AvoidUnnecessaryBeforeUnloadCheckSync",
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding",
    "--disable-backgrounding-occluded-windows", "--disable-hang-monitor", "--mute-audio",
    # the same pixels on every machine
    "--disable-gpu", "--hide-scrollbars", "--force-color-profile=srgb",
    "--force-device-scale-factor=1", "--font-render-hinting=none", "--disable-lcd-text",
    "--disable-font-subpixel-positioning", "--disable-skia-runtime-opts",
    "--disable-partial-raster", "--disable-checker-imaging", "--disable-threaded-animation",
    "--disable-threaded-scrolling", "--blink-settings=imageAnimationPolicy=2",
)  # fmt: skip
"""All that Chromium is told; Playwright's own defaults are not used, so that an update of
Playwright does not change pictures. imageAnimationPolicy=2 shows the first frame of animations."""


@dataclass
class _Worker:
    """A browser in its container."""

    name: str
    browser: Browser
    pages: int = 0


@dataclass(frozen=True)
class _Lost:
    """A browser that went down or failed with a page, and the failure if it does so again."""

    failure: Failed

    @classmethod
    def of(cls, connected: bool, message: str) -> _Lost:
        """Say what it means if the next browser fares no better."""
        if connected:
            text = f"the browser does not show the page: {message.splitlines()[0]}"
            return cls(Failed.of(Stage.RENDER, Kind.UNSUPPORTED, text))
        text = "memory or processes: the page took its browser down, twice"
        return cls(Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, text))


class Browsers:
    """Up to `workers` browsers, started when they are needed; safe for many threads.

    Once closed it stays closed.
    """

    def __init__(
        self,
        image: str,
        *,
        workers: int,
        limits: Limits,
        runtime: str | None = None,
    ) -> None:
        self.image = image
        self._workers = workers
        self._limits = limits
        self._runtime = runtime
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._playwright: Playwright | None = None
        self._starting = asyncio.Lock()
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []
        self._alive: dict[str, _Worker] = {}
        self._closed = False

    def shoot(self, site: Site) -> Outcome[Shot]:
        """Photograph a site; blocks the calling thread.

        Returns:
            The shot, or a failure: ``timeout`` (the page kept its browser busy beyond the hard
            limit), ``resource_limit`` (its process or, twice, its browser went down),
            ``unsupported`` (no picture could be taken), or an infra failure when no browser starts.
        """
        return self._wait_for(self._shoot(site))

    def close(self) -> None:
        """End all browsers, the driver and the thread."""
        with self._lock:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _wait_for(self, coroutine: Coroutine[Any, Any, T]) -> T:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=self._loop.run_forever, name="browsers", daemon=True
                )
                self._thread.start()
            future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        return future.result()

    async def _shoot(self, site: Site) -> Outcome[Shot]:
        async with self._slots:
            failure = None
            for _ in range(2):  # a browser may fail by itself; twice with one page it is the page
                worker = await self._take()
                if isinstance(worker, Failed):
                    return worker
                outcome = await self._use(worker, site)
                if not isinstance(outcome, _Lost):
                    return outcome
                failure = outcome.failure
        assert failure is not None  # noqa: S101 - the loop runs
        return failure

    async def _use(self, worker: _Worker, site: Site) -> Outcome[Shot] | _Lost:
        """Photograph a site in a browser, which stays in use only after an uneventful page."""
        worker.pages += 1
        healthy = False
        try:
            outcome = await asyncio.wait_for(photograph(worker.browser, site), self._limits.seconds)
            healthy = worker.pages < PAGES and isinstance(outcome, Ok) and not outcome.value.stormy
        except StepTimeout as error:
            message = f"the page keeps its browser busy: {error.message.splitlines()[0]}"
            outcome = Failed.of(Stage.RENDER, Kind.TIMEOUT, message)
        except TimeoutError:
            message = f"the page was not done in time (limit {self._limits.seconds:g} s)"
            outcome = Failed.of(Stage.RENDER, Kind.TIMEOUT, message)
        except PageCrashed:
            message = f"memory: the page's process ended (limit {self._limits.memory_mb} MB)"
            outcome = Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
        except Error as error:
            return _Lost.of(worker.browser.is_connected(), error.message)
        finally:
            if healthy:
                self._idle.append(worker)
            else:
                await self._end(worker)
        return outcome

    async def _take(self) -> _Worker | Failed:
        """Return a browser that lives, starting one if none is idle."""
        if self._closed:
            return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, "the renderer was closed meanwhile")
        while self._idle:
            worker = self._idle.pop()
            if worker.browser.is_connected():
                return worker
            await self._end(worker)
        started = await self._start()
        if isinstance(started, Failed) and started.kind is Kind.SANDBOX_LOST:
            started = await self._start()  # with a new driver
        return started if isinstance(started, Failed) else started.value

    async def _start(self) -> Outcome[_Worker]:
        present = await asyncio.to_thread(image_digest, self.image)
        if isinstance(present, Failed):
            return present
        name = f"rerender-browser-{secrets.token_hex(8)}"
        command = browser_command(self.image, name=name, limits=self._limits, runtime=self._runtime)
        try:
            driver = await self._driver()
            launching = driver.chromium.launch(
                executable_path="/bin/sh",
                args=["-c", BRIDGE, "sh", *command, "/bin/sh", "-c", INSIDE, "sh", *FLAGS],
                ignore_default_args=True,
                timeout=LAUNCH_SECONDS * 1000,
            )
            browser = await asyncio.wait_for(launching, LAUNCH_SECONDS + CLOSE_SECONDS)
        except (Error, OSError, TimeoutError) as error:
            await asyncio.to_thread(stop_container, name)
            await self._drop_driver()
            return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, f"no browser started: {error}")
        worker = self._alive[name] = _Worker(name, browser)
        return ok(worker)

    async def _driver(self) -> Playwright:
        async with self._starting:
            if self._playwright is None:
                self._playwright = await async_playwright().start()
            return self._playwright

    async def _drop_driver(self) -> None:
        """End the driver, so that the next start gets a new one."""
        driver, self._playwright = self._playwright, None
        if driver is not None:
            with suppress(Exception):  # it failed already; what it says on leaving is of no use
                await asyncio.wait_for(driver.stop(), CLOSE_SECONDS)

    async def _end(self, worker: _Worker) -> None:
        """End a browser and its container, also when it does not react."""
        self._alive.pop(worker.name, None)
        await asyncio.to_thread(stop_container, worker.name)
        with suppress(Error, TimeoutError):
            await asyncio.wait_for(worker.browser.close(), CLOSE_SECONDS)

    async def _close(self) -> None:
        self._closed = True
        for worker in list(self._alive.values()):
            await self._end(worker)
        await self._drop_driver()
        await asyncio.get_running_loop().shutdown_default_executor()
