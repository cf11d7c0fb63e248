"""What a site is: its hosts, its pace, and what is sent to it and to nobody else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

HEADER_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
HEADER_VALUE = re.compile(r"(?:[!-~](?:[ \t!-~]*[!-~])?)?")
SECRET_HEADER = re.compile(r"(?i)authorization|cookie|token|key|secret|password|signature")
SECRET_PARAMETER = re.compile(
    r"(?i)(?:.*[-_.])?(?:api_?key|key|token|secret|password|signature|sig|auth)"
)


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

    @classmethod
    def of_host(cls, host: str, interval: float) -> Self:
        """Return the site of a host that nothing else is known of."""
        name = re.sub("[^a-z]+", "-", host.lower()).strip("-") or "host"
        return cls(name, frozenset({host.lower()}), interval)


def is_secret(name: str) -> bool:
    """Tell whether a header of this name may carry a secret."""
    return SECRET_HEADER.search(name) is not None


def is_secret_parameter(name: str) -> bool:
    """Tell whether a query parameter of this name (key, access_token) may carry a secret."""
    return SECRET_PARAMETER.fullmatch(name) is not None


def is_well_formed(headers: Mapping[str, str]) -> bool:
    """Tell whether these headers can be sent as they are: no line breaks, printable ASCII only."""
    return all(
        HEADER_NAME.fullmatch(name) and HEADER_VALUE.fullmatch(value)
        for name, value in headers.items()
    )


def lowered(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with their names in lower case; of two that are one, the later counts."""
    return {name.lower(): value for name, value in headers.items()}
