"""Maps under construction: what every reader shares, the limits among it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from benchmark.limits import TREE_DEPTH, TREE_NODES
from benchmark.outcome import Kind
from benchmark.records import whole
from sources.maps.model import MAP_SHEETS, Boundary, Summary, Topic

T = TypeVar("T")

Place = Literal["children", "floating", "callouts", "summaries"]
"""How a topic hangs on the one above it."""

Span = tuple[int | None, int | None]
"""First and last index of neighbours, as in ``sources.maps.model.Summary``."""


class Unreadable(Exception):
    """Carries a failure out of the readers; `sources.maps.reader.read` makes it a value."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(slots=True, eq=False)
class Draft:
    """A topic under construction; the fields are those of ``Topic``."""

    text: str = ""
    id: str = ""
    children: list[Draft] = field(default_factory=list)
    floating: list[Draft] = field(default_factory=list)
    callouts: list[Draft] = field(default_factory=list)
    summaries: list[Draft] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    """What the summaries cover, by the id of the summary's topic."""
    boundaries: list[Boundary] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """Paragraphs; joined by line breaks."""
    markers: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    link: str = ""
    image: str = ""
    position: tuple[float, float] | None = None
    side: Literal["", "left", "right"] = ""

    def below(self) -> list[Draft]:
        """Return all drafts one level below."""
        return [*self.children, *self.floating, *self.callouts, *self.summaries]

    def freeze(self) -> Topic:
        """Build the topic, leaves first."""
        order: list[Draft] = []
        stack = [self]
        while stack:
            draft = stack.pop()
            order.append(draft)
            stack.extend(draft.below())
        done: dict[int, Topic] = {}
        for draft in reversed(order):
            done[id(draft)] = draft._frozen(done)
        return done[id(self)]

    def _frozen(self, done: dict[int, Topic]) -> Topic:
        return Topic(
            text=whole(self.text),
            id=whole(self.id),
            children=tuple(done[id(one)] for one in self.children),
            floating=tuple(done[id(one)] for one in self.floating),
            callouts=tuple(done[id(one)] for one in self.callouts),
            summaries=tuple(
                Summary(done[id(one)], *self.spans.get(one.id, (None, None)))
                for one in self.summaries
            ),
            boundaries=tuple(self.boundaries),
            notes=whole("\n".join(self.notes)).strip(),
            markers=tuple(map(whole, self.markers)),
            labels=tuple(map(whole, self.labels)),
            link=whole(self.link),
            image=whole(self.image),
            position=self.position,
            side=self.side,
        )


def grow(item: T, read: Callable[[T], tuple[Draft, Iterable[tuple[Place, T]]]]) -> Draft:
    """Build the drafts of a sheet from nested items, whatever their depth.

    Args:
        item: what stands for the root in the file.
        read: makes the draft of one item and names the items below it, in order.

    Raises:
        Unreadable: more than 64 levels or 1,000 topics.
    """
    top = Draft()
    stack: list[tuple[int, Draft, Place, T]] = [(1, top, "children", item)]
    count = 0
    while stack:
        depth, parent, place, item = stack.pop()
        count += 1
        check(depth, count)
        draft, below = read(item)
        getattr(parent, place).append(draft)
        stack.extend(reversed([(depth + 1, draft, where, one) for where, one in below]))
    return top.children[0]


def nest(levels: Iterable[tuple[int, Draft]]) -> Draft:
    """Build the drafts of a sheet from lines in order, each with its level (deeper is larger).

    Several of the outermost level are joined under a root without text.

    Raises:
        Unreadable: nothing there, more than 64 levels or 1,000 topics.
    """
    top = Draft()
    stack = [(-(10**9), top)]
    for count, (level, draft) in enumerate(levels, start=1):
        while stack[-1][0] >= level:
            stack.pop()
        stack[-1][1].children.append(draft)
        stack.append((level, draft))
        check(len(stack) - 1, count)
    if not top.children:
        raise Unreadable(Kind.PARSE_ERROR, "the file holds no topic")
    return top.children[0] if len(top.children) == 1 else top


def check(depth: int, count: int) -> None:
    """Raise Unreadable beyond the limits of a sheet."""
    if depth > TREE_DEPTH:
        raise Unreadable(Kind.PARSE_ERROR, f"the map is deeper than {TREE_DEPTH} levels")
    if count > TREE_NODES:
        raise Unreadable(Kind.RESOURCE_LIMIT, f"a sheet has more than {TREE_NODES} topics")


def check_sheets(found: list[T]) -> list[T]:
    """Return what stands for the sheets of a file, if there are neither none nor too many.

    Raises:
        Unreadable: none, or more than 100.
    """
    if not found:
        raise Unreadable(Kind.PARSE_ERROR, "the file holds no map")
    if len(found) > MAP_SHEETS:
        raise Unreadable(Kind.RESOURCE_LIMIT, f"the file has more than {MAP_SHEETS} sheets")
    return found


def spot(x: object, y: object) -> tuple[float, float] | None:
    """Return a position, or None where the file's two values are no finite numbers."""
    try:
        found = float(str(x)), float(str(y))
    except ValueError:
        return None
    return found if all(map(math.isfinite, found)) else None
