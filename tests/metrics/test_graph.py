"""Graph metrics: their contract, exact examples, properties, and another implementation."""

from __future__ import annotations

import itertools
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark import registry
from benchmark.protocols import Needs
from metrics import graph, graph_search
from metrics.graph import graph_edit
from metrics.graph_model import read_chart
from metrics.graph_search import align, similarities
from tests.contracts.metric_contract import SAMPLES, MetricContract

TYPES = ("process", "decision", "terminal")


def chart(nodes: str, edges: str = "") -> dict:
    """Write a graph: nodes as ``a:Text?`` (``?`` a decision), edges as ``a>b:label``, ``a-b``."""
    found = []
    for word in nodes.split(";") if nodes else []:
        name, _, text = word.partition(":")
        kind = "decision" if text.endswith("?") else "process"
        found.append({"id": name, "text": text, "type": kind})
    links = []
    for word in edges.split():
        ends, _, label = word.partition(":")
        directed = ">" in ends
        source, target = ends.split(">" if directed else "-")
        links.append({"source": source, "target": target, "label": label, "directed": directed})
    return {"nodes": found, "edges": links}


LOOP = chart("a:Start;b:Read n;c:n > 0?;d:Print n;e:End", "a>b b>c c>d:yes d>c c>e:no")
GRAPHS = [
    (LOOP, chart("x:Start;y:Read m;z:n > 0?;w:End", "x>y y>z z>w:no z>z:yes")),
    (chart(""), LOOP),
    (chart("a:x;b:x;c:x", "a>b b>c c>a"), chart("a:x;b:x;c:x", "a>b b>a c>c")),
    (chart("a:是;b:否", "a-b"), chart("a:是;b:否", "a>b")),
]


class GraphContract(MetricContract):
    @property
    def samples(self) -> list[tuple]:
        return [*GRAPHS, *SAMPLES[Needs.TREES]]


class TestNodeF1(GraphContract):
    metric: ClassVar = graph.NODE_F1


class TestEdgeF1(GraphContract):
    metric: ClassVar = graph.EDGE_F1


class TestEdgeLabelF1(GraphContract):
    metric: ClassVar = graph.EDGE_LABEL_F1


class TestNodeTypeAccuracy(GraphContract):
    metric: ClassVar = graph.NODE_TYPE_ACCURACY


class TestGraphEditSimilarity(GraphContract):
    metric: ClassVar = graph.GRAPH_EDIT_SIMILARITY


METRICS = [
    graph.NODE_F1,
    graph.EDGE_F1,
    graph.EDGE_LABEL_F1,
    graph.NODE_TYPE_ACCURACY,
    graph.GRAPH_EDIT_SIMILARITY,
]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_what_is_tested_is_what_is_registered(metric):
    assert registry.metrics.get(metric.name) == metric


def scores(prediction: dict, reference: dict) -> list[float]:
    return [pytest.approx(metric(prediction, reference)) for metric in METRICS]


