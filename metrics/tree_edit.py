"""Exact edit distance of two labelled ordered trees, with Donut's costs.

Inserting or deleting a node costs the length of its text, or 1 for a node of the structure.
Replacing costs the Levenshtein distance of two texts, 1 plus the text's length between a text and a
node of the structure, and 0 or 1 between two nodes of the structure with equal or other label.

Three short cuts, none an approximation. All rest on two properties of these costs, where w is the
weight of a node and c the cost of replacing: c(x, y) ≥ |w(x) − w(y)|, and c(x, x) = 0.

1. *Equal roots are matched.* If the roots are equal, some cheapest mapping maps one to the other:
   in a mapping that takes root r to another node v, the other root stays unmatched (ancestors are
   preserved). Matching the roots instead and inserting v changes the sum by
   w(v) − w(r) − c(r, v) ≤ 0.
2. *Equal outer branches are matched.* If both forests begin with the same tree T, some cheapest
   mapping maps T to T. Mappings keep the order, so either nodes to the right of one T are mapped
   into the other T, or not. If they are, let P be those nodes: turning T ∪ P into T costs at least
   w(T) + w(P) − w(T) = w(P), which is what deleting P costs. The other cases are the same with the
   trees exchanged, or trivial. Likewise for equal last trees.
3. *The cheaper direction.* Reading both trees from right to left leaves the distance as it is, but
   changes how many pairs of forests Zhang and Shasha's recursion visits: thousands of times fewer
   for a map whose ``children`` come after its ``text``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.tree_nodes import Nodes

Ints = NDArray[np.int32]


class _Forest(NamedTuple):
    """What is left of a tree after trimming, under an artificial root, in postorder."""

    labels: list[str]
    texts: list[str | None]
    weights: Ints
    first: Ints


def distance(a: Nodes, b: Nodes) -> int:
    """Return the least cost of turning tree a into tree b.

    Time is at most proportional to the product, over the two trees, of the summed sizes of their
    key-root subtrees; memory to the product of their numbers of nodes, after trimming.
    """
    roots_a, roots_b = _trim(a, b)
    if not roots_a or not roots_b:
        return _weight(a, roots_a) + _weight(b, roots_b)
    forest_a, forest_b = _forest(a, roots_a), _forest(b, roots_b)
    forward = _visits(forest_a.first) * _visits(forest_b.first)
    mirrored_a, mirrored_b = _mirror(forest_a), _mirror(forest_b)
    if _visits(mirrored_a.first) * _visits(mirrored_b.first) < forward:
        forest_a, forest_b = mirrored_a, mirrored_b

    return _zhang_shasha(forest_a, forest_b)


def _zhang_shasha(a: _Forest, b: _Forest) -> int:
    from metrics.tree_kernel import fill

    trees = np.zeros((len(a.first), len(b.first)), np.int32)
    fill(
        a.first,
        b.first,
        _key_roots(a.first),
        _key_roots(b.first),
        a.weights,
        b.weights,
        _replace_costs(a, b),
        trees,
        np.zeros((len(a.first) + 1, len(b.first) + 1), np.int32),
    )
    return int(trees[-1, -1])


def _trim(a: Nodes, b: Nodes) -> tuple[list[int], list[int]]:
    """Return the roots of the two forests that still differ after short cuts 1 and 2."""
    known: dict[tuple[str, bool, tuple[int, ...]], int] = {}
    below_a, below_b = a.children(), b.children()
    names_a, names_b = _subtree_names(a, below_a, known), _subtree_names(b, below_b, known)
    roots_a, roots_b = [len(a) - 1], [len(b) - 1]
    while True:
        start, end = _common_ends([names_a[i] for i in roots_a], [names_b[j] for j in roots_b])
        roots_a = roots_a[start : len(roots_a) - end]
        roots_b = roots_b[start : len(roots_b) - end]
        if len(roots_a) != 1 or len(roots_b) != 1:
            return roots_a, roots_b
        root_a, root_b = roots_a[0], roots_b[0]
        if _identity(a, root_a) != _identity(b, root_b):
            return roots_a, roots_b
        roots_a, roots_b = below_a[root_a], below_b[root_b]


def _subtree_names(
    tree: Nodes, below: list[list[int]], known: dict[tuple[str, bool, tuple[int, ...]], int]
) -> list[int]:
    """Return one number per node; equal numbers mean equal subtrees, across trees too."""
    names: list[int] = []
    for index, kids in enumerate(below):
        key = (*_identity(tree, index), tuple(names[kid] for kid in kids))
        names.append(known.setdefault(key, len(known)))
    return names


def _identity(tree: Nodes, index: int) -> tuple[str, bool]:
    text = tree.texts[index]
    return (tree.labels[index], False) if text is None else (text, True)


def _common_ends(a: list[int], b: list[int]) -> tuple[int, int]:
    shorter = min(len(a), len(b))
    start = 0
    while start < shorter and a[start] == b[start]:
        start += 1
    end = 0
    while end < shorter - start and a[-1 - end] == b[-1 - end]:
        end += 1
    return start, end


def _weight(tree: Nodes, roots: list[int]) -> int:
    weights = tree.weights()
    return sum(sum(weights[tree.first[root] : root + 1]) for root in roots)


def _forest(tree: Nodes, roots: list[int]) -> _Forest:
    """Collect the subtrees at some roots under one artificial root, which weighs nothing to match.

    The artificial roots are equal, so by short cut 1 they do not change the distance.
    """
    kept: list[int] = []
    first: list[int] = []
    for root in roots:
        shift = len(kept) - tree.first[root]
        kept.extend(range(tree.first[root], root + 1))
        first.extend(tree.first[index] + shift for index in range(tree.first[root], root + 1))
    weights = tree.weights()
    return _Forest(
        labels=[*(tree.labels[index] for index in kept), ""],
        texts=[*(tree.texts[index] for index in kept), None],
        weights=np.array([*(weights[index] for index in kept), 1], np.int32),
        first=np.array([*first, 0], np.int32),
    )


def _mirror(forest: _Forest) -> _Forest:
    """Reverse the order of all siblings; postorder becomes reversed preorder."""
    count = len(forest.first)
    index = np.arange(count, dtype=np.int64)
    sizes = index - forest.first + 1
    # Every node adds 1 to the depth of all nodes below it, which precede it without a gap.
    steps = np.zeros(count + 1, np.int64)
    np.add.at(steps, forest.first, 1)
    np.add.at(steps, index, -1)
    depth = np.cumsum(steps)[:count]
    preorder = index - sizes + 1 + depth
    order = np.empty(count, np.int64)
    order[count - 1 - preorder] = index
    return _Forest(
        labels=[forest.labels[i] for i in order],
        texts=[forest.texts[i] for i in order],
        weights=forest.weights[order],
        first=(index - sizes[order] + 1).astype(np.int32),
    )


def _key_roots(first: Ints) -> Ints:
    """Return, for each distinct first node, the last node that has it, in ascending order."""
    last = {int(start): index for index, start in enumerate(first)}
    return np.array(sorted(last.values()), np.int32)


def _visits(first: Ints) -> int:
    """Return the summed sizes of the key-root subtrees: this tree's share of the work."""
    roots = _key_roots(first)
    return int((roots.astype(np.int64) - first[roots] + 1).sum())


