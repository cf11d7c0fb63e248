"""Partial credit for lists and boxes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import registry
from metrics import answers
from metrics.answers import answer_f1, answer_iou, iou
from tests.contracts.metric_contract import MetricContract

BOX = st.tuples(*[st.integers(0, 999)] * 4).map(list)
ITEM = st.fixed_dictionaries({}, optional={"text": st.sampled_from("abc"), "box": BOX})
ANSWER = st.fixed_dictionaries({"items": st.lists(ITEM, max_size=5)})


def texts(*names: str) -> dict:
    return {"items": [{"text": name} for name in names]}


def boxes(*found, text: str | None = None) -> dict:
    named = {} if text is None else {"text": text}
    return {"items": [{**named, "box": list(box)} for box in found]}


class TestF1(MetricContract):
    metric = answers.METRIC_F1

    @property
    def samples(self) -> list[tuple]:
        return [*super().samples, (texts("a", "b"), texts("b")), (boxes((1, 2, 3, 4)), texts("a"))]


class TestIou(MetricContract):
    metric = answers.METRIC_IOU

    @property
    def samples(self) -> list[tuple]:
        return [*super().samples, (boxes((1, 2, 3, 4)), boxes((2, 2, 3, 5)))]


@pytest.mark.parametrize("metric", [answers.METRIC_F1, answers.METRIC_IOU], ids=lambda m: m.name)
def test_they_are_registered(metric):
    assert registry.metrics.get(metric.name) is metric


@pytest.mark.parametrize(
    ("prediction", "reference", "value"),
    [
        (texts("b", "a"), texts("a", "b"), 1.0),
        (texts("a"), texts("a", "b", "c"), 0.5),
        (texts("a", "x"), texts("a", "b"), 0.5),
        (texts("a"), texts("a", "a"), 2 / 3),
        (texts(), texts("a"), 0.0),
        (texts("a"), texts(), 0.0),
        (texts(), texts(), 1.0),
        (texts("A"), texts("a"), 0.0),
        (boxes((1, 2, 3, 4)), texts(), 0.0),
        (texts(), boxes((1, 2, 3, 4)), 0.0),
        (boxes((1, 2, 3, 4)), boxes((5, 6, 7, 8)), 1.0),
    ],
)
def test_set_f1(prediction, reference, value):
    assert answer_f1(prediction, reference) == pytest.approx(value)


@pytest.mark.parametrize(
    ("prediction", "reference", "value"),
    [
        (boxes((0, 0, 10, 10)), boxes((0, 0, 10, 10)), 1.0),
        (boxes((0, 0, 10, 10)), boxes((5, 0, 15, 10)), 1 / 3),
        (boxes((0, 0, 10, 10)), boxes((20, 0, 30, 10)), 0.0),
        (boxes((0, 0, 10, 10), (0, 0, 10, 10)), boxes((0, 0, 10, 10)), 0.5),
        (boxes(), boxes((0, 0, 10, 10)), 0.0),
        (texts("a"), boxes((0, 0, 10, 10), text="a"), 0.0),
        (boxes((0, 0, 10, 10), text="b"), boxes((0, 0, 10, 10), text="a"), 0.0),
        (boxes((5, 5, 5, 5)), boxes((5, 5, 5, 5)), 1.0),
        (boxes((5, 5, 5, 5)), boxes((6, 6, 6, 6)), 0.0),
        (boxes((10, 10, 0, 0)), boxes((0, 0, 10, 10)), 1.0),
        (boxes((0, 0, 10, 10), text="a"), boxes((0, 0, 10, 10)), 1.0),
        (boxes((0, 0, 10, 10)), boxes((0, 0, 10, 10), text="a"), 0.0),
        (texts("a"), texts(), 0.0),
        (texts(), texts("a"), 0.0),
        (texts("a"), texts("b"), 1.0),
        (texts(), texts(), 1.0),
        ({"items": [{}]}, texts(), 1.0),
        (boxes((0, 0, 10, 10**400)), boxes((0, 0, 10, 10)), 0.0),
        (boxes((0, 0, 10, float("inf"))), boxes((0, 0, 10, float("nan"))), 1.0),
    ],
)
def test_iou_of_answers(prediction, reference, value):
    assert answer_iou(prediction, reference) == pytest.approx(value)


@given(ANSWER, ANSWER)
def test_both_are_shares_and_one_for_equal_answers(one, other):
    for metric in (answer_f1, answer_iou):
        assert 0 <= metric(one, other) <= 1
        assert metric(one, one) == pytest.approx(1)
    assert answer_f1(one, other) == pytest.approx(answer_f1(other, one))
    if names(one) == names(other):
        assert answer_iou(one, other) == pytest.approx(answer_iou(other, one))


@given(ANSWER.filter(lambda answer: any(answer["items"])), st.sampled_from([None, [], "x"]))
def test_something_is_not_nothing(answer, nothing):
    for metric in (answer_f1, answer_iou):
        assert metric(answer, nothing) == metric(nothing, answer) == 0
        assert metric(nothing, {"items": []}) == 1


@given(ANSWER, ANSWER)
def test_texts_that_were_not_asked_for_do_not_count(prediction, reference):
    where = {"items": [item for item in reference["items"] if "text" not in item]}
    bare = {"items": [{"box": item["box"]} for item in prediction["items"] if "box" in item]}
    if where["items"] and bare["items"]:
        assert answer_iou(prediction, where) == answer_iou(bare, where)


def names(answer) -> bool:
    return any("text" in item for item in answer["items"])


@given(BOX, BOX)
def test_iou_agrees_with_counting_cells(one, other):
    small = [[number % 20 for number in box] for box in (one, other)]
    boxes_ = [(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in small]
    cells = [{(x, y) for x in range(b[0], b[2]) for y in range(b[1], b[3])} for b in boxes_]
    union = len(cells[0] | cells[1])
    expected = 1.0 if boxes_[0] == boxes_[1] else len(cells[0] & cells[1]) / union if union else 0.0
    assert iou(*boxes_) == pytest.approx(expected)
