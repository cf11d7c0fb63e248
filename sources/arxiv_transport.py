"""Leads the requests of the package `arxiv` through our client, and looks at what comes back.

The package's own session would ask at once, from its own address and without a cache. It also takes
an empty first page for the end of a list, and a message of an error for a paper.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError

import arxiv
import requests
from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException
from requests.adapters import BaseAdapter

from benchmark.outcome import Failed, Kind, Stage
from sources.arxiv_site import SITE, unlisted
from sources.http import Claim, Client, Keep

PAGE = 100
"""Papers on a page."""
MOST_RESULTS = 30_000
"""arXiv answers no query that has more."""
EMPTY_TRIES = 3
"""How often a page is asked for that is empty though it should not be."""
BAD_TRIES = 2
"""How often one is asked for that is an error or no page: what is kept of today may be one."""

_ATOM = "{http://www.w3.org/2005/Atom}"
_OPENSEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"


class NotListed(Exception):
    """A page could not be had; carries the failure."""

    def __init__(self, failure: Failed) -> None:
        super().__init__(failure.message)
        self.failure = failure


class TooMany(Exception):
    """A query has more results than arXiv gives."""


class Page(NamedTuple):
    """What a page of results says of itself."""

    total: int
    start: int
    entries: int
    error: str | None


def read_page(body: bytes) -> Page | None:
    """Read a page of Atom; None: it is none, or it declares types or entities."""
    try:
        feed = ElementTree.fromstring(body, forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError):
        return None
    if feed.tag != f"{_ATOM}feed":
        return None
    entries = feed.findall(f"{_ATOM}entry")
    return Page(
        total=_number(feed, "totalResults"),
        start=_number(feed, "startIndex"),
        entries=len(entries),
        error=next((told for entry in entries if (told := _error(entry)) is not None), None),
    )


def _number(feed: Element, name: str) -> int:
    text = (feed.findtext(f"{_OPENSEARCH}{name}") or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else 0


def _error(entry: Element) -> str | None:
    """Return the message of an error, which comes as a paper."""
    name, title = (entry.findtext(f"{_ATOM}{tag}") or "" for tag in ("id", "title"))
    if "/api/errors" not in name and title.strip() != "Error":
        return None
    return (entry.findtext(f"{_ATOM}summary") or name).strip()


def searcher(client: Client) -> arxiv.Client:
    """Return the package's client on our road; it neither waits nor repeats, our client does."""
    found = arxiv.Client(page_size=PAGE, delay_seconds=0.0, num_retries=0)
    session = requests.Session()
    session.trust_env = False
    session.adapters.clear()
    session.mount("https://", _Road(client))
    found._session = session  # the package has no other way to choose how it asks
    return found


class _Road(BaseAdapter):
    """Answers the package's requests with what our client gets."""

    def __init__(self, client: Client) -> None:
        super().__init__()
        self.client = client

    def send(
        self,
        request: requests.PreparedRequest,
        stream: bool = False,  # noqa: ARG002 - the signature is given
        timeout: object = None,  # noqa: ARG002
        verify: object = True,  # noqa: ARG002
        cert: object = None,  # noqa: ARG002
        proxies: Mapping[str, str] | None = None,  # noqa: ARG002
    ) -> requests.Response:
        """Return a page that is what it should be.

        Raises:
            NotListed: it could not be had, tells of an error, or stays empty.
            TooMany: the query has too many results.
        """
        url = request.url or ""
        answer = requests.Response()
        answer.status_code = 200
        answer.url = url
        answer.request = request
        answer.raw = io.BytesIO(self._page(url))
        return answer

    def close(self) -> None:
        """Leave the client open; it is not ours."""

    def _page(self, url: str) -> bytes:
        for attempt in range(EMPTY_TRIES):
            body = self._get(url, Keep.NOT if attempt else Keep.TODAY)
            page = read_page(body)
            if page is None or page.error is not None:
                if attempt + 1 < BAD_TRIES:
                    continue
                told = "no page of Atom" if page is None else f"arXiv's error: {page.error}"
                raise NotListed(unlisted(_failed(Kind.NOT_AS_CLAIMED, told, url)))
            if page.total > MOST_RESULTS:
                raise TooMany(page.total)
            if page.entries or page.total <= page.start:
                return body
        message = (
            f"page stays empty though there are results ({EMPTY_TRIES} tries); run again later, or "
            "set RERENDER_ARXIV_LISTING=oai"
        )
        raise NotListed(_failed(Kind.NETWORK, message, url))

    def _get(self, url: str, keep: Keep) -> bytes:
        got = self.client.get(SITE, url, claims=(Claim.XML,), keep=keep, accept=(400,))
        if isinstance(got, Failed):
            raise NotListed(unlisted(got))
        return got.value.body


def _failed(kind: Kind, message: str, url: str) -> Failed:
    return Failed.of(Stage.FETCH, kind, message, subject=url)
