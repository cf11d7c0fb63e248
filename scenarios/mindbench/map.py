"""A mind map as questions see it: nodes by number, with parents, levels, regions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scenarios.tree_boxes import Box, share_inside, union
from scenarios.trees import Node

INSIDE = 0.5
"""Share of a node's box from which it lies in a region, as in the official questions."""

CLEAR = 0.3
"""A region in which a node lies by a share between this and 1 minus this is not asked about."""


@dataclass(frozen=True)
class Map:
    """A tree whose nodes are numbered in walking order; the root is 0.

    Attributes:
        tree: the tree.
        boxes: the box of each node in walking order, or None where positions are not known.
    """

    tree: Node
    boxes: Sequence[Box] | None = None

    def __post_init__(self) -> None:
        """Refuse boxes that do not belong to the tree.

        Raises:
            ValueError: there are more or fewer boxes than nodes.
        """
        if self.boxes is not None and len(self.boxes) != len(self.nodes):
            raise ValueError(f"{len(self.boxes)} boxes for {len(self.nodes)} nodes")

    @cached_property
    def nodes(self) -> list[Node]:
        """The nodes in walking order."""
        return [node for _, node in self.tree.walk()]

    @cached_property
    def levels(self) -> list[int]:
        """The level of each node; the root is on level 1."""
        return [depth + 1 for depth, _ in self.tree.walk()]

    @cached_property
    def parents(self) -> list[int | None]:
        """The parent of each node; the root has none."""
        parents: list[int | None] = []
        path: list[int] = []
        for number, level in enumerate(self.levels):
            del path[level - 1 :]
            parents.append(path[-1] if path else None)
            path.append(number)
        return parents

    @cached_property
    def named(self) -> list[int]:
        """The nodes that their text tells from all others: they can be asked for by name."""
        counts = Counter(node.text for node in self.nodes)
        return [i for i, node in enumerate(self.nodes) if node.text and counts[node.text] == 1]

    @cached_property
    def placed(self) -> list[int]:
        """The nodes that their box tells from all others: they can be asked for by place."""
        if self.boxes is None:
            return []
        counts = Counter(self.boxes)
        return [i for i, box in enumerate(self.boxes) if counts[box] == 1 and self.nodes[i].text]

    def children(self, number: int) -> list[int]:
        """Return the children of a node, in order."""
        return [i for i, parent in enumerate(self.parents) if parent == number]

    def subtree(self, number: int) -> range:
        """Return a node and all below it: they follow each other in walking order."""
        level = self.levels[number]
        end = number + 1
        while end < len(self.nodes) and self.levels[end] > level:
            end += 1
        return range(number, end)

    def box(self, number: int) -> Box:
        """Return a node's box.

        Raises:
            ValueError: positions are not known.
        """
        if self.boxes is None:
            raise ValueError("the positions of this map's nodes are not known")
        return self.boxes[number]

    def region(self, number: int) -> Box:
        """Return the smallest box around a node and all below it."""
        return union(self.box(i) for i in self.subtree(number))

    def within(self, region: Box) -> list[int] | None:
        """Return the nodes that lie in a region, or None if that cannot be told by looking.

        A node lies in it by half of its box or more; one that the region's border cuts near its
        middle makes the question unfair.
        """
        shares = [share_inside(box, region) for box in self.boxes or ()]
        if any(CLEAR < share < 1 - CLEAR for share in shares):
            return None
        return [i for i, share in enumerate(shares) if share >= INSIDE]
