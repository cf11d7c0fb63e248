"""Mean win rate as HELM defines it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.winrate import Column, mean_win_rates, win_rates


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
