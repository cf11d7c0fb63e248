"""Which nodes of two graphs belong together: by text first, then by structure.

Texts decide alone, as long as they can: the alignment is the one-to-one pairing of nodes that
maximises the sum of the similarities of their texts (the assignment problem). Where several
pairings are equal in that, those edges decide that it matches, then labels and types.

The same search, with other weights, finds the graph edit distance (see ``metrics.graph``). Both are
exact for the graphs that flowcharts are; what bounds the search is a number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from metrics.graph_model import BOTH, IN, OUT, Chart

if TYPE_CHECKING:
    from metrics.graph_kernel import Links

THRESHOLD = 0.5
"""Texts that are less similar than that have nothing in common: their similarity is 0."""

SAME = 1000
STEPS = 1_000_000
"""Pairs of nodes that are looked at in a search: a tenth of a second, a second for large graphs."""

MOST_PAIRS = 4096
"""Nodes of one graph times nodes of the other, beyond which only improvements are searched."""

MOST_ALIKE = 250_000
"""Pairs of similar texts, beyond which only the search looks at neighbours, not the assignment."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Matching:
    """Which nodes of a prediction belong to which of a reference."""

    pairs: tuple[tuple[int, int], ...]
    """Node of the prediction, node of the reference; by the places in their charts."""
    value: int
    """What the search maximised."""
    exact: bool
    """Whether no other matching has a higher value."""


def similarities(ones: tuple[str, ...] | list[str], others: tuple[str, ...] | list[str]) -> Floats:
    """Return the similarity of each text to each other one, shape (ones, others), 0 to 1.

    It is 1 − Levenshtein distance / characters of the longer text; below `THRESHOLD` it is 0. Two
    texts without characters are equal.
    """
    from rapidfuzz.distance import Levenshtein
    from rapidfuzz.process import cdist

    left, right = sorted(set(ones)), sorted(set(others))
    if not left or not right:
        return np.zeros((len(ones), len(others)))
    table = cdist(
        left,
        right,
        scorer=Levenshtein.normalized_similarity,
        score_cutoff=THRESHOLD,
        dtype=np.float64,
    )
    rows = {text: number for number, text in enumerate(left)}
    columns = {text: number for number, text in enumerate(right)}
    picked = np.ix_([rows[text] for text in ones], [columns[text] for text in others])
    return np.asarray(table[picked], np.float64)


@lru_cache(maxsize=8)
def align(prediction: Chart, reference: Chart) -> Matching:
    """Return the alignment of two charts; pairs of nodes without similar texts are none.

    The same pairs result if the charts are exchanged. The last ones are kept, since several metrics
    ask for them.
    """
    return _both_ways(_align, prediction, reference)


def match_for_edits(prediction: Chart, reference: Chart) -> Matching:
    """Return the matching with the highest gain of ``metrics.graph.graph_edit``.

    Its value is in units of `EDIT_UNIT`; it is the highest one if the search ended.
    """
    return _both_ways(_match_for_edits, prediction, reference)


EDIT_UNIT = 4 * SAME
"""What a node or an edge is worth that is found as it is."""


def _both_ways(
    solve: Callable[[Chart, Chart], Matching], prediction: Chart, reference: Chart
) -> Matching:
    """Solve with the charts in an order of their own, so that the result is symmetric."""
    if prediction == reference:
        value = prediction.size * EDIT_UNIT
        pairs = tuple((number, number) for number in range(len(prediction.texts)))
        return Matching(pairs, value, exact=True)
    if _rank(prediction) <= _rank(reference):
        return solve(prediction, reference)
    turned = solve(reference, prediction)
    pairs = tuple(sorted((two, one) for one, two in turned.pairs))
    return Matching(pairs, turned.value, turned.exact)


def _rank(chart: Chart) -> tuple[object, ...]:
    return len(chart.texts), len(chart.edges), chart.texts, chart.types, chart.edges


def _align(first: Chart, second: Chart) -> Matching:
    alike = _thousandths(similarities(first.texts, second.texts))
    types = _equal_types(first, second)
    edges = min(len(first.edges), len(second.edges))
    edge_worth = SAME * (edges + len(first.texts)) + 1
    node_worth = edge_worth * (edges + 1)
    weights = np.where(alike > 0, alike * node_worth + SAME * types, -1)
    start = _assign(first, second, alike)
    found = _search(first, second, weights, (edge_worth, 1), [start])
    return Matching(found.pairs, found.value, found.exact)


