"""One polite client for every site that material comes from.

A source says of each site which hosts belong to it and how fast it may be asked (``Site``); the
client waits its turn, says who it is, keeps what it got on disk, and returns every kind of answer
as a value. ``RERENDER_MIRRORS`` puts another address in the place of a host: a mirror of yours, or
a stand-in on loopback, which is the only way to a private address.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

from benchmark.outcome import Outcome
from benchmark.settings import Settings

MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Site:
    """A site: where it may lead and how fast it may be asked."""

    name: str
    """Letters and dashes; also names the shared rate limit."""
    hosts: frozenset[str]
    """The hosts that requests and redirects may go to."""
    interval: float
    """Least seconds between the starts of two requests, all tasks of a run together."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Sent with every request to these hosts, and to no other (tokens)."""


class Claim(StrEnum):
    """What a body is said to be; told by its first bytes, never by its name or type alone."""

    JSON = "json"
    XML = "xml"
    HTML = "html"
    TEXT = "text"
    PDF = "pdf"
    ZIP = "zip"
    GZIP = "gzip"
    TAR = "tar"
    IMAGE = "image"


class Keep(StrEnum):
    """How long an answer is used again without asking the site."""

    FOR_EVER = "for ever"
    """The address names one content (a commit, a version)."""
    TODAY = "today"
    """Until midnight (UTC), then asked for anew (what changes once a day)."""
    CHECKED = "checked"
    """Asked each time whether it changed (ETag, Last-Modified); kept if the answer is 304."""
    NOT = "not"


@dataclass(frozen=True)
class Response:
    """An answer that is what it was said to be."""

    url: str
    """Where it came from in the end, after redirects."""
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes
    """As it was sent, undone from its content encoding."""
    fetched: dt.datetime
    """When the site sent it (UTC)."""
    from_cache: bool = False


class Pace(Protocol):
    """Gives turns to a site; shared by whoever asks the same sites."""

    def turn(self, site: Site) -> AbstractContextManager[None]:
        """Wait until a request may begin, and hold the connection while it lasts."""


class Client:
    """Asks sites; safe to call from several threads at once.

    A request ends in one of these ways:

    * a ``Response``, for status 200 (and those in `accept`);
    * GONE (404, 410), FORBIDDEN (401 without a token, 403, 451), TOO_LARGE (more bytes than
      `most`, as announced or as counted), NOT_AS_CLAIMED (another kind of content than `claims`, a
      redirect to a host that is not the site's, a truncated body): final, the material's;
    * UNAUTHORIZED (a token that is refused), RATE_LIMITED (429, 403 with the marks of a limit, 503
      with Retry-After, when waiting would take longer than the settings allow), NETWORK (no answer
      after all retries, 5xx): ours, the next run tries again.

    Every failure is of stage FETCH and its ``subject`` is the address.
    """

    def __init__(self, settings: Settings | None = None, *, pace: Pace | None = None) -> None:
        """Read contact, cache, mirrors and waits from the settings; nothing is opened yet."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        """Open connections lazily."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close all connections."""

    def get(
        self,
        site: Site,
        url: str,
        *,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        claims: Collection[Claim] = (),
        most: int = 20 * MEGABYTE,
        keep: Keep = Keep.CHECKED,
        accept: Collection[int] = (),
    ) -> Outcome[Response]:
        """Get an address.

        Args:
            site: whose it is; the address must be on one of its hosts.
            url: the real address (https://…), also where a mirror stands in.
            params: query parameters, encoded by the client.
            headers: besides the site's own.
            claims: what the body may be; empty: anything.
            most: bytes of the body, counted while it comes in.
            keep: how long the answer is used again.
            accept: statuses besides 200 that are answers to the caller (422).
        """
        raise NotImplementedError
