"""Intervals: defined everywhere, reproducible, wider where instances belong together."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.interval import BCA_DOCUMENTS, compare, mean_interval, rate_interval


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def test_nothing_has_no_mean() -> None:
    found = mean_interval([])
    assert (found.mean, found.low, found.high, found.n, found.clusters) == (None, None, None, 0, 0)


def test_one_document_has_no_interval() -> None:
    found = mean_interval([0.2, 0.4], ["paper", "paper"])
    assert found.mean == pytest.approx(0.3)
    assert (found.low, found.high, found.n, found.clusters) == (None, None, 2, 1)


def test_equal_documents_have_a_point() -> None:
    found = mean_interval([0.3] * 7)
    assert (found.mean, found.low, found.high) == pytest.approx((0.3, 0.3, 0.3))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=8), st.integers(0, 3))
def test_interval_holds_the_mean_and_stays_among_the_values(values, seed) -> None:
    found = mean_interval(values, seed=seed)
    assert min(values) - 1e-12 <= found.low <= found.mean <= found.high <= max(values) + 1e-12


def test_seed_decides() -> None:
    values = np.random.default_rng(5).random(40).tolist()
    assert mean_interval(values, seed=1) == mean_interval(values, seed=1)
    assert mean_interval(values, seed=1) != mean_interval(values, seed=2)


def test_repeated_documents_widen_the_interval() -> None:
    documents = np.random.default_rng(3).random(20)
    values = np.repeat(documents, 10).tolist()
    names = np.repeat(np.arange(20), 10).tolist()
    alone, together = mean_interval(values), mean_interval(values, names)
    assert alone.mean == together.mean
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_mean_is_over_instances_not_documents() -> None:
    found = mean_interval([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"])
    assert found.mean == 0.75
    assert (found.n, found.clusters) == (4, 2)


def test_width_is_that_of_the_normal_theory_for_many_values() -> None:
    for count in (400, BCA_DOCUMENTS + 1):
        values = np.random.default_rng(0).normal(0.5, 0.1, count)
        found = mean_interval(values.tolist())
        half = 1.96 * values.std(ddof=1) / np.sqrt(count)
        assert found.high - found.low == pytest.approx(2 * half, rel=0.15)


def test_a_perfect_rate_keeps_its_doubt() -> None:
    found = rate_interval([True] * 12)
    # Wilson's score interval: n / (n + z²) for n of n.
    assert (found.mean, found.high) == (1.0, 1.0)
    assert found.low == pytest.approx(12 / (12 + 1.959964**2), abs=1e-5)
    assert rate_interval([False] * 12).high == pytest.approx(1 - found.low)
    assert rate_interval([True] * 12, ["one"] * 12).low < found.low
    assert rate_interval([True, False, True, True]).mean == 0.75
    assert rate_interval([]).low is None


def test_comparison_of_two_models() -> None:
    first, second = [0.5, 0.6, 0.7, 0.8, 0.9, 1.0], [0.4, 0.4, 0.6, 0.5, 0.8, 0.7]
    found = compare(first, second)
    assert found.difference.mean == pytest.approx(1.1 / 6)
    assert found.difference.low > 0
    assert found.p_value == pytest.approx(2 / 2**6)  # all six differences point one way
    back = compare(second, first)
    assert back.difference.mean == pytest.approx(-found.difference.mean)
    assert back.p_value == found.p_value


def test_comparison_exchanges_whole_documents() -> None:
    first, second = [0.5] * 6, [0.4] * 6
    assert compare(first, second, list("aabbcc")).p_value == pytest.approx(2 / 2**3)


def test_degenerate_comparisons() -> None:
    assert compare([], []).p_value is None
    assert compare([], []).difference.mean is None
    assert compare([1.0], [0.0]).p_value is None
    same = compare([0.1, 0.9], [0.1, 0.9])
    assert (same.p_value, same.difference.low, same.difference.high) == (1.0, 0.0, 0.0)


def test_refuses_what_has_no_mean() -> None:
    with pytest.raises(ValueError, match="missing values"):
        mean_interval([0.5, float("nan")])
    with pytest.raises(ValueError, match="documents are named"):
        mean_interval([0.5], ["a", "b"])
    with pytest.raises(ValueError, match="same instances"):
        compare([0.5], [0.5, 0.6])
