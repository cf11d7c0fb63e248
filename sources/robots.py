"""What a site's robots.txt allows, asked once a day through the client.

A file that is not there allows everything; one that is refused, moved to another site or too large
allows nothing. ``sources.robots_rules`` says how the rules are read.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.http import Client, Keep, Site
from sources.http_address import shown_as_given
from sources.robots_rules import Rules, read_rules

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
        self._rules: dict[str, Rules | Failed] = {}

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
            return rules.model_copy(update={"subject": shown_as_given(url)})
        try:
            allowed = rules.allow(url)
        except ValueError:  # an address that cannot be taken apart
            return _refused(url, f"the robots.txt of {host} cannot be read for this address")
        if not allowed:
            return _refused(url, f"the robots.txt of {host} disallows this address")
        if rules.delay > LONGEST_DELAY:
            told = f"the robots.txt of {host} asks to wait {rules.delay:.0f} s each time"
            return _refused(url, told)
        return ok(replace(site, interval=max(site.interval, rules.delay)))

    def _read(self, site: Site, host: str) -> Rules | Failed:
        url = f"https://{host}/robots.txt"
        answer = self._client.get(site, url, most=MOST, keep=Keep.TODAY)
        if not isinstance(answer, Failed):
            return read_rules(answer.value.body.decode("utf-8", "replace"), AGENT)
        if answer.kind is Kind.GONE:
            return Rules()
        if answer.final:
            told = f"the robots.txt of {host} is not to be had, so nothing is asked"
            return _refused(url, f"{told}: {answer.message}")
        return answer


def _refused(url: str, message: str) -> Failed:
    return Failed.of(Stage.FETCH, Kind.FORBIDDEN, message, subject=shown_as_given(url))
