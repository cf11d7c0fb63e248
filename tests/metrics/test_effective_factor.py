"""FlowCE's score of extracted texts, by its properties, and the measures beside it."""

from __future__ import annotations

from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import registry
from benchmark.protocols import Needs
from metrics import effective_factor as ef
from tests.contracts.metric_contract import SAMPLES, MetricContract

WORDS = st.text(min_size=1, max_size=6)
TEXTS = st.lists(WORDS, max_size=8)
RIGHT = st.lists(
    st.sampled_from(["Start", "End", "Is it?", "Yes", "No", "1,326"]), min_size=1, max_size=8
)
PAIRS = [
    *SAMPLES[Needs.TREES],
    (["a"], ["A", "b"]),
    (["a", "a"], ["a"]),
    ([], ["a"]),
    (["a"], []),
    (["?"], ["？", 3]),
]


class _Contract(MetricContract):
    @property
    def samples(self):
        return PAIRS


class TestScore(_Contract):
    metric: ClassVar = ef.SCORE


class TestFactor(_Contract):
    metric: ClassVar = ef.FACTOR


class TestPrecision(_Contract):
    metric: ClassVar = ef.PRECISION


class TestRecall(_Contract):
    metric: ClassVar = ef.RECALL


class TestF1(_Contract):
    metric: ClassVar = ef.F1


METRICS = (ef.SCORE, ef.FACTOR, ef.PRECISION, ef.RECALL, ef.F1)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_is_registered(metric):
    assert registry.metrics.get(metric.name) == metric


def test_the_papers_formula_by_hand():
    label = ["Start", "Check", "Yes", "No", "End"]
    found = ef.match(["start", "check", "Yes", "Maybe", "Retry"], label)
    assert (found.found, found.wrong, found.wanted) == (3, 2, 5)
    assert found.factor == 0.8**2
    initial = 2 * 0.8**2
    assert found.score == pytest.approx(100 * (initial * 3) / (2 * 5))
    assert (found.precision, found.recall, found.f1) == (0.6, 0.6, 0.6)


@given(RIGHT, st.integers(0, 60))
def test_t_wrong_texts_make_the_factor_delta_to_the_t(label, t):
    wrong = [f"wrong {number}" for number in range(t)]
    assert ef.effective_factor(label + wrong, label) == 0.8**t
    assert ef.effective_factor_score(label + wrong, label) == pytest.approx(100 * 0.8**t)


@given(TEXTS, TEXTS)
def test_all_values_lie_in_their_range(prediction, label):
    for metric in METRICS:
        low, high = metric.range
        assert low <= metric(prediction, label) <= high


@given(TEXTS)
def test_a_label_against_itself_is_the_best(label):
    assert all(metric(label, label) == metric.best for metric in METRICS)


@given(TEXTS, TEXTS, st.randoms(use_true_random=False))
def test_the_order_does_not_count(prediction, label, chance):
    shuffled, other = list(prediction), list(label)
    chance.shuffle(shuffled)
    chance.shuffle(other)
    assert all(metric(shuffled, other) == metric(prediction, label) for metric in METRICS)


@given(TEXTS, TEXTS)
def test_one_more_wrong_text_multiplies_the_score_by_delta(prediction, label):
    wrong = [*prediction, "a text that no generated label holds"]
    before, after = ef.match(prediction, label), ef.match(wrong, label)
    assert after.factor == pytest.approx(before.factor * 0.8)
    assert after.score == pytest.approx(before.score * 0.8 if label_holds(label) else 0.0)
    assert after.precision <= before.precision
    assert after.recall <= before.recall


def label_holds(label) -> bool:
    return ef.match([], label).wanted > 0


@given(RIGHT, TEXTS, st.integers(0, 20))
def test_one_more_right_text_never_lowers_anything(label, others, left_out):
    left_out %= len(label)
    without = [*label[:left_out], *label[left_out + 1 :], *others]
    assert all(m([*without, label[left_out]], label) >= m(without, label) for m in METRICS)


def test_texts_are_counted_with_multiplicity():
    assert ef.effective_factor_score(["Yes", "Yes"], ["yes", "YES"]) == 100.0
    assert ef.effective_factor_score(["Yes"], ["yes", "YES"]) == 50.0
    assert ef.effective_factor_score(["Yes", "Yes", "Yes"], ["yes", "YES"]) == pytest.approx(80.0)


def test_saying_nothing_is_harmless_and_worth_nothing():
    assert ef.effective_factor([], ["a"]) == 1.0
    assert ef.effective_factor_score([], ["a"]) == 0.0
    assert ef.effective_factor_score([], []) == 100.0
    assert ef.effective_factor_score(["a"], []) == 0.0


class TestNormalise:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Phase 1(N= 887)*", "phase 1 (N = 887) *"),
            ("Reach the threshold？", "Reach the threshold?"),
            ("Successful?", "successful"),
            ("“Let it be known!”", "Let it be known"),
            ("Null—check", "Null - check"),
            ("Excluded:\ufeff1.\ufeffAge<20", "Excluded: 1. Age<20"),
            ("ｓｔａｒｔ", "Start"),
            ("a\nb", "A b"),
            ("straße", "STRASSE"),
        ],
    )
    def test_forms_of_one_text_are_one(self, one, other):
        assert ef.normalise(one) == ef.normalise(other)

    @pytest.mark.parametrize(
        ("one", "other"), [("?", "!"), ("a>b", "a<b"), ("C1", "C2"), ("+", "")]
    )
    def test_other_texts_stay_apart(self, one, other):
        assert ef.normalise(one) != ef.normalise(other)

    @given(st.text())
    def test_a_second_time_changes_nothing(self, text):
        once = ef.normalise(text)
        assert ef.normalise(once) == once

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize("unit", ["?", '"', " ", ".'", "ﷺ", "\u0301"])
    def test_hostile_length(self, unit):
        assert isinstance(ef.normalise(unit * 200_000), str)


class TestHistogram:
    def test_counts_by_tenths(self):
        counted = ef.factor_histogram([1.0, 0.8, 0.8**2, 0.8**3, 0.0, 0.05])
        assert counted.counts == (2, 0, 0, 0, 0, 1, 1, 0, 1, 1)
        assert counted.n == 6
        assert counted.edges[0] == 0.0
        assert counted.edges[-1] == 1.0
        assert counted.mean == pytest.approx((1 + 0.8 + 0.64 + 0.512 + 0.05) / 6)

    def test_of_nothing_there_is_no_mean(self):
        assert ef.factor_histogram([]).mean is None

    @pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
    def test_what_is_no_factor_is_refused(self, value):
        with pytest.raises(ValueError, match="effective factor"):
            ef.factor_histogram([value])
