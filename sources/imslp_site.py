"""IMSLP's API and its files: one connection, two seconds between requests.

Works come from IMSLP's own list, their files and rights from the text of a work's page, sizes and
days of upload from MediaWiki's file information. Files are behind a disclaimer (a cookie says that
it was accepted), for those without membership behind a countdown, and end for the day with a page
that offers a subscription; all three are pages with status 200.
"""

from __future__ import annotations

import datetime as dt
import json
import re
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.http import Claim, Client, Keep, Site
from sources.http_pace import CLOCK, Clock

HOST = "https://imslp.org"
API = f"{HOST}/api.php"
LIST = f"{HOST}/imslpscripts/API.ISCR.php"
MOST_BYTES = 50_000_000
MOST_PAGES_OF_LIST = 300
COUNTDOWN = 15.0
DISCLAIMER_COOKIE = "imslpdisclaimeraccepted=yes; imslp_wikiLanguageSelectorLanguage=en"

SITE = Site(
    "imslp",
    frozenset(
        {"imslp.org", "www.imslp.org", "ks.imslp.info", "ks15.imslp.org", "s9.imslp.org",
         "vmirror.imslp.org", "imslp.simssa.ca", "imslp.eu", "www.imslp.eu"}
    ),
    2.0,
)  # fmt: skip

_COUNTING = re.compile(rb"continue in \d{1,3} seconds", re.I)
_SUBSCRIBE = re.compile(rb"subscri(?:be|ption)|download limit|daily limit|become a member", re.I)


@dataclass(frozen=True)
class Upload:
    """A file as MediaWiki knows it."""

    name: str
    url: str
    size: int
    sha1: str
    uploaded: dt.date


class ImslpSite:
    """Asks IMSLP."""

    def __init__(self, client: Client, clock: Clock = CLOCK) -> None:
        """Remember the client, which paces and keeps cookies, and the clock of the countdown."""
        self._client = client
        self._clock = clock

    def works(self) -> Iterator[Outcome[str]]:
        """Yield the titles of works in the order of the list; a failure ends it.

        The list is read on by as many entries as came, for its pages have no certain size.
        """
        start = 0
        for _ in range(MOST_PAGES_OF_LIST):
            arguments = (
                f"account=worklist/disclaimer=accepted/sort=id/type=2/start={start}/retformat=json"
            )
            got = self._json(f"{LIST}?{arguments}")
            if isinstance(got, Failed):
                yield got
                return
            entries = [got.value[key] for key in _numbered(got.value)]
            for entry in entries:
                title = entry.get("id") if isinstance(entry, dict) else None
                if isinstance(title, str) and title:
                    yield ok(title)
            about = got.value.get("metadata")
            more = isinstance(about, dict) and about.get("moreresultsavailable") is True
            if not more:
                return
            if not entries:  # more are promised and none came
                yield _odd("an empty page of its list, though it says that there are more")
                return
            start += len(entries)

    def recent_works(self, since: dt.date) -> Iterator[Outcome[str]]:
        """Yield the titles of works with a file that was uploaded on or after a day."""
        params: dict[str, str | int] = {
            "action": "query", "generator": "allimages", "gaisort": "timestamp",
            "gaidir": "newer", "gaistart": f"{since.isoformat()}T00:00:00Z", "gailimit": 50,
            "prop": "fileusage", "format": "json",
        }  # fmt: skip
        seen: set[str] = set()
        for _ in range(MOST_PAGES_OF_LIST):
            got = self._json(API, params)
            if isinstance(got, Failed):
                yield got
                return
            pages = _pages(got.value)
            for page in sorted(pages, key=lambda each: str(each.get("title"))):
                for use in page.get("fileusage") or []:
                    title = str(use.get("title", ""))
                    if title and title not in seen:
                        seen.add(title)
                        yield ok(title)
            further = got.value.get("continue")
            if not isinstance(further, dict) or not further:
                return
            named = {str(key): str(value) for key, value in further.items()}
            if all(params.get(key) == value for key, value in named.items()):
                return
            params = {**params, **named}

    def text(self, title: str) -> Outcome[str]:
        """Return the wikitext of a work's page."""
        params: dict[str, str | int] = {
            "action": "parse", "page": title, "prop": "wikitext", "redirects": 1, "format": "json",
        }  # fmt: skip
        got = self._json(API, params)
        if isinstance(got, Failed):
            return got
        parsed = got.value.get("parse")
        text = parsed.get("wikitext") if isinstance(parsed, dict) else None
        if isinstance(text, dict):
            text = text.get("*")
        if not isinstance(text, str):
            error = got.value.get("error")
            why = error.get("info", "") if isinstance(error, dict) else ""
            message = f"IMSLP has no page of this work: {why}"
            return Failed.of(Stage.FETCH, Kind.GONE, message, subject=title)
        return ok(text)

    def upload(self, name: str) -> Outcome[Upload]:
        """Return what is known of a file."""
        params: dict[str, str | int] = {
            "action": "query", "titles": f"File:{name}", "prop": "imageinfo",
            "iiprop": "url|size|sha1|mime|timestamp", "format": "json",
        }  # fmt: skip
        got = self._json(API, params)
        if isinstance(got, Failed):
            return got
        for page in _pages(got.value):
            found = page.get("imageinfo")
            if isinstance(found, list) and found and isinstance(found[0], dict):
                return _upload(name, found[0])
        message = f"IMSLP has no file {name}"
        return Failed.of(Stage.FETCH, Kind.GONE, message, subject=f"File:{name}")

    def log_in(self, username: str, password: str) -> Failed | None:
        """Log in; the client keeps the cookies of the session."""
        params: dict[str, str | int] = {
            "action": "query", "meta": "tokens", "type": "login", "format": "json",
        }  # fmt: skip
        got = self._json(API, params, Keep.NOT)
        if isinstance(got, Failed):
            return got
        query = got.value.get("query")
        tokens = query.get("tokens") if isinstance(query, dict) else None
        token = tokens.get("logintoken") if isinstance(tokens, dict) else None
        if not isinstance(token, str):
            return _odd("no token to log in with")
        form = {"lgname": username, "lgpassword": password, "lgtoken": token}
        posted = self._client.post(
            SITE,
            API,
            params={"action": "login", "format": "json"},
            content=urllib.parse.urlencode(form).encode(),
            content_type="application/x-www-form-urlencoded",
            claims=[Claim.JSON],
        )
        if isinstance(posted, Failed):
            return posted
        answer = _read_json(posted.value.body)
        login = {} if isinstance(answer, Failed) else answer.value.get("login")
        if not isinstance(login, dict) or login.get("result") != "Success":
            message = "IMSLP refuses imslp_username and imslp_password; set them anew"
            return Failed.of(Stage.FETCH, Kind.UNAUTHORIZED, message, subject=API)
        return None

    def pdf(self, upload: Upload) -> Outcome[bytes]:
        """Download a PDF.

        Returns:
            The file, or a failure: TOO_LARGE, NOT_AS_CLAIMED (a zip, a page, cut off), QUOTA (the
            day's downloads are used up; nothing more is to be asked for today), or the client's.
        """
        if upload.size > MOST_BYTES:
            message = f"{upload.name} has {upload.size} bytes, more than {MOST_BYTES}"
            return Failed.of(Stage.FETCH, Kind.TOO_LARGE, message, subject=upload.url)
        got = self._file(upload)
        if isinstance(got, Failed):
            return got
        if _COUNTING.search(got.value[:100_000]):
            self._clock.sleep(COUNTDOWN)
            got = self._file(upload)
            if isinstance(got, Failed):
                return got
        return _check_pdf(got.value, upload)

    def _file(self, upload: Upload) -> Outcome[bytes]:
        got = self._client.get(
            SITE,
            upload.url,
            headers={"Cookie": DISCLAIMER_COOKIE},
            most=MOST_BYTES,
            keep=Keep.FOR_EVER,
            kept=[Claim.PDF, Claim.ZIP],
        )
        return got if isinstance(got, Failed) else ok(got.value.body)

    def _json(
        self, url: str, params: dict[str, str | int] | None = None, keep: Keep = Keep.TODAY
    ) -> Outcome[dict[str, Any]]:
        got = self._client.get(
            SITE, url, params=params, claims=[Claim.JSON], most=MOST_BYTES, keep=keep
        )
        return got if isinstance(got, Failed) else _read_json(got.value.body)


