"""Flowcharts as graphs: the model, its canonical JSON, its text.

The canonical JSON form is::

    {"nodes": [{"id": "a", "text": "Start", "type": "terminal", "group": "Sales"}, …],
     "edges": [{"source": "a", "target": "b", "label": "yes", "directed": true}, …]}

Nodes and edges stand in the order in which they were first written, which says nothing. ``group``
is left out where there is none. Two nodes may have the same text; two edges may have the same ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from benchmark.limits import GRAPH_EDGES, GRAPH_NODES, GRAPH_TEXT, GRAPH_TEXTS
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok


class NodeType(StrEnum):
    """What a node stands for, as its outline says (the symbols of ISO 5807)."""

    TERMINAL = "terminal"
    """A begin or an end: an ellipse, a circle, a stadium."""
    PROCESS = "process"
    """A step: a box."""
    DECISION = "decision"
    """A question or a choice: a diamond."""
    INPUT_OUTPUT = "input_output"
    """Data that comes in or goes out: a parallelogram."""
    OTHER = "other"
    """Whatever else is drawn: documents, stores, preparations, bare text."""


@dataclass(frozen=True, slots=True)
class Node:
    """A node: a name that only the edges know, what is written in it, and what it stands for."""

    id: str
    text: str
    type: NodeType = NodeType.PROCESS
    group: str | None = None
    """What the swim-lane or frame around the node is called, the innermost one."""


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between two nodes, named by their ids."""

    source: str
    target: str
    label: str = ""
    directed: bool = True
    """Whether one end, and only one, has a head; without one, source and target are alike."""


@dataclass(frozen=True, slots=True)
class Graph:
    """A flowchart; the ends of every edge are among its nodes, whose ids are unique."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()


def to_json(graph: Graph) -> dict[str, JsonValue]:
    """Return the canonical JSON form."""
    nodes: list[JsonValue] = []
    for one in graph.nodes:
        node: dict[str, JsonValue] = {"id": one.id, "text": one.text, "type": one.type.value}
        nodes.append(node if one.group is None else {**node, "group": one.group})
    edges: list[JsonValue] = [
        {
            "source": one.source,
            "target": one.target,
            "label": one.label,
            "directed": one.directed,
        }
        for one in graph.edges
    ]
    return {"nodes": nodes, "edges": edges}


def to_text(graph: Graph) -> str:
    """Return the graph for readers: a line for each node, then one for each edge."""
    texts = {node.id: node.text for node in graph.nodes}
    lines = [
        f"[{node.type}] {node.text}" + (f" ({node.group})" if node.group else "")
        for node in graph.nodes
    ]
    for edge in graph.edges:
        arrow = "->" if edge.directed else "--"
        label = f": {edge.label}" if edge.label else ""
        lines.append(f"{texts[edge.source]} {arrow} {texts[edge.target]}{label}")
    return "\n".join(lines)


def from_json(value: JsonValue) -> Outcome[Graph]:
    """Read the canonical form.

    Returns:
        The graph, or a failure of stage parse: parse_error (anything else than the canonical form,
        an end of an edge that is no node, an id given twice), resource_limit (more nodes, edges or
        text than ``benchmark.limits`` has).
    """
    if not isinstance(value, dict) or not {"nodes", "edges"} <= value.keys():
        return _failed("a graph is an object with nodes and edges")
    try:
        graph = Graph(
            tuple(_node(item) for item in _items(value["nodes"])),
            tuple(_edge(item) for item in _items(value["edges"])),
        )
    except _Malformed as malformed:
        return _failed(str(malformed))
    ids = {node.id for node in graph.nodes}
    if len(ids) != len(graph.nodes):
        return _failed("two nodes have one id")
    if any(edge.source not in ids or edge.target not in ids for edge in graph.edges):
        return _failed("an edge ends at a node that is not there")
    fault = find_excess(graph.nodes, graph.edges)
    return fault or ok(graph)


def find_excess(nodes: Iterable[Node], edges: Iterable[Edge]) -> Failed | None:
    """Return the failure of a graph that is larger than the limits allow, if it is."""
    nodes, edges = list(nodes), list(edges)
    if len(nodes) > GRAPH_NODES:
        return too_large(f"the graph has more than {GRAPH_NODES} nodes")
    if len(edges) > GRAPH_EDGES:
        return too_large(f"the graph has more than {GRAPH_EDGES} edges")
    total = 0
    for text in _texts(nodes, edges):
        total += len(text)
        if len(text) > GRAPH_TEXT:
            return too_large(f"a text has more than {GRAPH_TEXT} characters")
    if total > GRAPH_TEXTS:
        return too_large(f"the texts have more than {GRAPH_TEXTS} characters together")
    return None


def too_large(message: str) -> Failed:
    """Return the failure of what exceeds a limit."""
    return Failed.of(Stage.PARSE, Kind.RESOURCE_LIMIT, message)


class _Malformed(ValueError):
    """A value that is no part of a graph."""


def _texts(nodes: list[Node], edges: list[Edge]) -> Iterator[str]:
    for node in nodes:
        yield from (node.id, node.text, node.group or "")
    for edge in edges:
        yield edge.label


def _items(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise _Malformed("nodes and edges are lists")
    return value


def _node(value: JsonValue) -> Node:
    if not isinstance(value, dict):
        raise _Malformed("a node is an object")
    group = value.get("group")
    texts = (value.get("id"), value.get("text"))
    if not all(isinstance(one, str) for one in texts) or not isinstance(group, str | None):
        raise _Malformed("a node has an id and a text, and perhaps a group")
    if value.get("type") not in list(NodeType):
        raise _Malformed(f"the type of a node is one of {', '.join(NodeType)}")
    return Node(str(texts[0]), str(texts[1]), NodeType(str(value["type"])), group)


def _edge(value: JsonValue) -> Edge:
    if not isinstance(value, dict):
        raise _Malformed("an edge is an object")
    texts = [value.get("source"), value.get("target"), value.get("label", "")]
    directed = value.get("directed", True)
    if not all(isinstance(one, str) for one in texts) or not isinstance(directed, bool):
        raise _Malformed("an edge has a source and a target, a label and whether it is directed")
    return Edge(str(texts[0]), str(texts[1]), str(texts[2]), directed)


def _failed(message: str) -> Failed:
    return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message)
