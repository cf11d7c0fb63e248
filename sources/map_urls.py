"""Mind maps from a list of addresses: the road that works whatever a site's listing looks like.

A line of the file is an address: of a map's file on any public host, or of a map's page on one of
the sites in ``sources.map_adapters``. Licence, author and day of creation may follow it.
"""

from __future__ import annotations

import datetime as dt
import ipaddress
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, digest_bytes
from benchmark.settings import Settings
from sources.http import Client, Site
from sources.http_address import HTTPS_PORT, LONGEST, shown_as_given
from sources.http_guard import is_public
from sources.licences import UNKNOWN, publishable, spdx
from sources.map_adapters import INTERVAL, find
from sources.map_fetch import Fetcher, Known
from sources.own_files import read_file

LIST_BYTES = 2_000_000
LINES = 10_000
SHOWN = 200
"""Characters of an address that a message shows."""
_UNSET = "RERENDER_MAP_URLS is not set; set it to a file of addresses, a line each"


@dataclass(frozen=True)
class Line:
    """A line of the list, as it was read."""

    number: int
    url: str
    licence: str = UNKNOWN
    author: str = ""
    created: dt.date | None = None


class MindmapUrls:
    """The source `mindmap-urls`: maps at addresses that the user lists."""

    name = "mindmap-urls"
    scenarios = ("mindmap",)
    live = True
    about = (
        "Mind maps at addresses that the user has listed, with licence, author and date as the "
        "list or the page states them. A map is passed on only under a licence that lets everybody."
    )

    def __init__(
        self, path: Path | None = None, make_client: Callable[[], Client] = Client
    ) -> None:
        """Choose the list (None: the one of the settings), and what makes a client of them."""
        self._path = path
        self._make_client = make_client

    @property
    def off(self) -> str | None:
        """Why the source has nothing to give unless it is named: no list is set."""
        return _UNSET if self._list() is None else None

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield maps in the order of the list, and a failure for each line that gave none.

        A host that cannot be reached is told once and not asked again; the others go on.

        Args:
            since: only maps that are said to be made on or after this day; those without a date
                are dropped.
            limit: at most so many maps.
        """
        left = limit
        if left is not None and left <= 0:
            return
        lines = self._lines()
        if isinstance(lines, Failed):
            yield lines
            return
        with self._make_client() as client:
            for outcome in _outcomes(lines.value, Fetcher(client, self.name, since)):
                yield outcome
                if left is not None and not isinstance(outcome, Failed):
                    left -= 1
                    if left == 0:
                        return

    def _list(self) -> Path | None:
        return self._path or Settings().map_urls

    def _lines(self) -> Outcome[list[str]]:
        path = self._list()
        if path is None:
            return Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, _UNSET)
        data = read_file(path, str(path), LIST_BYTES)
        if isinstance(data, Failed):
            return data
        lines = data.value.decode("utf-8-sig", "replace").splitlines()
        if len(data.value) > LIST_BYTES or len(lines) > LINES:
            told = f"{path}: more than {LIST_BYTES} bytes or {LINES} lines"
            return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, told)
        return ok(lines)


def _outcomes(lines: list[str], fetcher: Fetcher) -> Iterator[Outcome[Material]]:
    seen: dict[str, int] = {}
    lost: set[str] = set()
    for number, text in enumerate(lines, start=1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        line = _read_line(number, text)
        if isinstance(line, Failed):
            yield line
            continue
        ident = _ident(line.value.url)
        if ident in seen:
            told = f"line {number}: the same map as in line {seen[ident]}"
            yield Failed.of(
                Stage.FILTER, Kind.DUPLICATE, told, subject=shown_as_given(line.value.url)
            )
            continue
        seen[ident] = number
        host = urlsplit(line.value.url).netloc
        if host in lost:
            continue
        for outcome in _fetch(line.value, ident, fetcher):
            if isinstance(outcome, Failed):
                if not outcome.final:
                    lost.add(host)
                yield outcome.model_copy(update={"message": f"line {number}: {outcome.message}"})
            else:
                yield outcome


def _read_line(number: int, text: str) -> Outcome[Line]:
    fields = [field.strip() for field in text.split("\t")]
    url, licence, author, created, *more = [*fields, "", "", ""]
    fault = _address_fault(url)
    day = None
    if created:
        try:
            day = dt.date.fromisoformat(created)
        except ValueError:
            fault = fault or f"{created!r} is no day such as 2026-11-30"
    if any(more):
        fault = fault or "more than an address, a licence, an author and a day"
    if fault:
        told = f"line {number}: {fault}"
        return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, told, subject=f"line {number}")
    return ok(Line(number, _as_https(url), spdx(licence), author, day))


def _address_fault(url: str) -> str:
    """Say what is wrong with an address; "" if nothing is."""
    try:
        parts = urlsplit(_as_https(url))
        host, port = parts.hostname, parts.port
    except ValueError:
        return f"{url[:SHOWN]!r} is no address"
    told = repr(url[:SHOWN])
    faults = {
        "an address with a user name in it, which is not asked": "@" in parts.netloc,
        f"an address of {len(url)} characters": len(url) > LONGEST,
        f"{told} is no https address": parts.scheme != "https" or not host,
        f"{told} has a port of its own": port not in (None, HTTPS_PORT),
        f"{told} holds signs that no address has": not url.isprintable(),
        f"{host} is no public host": not _may_be_public(host or ""),
    }
    return next((fault for fault, holds in faults.items() if holds), "")


def _may_be_public(host: str) -> bool:
    return is_public(host) if _is_ip(host) else "." in host


def _is_ip(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _as_https(url: str) -> str:
    """Return an address without its fragment; a page of a known site is asked for by https."""
    plain = url.split("#", 1)[0]
    secure = re.sub(r"\Ahttp:", "https:", plain, flags=re.IGNORECASE)
    return secure if secure == plain or find(secure) else plain


def _ident(url: str) -> str:
    """Return the id of the map at an address."""
    found = find(url)
    if found:
        return f"mindmap/{found[0].name}/{found[1].id}"
    parts = urlsplit(url)
    query = f"?{digest_bytes(parts.query.encode())[:12]}" if parts.query else ""
    return f"mindmap/{parts.netloc.lower()}{parts.path}{query}"


def _fetch(line: Line, ident: str, fetcher: Fetcher) -> Iterator[Outcome[Material]]:
    known = Known(
        author=line.author,
        licence=line.licence,
        created=line.created,
        dated="the list" if line.created else "",
        publishable=publishable(line.licence),
        made="from an address in a list of the user's",
    )
    found = find(line.url)
    if found:
        yield from fetcher.from_page(*found, known)
        return
    site = Site.of_host(urlsplit(line.url).hostname or "", INTERVAL)
    yield from fetcher.from_address(site, line.url, known, ident)
