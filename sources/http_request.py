"""A question to a site, its answer, and its failure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from benchmark.outcome import Failed, Kind, Stage
from sources.http_cache import Kept
from sources.http_claim import Claim
from sources.http_site import Site, is_secret, lowered


@dataclass(frozen=True)
class Response:
    """An answer that is what it was said to be."""

    url: str
    """Where it came from in the end, after redirects; secret parameters are left out."""
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """As it was sent, undone from its content encoding."""
    fetched: dt.datetime
    """When the site sent it (UTC)."""
    from_cache: bool = False

    @classmethod
    def of_kept(cls, kept: Kept) -> Response:
        """Return an answer that lay on disk."""
        return cls(kept.url, 200, kept.headers, kept.body, kept.fetched, from_cache=True)


@dataclass(frozen=True)
class Ask:
    """A question to a site, checked."""

    method: str
    site: Site
    url: httpx.URL
    """The real address, parameters included."""
    subject: str
    """The address as failures show it."""
    headers: Mapping[str, str]
    """Besides the site's own; names in lower case."""
    claims: frozenset[Claim]
    most: int
    accept: frozenset[int]
    content: bytes = b""

    @property
    def sent(self) -> dict[str, str]:
        """All headers for the first host, names in lower case."""
        return lowered(self.site.headers) | dict(self.headers)

    @property
    def has_token(self) -> bool:
        """Whether it says who asks."""
        return any(is_secret(name) for name in self.sent)

    def failed(self, kind: Kind, message: str) -> Failed:
        """Return the failure of this question."""
        return failed(kind, message, self.subject)


def failed(kind: Kind, message: str, subject: str) -> Failed:
    """Return a failure to fetch an address."""
    return Failed.of(Stage.FETCH, kind, message, subject=subject)
