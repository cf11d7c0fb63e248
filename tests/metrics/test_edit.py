from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.edit import edit, edit_helm, tokens


def test_tokens_are_commands_words_and_symbols():
    assert tokens(r"\frac{a1}{b} + 中文 c' <p>") == [
        "\\frac",
        "{",
        "a1",
        "}",
        "{",
        "b",
        "}",
        "+",
        "中",
        "文",
        "c",
        "'",
        "<",
        "p",
        ">",
    ]


@given(st.text(), st.text())
@settings(deadline=None)
def test_range_and_symmetry(first, second):
    value = edit(first, second)
    assert 0.0 <= value <= 1.0
    assert value == edit(second, first)
    assert edit(first, first) == 1.0


@pytest.mark.parametrize(
    ("prediction", "reference", "expected"),
    [
        ("a b c d", "a b x d", 3 / 4),
        ("a b", "a b c d", 2 / 4),
        ("", "a b", 0.0),
        ("", "", 1.0),
        ("a  b\n", "a b", 1.0),
    ],
)
def test_unit_costs_over_the_longer_text(prediction, reference, expected):
    assert edit(prediction, reference) == pytest.approx(expected)


def test_helm_forgives_an_answer_that_stops_early():
    assert edit_helm("a b", "a b c d") == 1.0
    assert edit("a b", "a b c d") == 0.5


def test_helm_gives_zero_to_empty_texts():
    assert edit_helm("", "") == edit_helm("", "a") == edit_helm("a", "") == 0.0
