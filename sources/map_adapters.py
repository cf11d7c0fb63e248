"""The mind-map sites: all that is known of each, in one place.

What an adapter says of listings and downloads could not be tried on the live sites; docs/sources.md
says of each address how far it is known. A site that has changed is mended here.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.http import Claim, Site
from sources.map_pages import read_day, read_page
from sources.maps.drafts import Unreadable
from sources.maps.xmind_json import objects, read_json

INTERVAL = 5.0
"""Seconds between requests to a site whose wishes are not known."""
PAGE_SIZE = 50
"""Maps that are asked for at once where a listing lets one choose."""


@dataclass(frozen=True)
class Entry:
    """A map of a site, as its listing or an address names it."""

    id: str
    page: str
    """The address of its page."""
    created: dt.date | None = None
    author: str = ""
    refused: str = ""
    """Why it is not to be had, where the listing says so."""


@dataclass(frozen=True)
class Listed:
    """A page of a listing."""

    entries: tuple[Entry, ...]
    more: bool
    """Whether there may be a next one."""


@dataclass(frozen=True)
class Adapter:
    """A site: where its maps are listed, how their pages are called, where their files lie."""

    name: str
    title: str
    site: Site
    """Its hosts, with those that its files may lie on."""
    pages: re.Pattern[str]
    """The path of a map's page; the group `id` names the map."""
    page: str
    """The address of a page, made from ``{id}`` or from the ``{path}`` that was found."""
    listings: tuple[Callable[[int], str], ...]
    """Each gives the address of a page of a listing, counted from 0; "" where there is none."""
    claim: Claim
    """What a page of the listing is."""
    read: Callable[[Adapter, bytes, str], Outcome[Listed]]
    """Reads a page of the listing from its body and address."""
    downloads: re.Pattern[str] | None = None
    """The path of a download that does not end like a map file."""
    asks: str = ""
    """The address that names a map's file, made from ``{id}``; its answer is JSON."""

    def entry(self, url: str) -> Entry | None:
        """Return the map whose page an address is; None for any other address."""
        parts = urlsplit(url)
        match = self.pages.fullmatch(parts.path) if parts.hostname in self.site.hosts else None
        if match is None:
            return None
        return Entry(match["id"], self.page.format(id=match["id"], path=parts.path))

    def allows(self, url: str) -> bool:
        """Tell whether an address is on one of the site's hosts."""
        parts = urlsplit(url)
        return parts.scheme == "https" and parts.netloc in self.site.hosts


def _read_links(adapter: Adapter, body: bytes, url: str) -> Outcome[Listed]:
    """Read a listing in HTML: every link to the page of a map."""
    page = read_page(body, url)
    if isinstance(page, Failed):
        return page
    found = [entry for link in page.value.links if (entry := adapter.entry(link)) is not None]
    if not found and page.value.asks_login:
        told = f"{adapter.title} asks for a login before it lists maps"
        return Failed.of(Stage.FETCH, Kind.FORBIDDEN, told, subject=url)
    entries: dict[str, Entry] = {}
    for entry in found:
        entries.setdefault(entry.id, entry)
    return ok(Listed(tuple(entries.values()), bool(found)))


def _read_xmind(adapter: Adapter, body: bytes, url: str) -> Outcome[Listed]:
    """Read XMind's listing: ``{"mapList": [{"id", "created", "profileName", …}, …]}``."""
    try:
        value = read_json(body.decode("utf-8", "replace"))
    except Unreadable as error:
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, f"the listing: {error}", subject=url)
    items = objects(value.get("mapList")) if isinstance(value, dict) else []
    entries = tuple(entry for item in items if (entry := _xmind_entry(adapter, item)) is not None)
    return ok(Listed(entries, bool(items)))


def _xmind_entry(adapter: Adapter, item: dict[str, JsonValue]) -> Entry | None:
    ident = item.get("id")
    if not isinstance(ident, str):
        return None
    entry = adapter.entry(f"https://www.xmind.net/m/{ident.removeprefix('m/').strip('/')}/")
    if entry is None:
        return None
    author = item.get("profileName") or item.get("userName")
    refused = "its author does not offer it for download" * (item.get("downloadable") is False)
    return Entry(
        entry.id,
        entry.page,
        read_day(item.get("created")),
        author if isinstance(author, str) else "",
        "it was deleted" if item.get("deleted") is True else refused,
    )


XMIND = Adapter(
    name="xmind-share",
    title="XMind's share pages",
    site=Site(
        "xmind",
        frozenset(
            {
                *("www.xmind.net", "xmind.net", "www.xmind.app", "xmind.app"),
                "xmindshare.s3.amazonaws.com",
            }
        ),
        INTERVAL,
    ),
    pages=re.compile(r"/(?:m|embed)/(?P<id>[A-Za-z0-9]{4,12})/?"),
    page="https://www.xmind.net/m/{id}/",
    listings=(
        lambda page: (
            "https://www.xmind.net/_api/share/maps?lang=ww"
            f"&start={page * PAGE_SIZE}&end={(page + 1) * PAGE_SIZE}"
        ),
        lambda page: (
            f"https://www.xmind.net/_api/share/featured-maps?limit={PAGE_SIZE}&lang="
            if page == 0
            else ""
        ),
    ),
    claim=Claim.JSON,
    read=_read_xmind,
    asks="https://www.xmind.net/_api/share/maps/{id}/downloadurl",
)

BIGGERPLATE = Adapter(
    name="biggerplate",
    title="Biggerplate",
    site=Site("biggerplate", frozenset({"www.biggerplate.com", "biggerplate.com"}), INTERVAL),
    pages=re.compile(r"/mindmaps/(?P<id>[A-Za-z0-9]{4,16})/[^/]{1,200}/?"),
    page="https://www.biggerplate.com{path}",
    listings=(lambda page: f"https://www.biggerplate.com/mindmaps?page={page + 1}",),
    claim=Claim.HTML,
    read=_read_links,
    downloads=re.compile(r"/(?:[^/]{1,80}/){0,4}download(?:/[^/]{1,200}){0,3}/?"),
)

ZHIXI = Adapter(
    name="zhixi",
    title="Zhixi",
    site=Site("zhixi", frozenset({"www.zhixi.com", "zhixi.com"}), INTERVAL),
    pages=re.compile(r"/(?:(?:view|embed)/(?=[^/]{8}/?$)|tpl/(?=[^/]{32}/?$))(?P<id>[0-9a-f]+)/?"),
    page="https://www.zhixi.com{path}",
    listings=(lambda page: f"https://www.zhixi.com/tpl?page={page + 1}",),
    claim=Claim.HTML,
    read=_read_links,
)

ADAPTERS = (XMIND, BIGGERPLATE, ZHIXI)


def find(url: str) -> tuple[Adapter, Entry] | None:
    """Return the site and the map whose page an address is; None for any other address."""
    for adapter in ADAPTERS:
        entry = adapter.entry(url)
        if entry is not None:
            return adapter, entry
    return None
