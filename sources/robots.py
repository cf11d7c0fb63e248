"""What a site's robots.txt allows, asked once a day through the client.

A file that is not there allows everything; one that is refused, moved to another site or too large
allows nothing. Rules are those of ``urllib.robotparser``, of which the first that matches holds.
It takes ``*`` and ``$`` in a path for themselves, so a rule with them that forbids an address as
RFC 9309 reads it is heeded here, whatever another one allows.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import unquote, urlsplit
from urllib.robotparser import RobotFileParser

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.http import Client, Keep, Site

AGENT = "rerender"
"""The name that a site's rules may be meant for."""

MOST = 500_000
"""Bytes of a robots.txt (RFC 9309 asks for at least as many)."""

LONGEST_DELAY = 600
"""Seconds between two requests; a site that asks for more does not want to be read."""


class Robots:
    """The rules of the hosts that were asked so far."""

    def __init__(self, client: Client) -> None:
        """Ask through this client."""
        self._client = client
        self._rules: dict[str, RobotFileParser | Failed] = {}

    def site(self, site: Site, url: str) -> Outcome[Site]:
        """Return the site at the pace that it wishes for, if an address of it may be asked.

        Returns:
            The site, its interval no shorter than the crawl delay; or a failure of stage fetch:
            forbidden (the address is disallowed, or the rules are not to be had), or what the
            client says of an infrastructure that does not answer.
        """
        host = urlsplit(url).netloc
        if host not in self._rules:
            self._rules[host] = self._read(site, host)
        rules = self._rules[host]
        if isinstance(rules, Failed):
            return rules.model_copy(update={"subject": url})
        try:
            allowed, delay = rules.can_fetch(AGENT, url), rules.crawl_delay(AGENT)
        except ValueError:  # an address or a rule that cannot be taken apart
            return _refused(url, f"the robots.txt of {host} cannot be read for this address")
        if not allowed or _forbidden_by_pattern(rules, url):
            return _refused(url, f"the robots.txt of {host} disallows this address")
        seconds = float(delay or 0)
        if seconds > LONGEST_DELAY:
            return _refused(url, f"the robots.txt of {host} asks to wait {seconds:.0f} s each time")
        return ok(replace(site, interval=max(site.interval, seconds)))

    def _read(self, site: Site, host: str) -> RobotFileParser | Failed:
        rules = RobotFileParser()
        url = f"https://{host}/robots.txt"
        answer = self._client.get(site, url, most=MOST, keep=Keep.TODAY)
        if not isinstance(answer, Failed):
            lines = answer.value.body.decode("utf-8", "replace").splitlines()
        elif answer.kind is Kind.GONE:
            lines = []
        elif answer.final:
            told = f"the robots.txt of {host} is not to be had, so nothing is asked"
            return _refused(url, f"{told}: {answer.message}")
        else:
            return answer
        try:
            rules.parse(lines)
        except ValueError:
            return _refused(url, f"the robots.txt of {host} cannot be read, so nothing is asked")
        return rules


def _forbidden_by_pattern(rules: RobotFileParser, url: str) -> bool:
    """Tell whether a rule with ``*`` or ``$`` disallows an address."""
    parts = urlsplit(url)
    path = unquote(parts.path or "/") + (f"?{unquote(parts.query)}" if parts.query else "")
    groups = [group for group in rules.entries if group.applies_to(AGENT)]  # type: ignore[attr-defined]
    if not groups and rules.default_entry:  # type: ignore[attr-defined]
        groups = [rules.default_entry]  # type: ignore[attr-defined]
    patterns = (
        unquote(line.path) for group in groups for line in group.rulelines if not line.allowance
    )
    return any(_matches(pattern, path) for pattern in patterns if set(pattern) & set("*$"))


def _matches(pattern: str, path: str) -> bool:
    """Match a path against a pattern: ``*`` is any text, a ``$`` at its end is the end."""
    ends = pattern.endswith("$")
    first, *rest = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    if not rest:
        return not ends or path == first
    place = len(first)
    for part in rest[:-1]:
        place = path.find(part, place)
        if place < 0:
            return False
        place += len(part)
    if ends:
        return path.endswith(rest[-1]) and len(path) - len(rest[-1]) >= place
    return path.find(rest[-1], place) >= 0


def _refused(url: str, message: str) -> Failed:
    return Failed.of(Stage.FETCH, Kind.FORBIDDEN, message, subject=url)
