"""Graphs compared: nodes, edges, labels, types, and the edit similarity of the whole.

A graph is the JSON value of ``metrics.graph_model``. Four metrics rest on one alignment of the
nodes by their texts (``metrics.graph_search.align``); the fifth finds its own. None depends on ids
or on the order of writing, and exchanging prediction and reference changes none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import fsum
from typing import Any

from benchmark.protocols import Needs
from metrics.graph_model import Chart, read_chart
from metrics.graph_search import EDIT_UNIT, align, match_for_edits, similarities
from metrics.metric import FunctionMetric

Ways = tuple[list[str], list[str], list[str]]


@dataclass(frozen=True)
class GraphEdit:
    """The raw numbers behind an edit similarity."""

    distance: float
    """The least cost found of turning one graph into the other; see `graph_edit`."""
    size: int
    """Nodes and edges of both graphs: the cost of deleting one and writing the other."""
    exact: bool
    """Whether no cheaper way exists; otherwise the search reached its bound before it knew."""

    @property
    def similarity(self) -> float:
        """The similarity, in [0, 1]; two empty graphs are equal."""
        return 1 - self.distance / self.size if self.size else 1.0


def node_f1(prediction: Any, reference: Any) -> float:  # noqa: ANN401 - any JSON value
    """Return the F1 of the nodes of two graphs, in [0, 1].

    The nodes are aligned by their texts; each pair counts as much as its texts are similar (1 −
    Levenshtein distance / length of the longer one, 0 below a half), so F1 = 2 · sum of the
    similarities / number of nodes of both. Two graphs without nodes are equal (1.0).

    >>> a = {"nodes": [{"id": "1", "text": "Start"}, {"id": "2", "text": "Stop"}], "edges": []}
    >>> b = {"nodes": [{"id": "x", "text": "Start"}], "edges": []}
    >>> node_f1(b, a)
    0.6666666666666666
    """
    one, two = read_chart(prediction), read_chart(reference)
    either = len(one.texts) + len(two.texts)
    if not either:
        return 1.0
    pairs = align(one, two).pairs
    return 2 * fsum(_similarity(one.texts[a], two.texts[b]) for a, b in pairs) / either


def edge_f1(prediction: Any, reference: Any) -> float:  # noqa: ANN401 - any JSON value
    """Return the F1 of the edges of two graphs, in [0, 1].

    An edge is found if one of the same direction joins the two nodes that its ends are aligned
    with; an edge without direction equals only another one without. Edges are counted as often as
    they were written; labels do not count. Two graphs without edges are equal (1.0).
    """
    one, two = read_chart(prediction), read_chart(reference)
    either = len(one.edges) + len(two.edges)
    if not either:
        return 1.0
    found = sum(
        min(len(a), len(b)) for ways in _shared(one, two) for a, b in zip(*ways, strict=True)
    )
    return 2 * found / either


def edge_label_f1(prediction: Any, reference: Any) -> float:  # noqa: ANN401 - any JSON value
    """Return the F1 of the labels of edges, in [0, 1].

    A label is found if it stands at an edge that ``edge_f1`` finds, as far as it is similar to the
    one there. F1 = 2 · sum of the similarities / number of labelled edges of both. Two graphs
    without labels are equal (1.0).
    """
    one, two = read_chart(prediction), read_chart(reference)
    either = sum(bool(label) for chart in (one, two) for *_, label in chart.edges)
    if not either:
        return 1.0
    found = fsum(
        _labels_found(a, b) for ways in _shared(one, two) for a, b in zip(*ways, strict=True)
    )
    return 2 * found / either


def node_type_accuracy(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the share of aligned nodes whose types are equal, in [0, 1].

    Where no node is aligned it is 0, unless both graphs have none (1.0).
    """
    one, two = read_chart(prediction), read_chart(reference)
    pairs = align(one, two).pairs
    if not pairs:
        return float(not one.texts and not two.texts)
    return sum(one.types[a] == two.types[b] for a, b in pairs) / len(pairs)


def graph_edit(prediction: Any, reference: Any) -> GraphEdit:  # noqa: ANN401
    """Return the graph edit distance of two graphs.

    Deleting or inserting a node or an edge costs 1. Turning a node into another costs 2 (1 − s),
    where s is the similarity of their texts, and of that similarity a quarter is lost if the types
    differ. Turning an edge into another of the same direction costs 1 − s, where s is the
    similarity of their labels; edges can only be kept between nodes that are kept. So nothing costs
    more than deleting and inserting, and the distance is at most the size of both graphs.

    The distance is exact if the search ends within its number of steps, which it does for most
    flowcharts; else it is the smallest one found, the same on every machine, and an upper bound.
    """
    one, two = read_chart(prediction), read_chart(reference)
    matching = match_for_edits(one, two)
    size = one.size + two.size
    return GraphEdit(size - 2 * matching.value / EDIT_UNIT, size, matching.exact)


def graph_edit_similarity(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return 1 − graph edit distance / nodes and edges of both graphs, in [0, 1].

    >>> step = {"nodes": [{"id": "1", "text": "A"}, {"id": "2", "text": "B"}], "edges": []}
    >>> graph_edit_similarity({**step, "edges": [{"source": "1", "target": "2"}]}, step)
    0.8
    """
    return graph_edit(prediction, reference).similarity


def _shared(one: Chart, two: Chart) -> Iterator[tuple[Ways, Ways]]:
    """Yield the labels of edges between two aligned pairs of nodes, for each two pairs once."""
    partners = dict(align(one, two).pairs)
    others = two.links()
    for (a, b), ways in one.links().items():
        if a <= b and a in partners and b in partners:
            facing = others.get((partners[a], partners[b]))
            if facing is not None:
                yield ways, facing


def _labels_found(ones: list[str], others: list[str]) -> float:
    """Return the sum of similarities of labels, each matched once, the most similar ones first."""
    left = [label for label in ones if label]
    right = [label for label in others if label]
    if not left or not right:
        return 0.0
    table = similarities(left, right)
    total = 0.0
    for _ in range(min(len(left), len(right))):
        row, column = divmod(int(table.argmax()), len(right))
        total += float(table[row, column])
        table[row, :] = table[:, column] = -1
    return total


def _similarity(one: str, other: str) -> float:
    return float(similarities([one], [other])[0, 0])


NODE_F1 = FunctionMetric(
    name="node_f1",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=node_f1,
)

EDGE_F1 = FunctionMetric(
    name="edge_f1",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=edge_f1,
)

EDGE_LABEL_F1 = FunctionMetric(
    name="edge_label_f1",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=edge_label_f1,
)

NODE_TYPE_ACCURACY = FunctionMetric(
    name="node_type_accuracy",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=node_type_accuracy,
)

GRAPH_EDIT_SIMILARITY = FunctionMetric(
    name="graph_edit_similarity",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=graph_edit_similarity,
)
