"""arXiv as a site, and a paper as its lists tell of it."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from benchmark.outcome import Failed, Kind, Stage
from sources.http import Site

SITE = Site(
    name="arxiv",
    hosts=frozenset({"export.arxiv.org", "oaipmh.arxiv.org", "arxiv.org"}),
    interval=3.0,
)
"""arXiv asks for one connection and three seconds between requests, for all its services."""

_WITHDRAWN = re.compile(r"\bwithdrawn\b", re.IGNORECASE)
_IDENTIFIER = re.compile(r"(\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v(\d{1,3}))?")


@dataclass(frozen=True)
class Listed:
    """A paper as a list tells of it."""

    identifier: str
    """Without version: ``2611.01234`` or ``hep-th/9901001``."""
    version: int | None
    """The latest; None where the list does not say."""
    created: dt.date
    """Day of the first version (UTC)."""
    authors: tuple[str, ...]
    categories: tuple[str, ...]
    """The first one is the primary category."""
    comment: str
    licence: str | None = None
    """Address of the licence; None where the list does not say."""

    @property
    def name(self) -> str:
        """Identifier and version, as in addresses."""
        return self.identifier if self.version is None else f"{self.identifier}v{self.version}"

    @property
    def address(self) -> str:
        """Where people read about the paper."""
        return f"https://arxiv.org/abs/{self.name}"

    @property
    def says_withdrawn(self) -> bool:
        """Whether its latest version is said to be a withdrawal."""
        return _WITHDRAWN.search(self.comment) is not None


def split_name(text: str) -> tuple[str, int | None] | None:
    """Return identifier and version of a name or of an address that ends in one."""
    found = _IDENTIFIER.fullmatch(text.rpartition("/abs/")[2])
    return (found[1], int(found[2]) if found[2] else None) if found else None


def unlisted(failure: Failed) -> Failed:
    """Return what ends a list as arXiv's fault or ours: no paper can be blamed for it."""
    failure = stopping(failure)
    if not failure.final:
        return failure
    message = f"arXiv's list cannot be read: {failure.message}"
    return Failed.of(Stage.FETCH, Kind.PROVIDER_ERROR, message, failure.detail, failure.subject)


def stopping(failure: Failed) -> Failed:
    """Return a failure as one that ends the source, if it is arXiv's no.

    arXiv treats going on after a 403 as an attack; so it is no fault of one paper.
    """
    if failure.kind is not Kind.FORBIDDEN:
        return failure
    message = (
        "arXiv answers 403: it wants no more requests from here; set RERENDER_CONTACT, and wait "
        "a day before the next run"
    )
    return Failed.of(Stage.FETCH, Kind.RATE_LIMITED, message, subject=failure.subject)
