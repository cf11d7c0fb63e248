"""From the address of a mind map to material: rules, page, file, tree.

Every request asks the site's robots.txt first. Nothing here raises for what a site sends.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance, digest_bytes
from sources.http import Claim, Client, Keep, Response, Site
from sources.http_address import shown_as_given
from sources.licences import UNKNOWN
from sources.map_adapters import Adapter, Entry
from sources.map_material import Wanted, materials_from
from sources.map_pages import PAGE_BYTES, Page, read_page
from sources.maps.drafts import Unreadable
from sources.maps.reader import MAP_BYTES
from sources.maps.xmind_json import read_json
from sources.own_files import UNDATED
from sources.robots import Robots

LEAST_NODES = 2
"""A map of one node asks for nothing; it is also what a failed conversion leaves."""
JSON_BYTES = 5_000_000
FILES = (Claim.ZIP, Claim.XML, Claim.JSON, Claim.TEXT)
"""What a map's file may be; HTML in its place is a page that asks for something, unless it is
XMind's export, whose name says so."""
LINK_KEYS = ("downloadUrl", "url", "default")
"""Under which keys a site's answer names the file, at its top or in ``links``."""


@dataclass(frozen=True)
class Known:
    """What is known of a map besides its content."""

    author: str = ""
    licence: str = UNKNOWN
    created: dt.date | None = None
    dated: str = ""
    """What says when the map was made."""
    publishable: bool = False
    made: str = ""
    """How it was chosen."""
    recipe: dict[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True)
class MapFile:
    """The file of a map, as it was had."""

    name: str
    data: bytes
    url: str
    """Where it lies; for a tree that a page holds, the page."""
    changed: dt.date | None = None
    """The day of the HTTP header Last-Modified."""


class Fetcher:
    """Fetches maps for a source."""

    def __init__(self, client: Client, source: str, since: dt.date | None) -> None:
        """Ask through a client, for a source, for maps made on or after a day."""
        self._client = client
        self._robots = Robots(client)
        self._source = source
        self._since = since

    def get(
        self, site: Site, url: str, claims: tuple[Claim, ...], most: int, keep: Keep = Keep.CHECKED
    ) -> Outcome[Response]:
        """Get an address of a site, if its robots.txt allows it."""
        allowed = self._robots.site(site, url)
        if isinstance(allowed, Failed):
            return allowed
        return self._client.get(allowed.value, url, claims=claims, most=most, keep=keep)

    def from_page(
        self, adapter: Adapter, entry: Entry, known: Known
    ) -> Iterator[Outcome[Material]]:
        """Yield the maps behind the page of a site.

        Args:
            adapter: the site.
            entry: the map.
            known: what is known from elsewhere; it goes before what the page says.
        """
        ident = f"mindmap/{adapter.name}/{entry.id}"
        if entry.refused:
            told = f"{adapter.title}: {entry.refused}"
            yield Failed.of(Stage.FETCH, Kind.FORBIDDEN, told, subject=ident)
            return
        if failed := self._too_old(known.created, ident):
            yield failed
            return
        answer = self.get(adapter.site, entry.page, (Claim.HTML,), PAGE_BYTES)
        page = answer if isinstance(answer, Failed) else read_page(answer.value.body, entry.page)
        if isinstance(page, Failed):
            yield page
            return
        known = _completed(known, page.value)
        if failed := self._too_old(known.created, ident):
            yield failed
            return
        file = self._file(adapter, entry, page.value)
        if isinstance(file, Failed):
            yield file
            return
        known = replace(known, recipe={**known.recipe, "page": entry.page})
        yield from self.from_file(file.value, known, entry.page, ident)

    def from_address(
        self, site: Site, url: str, known: Known, ident: str
    ) -> Iterator[Outcome[Material]]:
        """Yield the maps in a file that lies at an address."""
        if failed := self._too_old(known.created, ident):
            yield failed
            return
        file = self._download(site, url)
        if isinstance(file, Failed):
            yield file
        else:
            yield from self.from_file(file.value, known, url, ident)

    def from_file(
        self, file: MapFile, known: Known, url: str, ident: str
    ) -> Iterator[Outcome[Material]]:
        """Yield the maps in a file; the date of its last change stands in where none is known."""
        created, dated = known.created, known.dated
        if created is None and file.changed is not None:
            created, dated = file.changed, "the HTTP header Last-Modified of the file"
        if created is None and self._since is not None:
            told = "nothing says when the map was made, and maps since a day are asked for"
            yield Failed.of(Stage.FILTER, Kind.OUT_OF_DATE, told, subject=ident)
            return
        if failed := self._too_old(created, ident):
            yield failed
            return
        provenance = Provenance(
            source=self._source,
            author=known.author or "unknown",
            licence=known.licence,
            created=created or UNDATED,
            url=shown_as_given(url),
            publishable=known.publishable,
            recipe={
                **known.recipe,
                "file": shown_as_given(file.url),
                "sha256": digest_bytes(file.data),
            },
            made=f"{known.made}; date from {dated or 'nowhere: none is stated'}",
        )
        wanted = Wanted(least=LEAST_NODES, ident=ident)
        for outcome in materials_from(file.name, file.data, provenance, wanted):
            if isinstance(outcome, Failed):
                stage = Stage.FILTER if outcome.stage is Stage.FILTER else Stage.FETCH
                subject = outcome.subject or ident
                yield outcome.model_copy(update={"stage": stage, "subject": subject})
            else:
                yield outcome

    def _too_old(self, created: dt.date | None, ident: str) -> Failed | None:
        if self._since is None or created is None or created >= self._since:
            return None
        told = f"made on {created} (since {self._since})"
        return Failed.of(Stage.FILTER, Kind.OUT_OF_DATE, told, subject=ident)

    def _file(self, adapter: Adapter, entry: Entry, page: Page) -> Outcome[MapFile]:
        """Get the file that a page links to, else the tree it holds, else the file it names."""
        paths = adapter.downloads
        linked = [url for url in page.links if paths and paths.fullmatch(urlsplit(url).path)]
        files = [*page.files, *linked]
        for url in files:
            if adapter.allows(url):
                return self._download(adapter.site, url)
        if page.tree is not None:
            return _held(entry, page)
        for url in page.told:
            if adapter.allows(url):
                return self._download(adapter.site, url)
        if adapter.asks:
            return self._ask(adapter, adapter.asks.format(id=entry.id))
        return _nothing(adapter, entry, page, [*files, *page.told])

    def _ask(self, adapter: Adapter, url: str) -> Outcome[MapFile]:
        """Get the file whose address is the site's answer to another address."""
        answer = self.get(adapter.site, url, (Claim.JSON,), JSON_BYTES)
        if isinstance(answer, Failed):
            return answer
        try:
            value = read_json(answer.value.body.decode("utf-8", "replace"))
        except Unreadable as error:
            return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, f"{url}: {error}", subject=url)
        named = _named(value)
        if not named:
            told = "the site's answer names no file to download"
            return Failed.of(Stage.FETCH, Kind.NO_SOURCE, told, subject=url)
        if not adapter.allows(named):
            told = f"the file lies on {urlsplit(named).netloc or 'no host'}, none of the site's"
            return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, told, subject=url)
        return self._download(adapter.site, named)

    def _download(self, site: Site, url: str) -> Outcome[MapFile]:
        name = PurePosixPath(unquote(urlsplit(url).path)).name or "map"
        exported = name.lower().endswith((".html", ".htm"))
        answer = self.get(site, url, (Claim.HTML,) if exported else FILES, MAP_BYTES)
        if isinstance(answer, Failed):
            return answer
        changed = _http_day(answer.value.headers.get("last-modified", ""))
        return ok(MapFile(name, answer.value.body, url, changed))


