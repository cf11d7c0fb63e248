"""Mean win rate as HELM defines it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.winrate import Column, Scored, mean_win_rates, win_rate_intervals, win_rates


def test_share_of_the_others_that_are_worse() -> None:
    assert win_rates(Column({"a": 0.9, "b": 0.5, "c": 0.1})) == {"a": 1.0, "b": 0.5, "c": 0.0}


def test_lower_is_better() -> None:
    column = Column({"a": 0.9, "b": 0.5}, higher_is_better=False)
    assert win_rates(column) == {"a": 0.0, "b": 1.0}


def test_ties_count_half() -> None:
    assert win_rates(Column({"a": 1.0, "b": 1.0, "c": 0.0})) == {"a": 0.75, "b": 0.75, "c": 0.0}
    assert win_rates(Column({"a": 0.5, "b": 0.5, "c": 0.5})) == dict.fromkeys("abc", 0.5)


def test_columns_with_fewer_than_two_models_are_skipped() -> None:
    columns = [Column({"a": 0.1, "b": 0.2}), Column({"a": 0.9, "b": None}), Column({"a": 0.9})]
    assert mean_win_rates(columns) == {"a": 0.0, "b": 1.0}


def test_a_missing_value_is_not_a_loss() -> None:
    columns = [
        Column({"a": 0.9, "b": 0.5, "c": 0.1}),
        Column({"a": 0.9, "b": None, "c": 0.1}),
    ]
    assert mean_win_rates(columns) == {"a": 1.0, "b": 0.5, "c": 0.0}


def test_without_rivals_there_is_no_rate() -> None:
    assert mean_win_rates([Column({"a": 0.9})]) == {"a": None}
    assert mean_win_rates([Column({"a": None, "b": None})]) == {"a": None, "b": None}
    assert mean_win_rates([]) == {}


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcd"), st.floats(0, 1), min_size=4),
        min_size=1,
        max_size=4,
    )
)
def test_rates_of_a_full_table_average_one_half(table: list[dict[str, float]]) -> None:
    rates = mean_win_rates([Column(values) for values in table])
    known = [rate for rate in rates.values() if rate is not None]
    assert all(0.0 <= rate <= 1.0 for rate in known)
    assert sum(known) / len(known) == pytest.approx(0.5)


def scored(values: np.ndarray, *, higher: bool = True) -> Scored:
    return Scored(values, np.ones_like(values), [higher] * len(values))


def test_interval_of_a_model_that_always_wins_is_a_point() -> None:
    values = np.random.default_rng(0).random((2, 2, 15))
    values[:, 0] += 1
    assert win_rate_intervals([scored(values)]) == [(1.0, 1.0), (0.0, 0.0)]
    assert win_rate_intervals([scored(values, higher=False)]) == [(0.0, 0.0), (1.0, 1.0)]


def test_interval_of_equal_models_is_one_half() -> None:
    values = np.tile(np.random.default_rng(0).random((3, 1, 20)), (1, 2, 1))
    assert win_rate_intervals([scored(values)]) == [(0.5, 0.5), (0.5, 0.5)]


def test_close_models_have_a_wide_interval() -> None:
    values = np.random.default_rng(0).normal(0.5, 0.1, (1, 2, 20))
    assert win_rate_intervals([scored(values)]) == [(0.0, 1.0), (0.0, 1.0)]


def test_intervals_are_reproducible_and_scenarios_are_drawn_apart() -> None:
    first = scored(np.random.default_rng(1).random((2, 3, 12)))
    second = scored(np.random.default_rng(2).random((1, 3, 30)))
    found = win_rate_intervals([first, second], seed=3)
    assert found == win_rate_intervals([first, second], seed=3)
    assert all(low <= high for low, high in found)


def test_intervals_where_nothing_is_compared() -> None:
    one_model = np.random.default_rng(1).random((2, 1, 12))
    one_document = np.random.default_rng(1).random((2, 3, 1))
    assert win_rate_intervals([scored(one_model)]) == [None]
    assert win_rate_intervals([scored(one_document)]) == [None, None, None]
    assert win_rate_intervals([]) == []


def test_a_scenario_of_one_document_counts_and_does_not_vary() -> None:
    close = scored(np.random.default_rng(0).normal(0.5, 0.1, (1, 2, 20)))
    single = scored(np.array([[[1.0], [0.0]]]))
    assert win_rate_intervals([close, single]) == [(0.5, 1.0), (0.0, 0.5)]
    assert win_rate_intervals([single, close]) == [(0.5, 1.0), (0.0, 0.5)]


def test_models_without_values_have_no_interval() -> None:
    values = np.random.default_rng(1).random((1, 3, 12))
    counts = np.ones_like(values)
    counts[:, 0] = 0
    found = win_rate_intervals([Scored(values * counts, counts, [True])])
    assert found[0] is None
    assert found[1] is not None
