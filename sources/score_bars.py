r"""Where the bars of a score end, counted from its metres and checked against its bar checks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from sources.score_node import Node
from sources.score_tokens import Unreadable

MOST_VISITS = 200_000
MOST_BARS = 64
"""Bars that are counted; an excerpt has far fewer."""


@dataclass
class _Found:
    metres: dict[Fraction, Fraction] = field(default_factory=dict)
    pickups: dict[Fraction, Fraction] = field(default_factory=dict)
    checks: set[Fraction] = field(default_factory=set)
    horizon: Fraction | None = None
    visits: int = 0


def find_bar_ends(music: Node, names: Mapping[str, Node]) -> list[Fraction]:
    """Return the times at which bars end, in whole notes, as far as they are certain.

    They are not beyond the first ending of a repeat, a metre that changes within a bar, or a bar
    check that stands elsewhere.

    Raises:
        Unreadable: staves disagree on the metre.
    """
    found = _Found()
    for time, node in _visit(music, names, Fraction(0), found):
        if node.kind == "time":
            if found.metres.setdefault(time, node.value) != node.value:
                raise Unreadable("staves with metres of their own")
        elif node.kind == "partial":
            found.pickups[time] = node.value
        elif node.kind == "bar":
            found.checks.add(time)
    return _count(found, music.length)


def _visit(
    node: Node, names: Mapping[str, Node], time: Fraction, found: _Found, depth: int = 0
) -> Iterator[tuple[Fraction, Node]]:
    found.visits += 1
    if found.visits > MOST_VISITS or depth > 400:
        raise Unreadable("music that is repeated too often")
    yield time, node
    if node.kind in ("words", "grace"):
        return
    if node.kind == "name":
        yield from _visit(names[node.word], names, time, found, depth + 1)
    elif node.kind == "run":
        for child in node.children:
            yield from _visit(child, names, time, found, depth + 1)
            time += child.length
    elif node.kind == "repeat":
        yield from _repeated(node, names, time, found, depth)
    elif node.kind != "scaled":  # metres and checks do not stand within tuplets
        for child in node.children:
            yield from _visit(child, names, time, found, depth + 1)


def _repeated(
    node: Node, names: Mapping[str, Node], time: Fraction, found: _Found, depth: int
) -> Iterator[tuple[Fraction, Node]]:
    body = node.children[0]
    times = 1 if node.word == "volta" else int(node.value)
    for _ in range(times):
        yield from _visit(body, names, time, found, depth + 1)
        time += body.length
    if node.groups:
        ends = time if found.horizon is None else min(time, found.horizon)
        found.horizon = ends


def _count(found: _Found, length: Fraction) -> list[Fraction]:
    horizon = length if found.horizon is None else min(length, found.horizon)
    changes = sorted(found.metres)
    ends: list[Fraction] = []
    time, metre = Fraction(0), Fraction(1)
    while time < horizon and len(ends) < MOST_BARS:
        metre = found.metres.get(time, metre)
        end = time + found.pickups.get(time, metre)
        after = bisect_left(changes, time)
        inside = [change for change in changes[after : after + 2] if time < change < end]
        if end <= time or inside or any(time < pickup < end for pickup in found.pickups):
            break
        if any(time < check < end for check in found.checks):
            break
        if end <= horizon:
            ends.append(end)
        time = end
    return ends
