r"""The words under music: the text between two braces, read by the rules of lyrics."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

_PART = re.compile(
    r"""
    (?P<gap> (?:\s+|%[^\n]*)+ )
  | (?P<skip> \\skip\s*\d+\.* )
  | (?P<set> \\(?:once\s*)?(?:set|override)\s[^"\#\\]{0,80}(?:"(?:[^"\\]|\\.)*"|\#"[^"]*"|\#\S+) )
  | (?P<command> \\[^\W\d_]+ | [{}] | \| )
  | (?P<text> "(?:[^"\\]|\\.)*"(?:\d+\.*)? | [^\s{}"%\\]+ )
  | (?P<other> . )
    """,
    re.X | re.S,
)
_DURATION = re.compile(r"(?<=[^\d])(\d{1,3})(\.{0,3})$")
_COUNTED = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class Part:
    """A part of lyrics."""

    text: str
    syllables: int
    """Notes that it takes: 1 for a syllable, a skip or a place that is left out."""
    length: Fraction
    """How long it lasts where lyrics have times of their own."""


def read_parts(text: str) -> Iterator[Part] | None:
    """Read the parts of lyrics, or None where they hold more than words, skips and settings."""
    parts, length = [], Fraction(1, 4)
    for found in _PART.finditer(text):
        kind, part = found.lastgroup, found[0]
        if kind == "gap":
            continue
        if kind in ("command", "other") or (kind == "set" and "elisma" in part):
            return None
        if kind == "set" or part in ("--", "__"):
            parts.append(Part(part, 0, Fraction(0)))
            continue
        timed = _DURATION.search(part)
        if timed and int(timed[1]) in _COUNTED:
            length = _long(int(timed[1]), len(timed[2]))
        parts.append(Part(part, 1, length))
    return iter(parts)


def _long(base: int, dots: int) -> Fraction:
    shares = 2 ** (dots + 1) - 1
    return Fraction(shares, base * 2**dots)


def cut_syllables(text: str, count: int) -> str | None:
    """Return the words for the first notes, or None if they are not understood."""
    return _cut(text, Fraction(count), lambda part: Fraction(part.syllables))


def cut_time(text: str, limit: Fraction) -> str | None:
    """Return the words that begin before a time, or None if they are not understood."""
    return _cut(text, limit, lambda part: part.length)


def _cut(text: str, limit: Fraction, measure: Callable[[Part], Fraction]) -> str | None:
    parts = read_parts(text)
    if parts is None:
        return None
    kept: list[str] = []
    done = Fraction(0)
    for part in parts:
        if done >= limit and part.text != "__":
            break
        kept.append(part.text)
        done += measure(part)
    while kept and (kept[-1] in ("--",) or kept[-1].startswith("\\set")):
        kept.pop()
    return " ".join(kept)
