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
import shutil
import threading
from contextlib import suppress
from dataclasses import dataclass

from playwright.async_api import Browser, Error
from playwright.async_api import TimeoutError as StepTimeout

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from renderers.sandbox import (
    Limits,
    browser_command,
    image_digest,
    remove_stale,
    stop_container,
)  # fmt: skip
from renderers.web_driver import Driver, Drivers, Loop, begin
from renderers.web_page import PageCrashed, Shot, photograph
from renderers.web_site import ORIGIN, Site

PAGES = 50
"""A browser is replaced after so many pages."""

PAGE_LOSSES = 2
"""A browser may fail by itself; so often with one page, it is the page."""

DRIVER_LOSSES = 3
"""So often a page may lose its driver before it is left to the next run."""

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
    driver: Driver
    alone: bool
    """Whether the driver is this browser's only, and both serve one page."""
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


class _DriverLost:
    """The driver went with all its browsers: not the page's fault, as far as one can know."""


def browser_client_missing() -> str | None:
    """Say what to do if the command that starts browsers is not there; None if it is.

    Jobs reach the engine through its socket; only browsers need the command line.
    """
    if shutil.which("docker"):
        return None
    return (
        "web pages need the command `docker`, which is not on PATH; install Docker's command line "
        "(Debian: docker-cli or docker.io; Podman: podman-docker)"
    )


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
        self._drivers = Drivers()
        self._cleared = False
        self._slots = asyncio.Semaphore(workers)
        self._idle: list[_Worker] = []
        self._alive: dict[str, _Worker] = {}
        self._closed = False

    def shoot(self, site: Site) -> Outcome[Shot]:
        """Photograph a site; blocks the calling thread.

        Returns:
            The shot, or a failure: ``timeout`` (the page kept its browser busy beyond the hard
            limit), ``resource_limit`` (its process or, twice, its browser went down; too many
            requests), ``unsupported`` (no picture could be taken), or an infra failure when no
            browser starts or the driver is lost again and again.
        """
        with self._lock:
            if self._closed:
                return _closed()
            future = asyncio.run_coroutine_threadsafe(self._shoot(site), self._running_loop())
        return future.result()

    def close(self) -> None:
        """End all browsers, the driver and the thread."""
        with self._lock:
            self._closed = True
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        asyncio.run_coroutine_threadsafe(self._close(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = Loop()
            self._thread = threading.Thread(
                target=self._loop.run_forever, name="browsers", daemon=True
            )
            self._thread.start()
        return self._loop

    async def _shoot(self, site: Site) -> Outcome[Shot]:
        own = drivers = 0
        async with self._slots:
            while True:
                # who lost a driver goes on alone: if it was this page, it hits no other again
                worker = await self._take(alone=drivers > 0)
                if isinstance(worker, Failed):
                    return worker
                outcome = await self._use(worker, site)
                if isinstance(outcome, _Lost):
                    own += 1
                    if own == PAGE_LOSSES:
                        return outcome.failure
                elif isinstance(outcome, _DriverLost):
                    drivers += 1
                    if drivers == DRIVER_LOSSES:
                        message = f"Playwright's driver ended {drivers} times during the page"
                        return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, message)
                else:
                    return outcome

    async def _use(self, worker: _Worker, site: Site) -> Outcome[Shot] | _Lost | _DriverLost:
        """Photograph a site in a browser, which stays in use only after an uneventful page."""
        worker.pages += 1
        outcome = None
        try:
            outcome = await self._photograph(worker, site)
        finally:
            if outcome is None:  # interrupted
                await self._end(worker)
        if isinstance(outcome, Ok) and worker.pages < PAGES and not worker.alone:
            self._idle.append(worker)
            return outcome
        driver_lost = await self._end(worker)
        lost = isinstance(outcome, _Lost)
        late = isinstance(outcome, Failed) and outcome.kind is Kind.TIMEOUT
        return _DriverLost() if driver_lost and (lost or late) else outcome

    async def _photograph(self, worker: _Worker, site: Site) -> Outcome[Shot] | _Lost:
        """Photograph a site within the hard limit; what goes wrong becomes a failure or a loss."""
        try:
            return await asyncio.wait_for(photograph(worker.browser, site), self._limits.seconds)
        except StepTimeout as error:
            message = f"the page keeps its browser busy: {error.message.splitlines()[0]}"
            return Failed.of(Stage.RENDER, Kind.TIMEOUT, message)
        except TimeoutError:
            message = f"the page was not done in time (limit {self._limits.seconds:g} s)"
            return Failed.of(Stage.RENDER, Kind.TIMEOUT, message)
        except PageCrashed:
            message = f"memory: the page's process ended (limit {self._limits.memory_mb} MB)"
            return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
        except Error as error:
            return _Lost.of(worker.browser.is_connected(), error.message)

    async def _take(self, *, alone: bool) -> _Worker | Failed:
        """Return a browser that lives, starting one if none is idle."""
        while self._idle and not alone:
            worker = self._idle.pop()
            if worker.browser.is_connected():
                return worker
            await self._end(worker)
        started = await self._start(alone=alone)
        if isinstance(started, Failed) and started.kind is Kind.SANDBOX_LOST:
            started = await self._start(alone=alone)
        return started if isinstance(started, Failed) else started.value

    async def _start(self, *, alone: bool) -> Outcome[_Worker]:
        if self._closed:
            return _closed()
        missing = browser_client_missing()
        if missing:
            return Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, missing)
        present = await asyncio.to_thread(image_digest, self.image)
        if isinstance(present, Failed):
            return present
        if not self._cleared:
            self._cleared = True
            asyncio.get_running_loop().run_in_executor(None, remove_stale)
        driver = await (begin() if alone else self._drivers.share())
        if isinstance(driver, Failed):
            return driver
        launched = await self._launch(driver.value, alone=alone)
        if isinstance(launched, Failed):
            if alone:
                await driver.value.end()
        elif self._closed:
            await self._end(launched.value)
            return _closed()
        return launched

    async def _launch(self, driver: Driver, *, alone: bool) -> Outcome[_Worker]:
        """Start a browser; one that does not start costs no other its driver."""
        name = f"rerender-browser-{secrets.token_hex(8)}"
        command = browser_command(self.image, name=name, limits=self._limits, runtime=self._runtime)
        launching = driver.playwright.chromium.launch(
            executable_path="/bin/sh",
            args=["-c", BRIDGE, "sh", *command, "/bin/sh", "-c", INSIDE, "sh", *FLAGS],
            ignore_default_args=True,
            timeout=LAUNCH_SECONDS * 1000,
        )
        try:
            browser = await asyncio.wait_for(launching, LAUNCH_SECONDS + CLOSE_SECONDS)
        except (Error, OSError, TimeoutError) as error:
            await asyncio.to_thread(stop_container, name)
            if isinstance(error, TimeoutError):
                await driver.end()  # it did not keep its own limit: it hangs
            return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, f"no browser started: {error}")
        worker = self._alive[name] = _Worker(name, browser, driver, alone)
        return ok(worker)

    async def _end(self, worker: _Worker) -> bool:
        """End a browser and its container, also when it does not react.

        Returns:
            Whether the driver is lost, which also ends one that does not even notice that its
            browser is gone.
        """
        self._alive.pop(worker.name, None)
        await asyncio.to_thread(stop_container, worker.name)
        hangs = False
        try:
            with suppress(Error):
                await asyncio.wait_for(worker.browser.close(), CLOSE_SECONDS)
        except TimeoutError:
            hangs = True
        lost = hangs or worker.driver.lost
        if hangs or worker.alone:
            await worker.driver.end()
        return lost

    async def _close(self) -> None:
        for worker in list(self._alive.values()):
            await self._end(worker)
        await self._drivers.close()
        for _ in range(self._workers):  # pages under way find their browsers gone, and give up
            await self._slots.acquire()
        await asyncio.get_running_loop().shutdown_default_executor()


def _closed() -> Failed:
    return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, "the renderer was closed meanwhile")