class TestExamples:
    def test_a_text_is_worth_what_is_right_of_it(self):
        other = chart("a:Start;b:Read m;c:n > 0?;d:Print n;e:End", "a>b b>c c>d:yes d>c c>e:no")
        share = 1 - 1 / 6
        assert scores(other, LOOP) == [(4 + share) / 5, 1, 1, 1, (9 + 0.833) / 10]

    def test_a_missing_node_takes_its_edges_along(self):
        other = chart("a:Start;b:Read n;c:n > 0?;e:End", "a>b b>c c>e:no")
        assert scores(other, LOOP) == [8 / 9, 6 / 8, 2 / 3, 1, 14 / 17]

    def test_direction_counts(self):
        other = chart("a:Start;b:Read n;c:n > 0?;d:Print n;e:End", "b>a b>c c>d:yes d>c c>e:no")
        assert scores(other, LOOP) == [1, 0.8, 1, 1, 0.9]
        assert graph.edge_f1(chart("a:x1;b:y2", "a-b"), chart("a:x1;b:y2", "b-a")) == 1
        assert graph.edge_f1(chart("a:x1;b:y2", "a-b"), chart("a:x1;b:y2", "a>b")) == 0

    def test_labels_that_are_exchanged(self):
        other = chart("a:Start;b:Read n;c:n > 0?;d:Print n;e:End", "a>b b>c c>d:no d>c c>e:yes")
        assert scores(other, LOOP) == [1, 1, 0, 1, 0.9]

    def test_a_type_that_is_another(self):
        other = {**LOOP, "nodes": [{**node, "type": "terminal"} for node in LOOP["nodes"][:1]]}
        other["nodes"] += LOOP["nodes"][1:]
        assert scores(other, LOOP) == [1, 1, 1, 0.8, 1 - 0.5 / 20]

    def test_texts_with_little_in_common_are_not_aligned(self):
        assert align(read_chart(chart("a:abcd")), read_chart(chart("a:abxy"))).pairs == ((0, 0),)
        assert align(read_chart(chart("a:abcd")), read_chart(chart("a:axyz"))).pairs == ()

    def test_parallel_edges_are_counted(self):
        three = chart("a:x1;b:y2", "a>b:p a>b:q a>b")
        assert graph.edge_f1(chart("a:x1;b:y2", "a>b"), three) == 0.5
        assert graph.edge_label_f1(chart("a:x1;b:y2", "a>b:q"), three) == pytest.approx(2 / 3)

    def test_equal_texts_align_by_structure(self):
        reference = chart("q:ok?;a:Print;b:Print;c:End;d:End;e:Log", "q>a:yes q>b:no a>c b>e e>d")
        prediction = chart("1:End;2:End;3:Print;4:Print;5:Log;6:ok?", "6>3:no 6>4:yes 4>2 3>5 5>1")
        assert scores(prediction, reference) == [1, 1, 1, 1, 1]

    def test_equal_texts_align_by_labels_where_edges_are_alike(self):
        reference = chart("q:ok?;a:End;b:End", "q>a:yes q>b:no")
        for edges in ("q>a:no q>b:yes", "q>b:yes q>a:no"):
            assert graph.edge_label_f1(chart("q:ok?;a:End;b:End", edges), reference) == 1

    def test_the_edit_distance_may_align_what_texts_do_not(self):
        prediction = chart("a:one;b:two;c:three", "a>b b>c c>a")
        reference = chart("a:uno;b:dos;c:vier", "a>b b>c c>a")
        assert graph.edge_f1(prediction, reference) == 0
        assert graph_edit(prediction, reference).distance == pytest.approx(6)

    def test_nothing_against_nothing_and_something(self):
        for metric in METRICS:
            assert metric(None, {"nodes": 3}) == 1
            assert metric({}, LOOP) == 0


texts = st.sampled_from(["a", "b", "ab", "abc", ""])
labels = st.sampled_from(["", "yes", "no"])


@st.composite
def charts(draw, most: int = 6) -> dict:
    size = draw(st.integers(0, most))
    nodes = [
        {"id": str(n), "text": draw(texts), "type": draw(st.sampled_from(TYPES))}
        for n in range(size)
    ]
    ends = st.integers(0, max(0, size - 1)).map(str)
    edge = st.fixed_dictionaries(
        {"source": ends, "target": ends, "label": labels, "directed": st.booleans()}
    )
    return {"nodes": nodes, "edges": draw(st.lists(edge, max_size=7)) if size else []}


@st.composite
def disguised(draw, value: dict) -> dict:
    """Return a graph with other ids, in another order, undirected edges turned."""
    names = {
        node["id"]: f"x{place}" for place, node in enumerate(draw(st.permutations(value["nodes"])))
    }
    nodes = [{**node, "id": names[node["id"]]} for node in draw(st.permutations(value["nodes"]))]
    edges = []
    for edge in draw(st.permutations(value["edges"])):
        ends = names[edge["source"]], names[edge["target"]]
        if not edge["directed"] and draw(st.booleans()):
            ends = ends[::-1]
        edges.append({**edge, "source": ends[0], "target": ends[1]})
    return {"nodes": nodes, "edges": edges}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_ids_and_order_change_nothing_and_all_is_symmetric(data):
    one, two = data.draw(charts()), data.draw(charts())
    one_again, two_again = data.draw(disguised(one)), data.draw(disguised(two))
    assert read_chart(one) == read_chart(one_again)
    for metric in METRICS:
        value = metric(one, two)
        assert 0 <= value <= 1
        assert metric(two, one) == value
        assert metric(one_again, two_again) == value
        assert metric(one, one_again) == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_one_edit_lowers_the_score(data):
    whole = data.draw(charts().filter(lambda value: value["nodes"]))
    nodes, edges = list(whole["nodes"]), list(whole["edges"])
    edit = data.draw(
        st.sampled_from(["text", "type", "more"] + (["less", "label"] if edges else []))
    )
    place = data.draw(st.integers(0, (len(edges) if edit in ("less", "label") else len(nodes)) - 1))
    lowered = {"graph_edit_similarity"}
    if edit == "text":
        nodes[place] = {**nodes[place], "text": nodes[place]["text"] + "!"}
        lowered |= {"node_f1"}
    elif edit == "type":
        nodes[place] = {**nodes[place], "type": "other"}
    elif edit == "more":
        nodes.append({"id": "new", "text": "quite new", "type": "process"})
        lowered |= {"node_f1"}
    elif edit == "less":
        del edges[place]
        lowered |= {"edge_f1"}
    else:
        edges[place] = {**edges[place], "label": "maybe"}
    other = {"nodes": nodes, "edges": edges}
    for metric in METRICS:
        if metric.name in lowered:
            assert metric(other, whole) < 1, metric.name


