"""The rules of a robots.txt, read and applied as RFC 9309 says; Crawl-delay besides.

``urllib.robotparser`` of the Pythons that we run on takes the first rule that matches (after
``Allow: /`` nothing is forbidden any more), ends a group at a blank line, and reads one group for
``*`` only: what a site's owner forbids would be asked all the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

ANYBODY = "*"


@dataclass(frozen=True)
class Rule:
    """A path that is allowed or not."""

    pattern: str
    allows: bool

    def matches(self, path: str) -> bool:
        """Match a path that is not escaped: ``*`` is any text, a ``$`` at the end the end."""
        ends = self.pattern.endswith("$")
        first, *rest = map(unquote, self.pattern.removesuffix("$").split("*"))
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


@dataclass
class Rules:
    """What a robots.txt says to one program."""

    rules: list[Rule] = field(default_factory=list)
    delay: float = 0.0
    """Seconds between two requests."""

    def allow(self, url: str) -> bool:
        """Tell whether an address may be asked: the longest rule that matches decides.

        Raises:
            ValueError: the address cannot be taken apart.
        """
        parts = urlsplit(url)
        path = unquote(parts.path or "/") + (f"?{unquote(parts.query)}" if parts.query else "")
        fitting = [rule for rule in self.rules if rule.matches(path)]
        # of two that are equally long the one that allows
        longest = max(fitting, key=lambda rule: (len(rule.pattern), rule.allows), default=None)
        return longest is None or longest.allows


def read_rules(text: str, agent: str) -> Rules:
    """Read a robots.txt for a program.

    Args:
        text: the file; what is no rule in it is passed over.
        agent: the name of the program, in lower case.

    Returns:
        The rules of all groups for that name, else of all for ``*``; none where there are neither.
    """
    own, anybody = Rules(), Rules()
    named: set[str] = set()
    met, opens = False, True
    for key, value in _lines(text.removeprefix("\ufeff").splitlines()):
        if key == "user-agent":
            named = named if opens else set()
            named.add(value.partition("/")[0].strip().lower())
            met, opens = met or agent in named, True
        elif key in ("allow", "disallow", "crawl-delay"):
            opens = False
            for name, rules in ((agent, own), (ANYBODY, anybody)):
                if name in named:
                    _add(rules, key, value)
    return own if met else anybody


def _lines(lines: Iterable[str]) -> Iterable[tuple[str, str]]:
    for line in lines:
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _add(rules: Rules, key: str, value: str) -> None:
    if key == "crawl-delay":
        try:
            delay = float(value)
        except ValueError:
            return
        rules.delay = max(rules.delay, delay)  # in this order, which passes over NaN
    elif value:  # an empty rule forbids nothing
        rules.rules.append(Rule(value, key == "allow"))
