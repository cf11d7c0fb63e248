"""What the HTML page of a mind map says: who made it, when, under which licence, where it lies.

Nothing here knows a site: links, data attributes, meta elements, JSON-LD and JSON that a page
carries along for its scripts. Everything is foreign, so sizes and counts are limited and nothing
recurses.
"""

from __future__ import annotations

import datetime as dt
import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import urljoin, urlsplit, urlunsplit

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.html_tags import Tag, decode, read_tags
from sources.licences import UNKNOWN, spdx
from sources.maps.minder import is_minder

PAGE_BYTES = 5_000_000
PAGE_TAGS = 60_000
PAGE_LINKS = 5_000
JSON_VALUES = 100_000
"""How many values of the JSON in a page are looked at."""
ADDRESS_CHARACTERS = 2_000
TEXT_CHARACTERS = 200

MAP_SUFFIXES = (".xmind", ".mmap", ".xmmap", ".mm", ".opml", ".km", ".md", ".markdown")
"""How the names of map files end."""
FILE_KEYS = ("downloadUrl", "download_url", "content_url", "fileUrl", "file_url")
"""Under which keys of a page's JSON the address of the map's file is looked for."""

_MAP_NAME = re.compile("|".join(map(re.escape, MAP_SUFFIXES)), re.IGNORECASE)
_ASSIGNED = re.compile(r"\s*(?:(?:var|let|const)\s+)?[\w.$]{1,80}\s*=\s*(?=[\[{])")
_DATED = ("dateCreated", "datePublished", "uploadDate")
"""Keys of schema.org, of which only JSON-LD is asked: other JSON may mean the user's account."""
_META_DATES = ("article:published_time", "datepublished", "date", "dc.date", "dcterms.created")


@dataclass(frozen=True)
class Page:
    """What was found; addresses are absolute and https, in the order of the page, each once."""

    title: str = ""
    author: str = ""
    licence: str = UNKNOWN
    """The SPDX identifier, where the page names one licence only."""
    created: dt.date | None = None
    dated: str = ""
    """What in the page says when the map was made."""
    files: tuple[str, ...] = ()
    """Addresses that end like map files."""
    told: tuple[str, ...] = ()
    """Addresses that the page's JSON calls the file, however they end."""
    links: tuple[str, ...] = ()
    next: str = ""
    """The next page of a listing, where the page says so."""
    tree: JsonValue = None
    """The map in the page's JSON, in a form that ``sources.maps.reader`` reads."""
    asks_login: bool = False


def read_page(body: bytes, url: str) -> Outcome[Page]:
    """Read a page.

    Args:
        body: HTML as it was received.
        url: where it came from; relative links are resolved against it.

    Returns:
        The page, or a failure of stage fetch: resource_limit (more than 5 MB or 60,000 tags) or
        not_as_claimed (nothing that an HTML parser makes a document of).
    """
    if len(body) > PAGE_BYTES or body.count(b"<") > PAGE_TAGS:
        told = f"the page has more than {PAGE_BYTES} bytes or {PAGE_TAGS} tags"
        return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, told, subject=url)
    tags = list(read_tags(decode(body)))
    if not tags:
        told = "the page is empty or no HTML"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, told, subject=url)
    values = [value for tag in tags if tag.name == "script" for value in _json(tag.text)]
    objects = [one for one in _walk(values) if isinstance(one, dict)]
    links = _links(tags, url)
    named = (str(one[key]) for one in objects for key in FILE_KEYS if isinstance(one.get(key), str))
    told_files = filter(None, (_absolute(url, name) for name in named))
    works = [one for one in objects if "@type" in one or "@context" in one]
    created, dated = _date(tags, works)
    return ok(
        Page(
            title=_meta(tags, ("og:title",)) or _text(tags, "title"),
            author=_author(tags, works),
            licence=_licence(tags, works, links),
            created=created,
            dated=dated,
            files=tuple(filter(is_map_file, links)),
            told=tuple(dict.fromkeys(told_files)),
            links=tuple(links),
            next=_next(tags, url),
            tree=_tree(objects),
            asks_login=any(
                one.name == "input" and one.get("type").lower() == "password" for one in tags
            ),
        )
    )


def is_map_file(url: str) -> bool:
    """Tell whether an address ends as the names of map files do."""
    return PurePosixPath(urlsplit(url).path).suffix.lower() in MAP_SUFFIXES


def _json(text: str) -> Iterator[JsonValue]:
    """Yield the JSON of a script: its whole text, or what it assigns to a name at its beginning."""
    match = _ASSIGNED.match(text)
    start = match.end() if match else len(text) - len(text.lstrip())
    if not text.startswith(("{", "["), start):
        return
    try:
        yield json.JSONDecoder().raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        return