def _replace_costs(a: _Forest, b: _Forest) -> Ints:
    """Return the cost of replacing each node of a by each node of b, shape (n, m)."""
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    texts_a, text_of_a = _numbered(a.texts)
    texts_b, text_of_b = _numbered(b.texts)
    labels: dict[str, int] = {}
    label_of_a = np.array([labels.setdefault(label, len(labels)) for label in a.labels])
    label_of_b = np.array([labels.setdefault(label, len(labels)) for label in b.labels])
    costs: Ints = (label_of_a[:, None] != label_of_b[None, :]).astype(np.int32)
    is_text_a, is_text_b = text_of_a >= 0, text_of_b >= 0
    costs[is_text_a, :] = 1 + a.weights[is_text_a, None]
    costs[:, is_text_b] = 1 + b.weights[None, is_text_b]
    if texts_a and texts_b:
        between = cdist(texts_a, texts_b, scorer=Levenshtein.distance, dtype=np.int32)
        chosen = between[np.ix_(text_of_a[is_text_a], text_of_b[is_text_b])]
        costs[np.ix_(is_text_a, is_text_b)] = chosen
    return costs


def _numbered(texts: list[str | None]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct texts, and the number of each node's text (−1 where it has none)."""
    numbers: dict[str, int] = {}
    of_node = [-1 if text is None else numbers.setdefault(text, len(numbers)) for text in texts]
    return list(numbers), np.array(of_node, np.int64)
