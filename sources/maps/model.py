"""Mind maps as their programs keep them: sheets, topics and what hangs on a topic.

Nothing here recurses: maps come from files of strangers, and only readers limit their depth.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from pydantic import JsonValue

MAP_SHEETS = 100
"""Most sheets of a file."""

Extra = Literal["floating", "callouts", "summaries"]
"""Topics beside the tree proper, which `to_json` can write as further children."""

EXTRAS: tuple[Extra, ...] = ("floating", "callouts", "summaries")
"""All of them, in the order in which they are written."""


class Format(StrEnum):
    """The formats that are read."""

    XMIND = "xmind"
    XMIND8 = "xmind8"
    MMAP = "mmap"
    FREEMIND = "freemind"
    OPML = "opml"
    HTML = "html"
    OUTLINE = "outline"
    MINDER = "kityminder"


@dataclass(frozen=True, slots=True)
class Summary:
    """A topic that sums up neighbours: a bracket in the picture.

    `first` and `last` are indices into the children of the topic that holds the summary, both
    inclusive; None where the file does not say.
    """

    topic: Topic
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Boundary:
    """A frame around neighbours: indices as in `Summary`; None means the whole branch."""

    title: str = ""
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Relationship:
    """A line between two topics of a sheet, which are named by their `id`."""

    source: str
    target: str
    title: str = ""


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic with all that hangs on it. Its text is the file's own, line breaks included.

    `position` is the place that the file states, in its own units (right and down are positive;
    XMind's and MindManager's count from the central topic); None where the program lays out.
    """

    text: str
    id: str = ""
    children: tuple[Topic, ...] = ()
    floating: tuple[Topic, ...] = ()
    callouts: tuple[Topic, ...] = ()
    summaries: tuple[Summary, ...] = ()
    boundaries: tuple[Boundary, ...] = ()
    notes: str = ""
    markers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    link: str = ""
    image: str = ""
    position: tuple[float, float] | None = None
    side: Literal["", "left", "right"] = ""

    def below(self, extras: Collection[Extra] = EXTRAS) -> list[Topic]:
        """Return the topics one level below: children, then floating, callouts, summaries."""
        return [
            *self.children,
            *(self.floating if "floating" in extras else ()),
            *(self.callouts if "callouts" in extras else ()),
            *([one.topic for one in self.summaries] if "summaries" in extras else ()),
        ]

    def walk(self) -> Iterator[tuple[int, Topic]]:
        """Yield depth (0 for this topic) and topic of all kinds, parents first."""
        stack = [(0, self)]
        while stack:
            depth, topic = stack.pop()
            yield depth, topic
            stack.extend((depth + 1, one) for one in reversed(topic.below()))


@dataclass(frozen=True, slots=True)
class Sheet:
    """One map of a file."""

    root: Topic
    title: str = ""
    relationships: tuple[Relationship, ...] = ()

    def topics(self) -> list[Topic]:
        """Return the topics of all kinds, the root first."""
        return [topic for _, topic in self.root.walk()]


@dataclass(frozen=True, slots=True)
class MindMap:
    """What a file holds."""

    format: Format
    sheets: tuple[Sheet, ...]


def to_json(sheet: Sheet, extras: Collection[Extra] = ()) -> dict[str, JsonValue]:
    """Return the canonical JSON form of a sheet: ``{"text": "…", "children": […]}``.

    Args:
        sheet: the map.
        extras: kinds of topics to write after the children of the topic that holds them, as
            XMind's HTML export does; by default only the tree proper is written.

    Branches without any text are left out, since nothing of them could be read in a picture; a
    topic without text that has some below it stays. The root always stays.
    """

    def form(topic: Topic, below: list[dict[str, JsonValue]]) -> dict[str, JsonValue]:
        return {"text": topic.text, "children": list(below)} if below else {"text": topic.text}

    return build(sheet.root, extras, form)


def build(
    root: Topic,
    extras: Collection[Extra],
    form: Callable[[Topic, list[dict[str, JsonValue]]], dict[str, JsonValue]],
) -> dict[str, JsonValue]:
    """Build nested objects from the leaves up, without branches that hold no text.

    Args:
        root: where to begin.
        extras: as in `to_json`.
        form: makes the object of a topic from the topic and the objects below it.
    """
    order: list[Topic] = []
    stack = [root]
    while stack:
        topic = stack.pop()
        order.append(topic)
        stack.extend(topic.below(extras))
    done: dict[int, dict[str, JsonValue] | None] = {}
    for topic in reversed(order):
        below = [made for one in topic.below(extras) if (made := done[id(one)]) is not None]
        kept = below or topic.text.strip() or topic is root
        done[id(topic)] = form(topic, below) if kept else None
    made = done[id(root)]
    return {} if made is None else made
