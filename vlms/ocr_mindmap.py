"""A mind map as the tree of its boxes: lines of text are nodes, strokes between them are edges.

The ink that is neither text nor the outline of a box falls into strokes. Nodes that touch one
stroke belong together; so do nodes that touch. The root stands out by the size of its letters and
its filling; from there the tree is walked. Nodes that no stroke reaches hang on the nearest node to
their left.
"""

from __future__ import annotations

import json
import math
import unicodedata
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from vlms.reader import Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

INK = 40
"""Difference to the background in any channel (of 255) from which a pixel is ink."""
OUTLINE = 0.6
"""Share of a side that is ink where the side of a box runs."""
TOUCH = 4
"""Pixels between a drawn box and a stroke that ends at it."""
BARE_TOUCH = 0.65
"""The same for text without a box, as a share of the size of its letters."""
WHOLE = 0.92
"""The same within the width of the text: no row of letters is so full."""
GAP = 2
"""Rows without ink that a line of letters holds at most; more separate it from a box's outline."""
SHORTEST = 8
"""Pixels of a stroke's longer side; what is smaller is noise."""


@dataclass
class Node:
    """A box of text; the bounds include the drawn box where there is one."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    letter: float
    boxed: bool = False
    near: list[int] = field(default_factory=list)

    @property
    def middle(self) -> tuple[float, float]:
        """Centre of the box (x, y)."""
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    @property
    def touch(self) -> int:
        """Pixels between the box and a stroke that ends at it."""
        return TOUCH if self.boxed else math.ceil(BARE_TOUCH * self.letter)


@dataclass(frozen=True)
class Recognised:
    """A map as it was read: its nodes, which one is the root, and the parents of all others."""

    nodes: list[Node]
    root: int
    parents: dict[int, int]

    def children(self, number: int) -> list[int]:
        """Return the children of a node, top to bottom (or left to right if they are in a row)."""
        own = [child for child, parent in self.parents.items() if parent == number]
        if not own:
            return []
        xs, ys = zip(*(self.nodes[i].middle for i in own), strict=True)
        axis = 0 if max(xs) - min(xs) > max(ys) - min(ys) else 1
        return sorted(
            own, key=lambda i: (self.nodes[i].middle[axis], self.nodes[i].middle[1 - axis])
        )

    def subtree(self, number: int) -> list[int]:
        """Return a node and all below it, parents first."""
        found = [number]
        for one in found:  # grows while it is walked
            found += self.children(one)
        return found

    def write(self, number: int) -> str:
        """Return the tree below a node as JSON."""
        order = self.subtree(number)
        built: dict[int, dict[str, Any]] = {
            i: {"text": self.nodes[i].text, "children": []} for i in order
        }
        for i in order:
            built[i]["children"] = [built[child] for child in self.children(i)]
        return json.dumps(built[number], ensure_ascii=False, indent=1)


def write(picture: NDArray[np.uint8], lines: list[Line]) -> str | None:
    """Return the tree as JSON, or None if there is no text."""
    found = recognise(picture, lines)
    return None if found is None else found.write(found.root)


def recognise(picture: NDArray[np.uint8], lines: list[Line]) -> Recognised | None:
    """Return the map that lines of text and strokes form, or None if there is no text."""
    ink = find_ink(picture)
    nodes = [_with_box(node, ink) for node in merge([tighten(picture, line) for line in lines])]
    if not nodes:
        return None
    for one, other in edges(ink, nodes):
        nodes[one].near.append(other)
        nodes[other].near.append(one)
    root = find_root(picture, nodes)
    return Recognised(nodes, root, _parents(nodes, root))


def find_root(picture: NDArray[np.uint8], nodes: list[Node]) -> int:
    """Return which node stands out by letters and filling; of equals, the leftmost."""
    import numpy as np

    largest = max(node.letter for node in nodes)
    ground = np.median(picture[:: max(1, len(picture) // 500)], axis=(0, 1))

    def prominence(i: int) -> tuple[float, int, int]:
        node = nodes[i]
        inside = picture[node.top : node.bottom, node.left : node.right]
        filling = np.abs(np.median(inside, axis=(0, 1)) - ground).max() / 255
        return round(node.letter / largest + float(filling), 2), -node.left, -node.top

    return max(range(len(nodes)), key=prominence)


def find_ink(picture: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return where the picture differs from its most common colour, (H, W)."""
    import numpy as np

    packed = picture.astype(np.int64) @ np.array([65536, 256, 1])
    values, counts = np.unique(packed, return_counts=True)
    common = int(values[counts.argmax()])
    background = np.array([common >> 16, (common >> 8) & 255, common & 255])
    return np.asarray(np.abs(picture.astype(int) - background).max(axis=2) > INK)


