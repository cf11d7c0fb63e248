"""Addresses: which may be asked, and what is asked in their place where there is a mirror."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from sources.http_site import Site, is_secret_parameter

LONGEST = 8_000
"""Characters of an address."""
HTTPS_PORT = 443


class Refused(ValueError):
    """An address that is not asked; the text says why."""


@dataclass(frozen=True)
class Route:
    """An address and what is really asked for it."""

    real: httpx.URL
    asked: httpx.URL
    mirrored: bool
    loopback: bool
    """Asked on this machine: not paced."""

    @property
    def private(self) -> bool:
        """Whether nobody on the way can read what is sent."""
        return self.loopback or self.asked.scheme == "https"


class Addresses:
    """Checks addresses of sites and leads them through the mirrors of the settings."""

    def __init__(self, mirrors: Mapping[str, str]) -> None:
        """Read the mirrors.

        Raises:
            ValueError: a mirror is no http(s) address.
        """
        self._mirrors = {host.lower(): _base(host, address) for host, address in mirrors.items()}

    @property
    def exempt(self) -> frozenset[tuple[str, int]]:
        """Host and port of the mirrors: the only ones that may be private."""
        return frozenset((_host(base), _port(base)) for base in self._mirrors.values())

    def mirrors_of(self, site: Site) -> dict[str, str]:
        """Return the mirrors that stand for hosts of a site."""
        return {host: str(self._mirrors[host]) for host in sorted(site.hosts & set(self._mirrors))}

    def route(self, site: Site, url: httpx.URL) -> Route:
        """Return what is asked for an address of a site.

        Raises:
            Refused: it is not one that may be asked.
        """
        _check(site, url)
        base = self._mirrors.get(_host(url))
        if base is None:
            return Route(real=url, asked=url, mirrored=False, loopback=False)
        path = base.raw_path.rstrip(b"/") + url.raw_path
        return Route(
            real=url,
            asked=base.copy_with(raw_path=path),
            mirrored=True,
            loopback=is_loopback(_host(base)),
        )

    def target(self, route: Route, location: str) -> httpx.URL:
        """Return the real address that a redirect leads to; http becomes https.

        Raises:
            Refused: the location cannot be read.
        """
        url = parse(location, base=route.real)
        if route.mirrored and _origin(url) == _origin(route.asked):
            url = self._back(route, url)
        if url.scheme == "http" and url.port in {None, 80}:
            url = url.copy_with(scheme="https", port=None)
        return url.copy_with(fragment=None)

    def _back(self, route: Route, url: httpx.URL) -> httpx.URL:
        """Return the real address of one that a mirror gave as its own."""
        prefix = self._mirrors[_host(route.real)].raw_path.rstrip(b"/")
        if not url.raw_path.startswith(prefix + b"/"):
            raise Refused(f"redirect out of the mirror: {shown(url)}")
        return route.real.copy_with(raw_path=url.raw_path[len(prefix) :])


def parse(text: str, *, base: httpx.URL | None = None) -> httpx.URL:
    """Read an address, one relative to `base` included.

    Raises:
        Refused: it is too long or cannot be read.
    """
    if len(text) > LONGEST:
        raise Refused(f"an address of {len(text)} characters")
    try:
        url = httpx.URL(text) if base is None else base.join(text)
        _host(url)
    except (httpx.InvalidURL, ValueError) as error:
        raise Refused(f"not an address: {error}") from None
    return url


def with_parameters(url: httpx.URL, parameters: Mapping[str, str | int]) -> httpx.URL:
    """Add query parameters to an address.

    Raises:
        Refused: they cannot be encoded, or make it too long.
    """
    if not parameters:
        return url
    try:
        longer = url.copy_merge_params({name: str(value) for name, value in parameters.items()})
    except (httpx.InvalidURL, ValueError) as error:
        raise Refused(f"parameters that cannot be sent: {error}") from None
    return parse(str(longer))


def shown(url: httpx.URL) -> str:
    """Return an address as it may be shown and kept: values of secret parameters left out."""
    if not any(is_secret_parameter(name) for name in url.params):
        return str(url)
    pairs = [(n, "…" if is_secret_parameter(n) else v) for n, v in url.params.multi_items()]
    return str(url.copy_with(params=pairs))


def shown_text(address: str) -> str:
    """Return an address as it may be shown and kept, otherwise as it is spelled."""
    try:
        url = parse(address)
    except Refused:
        return "an address that cannot be read"
    kept = shown(url)
    return address if kept == str(url) else kept


def is_loopback(host: str) -> bool:
    """Tell whether a host name or address is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check(site: Site, url: httpx.URL) -> None:
    if url.scheme != "https":
        raise Refused(f"not an https address: {shown(url)}")
    if url.userinfo:
        raise Refused("an address with a user name in it")
    if _port(url) != HTTPS_PORT:
        raise Refused(f"an address with a port of its own: {shown(url)}")
    if _host(url) not in site.hosts:
        raise Refused(f"{_host(url)!r} is no host of {site.name}")


def _base(host: str, address: str) -> httpx.URL:
    wrong = f"the mirror of {host} is no http(s) address: {address!r}"
    try:
        base = httpx.URL(address)
    except httpx.InvalidURL:
        raise ValueError(wrong) from None
    if base.scheme not in {"http", "https"} or not base.host or base.query or base.userinfo:
        raise ValueError(wrong)
    return base


def _host(url: httpx.URL) -> str:
    return url.raw_host.decode("ascii").lower()


def _port(url: httpx.URL) -> int:
    return url.port or (HTTPS_PORT if url.scheme == "https" else 80)


def _origin(url: httpx.URL) -> tuple[str, str, int]:
    return url.scheme, _host(url), _port(url)
