"""nTED accuracy: published values, hard cases, and the distance against its plain definition."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from benchmark.protocols import Metric
from metrics.tree import (
    METRIC,
    METRIC_DONUT,
    nted_accuracy,
    nted_accuracy_donut,
    tree_distance,
    tree_distance_donut,
)
from metrics.tree_edit import distance
from metrics.tree_nodes import Nodes, nodes, nodes_donut
from tests.cases import case_input

texts = st.text(alphabet="ab <", max_size=4)
scalars = st.one_of(texts, st.integers(0, 12), st.booleans(), st.none())
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["text", "children", "a", "<leaf>k"]), inner, max_size=3),
    ),
    max_leaves=7,
)


def case_pair(identifier: str, folder: Path) -> tuple[object, object]:
    pair = json.loads(case_input(identifier, folder))
    return pair["pred"], pair["ref"]


def plain_distance(a: Nodes, b: Nodes) -> int:
    """The definition: the last tree of either forest is deleted, inserted or replaced."""
    kids_a, kids_b = a.children(), b.children()
    weight_a, weight_b = a.weights(), b.weights()

    def replace(i: int, j: int) -> int:
        one, other = a.texts[i], b.texts[j]
        if one is not None and other is not None:
            return Levenshtein.distance(one, other)
        if one is None and other is None:
            return int(a.labels[i] != b.labels[j])
        return 1 + len(one if one is not None else other or "")

    @cache
    def forests(one: tuple[int, ...], other: tuple[int, ...]) -> int:
        if not one and not other:
            return 0
        costs = []
        if one:
            rest = (*one[:-1], *kids_a[one[-1]])
            costs.append(forests(rest, other) + weight_a[one[-1]])
        if other:
            rest = (*other[:-1], *kids_b[other[-1]])
            costs.append(forests(one, rest) + weight_b[other[-1]])
        if one and other:
            below = forests(tuple(kids_a[one[-1]]), tuple(kids_b[other[-1]]))
            beside = forests(one[:-1], other[:-1])
            costs.append(below + beside + replace(one[-1], other[-1]))
        return min(costs)

    return forests((len(a) - 1,), (len(b) - 1,))


@settings(max_examples=300, deadline=None)
@given(values, values)
def test_distance_is_that_of_the_definition(one: object, other: object) -> None:
    assert distance(nodes(one), nodes(other)) == plain_distance(nodes(one), nodes(other))
    donut, other_donut = nodes_donut(one), nodes_donut(other)
    assert distance(donut, other_donut) == plain_distance(donut, other_donut)


@settings(max_examples=200, deadline=None)
@given(values, values)
def test_properties(one: object, other: object) -> None:
    for metric, raw in ((METRIC, tree_distance), (METRIC_DONUT, tree_distance_donut)):
        assert metric(one, one) == metric.best == 1.0
        assert 0.0 <= metric(one, other) <= 1.0
        assert metric(one, other) == raw(one, other).accuracy
        assert raw(one, other).distance == raw(other, one).distance


@settings(max_examples=200, deadline=None)
@given(values)
def test_size_is_the_distance_from_nothing(value: object) -> None:
    assert nodes(value).size() == distance(nodes({}), nodes(value))
    assert nodes_donut(value).size() == distance(nodes_donut({}), nodes_donut(value))


def test_metrics_keep_the_contract() -> None:
    assert isinstance(METRIC, Metric)
    assert isinstance(METRIC_DONUT, Metric)
    assert (METRIC.name, METRIC_DONUT.name) == ("nted_accuracy", "nted_accuracy_donut")


def test_worked_example() -> None:
    # <root>, text, the leaf ABCD: writing text and ABCD costs 1 + 4, the answer lacks CD.
    found = tree_distance({"text": "AB"}, {"text": "ABCD"})
    assert (found.distance, found.size, found.accuracy) == (2, 5, 0.6)


def test_order_of_keys_does_not_count() -> None:
    assert nted_accuracy({"b": "2", "a": "1"}, {"a": "1", "b": "2"}) == 1.0


def test_siblings_in_another_order(tmp_path: Path) -> None:
    prediction, reference = case_pair("mind-001", tmp_path)
    assert nted_accuracy(prediction, reference) == pytest.approx(0.8333333333333334, abs=1e-12)
    assert nted_accuracy_donut(prediction, reference) == pytest.approx(0.8333333333333334)


def test_zero_and_false_count_in_the_plain_form(tmp_path: Path) -> None:
    prediction, reference = case_pair("mind-003", tmp_path)
    assert nted_accuracy(prediction, reference) < 1.0
    assert nted_accuracy_donut(prediction, reference) == 1.0


def test_two_empty_values_are_equal(tmp_path: Path) -> None:
    prediction, reference = case_pair("mind-004", tmp_path)
    assert nted_accuracy(prediction, reference) == 1.0
    assert nted_accuracy_donut(prediction, reference) == 1.0


@pytest.mark.parametrize("metric", [nted_accuracy, nted_accuracy_donut])
def test_content_against_an_empty_reference_scores_nothing(metric) -> None:
    assert metric({"a": "x"}, {}) == 0.0
    assert metric({}, {"a": "x"}) == 0.0


def test_entities_are_not_resolved(tmp_path: Path) -> None:
    prediction, reference = case_pair("mind-006", tmp_path)
    assert nted_accuracy(prediction, reference) == pytest.approx(0.33333333333333337, abs=1e-12)


def test_clamped_score_keeps_its_distance(tmp_path: Path) -> None:
    prediction, reference = case_pair("mind-007", tmp_path)
    assert nted_accuracy(prediction, reference) == 0.0
    raw = tree_distance(prediction, reference)
    assert raw.distance == 5 * (30 + 2)  # five more items: subtree, key and 30 letters each
    assert raw.distance > raw.size


def test_three_hundred_leaves_on_one_level(tmp_path: Path) -> None:
    prediction, reference = case_pair("mind-015", tmp_path)
    assert nted_accuracy(prediction, reference) == pytest.approx(0.914187643020595, abs=1e-12)
    assert nted_accuracy_donut(prediction, reference) == pytest.approx(0.914187643020595)


def test_deep_trees_do_not_crash() -> None:
    def chain(end: str) -> dict:
        tree: dict = {"text": end}
        for _ in range(1200):
            tree = {"text": "x", "children": [tree]}
        return tree

    raw = tree_distance(chain("y"), chain("z"))
    assert raw.distance == 1
    assert tree_distance(chain("x"), {"text": "x"}).distance == 1200 * 4


def test_objects_in_mixed_lists_count_in_the_plain_form() -> None:
    reference = {"text": "A", "children": ["B", {"text": "C", "children": ["D"]}]}
    prediction = {"text": "A", "children": ["B"]}
    assert nted_accuracy_donut(prediction, reference) == 1.0
    assert nted_accuracy(prediction, reference) < 0.5


def test_runaway_answer_is_scored_without_being_compared(monkeypatch) -> None:
    def never(*_: object) -> int:
        raise AssertionError("compared")

    monkeypatch.setattr("metrics.tree.distance", never)
    assert nted_accuracy(["word"] * 100_000, {"text": "A"}) == 0.0


def test_what_says_nothing_is_left_out() -> None:
    assert nted_accuracy(
        {"text": "A", "note": None, "children": [{"text": " "}, []]}, {"text": "A"}
    )
    assert nodes({"a": [None, "", {}, {"b": []}]}).size() == 0
