"""One page, from its address to its picture, in a browser context of its own.

What is photographed is the window of 1920 × 1080 pixels, as in Image2Struct, not the full page: the
window is what its authors showed to the models, and a full page's height would be under the control
of whoever wrote it. The moment is fixed by the page's own clock, not by ours: the document is
loaded, its timers and animation frames run for `PLAYED` milliseconds of a clock that we wind, and
then everything stands still. Dates, random numbers, locale, time zone and scale are pinned, so that
two renderings are equal to the byte.
"""

from __future__ import annotations

import asyncio
import base64
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

LOAD_SECONDS = 8.0
FONT_SECONDS = 5.0
FRAME_SECONDS = 5.0
IDLE_SECONDS = 2.0
OPEN_SECONDS = 10.0
PICTURE_SECONDS = 15.0
IDLE_STEPS = 20
MOST_ERRORS = 20
MOST_FRAMES = 20
OWN = (f"{ORIGIN}/", "about:", "data:", "blob:")
"""Addresses of frames that hold a document of the page's own."""
ERROR_CHARACTERS = 200

_SCRIPT = Path(__file__).with_name("web_page.js")
_OBJECT = "window[Symbol.for('rerender')]"
_FONTS = "document.fonts.ready.then(() => true)"


@dataclass(frozen=True)
class Shot:
    """A photograph of a page."""

    png: bytes
    flags: tuple[Flag, ...]
    log: str
    stormy: bool
    """Whether the browser should be replaced."""


class PageCrashed(Exception):
    """The page took its process down (memory, as a rule)."""


async def photograph(browser: Browser, site: Site) -> Outcome[Shot]:
    """Open a site in a fresh context and photograph it.

    Returns:
        The shot, or ``unsupported`` when another document stands there at the end.

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
        self._slow = False
        self._crash = asyncio.Event()
        self._closing: set[asyncio.Task[None]] = set()

    async def photograph(self, url: str) -> Outcome[Shot]:
        page = await self._open_page()
        shooting = asyncio.ensure_future(self._shoot(page, url))
        crashed = asyncio.ensure_future(self._crash.wait())
        try:
            await asyncio.wait({shooting, crashed}, return_when=asyncio.FIRST_COMPLETED)
            if self._crash.is_set():
                raise PageCrashed
            return await shooting
        finally:
            for task in (shooting, crashed):
                task.cancel()
            await asyncio.gather(shooting, crashed, return_exceptions=True)

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
        await page.goto(url, wait_until="commit", timeout=OPEN_SECONDS * 1000)
        # not by goto, which follows a page that reloads itself
        await page.wait_for_load_state("domcontentloaded", timeout=OPEN_SECONDS * 1000)
        await self._settle(page)
        if not page.url.startswith(f"{ORIGIN}/"):
            message = f"the page left its document for {page.url[:100]}"
            return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
        png = await asyncio.wait_for(self._capture(page), PICTURE_SECONDS)
        flags = (*self._traffic.flags(), *self._own_flags())
        log = "\n".join(self._errors)
        return ok(Shot(png, flags, log, self._traffic.stormy))

    async def _settle(self, page: Page) -> None:
        """Let a page finish: load, fonts, timers and frames, and what those asked for."""
        loaded = page.wait_for_load_state("load", timeout=LOAD_SECONDS * 1000)
        self._slow = not await _bounded(loaded, LOAD_SECONDS + 1)
        await _bounded(page.evaluate(_FONTS), FONT_SECONDS)
        wind = f"{_OBJECT}.wind({PLAYED // 2})"
        for _ in range(2):
            await _bounded(page.evaluate(f"{_OBJECT}.frames()"), FONT_SECONDS)
            await _bounded(page.evaluate(wind), OPEN_SECONDS)
            inner = (frame.evaluate(wind) for frame in self._inner(page))
            await asyncio.gather(*(_bounded(winding, FRAME_SECONDS) for winding in inner))
            for _ in range(IDLE_STEPS):
                if not self._traffic.pending:
                    break
                await asyncio.sleep(IDLE_SECONDS / IDLE_STEPS)
        await _bounded(page.evaluate(_FONTS), FONT_SECONDS)
        for frame in (page.main_frame, *self._inner(page)):
            with suppress(TimeoutError, Error):
                left = await asyncio.wait_for(frame.evaluate(f"{_OBJECT}.freeze()"), FRAME_SECONDS)
                self._traffic.note_navigation(left)
        await _bounded(page.evaluate(f"{_OBJECT}.frames()"), FRAME_SECONDS)

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
        if self._slow:
            message = f"not fully loaded after {LOAD_SECONDS:g} s"
            flags.append(Flag(kind=Kind.TIMEOUT, message=message))
        return flags


async def _bounded(step: Awaitable[Any], seconds: float) -> bool:
    """Wait for one step of settling; tell whether it ended in time and without an error.

    A page may replace its document or its built-in objects meanwhile; then the step is skipped.
    """
    try:
        await asyncio.wait_for(step, seconds)
    except (TimeoutError, Error):
        return False
    return True
