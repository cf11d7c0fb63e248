"""What a page asks for: its own site's files, and nothing else.

Every request of a page is intercepted. The container has no network besides, so this is not the
wall; it makes that a blocked request is answered at once and known.
"""

from __future__ import annotations

from collections import Counter
from urllib.parse import unquote, urlsplit

from playwright.async_api import Error, Request, Route, WebSocketRoute

from benchmark.outcome import Kind
from benchmark.records import Flag
from renderers.web_site import ORIGIN, Site

STORM = 500
"""A page with more blocked requests than this costs its browser."""

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
        self._opened = False
        self._blocked: Counter[str] = Counter()
        self._missing: set[str] = set()
        self._left: list[str] = []

    @property
    def stormy(self) -> bool:
        """Whether the page made so many vain requests that its browser should go."""
        return self._blocked.total() + len(self._left) > STORM

    async def answer(self, route: Route, request: Request) -> None:
        """Answer one request; the errors of pages that are gone already are of no interest."""
        self.pending += 1
        try:
            await self._answer(route, request)
        except Error:
            return
        finally:
            self.pending -= 1

    async def refuse(self, socket: WebSocketRoute) -> None:
        """Refuse a web socket."""
        self._blocked[urlsplit(socket.url).hostname or "?"] += 1
        await socket.close()

    def note_navigation(self, address: object) -> None:
        """Note an address that the page wanted to go to instead (None: it did not)."""
        if isinstance(address, str):
            self._left.append("blob:…" if address.startswith("blob:") else address)

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
                    self._blocked[address.hostname or "?"] += 1
                await route.fulfill(status=_STAY)
                return
        if not local:
            self._blocked[address.hostname or "?"] += 1
            await route.abort("blockedbyclient")
            return
        name = self.site.find(unquote(address.path))
        if name is None:
            if address.path != "/favicon.ico":
                self._missing.add(unquote(address.path))
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
            hosts = sorted(self._blocked)
            flags.append(
                Flag(
                    kind=Kind.MISSING_RESOURCE,
                    message=f"blocked_requests={self._blocked.total()} ({_few(hosts)})",
                )
            )
        if self._missing:
            missing = sorted(self._missing)
            message = f"missing_files={len(missing)} ({_few(missing)})"
            flags.append(Flag(kind=Kind.MISSING_RESOURCE, message=message))
        if self._left:
            message = f"blocked_navigations ({self._left[0][:100]}); the first document is shown"
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
    return ", ".join(name[:100] for name in names[:NAMED]) + more
