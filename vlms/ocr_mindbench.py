"""Questions about a mind map, answered from the tree of boxes that ``ocr_mindmap`` reads.

The question is the first paragraph of the prompt. What it names by a text in quotation marks is
the node whose text is most like that; what it names by a box, the node whose box overlaps most. The
rest is told from a few words: a reader without understanding, not a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from vlms.ocr_mindmap import Recognised, recognise
from vlms.reader import Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Box = tuple[int, int, int, int]

SIDE = 999
"""The largest coordinate of a box; the smallest is 0."""

_BOX = re.compile(r"<bbox>(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})</bbox>")
_LABEL = re.compile(r"“([^“”]+)”|\"([^\"]+)\"|(?<=\s)'([^']+)'")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_ASKS: dict[str, re.Pattern[str]] = {
    name: re.compile(words, re.IGNORECASE)
    for name, words in {
        "siblings": r"sibling|兄弟",
        "level": r"on which level|how deep|its level|第几层|哪一层|which level",
        "count": r"how many|count|多少个|几个",
        "children": r"child|below|branch|子节点|下级|下一级",
        "parent": r"parent|above|from which node|父节点|上级",
        "place": r"where|\bbox\b|位置|框",
        "whole": r"branch|everything below|subgraph|分支|所有节点|子图",
    }.items()
}


def answer(scenario: str, picture: NDArray[np.uint8], lines: list[Line], prompt: str) -> str | None:
    """Return the answer to a question about a map, or None if the picture holds no text.

    Args:
        scenario: ``mindmap-part``, ``mindmap-position`` (a tree is asked for), or one of the
            question answering tasks.
        picture: RGB, (H, W, 3).
        lines: the lines of text in it.
        prompt: the question in its first paragraph.
    """
    found = recognise(picture, lines)
    if found is None:
        return None
    height, width = picture.shape[:2]
    asked = _Asked(found, (width, height), prompt.split("\n\n", maxsplit=1)[0])
    if scenario == "mindmap-part":
        return found.write(asked.by_label[0] if asked.by_label else found.root)
    if scenario == "mindmap-position":
        return found.write(asked.by_region())
    return asked.answer()


@dataclass(frozen=True)
class _Asked:
    """One question about a map that was read."""

    map: Recognised
    size: tuple[int, int]
    question: str

    @cached_property
    def places(self) -> list[Box]:
        """The boxes that the question names."""
        found = _BOX.findall(self.question)
        return [(int(x1), int(y1), int(x2), int(y2)) for x1, y1, x2, y2 in found]

    @cached_property
    def by_label(self) -> list[int]:
        """The nodes that the question names by their texts."""
        from rapidfuzz import fuzz

        texts = [next(filter(None, groups), "") for groups in _LABEL.findall(self.question)]
        return [
            max(range(len(self.map.nodes)), key=lambda i: fuzz.ratio(self.map.nodes[i].text, text))
            for text in texts
            if text
        ]

    @cached_property
    def named(self) -> list[int]:
        """The nodes that the question names by their places, else by their texts."""
        numbers = range(len(self.map.nodes))
        if self.places:
            return [max(numbers, key=lambda i: _overlap(self.box(i), box)) for box in self.places]
        return self.by_label

    def box(self, number: int) -> Box:
        """Return a node's box in thousandths of the picture."""
        node, (width, height) = self.map.nodes[number], self.size
        corners = (node.left / width, node.top / height, node.right / width, node.bottom / height)
        x1, y1, x2, y2 = (min(SIDE, max(0, round(share * SIDE))) for share in corners)
        return x1, y1, x2, y2

    def region(self, number: int) -> Box:
        """Return the box around a node and all below it."""
        left, top, right, bottom = zip(*map(self.box, self.map.subtree(number)), strict=True)
        return min(left), min(top), max(right), max(bottom)

    def by_region(self) -> int:
        """Return the node whose branch fills the region that the question names."""
        if not self.places:
            return self.map.root
        region = self.places[-1]
        numbers = range(len(self.map.nodes))
        return max(numbers, key=lambda i: _overlap(self.region(i), region))

    def asks(self, what: str) -> bool:
        """Tell whether words of the question, apart from labels and boxes, ask for something."""
        bare = _LABEL.sub("", _BOX.sub("", self.question))
        return _ASKS[what].search(bare) is not None

    def answer(self) -> str:
        """Answer a question."""
        if len(self.named) > 1:
            return self._yes_or_no()
        if self.places and self.asks("count") and not self.asks("level"):
            return str(sum(self._lies_in(i, self.places[0]) for i in range(len(self.map.nodes))))
        return self._about(self.named[0]) if self.named else self._without_name()

    def _about(self, node: int) -> str:
        """Answer a question about one node; what is asked about by its text may be asked where."""
        if self.asks("level"):
            return str(self._level(node))
        where = not self.places and self.asks("place")
        tell: Callable[[int], str] = self._text_and_box if where else self._text
        if self.asks("parent"):
            parent = self.map.parents.get(node)
            return "None" if parent is None else tell(parent)
        if where and self.asks("whole"):
            return _written(self.region(node))
        if self.asks("children"):
            return _listed([tell(child) for child in self.map.children(node)])
        return _written(self.box(node)) if where else self._text(node)

    def _yes_or_no(self) -> str:
        one, other = self.named[:2]
        parents = self.map.parents
        if self.asks("siblings"):
            related = one in parents and parents[one] == parents.get(other)
        else:
            related = parents.get(one) == other or parents.get(other) == one
        if _CHINESE.search(_LABEL.sub("", self.question)):
            return "是" if related else "否"
        return "Yes" if related else "No"

    def _without_name(self) -> str:
        """Answer a question about a level, or about the root."""
        numbers = re.findall(r"\d{1,9}", self.question)
        if not numbers:
            return self._text(self.map.root)
        level = int(next((number for number in numbers if number != "1"), "1"))
        order = self.map.subtree(self.map.root)
        return _listed([self._text(i) for i in order if self._level(i) == level])

    def _level(self, number: int) -> int:
        level = 1
        while number in self.map.parents:
            number, level = self.map.parents[number], level + 1
        return level

    def _lies_in(self, number: int, region: Box) -> bool:
        left, top, right, bottom = self.box(number)
        x, y = (left + right) / 2, (top + bottom) / 2
        return region[0] <= x <= region[2] and region[1] <= y <= region[3]

    def _text(self, number: int) -> str:
        return self.map.nodes[number].text

    def _text_and_box(self, number: int) -> str:
        return f"{self._text(number)} {_written(self.box(number))}"


def _listed(texts: list[str]) -> str:
    return json.dumps(texts, ensure_ascii=False) if texts else "None"


def _written(box: Box) -> str:
    return f"<bbox>{','.join(map(str, box))}</bbox>"


def _overlap(one: Box, other: Box) -> float:
    """Return the intersection over union of two boxes, in [0, 1]."""
    width = max(0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0, min(one[3], other[3]) - max(one[1], other[1]))
    areas = sum((box[2] - box[0]) * (box[3] - box[1]) for box in (one, other))
    return width * height / max(1, areas - width * height)
