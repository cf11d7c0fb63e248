"""Random trees of text: how many nodes, how deep, how broad, and what stands in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from benchmark.chance import Chance
from sources.corpus import Corpus

LEAST_NODES, MOST_NODES = 5, 60

Growth = Literal["even", "deep", "level"]
"""Where the next node goes: below any node, below one of the newest, below the oldest with room."""

_TRIES = 20
"""Draws of a label before one that the map has already gets a number."""

_NEWEST = 4


@dataclass
class _Sprout:
    text: str
    depth: int
    children: list[_Sprout] = field(default_factory=list)


def random_tree(chance: Chance, corpus: Corpus) -> dict[str, JsonValue]:
    """Draw a tree in canonical JSON, each text in it once.

    It has 5 to 60 nodes, 2 to 7 levels and 2 to 9 children at a node, each bound drawn first, the
    breadth raised where so many nodes would find no room otherwise.
    """
    count = chance.between(LEAST_NODES, MOST_NODES)
    levels = chance.between(2 if count <= 12 else 3, 7)
    breadth = chance.between(2, 9)
    while _room(levels, breadth) < count:
        breadth += 1
    growth: Growth = chance.weighted((("even", 5), ("deep", 2), ("level", 3)))
    taken: set[str] = set()
    root = _Sprout(_fresh(chance, corpus, taken), 0)
    open_nodes = [root]
    for _ in range(count - 1):
        parent = _parent(chance, open_nodes, growth)
        sprout = _Sprout(_fresh(chance, corpus, taken), parent.depth + 1)
        parent.children.append(sprout)
        if len(parent.children) == breadth:
            open_nodes.remove(parent)
        if sprout.depth < levels - 1:
            open_nodes.append(sprout)
    return _to_json(root)


def count_nodes(tree: JsonValue) -> int:
    """Count the nodes of a tree in canonical JSON."""
    count, stack = 0, [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            count += 1
            children = node.get("children", [])
            stack += children if isinstance(children, list) else []
    return count


def _room(levels: int, breadth: int) -> int:
    return sum(breadth**level for level in range(levels))


def _parent(chance: Chance, nodes: list[_Sprout], growth: Growth) -> _Sprout:
    if growth == "level":
        return nodes[chance.below(min(2, len(nodes)))]
    return chance.choice(nodes[-_NEWEST:] if growth == "deep" else nodes)


def _fresh(chance: Chance, corpus: Corpus, taken: set[str]) -> str:
    """Draw a text that the map does not have yet, so that a text says which node is meant."""
    for _ in range(_TRIES):
        text = corpus.label(chance)
        if text not in taken:
            break
    else:
        text = f"{text} {len(taken)}"
    taken.add(text)
    return text


def _to_json(root: _Sprout) -> dict[str, JsonValue]:
    """Return canonical JSON; a sampled tree has few levels, so recursion is safe."""
    value: dict[str, JsonValue] = {"text": root.text}
    if root.children:
        value["children"] = [_to_json(child) for child in root.children]
    return value
