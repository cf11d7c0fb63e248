"""Boxes of a map's nodes, and trees with boxes as JSON and as token sequences.

A box is ``(x1, y1, x2, y2)``, integers from 0 to 999 of the picture's width and height, the left
upper corner first (MindBench, arXiv 2407.02842, section 3.2). The boxes of a map are kept as a list
parallel to ``Node.walk()``; in JSON a node has ``"box": [x1, y1, x2, y2]``, in a token sequence
``<s_bbox>x1,y1,x2,y2</s_bbox>`` behind its text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from scenarios import trees
from scenarios.tree_tokens import BOX_KEY, read_tokens
from scenarios.tree_tokens import to_tokens as tree_to_tokens
from scenarios.trees import Node

Box = tuple[int, int, int, int]

SIDE = 999
"""The largest coordinate."""

_BELOW = re.compile(r"children|node-\d{1,3}")
_NUMBERS = re.compile(",".join([r"\s*+([0-9]{1,3})\s*+"] * 4))
_WRAPPERS = ("map", "node-0")


@dataclass(frozen=True)
class Boxed:
    """A tree and the box of each of its nodes, in the order of ``Node.walk()``."""

    tree: Node
    boxes: tuple[Box, ...]


def read_box(value: JsonValue) -> Box | None:
    """Return the box that four whole numbers from 0 to 999 stand for, or None.

    Corners in the wrong order are put in order.
    """
    if not isinstance(value, list) or len(value) != 4:
        return None
    numbers = [number for number in value if _is_coordinate(number)]
    if len(numbers) != 4:
        return None
    x1, y1, x2, y2 = (int(number) for number in numbers)  # type: ignore[arg-type]
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def read_boxes(value: JsonValue) -> tuple[Box, ...] | None:
    """Return a list of boxes, or None if it is none or holds anything else."""
    boxes = [read_box(one) for one in value] if isinstance(value, list) else []
    known = tuple(box for box in boxes if box is not None)
    return known if known and len(known) == len(boxes) else None


def write_box(box: Box) -> str:
    """Return the four numbers separated by commas."""
    return ",".join(str(number) for number in box)


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box around boxes (at least one)."""
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def share_inside(inner: Box, outer: Box) -> float:
    """Return which share of a box's area lies in another, in [0, 1].

    A box without area counts as a line or a point: the share of it that the other one covers.
    """
    shares = []
    for low, high in ((0, 2), (1, 3)):
        start, end = max(inner[low], outer[low]), min(inner[high], outer[high])
        length = inner[high] - inner[low]
        shares.append(max(0, end - start) / length if length else float(start <= end))
    return shares[0] * shares[1]


def to_json(boxed: Boxed) -> dict[str, JsonValue]:
    """Return the canonical JSON form with a box in each node; ``from_json`` gives it back."""
    root = trees.to_json(boxed.tree)
    for node, box in zip(_walk(root), boxed.boxes, strict=True):
        node["box"] = list(box)
    return root


def from_json(value: JsonValue) -> Outcome[Boxed]:
    """Read a tree in which each node has a box.

    Returns:
        The tree and its boxes, or a failure of stage parse: those of ``trees.from_json``, and
        parse_error where a node has no box or nodes without text make the boxes ambiguous.
    """
    tree = trees.from_json(value)
    if isinstance(tree, Failed):
        return tree
    found = [read_box(_numbers(node)) for node in _walk(value)]
    boxes = tuple(box for box in found if box is not None)
    if len(boxes) != len(found) or len(boxes) != sum(1 for _ in tree.value.walk()):
        message = "not every node of the tree has a text and a box"
        return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message)
    return ok(Boxed(tree.value, boxes))


def to_tokens(boxed: Boxed) -> str:
    """Return the token sequence with a box behind each text; ``from_tokens`` gives it back."""
    return tree_to_tokens(boxed.tree, [write_box(box) for box in boxed.boxes])


def from_tokens(text: str) -> Outcome[Boxed]:
    """Read a token sequence in which each node has a box; failures as for ``from_json``."""
    read = read_tokens(text)
    return read if isinstance(read, Failed) else from_json(read.value.value)


def _is_coordinate(number: JsonValue) -> bool:
    """Whole numbers are compared as they are: a model may write one that no float can hold."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        return False
    return 0 <= number <= SIDE and number == int(number)


def _numbers(node: dict[str, JsonValue]) -> JsonValue:
    """Return a node's box as a list, whichever way it is written."""
    text = node.get(BOX_KEY)
    if not isinstance(text, str):
        return node.get("box")
    found = _NUMBERS.fullmatch(text)
    return None if found is None else [int(number) for number in found.groups()]


def _walk(value: JsonValue) -> Iterator[dict[str, JsonValue]]:
    """Yield the nodes of a canonical JSON tree (or of a read token sequence) in walking order."""
    stack: list[JsonValue] = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            if "text" in item:
                yield item
            below: Sequence[JsonValue] = [
                inner
                for key, inner in item.items()
                if _BELOW.fullmatch(key) or ("text" not in item and key in _WRAPPERS)
            ]
            stack.extend(reversed(below))
