"""Flowcharts as DOT: how a graph is drawn of which only the structure was written (Mermaid).

Labels are data, never DOT, as in ``scenarios.tree_drawing``; nodes are named n0, n1, … in order.
``scenarios.graphs_dot`` reads back what is written here, types and groups included.
"""

from __future__ import annotations

from collections.abc import Mapping

from benchmark.outcome import Failed
from benchmark.records import Answer
from scenarios import graphs_dot
from scenarios.graphs import Edge, Graph, Node, NodeType
from scenarios.tree_drawing import write_label

Box = tuple[int, int, int, int]

SHAPES: dict[NodeType, str] = {
    NodeType.TERMINAL: "ellipse",
    NodeType.PROCESS: "box",
    NodeType.DECISION: "diamond",
    NodeType.INPUT_OUTPUT: "parallelogram",
    NodeType.OTHER: "hexagon",
}

_COLUMNS = 30
_NARROW = 18
"""Widest line in a diamond, which is twice as wide as its text."""


def to_dot(graph: Graph, direction: str = "TB") -> str:
    """Return the DOT source that draws a graph; equal graphs give equal texts.

    Args:
        graph: to draw.
        direction: where it grows to, TB, BT, LR or RL.
    """
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes)}
    lines = ["digraph flowchart {", f"graph [rankdir={direction} dpi=96]", "node [shape=box]"]
    lines += [_node(names, node) for node in graph.nodes]
    groups = dict.fromkeys(node.group for node in graph.nodes if node.group is not None)
    for number, group in enumerate(groups):
        lines += [f"subgraph cluster_{number} {{", f'label="{write_label(group, _COLUMNS)}"']
        lines += [names[node.id] for node in graph.nodes if node.group == group]
        lines.append("}")
    lines += [_edge(names, edge) for edge in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def node_boxes(boxes: Mapping[str, Box], answer: Answer) -> list[list[int]]:
    """Return the boxes of a drawing in the order of the nodes of the graph that was drawn.

    Args:
        boxes: left, top, right, bottom by the names of the nodes in the DOT, each 0 to 999.
        answer: that was drawn, in either notation.

    Raises:
        KeyError: the drawing is of another graph.
    """
    graph = graphs_dot.read(answer.structure.text)
    nodes = () if isinstance(graph, Failed) else graph.value.nodes
    return [list(boxes[node.id]) for node in nodes]


def _node(names: dict[str, str], node: Node) -> str:
    columns = _NARROW if node.type is NodeType.DECISION else _COLUMNS
    return f'{names[node.id]} [shape={SHAPES[node.type]} label="{write_label(node.text, columns)}"]'


def _edge(names: dict[str, str], edge: Edge) -> str:
    marks = [f'label="{write_label(edge.label, _COLUMNS)}"'] if edge.label else []
    if not edge.directed:
        marks.append("dir=none")
    ends = f"{names[edge.source]} -> {names[edge.target]}"
    return f"{ends} [{' '.join(marks)}]" if marks else ends