def _completed(known: Known, page: Page) -> Known:
    """Return what is known, completed by what a page says."""
    dated = known.created is not None
    return replace(
        known,
        author=known.author or page.author,
        licence=known.licence if known.licence != UNKNOWN else page.licence,
        created=known.created if dated else page.created,
        dated=known.dated if dated else page.dated,
    )


def _held(entry: Entry, page: Page) -> Outcome[MapFile]:
    """Return the tree that a page holds as a file of its own."""
    try:
        data = json.dumps(page.tree, ensure_ascii=False).encode("utf-8", "replace")
    except RecursionError:
        told = "the map in the page is nested too deeply"
        return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, told, subject=entry.page)
    return ok(MapFile(f"{entry.id}.json", data, entry.page))


def _nothing(adapter: Adapter, entry: Entry, page: Page, elsewhere: list[str]) -> Failed:
    if page.asks_login:
        told = f"{adapter.title} asks for a login to download this map"
        return Failed.of(Stage.FETCH, Kind.FORBIDDEN, told, subject=entry.page)
    told = "the page neither links to a map file nor holds a map"
    if elsewhere:
        told = f"the map's file lies on {urlsplit(elsewhere[0]).netloc}, none of the site's hosts"
    return Failed.of(Stage.FETCH, Kind.NO_SOURCE, told, subject=entry.page)


def _named(value: JsonValue) -> str:
    """Return the address that an answer names; http becomes https. "" where it names none."""
    links = value.get("links") if isinstance(value, dict) else None
    holders = [one for one in (value, links) if isinstance(one, dict)]
    found = (one.get(key) for one in holders for key in LINK_KEYS)
    named = next((one for one in found if isinstance(one, str) and one), "")
    return "https" + named.removeprefix("http") if named.startswith("http:") else named


def _http_day(value: str) -> dt.date | None:
    """Return the day (UTC) of an HTTP date; None where it is none."""
    try:
        when = email.utils.parsedate_to_datetime(value)
        return when.astimezone(dt.UTC).date()
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
