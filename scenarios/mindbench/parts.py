"""Parts of a map to be parsed: below a node that is named, or within a region."""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.chance import Chance
from scenarios.mindbench.map import Map
from scenarios.mindbench.phrasing import Language, ask
from scenarios.tree_boxes import Box, write_box
from scenarios.trees import Node

INNER = 75
"""Percent of the parts that are more than one node, where the map has such."""


@dataclass(frozen=True)
class Part:
    """A part of a map and how it is asked for.

    Attributes:
        text: the question in words.
        tree: the part.
        node: the number of its topmost node in the whole map.
        region: the region that names it, if one does.
    """

    text: str
    tree: Node
    node: int
    region: Box | None = None


def by_name(mind_map: Map, language: Language, chance: Chance) -> Part | None:
    """Return a part below a node whose text no other node has; never the whole map."""
    chosen = _choose(mind_map, [i for i in mind_map.named if i > 0], chance)
    if chosen is None:
        return None
    tree = mind_map.nodes[chosen]
    return Part(ask("part", language, chance, label=tree.text), tree, chosen)


def by_place(mind_map: Map, language: Language, chance: Chance) -> Part | None:
    """Return a part that fills a region: in the box around it lies no other node.

    None where positions are not known, or where every part has others in its region.
    """
    if mind_map.boxes is None:
        return None
    alone = [
        i
        for i in mind_map.placed
        if i > 0 and mind_map.within(mind_map.region(i)) == list(mind_map.subtree(i))
    ]
    chosen = _choose(mind_map, alone, chance)
    if chosen is None:
        return None
    region = mind_map.region(chosen)
    text = ask("part_box", language, chance, box=write_box(region))
    return Part(text, mind_map.nodes[chosen], chosen, region)


def _choose(mind_map: Map, numbers: list[int], chance: Chance) -> int | None:
    inner = [i for i in numbers if mind_map.nodes[i].children]
    wanted = inner if inner and chance.happens(INNER) else numbers
    return chance.choice(wanted) if wanted else None
