"""Assignments and comparisons: what is read, what is not, and what comes out."""

import pytest

from scenarios.flowce.arithmetic import meant_by, read_assignment, read_comparison


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("i = 0", {"i": 7}, {"i": 0}),
        ("i = i + 1", {"i": 7}, {"i": 8}),
        ("total = total - i", {"i": 7, "total": 2}, {"i": 7, "total": -5}),
        ("j=i*2", {"i": 7}, {"i": 7, "j": 14}),
        ("i = k", {"i": 7}, {}),
    ],
)
def test_an_assignment_changes_its_variable(text, before, after):
    assert read_assignment(text).run(before) == after


@pytest.mark.parametrize(
    "text",
    ["i == 0", "i = a[lo]", "swap(i, j)", "i = i / 2", "i = j + k + 1", "x = 1.5", "", "i ="],
)
def test_what_means_more_is_no_assignment(text):
    assert read_assignment(text) is None


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("i > 0?", 0, False),
        ("i >= 100?", 100, True),
        ("a = 0?", 0, True),
        ("n ≠ 0？", 1, True),
        ("i % 2 == 0?", 7, False),
        ("x ≤ 3", 3, True),
    ],
)
def test_a_comparison_holds_or_not(text, value, holds):
    assert read_comparison(text).holds(value) is holds


@pytest.mark.parametrize("text", ["p < 0.05?", "i > j?", "a[i] != 0?", "i % 0 == 0?", "Is i zero?"])
def test_what_compares_more_is_no_comparison(text):
    assert read_comparison(text) is None


def test_answers_say_yes_or_no():
    assert [meant_by(word) for word in ("Yes", "真", "N", "不成立")] == [True, True, False, False]
    assert meant_by("maybe") is None