def tighten(picture: NDArray[np.uint8], line: Line) -> Line:
    """Return a line whose box has no rows above and below its letters."""
    import numpy as np

    box = picture[line.top : line.bottom, line.left : line.right].astype(int)
    ink = np.abs(box - np.median(box, axis=(0, 1))).max(axis=2) > INK
    aside = line.width // 5
    share = ink[:, aside : line.width - aside].mean(axis=1)
    third = line.height // 3
    middle = [row for row in range(third, line.height - third) if 0 < share[row] < WHOLE]
    if not middle:
        return line
    below = _reach(share[middle[0] :])
    above = _reach(share[middle[0] :: -1])
    return replace(line, top=line.top + middle[0] - above, bottom=line.top + middle[0] + below + 1)


def _reach(share: NDArray[np.floating]) -> int:
    """Return how far letters reach from row 0: up to a gap, the outline of a box, or the end."""
    last = 0
    for row, inked in enumerate(share):
        if inked >= WHOLE or row - last > GAP + 1:
            break
        if inked > 0:
            last = row
    return last


def _em(line: Line) -> float:
    """Return the size of the letters of a tightened line, whatever parts of an em they fill."""
    characters = unicodedata.normalize("NFKC", line.text)
    if any(unicodedata.east_asian_width(c) in "WF" for c in characters):
        return line.height / 0.92
    tall = any(c.isupper() or c.isdigit() or c in "bdfhklt()" for c in characters)
    deep = any(c in "gjpqyQ(),;" for c in characters)
    return line.height / (0.53 + 0.2 * tall + 0.22 * deep)


def merge(lines: list[Line]) -> list[Node]:
    """Merge lines that stand close above each other into nodes."""
    nodes: list[Node] = []
    for line in sorted(lines, key=lambda line: (line.top, line.left)):
        above = next((node for node in nodes if _continues(node, line)), None)
        if above is None:
            box = (line.left, line.top, line.right, line.bottom)
            nodes.append(Node(line.text, *box, letter=_em(line)))
        else:
            above.text = _join(above.text, line.text)
            above.left, above.right = min(above.left, line.left), max(above.right, line.right)
            above.bottom = max(above.bottom, line.bottom)
            above.letter = (above.letter + _em(line)) / 2
    return nodes


def _continues(node: Node, line: Line) -> bool:
    gap = line.top - node.bottom
    alike = abs(_em(line) - node.letter) <= 0.3 * node.letter
    shared = min(node.right, line.right) - max(node.left, line.left)
    inside = shared >= 0.7 * min(node.right - node.left, line.width)
    return alike and inside and -0.2 * node.letter < gap < 0.7 * node.letter


def _join(above: str, below: str) -> str:
    wide = all(unicodedata.east_asian_width(c) in "WF" for c in (above[-1], below[0]))
    return above + ("" if wide else " ") + below


def _with_box(node: Node, ink: NDArray[np.bool_]) -> Node:
    """Grow a node to the outermost rows and columns near it that are mostly ink: its drawn box."""
    height, width = ink.shape
    up, aside = math.ceil(0.8 * node.letter), math.ceil(node.letter)
    across = slice(node.left, node.right)
    top, bottom = max(0, node.top - up), min(height, node.bottom + up)
    rows = ink[top:bottom, across].mean(axis=1)
    outer = (rows >= OUTLINE).nonzero()[0]
    if len(outer):
        node.boxed = top + int(outer[0]) < node.top or top + int(outer[-1]) >= node.bottom
        node.top = min(node.top, top + int(outer[0]))
        node.bottom = max(node.bottom, top + int(outer[-1]) + 1)
    left, right = max(0, node.left - aside), min(width, node.right + aside)
    columns = ink[node.top : node.bottom, left:right].mean(axis=0)
    outer = (columns >= OUTLINE).nonzero()[0]
    if len(outer):
        node.left = min(node.left, left + int(outer[0]))
        node.right = max(node.right, left + int(outer[-1]) + 1)
    return node


