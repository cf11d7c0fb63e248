"""Random maps with boxes for tests, and a second reading of them: plain recursion over JSON."""

from __future__ import annotations

from hypothesis import strategies as st

from scenarios.mindbench.map import Map
from scenarios.tree_boxes import Box
from scenarios.trees import Node, normalise_text

LABELS = (
    st.text(max_size=12)
    .map(normalise_text)
    .filter(lambda text: text and normalise_text(text) == text)
)
FEW_LABELS = st.sampled_from(
    ["A", "B", "C", "D", "甲", "乙", "丙", "a b", "None", "[1]", "yes", "7"]
)
"""So few that a map has the same text twice."""


def trees(labels=LABELS | FEW_LABELS):
    return st.recursive(
        labels.map(Node),
        lambda inner: st.builds(Node, labels, st.lists(inner, max_size=4).map(tuple)),
        max_leaves=12,
    )


@st.composite
def boxes(draw) -> Box:
    left, right = sorted([draw(st.integers(0, 999)), draw(st.integers(0, 999))])
    top, bottom = sorted([draw(st.integers(0, 999)), draw(st.integers(0, 999))])
    return left, top, right, bottom


@st.composite
def maps(draw) -> Map:
    tree = draw(trees())
    number = sum(1 for _ in tree.walk())
    return Map(tree, tuple(draw(st.lists(boxes(), min_size=number, max_size=number))))


def tidy_maps():
    """Maps as they are drawn: each level in a column, the nodes of a column below each other."""
    return trees().map(tidily)


def tidily(tree: Node) -> Map:
    places: list[Box] = []
    rows = 0

    def place(node: Node, level: int) -> None:
        nonlocal rows
        places.append((level * 90, rows * 20, level * 90 + 70, rows * 20 + 15))
        for child in node.children:
            place(child, level + 1)
            rows += 1

    place(tree, 0)
    return Map(tree, tuple(places))


class Walk:
    """What can be known of a map, found again without ``Map``: by recursion from the root."""

    def __init__(self, mind_map: Map) -> None:
        self.entries: list[dict] = []
        self.boxes = list(mind_map.boxes or [])
        self._visit(mind_map.tree, None, 1)

    def _visit(self, node: Node, parent: int | None, level: int) -> None:
        own = len(self.entries)
        self.entries.append({"text": node.text, "parent": parent, "level": level, "below": []})
        ancestor = parent
        while ancestor is not None:
            self.entries[ancestor]["below"].append(own)
            ancestor = self.entries[ancestor]["parent"]
        for child in node.children:
            self._visit(child, own, level + 1)

    def children(self, number: int) -> list[int]:
        return [i for i, entry in enumerate(self.entries) if entry["parent"] == number]

    def with_text(self, text: str) -> list[int]:
        return [i for i, entry in enumerate(self.entries) if entry["text"] == text]

    def with_box(self, box: Box) -> list[int]:
        return [i for i, own in enumerate(self.boxes) if own == box]

    def region(self, number: int) -> Box:
        own = [self.boxes[i] for i in [number, *self.entries[number]["below"]]]
        return (
            min(b[0] for b in own), min(b[1] for b in own),
            max(b[2] for b in own), max(b[3] for b in own),
        )  # fmt: skip

    def halves_inside(self, region: Box) -> int:
        """Count boxes of which half or more lies in a region, on a grid of exact fractions."""
        from fractions import Fraction

        count = 0
        for box in self.boxes:
            share = Fraction(1)
            for low, high in ((0, 2), (1, 3)):
                inner = min(box[high], region[high]) - max(box[low], region[low])
                length = box[high] - box[low]
                share *= Fraction(max(0, inner), length) if length else int(inner >= 0)
            count += share >= Fraction(1, 2)
        return count
