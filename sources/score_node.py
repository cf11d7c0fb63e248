"""A piece of music as a node of a tree: where it stands and how long it lasts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

NONE = Fraction(0)


@dataclass
class Node:
    """A piece of music: tokens `begin` to `end` (excluded) and how long it lasts."""

    kind: str
    """event, rest, skip, run, parallel, inner, scaled, command, bar, name, repeat, words, post."""
    begin: int
    end: int
    length: Fraction = NONE
    children: list[Node] = field(default_factory=list)
    word: str = ""
    """What it is called: a command, a name, a kind of repeat."""
    value: Fraction = NONE
    """A measure, a factor, a number of repeats."""
    written: str = ""
    """The duration of an event."""
    place: int = -1
    """The token that an implied duration goes after; -1 if it is written."""
    groups: list[list[Node]] = field(default_factory=list)
    """Alternatives of a repeat."""
    context: str = ""
    """Type and name of the context that it is in: ``Voice/upper``."""
    leans: bool = False
    """Whether it repeats what was before it (``q``, a bare duration)."""


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all within it, in the order of the file."""
    yield node
    for child in node.children:
        yield from walk(child)
    for group in node.groups:
        for child in group:
            yield from walk(child)