def edges(ink: NDArray[np.bool_], nodes: list[Node]) -> list[tuple[int, int]]:
    """Return pairs of nodes that a stroke joins, or that touch; which is the parent is open."""
    import numpy as np
    from scipy import ndimage

    strokes = ink.copy()
    for node in nodes:
        strokes[max(0, node.top - 2) : node.bottom + 2, max(0, node.left - 2) : node.right + 2] = 0
    labels, _ = ndimage.label(strokes, structure=np.ones((3, 3)))
    boxes = ndimage.find_objects(labels)
    touching: dict[int, set[int]] = {}
    for number, node in enumerate(nodes):
        rows = slice(max(0, node.top - node.touch), node.bottom + node.touch)
        columns = slice(max(0, node.left - node.touch), node.right + node.touch)
        for label in np.unique(labels[rows, columns]):
            touching.setdefault(int(label), set()).add(number)
    pairs = [pair for pair in combinations(range(len(nodes)), 2) if _overlap(nodes, *pair)]
    for label, members in touching.items():
        if label == 0 or len(members) < 2:
            continue
        rows, columns = boxes[label - 1]
        if max(rows.stop - rows.start, columns.stop - columns.start) < SHORTEST:
            continue
        hub = _hub([nodes[i] for i in sorted(members)], rows, columns)
        parent = sorted(members)[hub]
        pairs += [(parent, child) for child in sorted(members) if child != parent]
    return pairs


def _overlap(nodes: list[Node], one: int, other: int) -> bool:
    a, b = nodes[one], nodes[other]
    across = min(a.right, b.right) - max(a.left, b.left)
    return across > 0 and min(a.bottom, b.bottom) > max(a.top, b.top)


def _hub(members: list[Node], rows: slice, columns: slice) -> int:
    """Return which node is alone on one side of a stroke; of two, the left or upper one."""
    ends = (
        [abs(node.right - columns.start) for node in members],
        [abs(node.left - columns.stop) for node in members],
        [abs(node.bottom - rows.start) for node in members],
        [abs(node.top - rows.stop) for node in members],
    )
    for distances in ends:
        at_end = [i for i, gap in enumerate(distances) if gap <= members[i].touch + TOUCH]
        if len(at_end) == 1:
            return at_end[0]
    return min(range(len(members)), key=lambda i: members[i].left + members[i].top)


def _parents(nodes: list[Node], root: int) -> dict[int, int]:
    """Direct the edges away from the root; hang what is not reached on the nearest node."""
    parents: dict[int, int] = {}
    reached = [root]
    _spread(nodes, reached, parents)
    while len(reached) < len(nodes):
        missing = [i for i in range(len(nodes)) if i not in set(reached)]
        options = [(_distance(nodes[one], nodes[i]), i, one) for i in missing for one in reached]
        _, child, parent = min(options)
        parents[child] = parent
        reached.append(child)
        _spread(nodes, reached, parents)
    return parents


def _spread(nodes: list[Node], reached: list[int], parents: dict[int, int]) -> None:
    """Follow the edges from all that is reached."""
    known = set(reached)
    for one in reached:  # grows while it is walked
        for other in nodes[one].near:
            if other not in known:
                known.add(other)
                parents[other] = one
                reached.append(other)


def _distance(parent: Node, child: Node) -> float:
    """Return how far a child is from a parent; what is not to the left counts three times."""
    ahead = child.left - parent.right
    across = child.middle[1] - parent.middle[1]
    return math.hypot(ahead if ahead >= 0 else 3 * abs(ahead), across)