def _match_for_edits(first: Chart, second: Chart) -> Matching:
    alike = _thousandths(similarities(first.texts, second.texts))
    weights = alike * (3 + _equal_types(first, second))
    starts = [_from_pairs(align(first, second).pairs, len(first.texts))]
    return _search(first, second, weights, (EDIT_UNIT // 2, EDIT_UNIT // 2 // SAME), starts)


def _search(
    first: Chart,
    second: Chart,
    weights: Ints,
    worths: tuple[int, int],
    starts: list[Ints],
) -> Matching:
    """Improve the given matchings and one that is built from nothing, then prove or better."""
    if not first.texts or not second.texts:
        return Matching((), 0, exact=True)
    from metrics import graph_kernel as kernel

    task = kernel.Task(
        np.ascontiguousarray(weights, np.int64),
        _links(first),
        _links(second),
        _thousandths(similarities(_labels(first), _labels(second))),
        *worths,
    )
    order = kernel.order_nodes(task.first)
    steps = STEPS
    best, record = np.full(len(first.texts), -1, np.int64), 0
    for matched in (*starts, kernel.build(task, order)):
        steps = kernel.improve(task, matched, steps)
        value = kernel.value_of(task, matched)
        if value > record:
            best, record = matched, value
    exact = False
    if weights.size <= MOST_PAIRS and steps > 0:
        exact = kernel.search(task, order, best, steps) > 0
    pairs = tuple((one, int(two)) for one, two in enumerate(best) if two >= 0)
    return Matching(pairs, int(kernel.value_of(task, best)), exact)


def _assign(first: Chart, second: Chart, alike: Ints) -> Ints:
    """Return the assignment of most similar texts; of equal ones, that of similar neighbours."""
    from scipy.optimize import linear_sum_assignment

    matched = np.full(len(first.texts), -1, np.int64)
    weights = alike * (len(first.texts) * SAME + 1)
    groups = [(np.arange(len(first.texts)), np.arange(len(second.texts)))]
    if np.count_nonzero(alike) <= MOST_ALIKE:
        weights += _likeness_around(first, second, alike)
        groups = _groups(alike)
    for nodes, targets in groups:
        ones, twos = linear_sum_assignment(weights[np.ix_(nodes, targets)], maximize=True)
        for one, two in zip(nodes[ones], targets[twos], strict=True):
            if alike[one, two]:
                matched[one] = two
    return matched


def _groups(alike: Ints) -> list[tuple[Ints, Ints]]:
    """Return the groups of nodes that similar texts connect; no pair is outside of a group."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    size = sum(alike.shape)
    rows, columns = alike.nonzero()
    ends = rows, columns + alike.shape[0]
    graph = sparse.coo_matrix((np.ones(len(rows), np.int8), ends), shape=(size, size))
    _, numbers = connected_components(graph, directed=False)
    members: dict[int, tuple[list[int], list[int]]] = {}
    for node, number in enumerate(numbers.tolist()):
        side = node >= alike.shape[0]
        members.setdefault(number, ([], []))[side].append(node - side * alike.shape[0])
    return [
        (np.array(ones, np.int64), np.array(others, np.int64))
        for ones, others in members.values()
        if ones and others
    ]


def _likeness_around(first: Chart, second: Chart, alike: Ints) -> Ints:
    """Return how alike the neighbours of two nodes are, 0 to `SAME` - 1."""
    from scipy import sparse

    pairs = sparse.csr_matrix(alike)
    one, two = _adjacency(first), _adjacency(second)
    around = one @ pairs @ two.T + one.T @ pairs @ two
    degrees = np.add.outer(_degrees(one), _degrees(two)) * SAME
    share = np.asarray(around.toarray(), np.float64) / np.maximum(degrees, 1)
    return np.asarray(np.minimum(share, 1) * (SAME - 1), np.int64)


def _adjacency(chart: Chart) -> Any:  # noqa: ANN401 - scipy has no types
    from scipy import sparse

    ones = [edge[0] for edge in chart.edges]
    others = [edge[1] for edge in chart.edges]
    size = len(chart.texts)
    return sparse.csr_matrix((np.ones(len(ones), np.int64), (ones, others)), shape=(size, size))


def _degrees(adjacency: Any) -> Ints:  # noqa: ANN401
    sums = [np.asarray(adjacency.sum(axis=axis), np.int64).ravel() for axis in (0, 1)]
    return sums[0] + sums[1]


def _labels(chart: Chart) -> list[str]:
    return sorted({label for *_, label in chart.edges})


def _links(chart: Chart) -> Links:
    """Return the links of a chart as the kernel reads them."""
    from metrics.graph_kernel import Links

    numbers = {label: number for number, label in enumerate(_labels(chart))}
    starts, others, labels = [0], list[int](), list[int]()
    spans: list[list[int]] = []
    links = sorted(chart.links().items())
    place = 0
    for node in range(len(chart.texts)):
        while place < len(links) and links[place][0][0] == node:
            (_, other), ways = links[place]
            begins = [len(labels)]
            for way in (OUT, IN, BOTH):
                labels += [numbers[label] for label in ways[way]]
                begins.append(len(labels))
            others.append(other)
            spans.append(begins)
            place += 1
        starts.append(len(others))
    return Links(
        np.array(starts, np.int64),
        np.array(others, np.int64),
        np.array(spans, np.int64).reshape(-1, 4),
        np.array(labels, np.int64),
    )


def _equal_types(first: Chart, second: Chart) -> Ints:
    kinds = np.array(first.types, object), np.array(second.types, object)
    return np.asarray(np.equal.outer(*kinds), np.int64)


def _thousandths(shares: Floats) -> Ints:
    """Return shares in thousandths, rounded down, so that only what is equal has all of them."""
    return np.floor(shares * SAME + 1e-9).astype(np.int64)


def _from_pairs(pairs: tuple[tuple[int, int], ...], size: int) -> Ints:
    matched = np.full(size, -1, np.int64)
    for one, two in pairs:
        matched[one] = two
    return matched