def least_distance(one: dict, two: dict) -> float:
    """Try every matching of small graphs with at most one edge between two nodes each way."""
    nodes, others = one["nodes"], two["nodes"]
    best = float("inf")
    places = [*range(len(others)), *([None] * len(nodes))]
    for matching in set(itertools.permutations(places, len(nodes))):
        cost = float(sum(target is None for target in matching))
        cost += len(others) - sum(target is not None for target in matching)
        names = {}
        for node, target in zip(nodes, matching, strict=True):
            if target is not None:
                names[node["id"]] = others[target]["id"]
                alike = similarities([node["text"]], [others[target]["text"]])[0, 0]
                same = node["type"] == others[target]["type"]
                cost += 2 * (1 - alike * (1 if same else 0.75))
        there = {(e["source"], e["target"]): e["label"] for e in two["edges"]}
        for edge in one["edges"]:
            facing = names.get(edge["source"]), names.get(edge["target"])
            if facing in there:
                label = there.pop(facing)
                cost += 1 - similarities([edge["label"]], [label])[0, 0]
            else:
                cost += 1
        best = min(best, cost + len(there))
    return best


def simple(value: dict) -> dict:
    """Keep the first of parallel edges, all directed."""
    edges = {(e["source"], e["target"]): {**e, "directed": True} for e in value["edges"]}
    return {**value, "edges": list(edges.values())}


@settings(max_examples=60, deadline=None)
@given(charts(4).map(simple), charts(4).map(simple))
def test_the_distance_is_the_least_of_all_matchings(one, two):
    found = graph_edit(one, two)
    assert found.exact
    assert found.distance == pytest.approx(least_distance(one, two), abs=0.02)


class TestLarge:
    """Graphs at the limits end, within the steps that are allowed."""

    @staticmethod
    def ring(size: int, text: str = "step") -> dict:
        nodes = [{"id": str(n), "text": text, "type": "process"} for n in range(size)]
        edges = [{"source": str(n), "target": str((n + 1) % size)} for n in range(size)]
        return {"nodes": nodes, "edges": edges}

    def test_two_thousand_nodes_that_look_alike(self):
        one, two = self.ring(2000), self.ring(1999)
        assert graph.node_f1(one, two) == pytest.approx(2 * 1999 / 3999)
        assert 0 < graph.edge_f1(one, two) <= 1
        found = graph_edit(one, two)
        assert not found.exact
        assert 0 <= found.similarity < 1

    def test_two_thousand_nodes_of_their_own(self):
        one, two = self.ring(2000), self.ring(2000)
        for number, node in enumerate(one["nodes"]):
            node["text"] = f"step {number * 7919}"
        for number, node in enumerate(two["nodes"]):
            node["text"] = f"step {number * 7919}"
        two["nodes"].reverse()
        assert graph.edge_f1(one, two) == 1

    def test_five_thousand_parallel_edges(self):
        nodes = [{"id": "a", "text": "x", "type": "process"}]
        edges = [{"source": "a", "target": "a", "label": str(n)} for n in range(5000)]
        one = {"nodes": nodes, "edges": edges}
        assert graph.graph_edit_similarity(one, {**one, "edges": edges[1:]}) < 1

    def test_the_bound_is_in_steps(self, monkeypatch):
        one = chart(";".join(f"{n}:a" for n in range(12)), "0>1 1>2 2>3 3>4 5>6 7>8 9>10 10>11")
        two = chart(";".join(f"{n}:a" for n in range(12)), "0>1 0>2 0>3 3>4 4>6 7>8 8>10 10>11")
        whole = graph_edit(one, two)
        monkeypatch.setattr(graph_search, "STEPS", 500)
        graph_search.align.cache_clear()
        bounded = graph_edit(one, two)
        graph_search.align.cache_clear()
        assert not bounded.exact
        assert bounded.distance >= whole.distance
