"""What a page asks for: its own site's files, and nothing else.

Every request of a page is intercepted. The container has no network besides, so this is not the
wall; it makes that a blocked request is answered at once and known. Names come from the page, so
their length and, by the limits on requests, their number are bounded.
"""

from __future__ import annotations

import asyncio
from urllib.parse import unquote, urlsplit

from playwright.async_api import Error, Request, Route, WebSocketRoute

from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Flag
from renderers.web_site import ORIGIN, Site

STORM = 500
"""A page that asks for more than this in vain (blocked, missing, elsewhere) is ended at once."""

REQUESTS = 5000
"""The same for all that a page asks for: every request costs our time too, not only the page's."""

NAME_CHARACTERS = 100

NAMED = 3
"""How many hosts or files a flag names."""

_STAY = 204
"""A navigation that is answered with "no content" leaves the document where it is."""

_TEXT = "; charset=utf-8"
_TYPES = {
    "html": f"text/html{_TEXT}", "htm": f"text/html{_TEXT}", "css": f"text/css{_TEXT}",
    "xhtml": "application/xhtml+xml", "js": f"text/javascript{_TEXT}",
    "mjs": f"text/javascript{_TEXT}", "json": f"application/json{_TEXT}",
    "webmanifest": "application/manifest+json", "xml": f"text/xml{_TEXT}",
    "txt": f"text/plain{_TEXT}", "md": f"text/plain{_TEXT}", "csv": f"text/csv{_TEXT}",
    "vtt": f"text/vtt{_TEXT}", "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg",
    "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp", "avif": "image/avif",
    "ico": "image/x-icon", "bmp": "image/bmp", "woff": "font/woff", "woff2": "font/woff2",
    "ttf": "font/ttf", "otf": "font/otf", "mp4": "video/mp4", "webm": "video/webm",
    "mp3": "audio/mpeg", "ogg": "audio/ogg", "wav": "audio/wav", "wasm": "application/wasm",
    "pdf": "application/pdf",
}  # fmt: skip


class Traffic:
    """Answers the requests of one page and counts those that it cannot answer."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.pending = 0
        self.storm = asyncio.Event()
        """Set when the page has made too many requests; what it asks for then is not noted."""
        self._opened = False
        self._requests = 0
        self._vain = 0
        self._blocked = 0
        self._hosts: set[str] = set()
        self._missing: set[str] = set()
        self._left: str | None = None

    def storm_failure(self) -> Failed:
        """Return the failure of a page that made too many requests."""
        named = sorted(self._hosts)[:NAMED] + sorted(self._missing)[:NAMED]
        what = f"more than {STORM} in vain" if self._vain > STORM else f"more than {REQUESTS}"
        message = f"requests: {what}" + (f" ({_few(named)})" if named else "")
        return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)

    async def answer(self, route: Route, request: Request) -> None:
        """Answer one request; the errors of pages that are gone already are of no interest."""
        self._requests += 1
        if self._requests > REQUESTS:
            self.storm.set()
        self.pending += 1
        try:
            await self._answer(route, request)
        except Error:
            return
        finally:
            self.pending -= 1

    async def refuse(self, socket: WebSocketRoute) -> None:
        """Refuse a web socket."""
        self._note_blocked(urlsplit(socket.url).hostname)
        await socket.close()

    def note_navigation(self, address: object) -> None:
        """Note an address that the page wanted to go to instead (None: it did not)."""
        if isinstance(address, str) and self._count():
            shown = "blob:…" if address.startswith("blob:") else address[:NAME_CHARACTERS]
            self._left = self._left or shown

    def note_window(self) -> None:
        """Note that the page opened another window."""
        self._count()

    def _note_blocked(self, host: str | None) -> None:
        if self._count():
            self._blocked += 1
            self._hosts.add((host or "?")[:NAME_CHARACTERS])

    def _count(self) -> bool:
        """Count a vain request; False when there were too many, and nothing more is kept."""
        if self.storm.is_set():
            return False
        self._vain += 1
        if self._vain > STORM:
            self.storm.set()
        return True

    async def _answer(self, route: Route, request: Request) -> None:
        address = urlsplit(request.url)
        local = f"{address.scheme}://{address.netloc}" == ORIGIN
        if request.is_navigation_request() and (not local or _is_main(request)):
            if local and not self._opened:
                self._opened = True
            else:
                if _is_main(request):
                    self.note_navigation(request.url)
                else:
                    self._note_blocked(address.hostname)
                await route.fulfill(status=_STAY)
                return
        if not local:
            self._note_blocked(address.hostname)
            await route.abort("blockedbyclient")
            return
        name = self.site.find(unquote(address.path))
        if name is None:
            if address.path != "/favicon.ico" and self._count():
                self._missing.add(unquote(address.path)[:NAME_CHARACTERS])
            await route.fulfill(status=404, body="", content_type="text/plain")
            return
        suffix = name.rpartition(".")[2].lower()
        await route.fulfill(
            body=self.site.files[name],
            content_type=_TYPES.get(suffix, "application/octet-stream"),
            headers={"access-control-allow-origin": "*"},
        )

    def flags(self) -> list[Flag]:
        """Return what the page lacked, named in an order that does not depend on timing."""
        flags = []
        if self._blocked:
            message = f"blocked_requests={self._blocked} ({_few(sorted(self._hosts))})"
            flags.append(Flag(kind=Kind.MISSING_RESOURCE, message=message))
        if self._missing:
            missing = sorted(self._missing)
            message = f"missing_files={len(missing)} ({_few(missing)})"
            flags.append(Flag(kind=Kind.MISSING_RESOURCE, message=message))
        if self._left:
            message = f"blocked_navigations ({self._left}); the first document is shown"
            flags.append(Flag(kind=Kind.UNSUPPORTED, message=message))
        return flags


def _is_main(request: Request) -> bool:
    """Tell whether a navigation is one of a whole page (also of a pop-up that is just opening)."""
    try:
        return request.frame.parent_frame is None
    except Error:
        return True


def _few(names: list[str]) -> str:
    more = ", …" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
