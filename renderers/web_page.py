"""One page, from its address to its picture, in a browser context of its own.

What is photographed is the window of 1920 × 1080 pixels, as in Image2Struct, not the full page: the
window is what its authors showed to the models, and a full page's height would be under the control
of whoever wrote it. The moment is fixed by the page's own clock, not by ours: the document is
loaded, its timers and animation frames run for `PLAYED` milliseconds of a clock that we wind, and
then everything stands still. Dates, random numbers, locale, time zone and scale are pinned, so that
two renderings are equal to the byte. Each step is limited in wall-clock time all the same; where a
limit cut one off, the picture may depend on the machine's load, and a flag says so.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Frame, Page

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag
from renderers.job import EPOCH
from renderers.web_site import ORIGIN, Site
from renderers.web_traffic import Traffic

WIDTH, HEIGHT = 1920, 1080
"""The window, in pixels, as in Image2Struct."""

PLAYED = 1000
"""Milliseconds that a page's clock runs before the picture is taken."""

OPEN_SECONDS = 10.0
"""From the address to the end of the document's source."""

SETTLE_SECONDS = 10.0
"""All steps of settling together, of which the longest are:"""
LOAD_SECONDS = 5.0
WIND_SECONDS = 4.0
STEP_SECONDS = 2.0
IDLE_SECONDS = 1.0

FREEZE_SECONDS = 2.0
"""Kept for stopping what moves."""

PICTURE_SECONDS = 8.0
LEAST_SECONDS = 0.1
IDLE_STEPS = 20
MOST_ERRORS = 20
MOST_FRAMES = 20
OWN = (f"{ORIGIN}/", "about:", "data:", "blob:")
"""Addresses of frames that hold a document of the page's own."""
ERROR_CHARACTERS = 200

_SCRIPT = Path(__file__).with_name("web_page.js")
_OBJECT = "window.__rerender"
_NAMES = {"load": "loading", "fonts": "fonts", "frames": "layout", "wind": "timers",
          "requests": "requests", "freeze": "animations"}  # fmt: skip
"""Steps of settling, and what is unfinished without them."""


@dataclass(frozen=True)
class Shot:
    """A photograph of a page."""

    png: bytes
    flags: tuple[Flag, ...]
    log: str


class PageCrashed(Exception):
    """The page took its process down (memory, as a rule)."""


async def photograph(browser: Browser, site: Site) -> Outcome[Shot]:
    """Open a site in a fresh context and photograph it.

    Returns:
        The shot, or ``unsupported`` when another document stands there at the end, or
        ``resource_limit`` when the page asked for too much.

    Raises:
        PageCrashed: the page's process ended.
        playwright.async_api.Error: the browser is gone, or the driver failed.
    """
    context = await browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        device_scale_factor=1,
        locale="en-US",
        timezone_id="UTC",
        color_scheme="light",
        reduced_motion="reduce",
        forced_colors="none",
        accept_downloads=False,
        service_workers="block",
    )
    outcome = await _Visit(context, Traffic(site)).photograph(site.url)
    await context.close()
    return outcome


