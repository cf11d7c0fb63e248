"""Exact match of answers, and MindBench's F1 of it."""

from __future__ import annotations

import pytest

from benchmark.protocols import Metric
from metrics.vqa import METRIC, vqa_f1, vqa_match


def test_metric_keeps_the_contract() -> None:
    assert isinstance(METRIC, Metric)
    assert METRIC("x", "x") == METRIC.best


def test_white_space_of_the_answer_does_not_count() -> None:
    assert vqa_match(" 4\n", "4") == 1.0
    assert vqa_match("two\twords", "two words") == 1.0
    assert vqa_match("Four", "four") == 0.0
    assert vqa_match(" 4", " 4") == 1.0


def test_f1_lies_above_the_share_of_right_answers() -> None:
    assert vqa_f1(["a", "b"], ["a", "c"]) == pytest.approx(2 / 3)
    assert vqa_f1(["a"], ["a"]) == 1.0
    assert vqa_f1(["a"], ["b"]) == 0.0


def test_f1_refuses_what_it_cannot_score() -> None:
    with pytest.raises(ValueError, match="no questions"):
        vqa_f1([], [])
    with pytest.raises(ValueError, match="do not fit"):
        vqa_f1(["a"], ["a", "b"])
    with pytest.raises(TypeError, match="sequences of texts"):
        vqa_f1("abc", "abc")
