"""Flowcharts as DOT: how a graph is drawn of which only the structure was written (Mermaid).

Labels are data, never DOT, as in ``scenarios.tree_drawing``; nodes are named n0, n1, … in order.
``scenarios.graphs_dot`` reads back what is written here, types and groups included.
"""

from __future__ import annotations

from scenarios.graphs import Edge, Graph, Node, NodeType
from scenarios.tree_drawing import write_label

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
    lines += [_node(names, node) for node in graph.nodes if node.group is None]
    groups = dict.fromkeys(node.group for node in graph.nodes if node.group is not None)
    for number, group in enumerate(groups):
        lines += [f"subgraph cluster_{number} {{", f'label="{write_label(group, _COLUMNS)}"']
        lines += [_node(names, node) for node in graph.nodes if node.group == group]
        lines.append("}")
    lines += [_edge(names, edge) for edge in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def _node(names: dict[str, str], node: Node) -> str:
    columns = _NARROW if node.type is NodeType.DECISION else _COLUMNS
    return f'{names[node.id]} [shape={SHAPES[node.type]} label="{write_label(node.text, columns)}"]'


def _edge(names: dict[str, str], edge: Edge) -> str:
    marks = [f'label="{write_label(edge.label, _COLUMNS)}"'] if edge.label else []
    if not edge.directed:
        marks.append("dir=none")
    ends = f"{names[edge.source]} -> {names[edge.target]}"
    return f"{ends} [{' '.join(marks)}]" if marks else ends
