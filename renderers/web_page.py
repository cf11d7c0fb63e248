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
import datetime as dt
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from playwright.async_api import Browser, BrowserContext, Error, Page

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag
from renderers.job import EPOCH
from renderers.web_site import ORIGIN, Site
from renderers.web_traffic import Traffic

WIDTH, HEIGHT = 1920, 1080
"""The window, in pixels, as in Image2Struct."""

CLOCK = dt.datetime.fromtimestamp(EPOCH, dt.UTC)
PLAYED = 1000
"""Milliseconds that a page's clock runs before the picture is taken."""

LOAD_SECONDS = 2.0
FONT_SECONDS = 1.0
OPEN_SECONDS = 10.0
PICTURE_SECONDS = 8.0
IDLE_STEPS = 20
MOST_ERRORS = 20
ERROR_CHARACTERS = 200

_PREPARE = """
(() => {
  let state = 0x2545f491;
  const word = () => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return state >>> 0;
  };
  const fill = (array) => {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = word() & 255;
    return array;
  };
  Math.random = () => word() / 4294967296;
  Object.defineProperty(Crypto.prototype, 'getRandomValues', {value: fill});
  Object.defineProperty(Crypto.prototype, 'randomUUID', {value: () => {
    const hex = Array.from(fill(new Uint8Array(16)), (b) => b.toString(16).padStart(2, '0'));
    return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }});
  if (window === top) {
    let left = null;
    navigation.addEventListener('navigate', (event) => {
      if (event.destination.sameDocument || !event.cancelable) return;
      left = left || event.destination.url;
      event.preventDefault();
    });
    Object.defineProperty(document, Symbol.for('rerender.left'), {get: () => left});
  }
  const now = performance.now.bind(performance), zero = now();
  performance.now = () => now() - zero;
  HTMLFormElement.prototype.submit = () => undefined;
  window.open = () => null;
  window.print = () => undefined;
})();
"""
"""Runs in every frame before the page's own scripts: seeded random numbers (Marsaglia's xorshift),
a stopwatch that starts at 0, no pop-ups, no print dialogue. The first document stays: a navigation
is stopped here, before it stops the parser; `Traffic` stops what gets past."""

_FREEZE = """
() => {
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.pauseAnimations) { svg.pauseAnimations(); svg.setCurrentTime(0); }
  }
  for (const medium of document.querySelectorAll('video, audio')) {
    medium.pause();
    if (medium.currentTime) medium.currentTime = 0;
  }
  return document[Symbol.for('rerender.left')];
}
"""


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
        await self._context.clock.install(time=CLOCK)
        await self._context.clock.pause_at(CLOCK + dt.timedelta(seconds=1))
        await self._context.add_init_script(_PREPARE)
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
        png = await page.screenshot(
            type="png", animations="disabled", caret="hide", timeout=PICTURE_SECONDS * 1000
        )
        flags = (*self._traffic.flags(), *self._own_flags())
        log = "\n".join(self._errors)
        return ok(Shot(png, flags, log, self._traffic.stormy))

    async def _settle(self, page: Page) -> None:
        """Let a page finish: load, fonts, timers and frames, and what those asked for."""
        loaded = page.wait_for_load_state("load", timeout=LOAD_SECONDS * 1000)
        self._slow = not await _bounded(loaded, LOAD_SECONDS + 1)
        await _bounded(page.evaluate("document.fonts.ready.then(() => true)"), FONT_SECONDS)
        for _ in range(2):
            await _bounded(self._context.clock.run_for(PLAYED // 2), OPEN_SECONDS)
            for _ in range(IDLE_STEPS):
                if not self._traffic.pending:
                    break
                await asyncio.sleep(LOAD_SECONDS / IDLE_STEPS)
        await _bounded(page.evaluate("document.fonts.ready.then(() => true)"), FONT_SECONDS)
        with suppress(TimeoutError, Error):
            left = await asyncio.wait_for(page.evaluate(_FREEZE), FONT_SECONDS)
            self._traffic.note_navigation(left)

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
