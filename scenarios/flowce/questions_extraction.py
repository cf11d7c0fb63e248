"""Information extraction: which texts stand in a chart, all of them or those of one kind.

The answer is a list of texts in the order of the graph, each as often as it occurs, as in FlowCE's
own labels; in which order they are written says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from scenarios.flowce.asking import Asking, Kind, Maker, Question
from scenarios.graphs import NodeType

LEAST = 2
"""A list of fewer texts is not asked for where all or many are wanted."""

MOST = 100
"""A longer list is not asked for."""

_ASKED_TYPES = (
    NodeType.DECISION,
    NodeType.TERMINAL,
    NodeType.INPUT_OUTPUT,
    NodeType.PROCESS,
)


def all_texts(asking: Asking) -> Question | None:
    """Ask for the texts of all nodes and arrows."""
    chart = asking.chart
    if not _are_at_arrows(asking):
        return None
    texts = [*(node.text for node in chart.nodes), *(arrow.label for arrow in chart.arrows)]
    return _list(asking, texts, least=LEAST)


def texts_of_type(asking: Asking) -> Question | None:
    """Ask for the texts of all nodes of one shape."""
    nodes = asking.chart.nodes
    types = [
        kind for kind in _ASKED_TYPES if 0 < sum(node.type is kind for node in nodes) < len(nodes)
    ]
    if not types:
        return None
    kind = asking.chance.choice(types)
    texts = [node.text for node in nodes if node.type is kind]
    return _list(asking, texts, wording=f"texts_of_type {kind}")


def arrow_texts(asking: Asking) -> Question | None:
    """Ask for all texts at arrows."""
    if not _are_at_arrows(asking):
        return None
    return _list(asking, [arrow.label for arrow in asking.chart.arrows])


def branch_texts(asking: Asking) -> Question | None:
    """Ask for the texts at the arrows that leave a node."""
    chart = asking.chart
    nodes = [node for node in chart.named if chart.is_directed and chart.arms(node)]
    if not nodes:
        return None
    node = asking.chance.choice(nodes)
    return _list(asking, list(chart.arms(node)), {"a": chart.text(node)})


def lane_texts(asking: Asking) -> Question | None:
    """Ask for the texts of the nodes in a lane."""
    chart = asking.chart
    if len(chart.lanes) < LEAST:
        return None
    lane = asking.chance.choice(list(chart.lanes))
    return _list(asking, [chart.text(node) for node in chart.lanes[lane]], {"lane": lane})


def _are_at_arrows(asking: Asking) -> bool:
    """Tell whether no text stands at a line that is no arrow to one side."""
    return all(edge.directed or not edge.label for edge in asking.chart.graph.edges)


def _list(
    asking: Asking,
    texts: Iterable[str],
    values: dict[str, str] | None = None,
    *,
    least: int = 1,
    wording: str | None = None,
) -> Question | None:
    found = [text for text in texts if text.strip()]
    if not least <= len(found) <= MOST:
        return None
    return asking.ask(found, values, wording=wording)


MAKERS: dict[Kind, Maker] = {
    Kind.ALL_TEXTS: all_texts,
    Kind.TEXTS_OF_TYPE: texts_of_type,
    Kind.ARROW_TEXTS: arrow_texts,
    Kind.BRANCH_TEXTS: branch_texts,
    Kind.LANE_TEXTS: lane_texts,
}