class _Visit:
    """One page in one context."""

    def __init__(self, context: BrowserContext, traffic: Traffic) -> None:
        self._context = context
        self._traffic = traffic
        self._errors: list[str] = []
        self._error_count = 0
        self._deadline = 0.0
        self._cut_off: set[str] = set()
        self._broken: set[str] = set()
        self._crash = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()

    async def photograph(self, url: str) -> Outcome[Shot]:
        page = await self._open_page()
        shooting = asyncio.ensure_future(self._shoot(page, url))
        ends = [asyncio.ensure_future(event.wait()) for event in (self._crash, self._traffic.storm)]
        try:
            await asyncio.wait({shooting, *ends}, return_when=asyncio.FIRST_COMPLETED)
            if self._crash.is_set():
                raise PageCrashed
            if self._traffic.storm.is_set():
                return self._traffic.storm_failure()
            return await shooting
        finally:
            for task in (shooting, *ends):
                task.cancel()
            await asyncio.gather(shooting, *ends, return_exceptions=True)

    async def _open_page(self) -> Page:
        script = _SCRIPT.read_text(encoding="utf-8").replace("__START__", f"{EPOCH * 1000}")
        await self._context.add_init_script(script)
        await self._context.route("**/*", self._traffic.answer)
        await self._context.route_web_socket("**/*", self._traffic.refuse)
        page = await self._context.new_page()
        page.on("crash", lambda _: self._crash.set())
        page.on("pageerror", self._note_error)
        self._context.on("page", self._close_popup)
        return page

    async def _shoot(self, page: Page, url: str) -> Outcome[Shot]:
        begun = time.monotonic()
        await page.goto(url, wait_until="commit", timeout=OPEN_SECONDS * 1000)
        # not by goto, which follows a page that reloads itself
        rest = max(1.0, OPEN_SECONDS - (time.monotonic() - begun))  # 0 would mean: without limit
        await page.wait_for_load_state("domcontentloaded", timeout=rest * 1000)
        await self._settle(page)
        if not page.url.startswith(f"{ORIGIN}/"):
            message = f"the page left its document for {page.url[:100]}"
            return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
        png = await asyncio.wait_for(self._capture(page), PICTURE_SECONDS)
        flags = (*self._traffic.flags(), *self._own_flags())
        log = "\n".join(self._errors)
        return ok(Shot(png, flags, log))

    async def _settle(self, page: Page) -> None:
        """Let a page finish: load, fonts, timers and frames, and what those asked for."""
        self._deadline = time.monotonic() + SETTLE_SECONDS
        await self._step("load", page.wait_for_load_state("load", timeout=0), LOAD_SECONDS)
        await self._ask(page.main_frame, "fonts")
        for _ in range(2):
            await self._ask(page.main_frame, "frames")
            await self._ask(page.main_frame, "wind", WIND_SECONDS, f"{PLAYED // 2}")
            inner = self._inner(page)
            half = f"{PLAYED // 2}"
            await asyncio.gather(*(self._ask(one, "wind", STEP_SECONDS, half) for one in inner))
            await self._step("requests", self._be_idle(), IDLE_SECONDS)
        await self._ask(page.main_frame, "fonts")
        self._deadline = time.monotonic() + FREEZE_SECONDS
        frames = (page.main_frame, *self._inner(page))
        for left in await asyncio.gather(*(self._ask(frame, "freeze") for frame in frames)):
            self._traffic.note_navigation(left)
        await self._ask(page.main_frame, "frames")

    async def _ask(
        self, frame: Frame, step: str, seconds: float = STEP_SECONDS, argument: str = ""
    ) -> Any:  # noqa: ANN401 - what the script returns
        """Have the script in a frame do a step; in a frame without scripts nothing is to do."""
        dot = "?." if frame.parent_frame else "."
        asked = frame.evaluate(f"{_OBJECT}{dot}{step}({argument})")
        return await self._step(step, asked, seconds, frame)

    async def _step(
        self, step: str, work: Awaitable[Any], seconds: float, frame: Frame | None = None
    ) -> Any:  # noqa: ANN401 - what the work returns
        """Wait for one step of settling; note that it was cut off, or that the page broke it."""
        left = self._deadline - time.monotonic()
        try:
            return await asyncio.wait_for(work, max(LEAST_SECONDS, min(seconds, left)))
        except TimeoutError:
            self._cut_off.add(step)
        except Error:
            if frame is None or not frame.is_detached():
                self._broken.add(step)
        return None

    async def _be_idle(self) -> None:
        while self._traffic.pending:
            await asyncio.sleep(IDLE_SECONDS / IDLE_STEPS)

    @staticmethod
    def _inner(page: Page) -> list[Frame]:
        """The frames inside the page that hold a document of its own."""
        return [frame for frame in page.frames[1:MOST_FRAMES] if frame.url.startswith(OWN)]

    async def _capture(self, page: Page) -> bytes:
        """Photograph the window; past Playwright, whose way encodes the PNG three times slower."""
        session = await self._context.new_cdp_session(page)
        told = await session.send(
            "Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True}
        )
        return base64.b64decode(told["data"])

    def _note_error(self, error: Error) -> None:
        self._error_count += 1
        if len(self._errors) < MOST_ERRORS:
            self._errors.append(" ".join(error.message.split())[:ERROR_CHARACTERS])

    def _close_popup(self, popup: Page) -> None:
        async def close() -> None:
            self._traffic.note_window()
            with suppress(Error):
                await popup.close()

        task = asyncio.ensure_future(close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)

    def _own_flags(self) -> list[Flag]:
        flags = []
        if self._errors:
            more = f" (and {self._error_count - 1} more)" if self._error_count > 1 else ""
            message = f"script error: {self._errors[0]}{more}"
            flags.append(Flag(kind=Kind.COMPILE_ERROR, message=message))
        if self._cut_off:
            message = f"cut off before the end: {_named(self._cut_off)}"
            flags.append(Flag(kind=Kind.TIMEOUT, message=message))
        if self._broken:
            message = f"the page broke what settles it: {_named(self._broken)}"
            flags.append(Flag(kind=Kind.UNSUPPORTED, message=message))
        return flags


def _named(steps: set[str]) -> str:
    return ", ".join(name for step, name in _NAMES.items() if step in steps)
