"""JSON values as ordered labelled trees: the shape in which tree metrics compare them.

Donut (Kim et al., ECCV 2022, arXiv 2111.15664) turns a JSON value into a tree as follows, and
MindBench took that over:

* the tree hangs from one ``<root>`` node;
* a key of an object is a node; the keys of an object are ordered by length, then by alphabet;
* an object inside a list, or as the value of a key, is a ``<subtree>`` node;
* a scalar is a leaf that carries its text without outer white space.

Two forms differ in what they leave out:

* ``nodes_donut`` follows the released evaluator: whatever Python calls false (``0``, ``false``,
  ``""``, ``null``, empty containers) disappears, and a list that does not consist of objects alone
  loses its objects, lists, booleans and nulls. Branches that a prediction lacks can so become free.
* ``nodes`` repairs this: each item of a list is kept, a list inside a list is a ``<subtree>``, and
  ``0`` and ``false`` are values. Only what says nothing disappears: ``null``, blank text and
  containers without any value.

Both are iterative, so depth of nesting is no limit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

ROOT_LABEL = "<root>"
ITEM_LABEL = "<subtree>"
LEAF_MARK = "<leaf>"


class NodeKind(IntEnum):
    """What a node of the tree stands for."""

    ROOT = 0
    KEY = 1
    ITEM = 2
    LEAF = 3


_Part = tuple[NodeKind, str, Any]
"""A node to be: its kind, its label, and the value that its children are made of."""

_Split = Callable[[NodeKind, Any], list[_Part]]


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of a tree in postorder: children before parents, siblings from left to right."""

    kinds: list[NodeKind] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)
    """The text by which a node is weighed and compared; None for nodes of the structure."""
    first: list[int] = field(default_factory=list)
    """Index of the first node, in postorder, of the subtree below each node."""

    def __len__(self) -> int:
        return len(self.labels)

    def weights(self) -> list[int]:
        """Return what inserting or deleting each node costs: the text's length, or 1."""
        return [1 if text is None else len(text) for text in self.texts]

    def size(self) -> int:
        """Return the distance from the empty value: the weight of all nodes but the root."""
        return sum(self.weights()[:-1])

    def children(self) -> list[list[int]]:
        """Return each node's children from left to right."""
        below: list[list[int]] = []
        open_roots: list[int] = []
        for index, first in enumerate(self.first):
            start = len(open_roots)
            while start and open_roots[start - 1] >= first:
                start -= 1
            below.append(open_roots[start:])
            open_roots[start:] = [index]
        return below

    def fields(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield each leaf as the keys that lead to it and its text."""
        below = self.children()
        pending: list[tuple[int, tuple[str, ...]]] = [(len(self) - 1, ())]
        while pending:
            index, path = pending.pop()
            if self.kinds[index] is NodeKind.LEAF:
                yield path, self.labels[index]
                continue
            if self.kinds[index] is NodeKind.KEY:
                path = (*path, self.labels[index])
            pending.extend((kid, path) for kid in reversed(below[index]))


def nodes(value: Any) -> Nodes:  # noqa: ANN401 - any JSON value
    """Return the tree of a JSON value; only nulls, blank text and empty containers are left out.

    Booleans are spelled as in JSON, numbers as Python spells them.
    """
    return _build(value, _split, marks=False)


def nodes_donut(value: Any) -> Nodes:  # noqa: ANN401 - any JSON value
    """Return the tree of a JSON value exactly as Donut's evaluator builds it.

    That evaluator tells leaves by a mark in the label, so a key or text that happens to contain
    ``<leaf>`` is treated as a leaf's text and loses the mark; this is reproduced.
    """
    return _build(value, _split_donut, marks=True)


def _build(value: Any, split: _Split, *, marks: bool) -> Nodes:  # noqa: ANN401
    tree = Nodes()
    kinds, labels, texts, firsts = tree.kinds, tree.labels, tree.texts, tree.first
    # An entry with a start is a node whose children are done; without one, it is to be opened.
    pending: list[tuple[_Part, int | None]] = [((NodeKind.ROOT, ROOT_LABEL, value), None)]
    while pending:
        part, start = pending.pop()
        kind, label, inner = part
        leaf = kind is NodeKind.LEAF
        if leaf:
            start = len(labels)
        elif start is None:
            pending.append((part, len(labels)))
            pending.extend([(child, None) for child in reversed(split(kind, inner))])
            continue
        elif start == len(labels) and kind is not NodeKind.ROOT:
            continue  # a node without values is left out
        kinds.append(kind)
        labels.append(label)
        firsts.append(start)
        if marks and LEAF_MARK in label:
            texts.append(label.replace(LEAF_MARK, ""))
        else:
            texts.append(label if leaf else None)
    return tree


def _split(kind: NodeKind, value: Any) -> list[_Part]:  # noqa: ANN401
    if isinstance(value, dict):
        return _object(kind, value)
    if isinstance(value, list):
        return [part for item in value for part in _item(item)]
    return _leaf(value)


def _item(item: Any) -> list[_Part]:  # noqa: ANN401
    if isinstance(item, dict | list):
        return [(NodeKind.ITEM, ITEM_LABEL, item)]
    return _leaf(item)


def _leaf(value: Any) -> list[_Part]:  # noqa: ANN401
    if value is None:
        return []
    text = str(value).lower() if isinstance(value, bool) else str(value).strip()
    return [(NodeKind.LEAF, text, None)] if text else []


def _split_donut(kind: NodeKind, value: Any) -> list[_Part]:  # noqa: ANN401
    if not value:
        return []
    if isinstance(value, dict):
        return _object(kind, value)
    if not isinstance(value, list):
        return [(NodeKind.LEAF, str(value).strip(), None)]
    if all(isinstance(item, dict) for item in value):
        return [(NodeKind.ITEM, ITEM_LABEL, item) for item in value]
    scalars = (item for item in value if isinstance(item, str | int | float))
    texts = (str(item).strip() for item in scalars if not isinstance(item, bool))
    return [(NodeKind.LEAF, text, None) for text in texts if text]


def _object(kind: NodeKind, value: dict[str, Any]) -> list[_Part]:
    if kind is NodeKind.KEY:
        return [(NodeKind.ITEM, ITEM_LABEL, value)]
    keys = sorted(value, key=lambda key: (len(key), key))
    return [(NodeKind.KEY, key, value[key]) for key in keys]