def _check_pdf(body: bytes, upload: Upload) -> Outcome[bytes]:
    """Tell a whole PDF from all that comes in its place."""
    head = body[:100_000]
    if body.startswith(b"%PDF"):
        if b"%%EOF" not in body[-2048:] or (upload.size and len(body) != upload.size):
            return _not_as_claimed(upload, "the PDF is cut off")
        return ok(body)
    if _SUBSCRIBE.search(head):
        message = "IMSLP's free downloads of today are used up; run again tomorrow"
        return Failed.of(Stage.FETCH, Kind.QUOTA, message, subject=upload.url)
    if body.startswith(b"PK"):
        return _not_as_claimed(upload, "a zip (parts, MusicXML) in the place of a PDF")
    return _not_as_claimed(upload, "a page in the place of a PDF (a disclaimer?)")


def _not_as_claimed(upload: Upload, what: str) -> Failed:
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, what, subject=upload.url)


def _upload(name: str, info: dict[str, Any]) -> Outcome[Upload]:
    try:
        uploaded = dt.date.fromisoformat(str(info["timestamp"])[:10])
        size = int(info.get("size", 0))
    except (KeyError, ValueError, TypeError):
        return _odd(f"what it says of the file {name}")
    url = str(info.get("url", ""))
    if url.startswith("//"):
        url = f"https:{url}"
    return ok(Upload(name, url, size, str(info.get("sha1", "")), uploaded))


def _numbered(answer: dict[str, Any]) -> list[str]:
    return sorted((key for key in answer if key.isdecimal()), key=int)


def _pages(answer: dict[str, Any]) -> list[dict[str, Any]]:
    query = answer.get("query")
    pages = query.get("pages") if isinstance(query, dict) else None
    found = list(pages.values()) if isinstance(pages, dict) else []
    return [page for page in found if isinstance(page, dict)]


def _read_json(body: bytes) -> Outcome[dict[str, Any]]:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return _odd("an answer that is no JSON")
    return ok(answer) if isinstance(answer, dict) else _odd("an answer of another form")


def _odd(what: str) -> Failed:
    message = f"IMSLP gives {what}"
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=API)
