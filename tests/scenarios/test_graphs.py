"""The graph model: canonical JSON there and back, limits, drawing and reading back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.limits import GRAPH_EDGES, GRAPH_NODES, GRAPH_TEXT, GRAPH_TEXTS
from benchmark.outcome import Failed, Kind, Ok
from scenarios import graphs_dot
from scenarios.graph_drawing import to_dot
from scenarios.graphs import Edge, Graph, Node, NodeType, from_json, to_json, to_text

CHART = Graph(
    (
        Node("a", "Start", NodeType.TERMINAL),
        Node("b", 'Is "x" \\ y & z?', NodeType.DECISION, "Lane 一"),
        Node("c", "读取数据", NodeType.INPUT_OUTPUT, "Lane 一"),
        Node("d", "", NodeType.OTHER),
    ),
    (
        Edge("a", "b"),
        Edge("b", "c", "yes"),
        Edge("b", "c", "no"),
        Edge("c", "c"),
        Edge("c", "d", directed=False),
    ),
)


def node(name: str) -> dict:
    return {"id": name, "text": "x", "type": "process"}


def test_json_there_and_back():
    read = from_json(to_json(CHART))
    assert isinstance(read, Ok)
    assert read.value == CHART


def test_text_names_what_edges_join():
    assert to_text(CHART).split("\n")[1] == '[decision] Is "x" \\ y & z? (Lane 一)'
    assert to_text(CHART).split("\n")[-1] == "读取数据 -- "


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {"nodes": []},
        {"nodes": {}, "edges": []},
        {"nodes": [1], "edges": []},
        {"nodes": [{"id": "a", "text": "x", "type": "box"}], "edges": []},
        {"nodes": [{"id": "a", "text": 1, "type": "process"}], "edges": []},
        {"nodes": [node("a"), node("a")], "edges": []},
        {"nodes": [node("a")], "edges": [{"source": "a", "target": "b"}]},
        {"nodes": [node("a")], "edges": [{"source": "a", "target": "a", "directed": 1}]},
    ],
)
def test_anything_else_is_a_failure(value):
    read = from_json(value)
    assert isinstance(read, Failed)
    assert read.kind is Kind.PARSE_ERROR


@pytest.mark.parametrize(
    "graph",
    [
        Graph(tuple(Node(str(n), "") for n in range(GRAPH_NODES + 1))),
        Graph((Node("a", ""),), (Edge("a", "a"),) * (GRAPH_EDGES + 1)),
        Graph((Node("a", "x" * (GRAPH_TEXT + 1)),)),
        Graph(tuple(Node(str(n), "x" * 1000) for n in range(GRAPH_TEXTS // 1000 + 1))),
    ],
    ids=["nodes", "edges", "text", "texts"],
)
def test_limits(graph):
    read = from_json(to_json(graph))
    assert isinstance(read, Failed)
    assert read.kind is Kind.RESOURCE_LIMIT


def renamed(graph: Graph) -> Graph:
    names = {one.id: f"n{number}" for number, one in enumerate(graph.nodes)}
    nodes = (Node(names[n.id], n.text, n.type, n.group) for n in graph.nodes)
    edges = (Edge(names[e.source], names[e.target], e.label, e.directed) for e in graph.edges)
    return Graph(tuple(nodes), tuple(edges))


def test_what_is_drawn_is_read_back():
    read = graphs_dot.read(to_dot(CHART, "LR"))
    assert isinstance(read, Ok)
    assert read.value == renamed(CHART)


texts = st.lists(st.text('ab\\"<>{}|&;NGé是。', max_size=3), max_size=2).map(
    lambda words: " ".join("".join(words).split())
)


@given(st.lists(st.tuples(texts, st.sampled_from(NodeType)), min_size=1, max_size=5), texts)
def test_no_text_ends_its_label(nodes, label):
    graph = Graph(
        tuple(Node(f"n{n}", text, kind) for n, (text, kind) in enumerate(nodes)),
        (Edge("n0", f"n{len(nodes) - 1}", label),),
    )
    read = graphs_dot.read(to_dot(graph))
    assert isinstance(read, Ok)
    assert [n.type for n in read.value.nodes] == [n.type for n in graph.nodes]
    assert [n.text for n in read.value.nodes] == [n.text for n in graph.nodes]
    assert read.value.edges == graph.edges