def _walk(values: list[JsonValue]) -> Iterator[JsonValue]:
    """Yield values and all that they hold, level by level, up to a limit."""
    queue = values[:JSON_VALUES]
    for value in queue:  # grows while it is read
        yield value
        below = list(value.values()) if isinstance(value, dict) else value
        if isinstance(below, list):
            queue += below[: max(0, JSON_VALUES - len(queue))]


def _tree(objects: list[dict[str, JsonValue]]) -> JsonValue:
    """Return XMind's sheets, or the outermost tree of KityMinder's kind; None without any."""
    sheets: list[JsonValue] = [one for one in objects if isinstance(one.get("rootTopic"), dict)]
    if sheets:
        return sheets
    holders = ("root", "contents", "children")
    return next((one for one in objects if any(map(one.get, holders)) and is_minder(one)), None)


def _links(tags: list[Tag], url: str) -> list[str]:
    """Return the addresses of links and of data attributes that name map files."""
    found: dict[str, None] = {}
    for tag in tags:
        for name, value in tag.attributes.items():
            if name != "href" and not (name.startswith("data-") and _MAP_NAME.search(value)):
                continue
            address = _absolute(url, value)
            if address and (name == "href" or is_map_file(address)):
                found[address] = None
            if len(found) >= PAGE_LINKS:
                return list(found)
    return list(found)


def _absolute(base: str, value: str) -> str:
    """Return an address without its fragment, as https; "" where it is none."""
    if len(value) > ADDRESS_CHARACTERS:
        return ""
    try:
        parts = urlsplit(urljoin(base, value.strip()))
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return ""
    return urlunsplit(("https", parts.netloc.lower(), parts.path, parts.query, ""))


def _next(tags: list[Tag], url: str) -> str:
    marked = (one for one in tags if "next" in one.get("rel").lower().split())
    return next((_absolute(url, one.get("href")) for one in marked), "")


def _meta(tags: list[Tag], names: tuple[str, ...]) -> str:
    for name in names:
        for one in tags:
            said = one.get("property") or one.get("name") or one.get("itemprop") or ""
            if one.name == "meta" and said.lower() == name:
                return _short(one.get("content"))
    return ""


def _text(tags: list[Tag], tag: str) -> str:
    return next((_short(html.unescape(one.text)) for one in tags if one.name == tag), "")


def _short(text: object) -> str:
    return " ".join(text.split())[:TEXT_CHARACTERS] if isinstance(text, str) else ""


def _author(tags: list[Tag], objects: list[dict[str, JsonValue]]) -> str:
    for one in objects:
        author = one.get("author")
        author = author.get("name") if isinstance(author, dict) else author
        if _short(author):
            return _short(author)
    marked = (one for one in tags if "author" in one.get("rel").lower().split())
    linked = next((_short(html.unescape(one.text)) for one in marked), "")
    return _meta(tags, ("author",)) or linked


def _licence(tags: list[Tag], objects: list[dict[str, JsonValue]], links: list[str]) -> str:
    """Return the licence that the page names; unknown where it names none, or several."""
    marked = [one.get("href") for one in tags if "license" in one.get("rel").lower().split()]
    said = [one.get("license") for one in objects]
    told = [*marked, *(one for one in said if isinstance(one, str))]
    names = {spdx(one) for one in told}
    if not told:
        linked = [one for one in links if urlsplit(one).netloc.endswith("creativecommons.org")]
        names = {name for one in linked if not (name := spdx(one)).startswith("LicenseRef-")}
    return names.pop() if len(names) == 1 else UNKNOWN


def _date(tags: list[Tag], objects: list[dict[str, JsonValue]]) -> tuple[dt.date | None, str]:
    """Return when the map was made, and what says so."""
    for key in _DATED:
        for one in objects:
            if day := read_day(one.get(key)):
                return day, f"the page's JSON, {key}"
    for name in _META_DATES:
        if day := read_day(_meta(tags, (name,))):
            return day, f"the page's meta element {name}"
    for tag in tags:
        if tag.name == "time" and (day := read_day(tag.get("datetime"))):
            return day, "the page's time element"
    return None, ""


def read_day(value: object) -> dt.date | None:
    """Return the day that a text in ISO form begins with, of 1990 to 2100; None for others."""
    if not isinstance(value, str):
        return None
    try:
        day = dt.date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None
    return day if 1990 <= day.year <= 2100 else None
