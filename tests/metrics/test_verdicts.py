"""The accuracy of verdicts, and their distribution against the truth."""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import registry
from metrics.verdicts import METRIC, SAID, distribution, verdict_accuracy
from tests.contracts.metric_contract import MetricContract

PAIRS = st.lists(
    st.tuples(st.sampled_from([*SAID[:4], None, 7, ["yes"]]), st.sampled_from(["yes", "no"])),
    max_size=20,
)


class TestVerdictAccuracy(MetricContract):
    metric: ClassVar = METRIC

    @property
    def samples(self):
        return [(said, truth) for said in SAID for truth in ("yes", "no")]


def test_is_registered():
    assert registry.metrics.get("verdict_accuracy") == METRIC


def test_unknown_and_unreadable_are_not_right_but_visible_apart():
    pairs = [("yes", "yes"), ("no", "yes"), ("unknown", "no"), ("unreadable", "no"), (None, "no")]
    counted = distribution(pairs)
    assert counted.truths == {"yes": 2, "no": 3}
    assert counted.said == {"yes": 1, "no": 1, "unknown": 1, "unreadable": 1, "failed": 1}
    assert counted.counts["no"] == {"yes": 0, "no": 0, "unknown": 1, "unreadable": 1, "failed": 1}
    assert (counted.n, counted.right, counted.accuracy) == (5, 1, 0.2)
    assert [verdict_accuracy(*pair) for pair in pairs] == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_of_no_question_there_is_no_accuracy():
    assert distribution([]).accuracy is None


@pytest.mark.parametrize("truth", ["unknown", "Yes", None, 1])
def test_a_truth_is_yes_or_no(truth):
    with pytest.raises(ValueError, match="yes or no"):
        distribution([("yes", truth)])


@given(PAIRS)
def test_every_question_is_counted_once_and_accuracy_is_the_mean(pairs):
    counted = distribution(pairs)
    assert counted.n == len(pairs) == sum(counted.said.values())
    if pairs:
        mean = sum(verdict_accuracy(*pair) for pair in pairs) / len(pairs)
        assert counted.accuracy == pytest.approx(mean)
