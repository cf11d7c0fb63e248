"""Field F1 against its definition, in both forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.protocols import Metric
from metrics.extraction import (
    METRIC,
    METRIC_DONUT,
    FieldCounts,
    corpus_field_f1,
    corpus_field_f1_donut,
    field_counts,
    field_f1,
    field_f1_donut,
)

values = st.recursive(
    st.one_of(st.text("ab ", max_size=2), st.integers(0, 2), st.booleans(), st.none()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(values, values)
def test_properties(one: object, other: object) -> None:
    for metric in (METRIC, METRIC_DONUT):
        assert metric(one, one) == metric.best == 1.0
        assert 0.0 <= metric(one, other) <= 1.0
        assert metric(one, other) == metric(other, one)


def test_metrics_keep_the_contract() -> None:
    assert isinstance(METRIC, Metric)
    assert isinstance(METRIC_DONUT, Metric)
    assert (METRIC.name, METRIC_DONUT.name) == ("field_f1", "field_f1_donut")


def test_worked_example() -> None:
    prediction = {"a": "x", "b": ["y", "z"]}
    reference = {"a": "x", "b": ["z"], "c": "w"}
    assert field_counts(prediction, reference) == FieldCounts(2, 3, 3)
    assert field_f1(prediction, reference) == pytest.approx(2 / (2 + (1 + 1) / 2))


def test_a_field_is_matched_as_often_as_it_occurs_in_both() -> None:
    assert field_counts({"a": ["x", "x", "x"]}, {"a": ["x", "x"]}) == FieldCounts(2, 3, 2)


def test_level_counts_position_does_not() -> None:
    assert field_f1({"a": ["x", "y"]}, {"a": ["y", "x"]}) == 1.0
    assert field_f1({"a": [{"b": "x"}]}, {"b": "x"}) == 0.0


def test_dots_in_keys_tell_fields_apart_in_the_plain_form() -> None:
    assert field_f1_donut({"a.b": "x"}, {"a": {"b": "x"}}) == 1.0
    assert field_f1({"a.b": "x"}, {"a": {"b": "x"}}) == 0.0


def test_objects_in_mixed_lists_count_in_the_plain_form() -> None:
    prediction, reference = {"a": ["x"]}, {"a": ["x", {"b": "lost"}]}
    assert field_f1_donut(prediction, reference) == 1.0
    assert field_f1(prediction, reference) == pytest.approx(2 / 3)


@pytest.mark.parametrize("metric", [field_f1, field_f1_donut])
def test_empty_values_are_defined(metric) -> None:
    assert metric({}, {}) == 1.0
    assert metric({"a": "x"}, {}) == 0.0
    assert metric({}, {"a": "x"}) == 0.0


def test_corpus_is_micro_averaged() -> None:
    pairs = [({"a": "x"}, {"a": "x"}), ({"a": ["p", "q", "r"]}, {"a": ["s", "t", "u"]})]
    assert corpus_field_f1(pairs) == pytest.approx(2 * 1 / (4 + 4))
    assert corpus_field_f1_donut(pairs) == corpus_field_f1(pairs)
    assert corpus_field_f1([]) == 1.0
