"""Agreement of two raters, against values by hand and by other libraries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.agreement import agreement, pearson, quadratic_kappa, spearman

HUMAN = [0, 1, 2, 3, 4, 5]
JUDGE = [1, 0, 3, 2, 5, 4]


def values(human, judge, groups=None):
    return {found.measure: found for found in agreement(human, judge, groups)}


class TestByHand:
    def test_pearson_and_spearman(self):
        # Centred sums: 17.5 each, cross product 14.5; the points are their own ranks.
        found = values(HUMAN, JUDGE)
        assert found["pearson"].value == pytest.approx(14.5 / 17.5)
        assert found["spearman"].value == pytest.approx(1 - 6 * 6 / (6 * 35))

    def test_kappa(self):
        # Squared differences: six ones, mean 1; by chance: twice the variance 35 / 12.
        assert values(HUMAN, JUDGE)["quadratic_kappa"].value == pytest.approx(1 - 1 / (35 / 6))

    def test_a_judge_that_is_always_two_points_too_generous(self):
        # r and rho see nothing of it; kappa = 1 - 4 / (2 + 2 + 4) of the variance 2.
        found = values([0, 1, 2, 3, 4], [2, 3, 4, 5, 6])
        assert found["pearson"].value == pytest.approx(1)
        assert found["spearman"].value == pytest.approx(1)
        assert found["quadratic_kappa"].value == pytest.approx(0.5)

    def test_ties_share_their_mean_rank(self):
        # Ranks 1.5 1.5 3 4 and 1 3 3 3: covariance sum 1.5·… = 2.25 / sqrt(4.5 · 3)
        found = spearman(np.array([[1.0, 1, 2, 3], [0, 5, 5, 5]]))
        assert found == pytest.approx(2.0 / np.sqrt(4.5 * 3))


points = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=30)


@settings(deadline=None)  # the first example loads the other libraries
@given(points)
def test_equals_what_other_libraries_give(pairs):
    from scipy import stats
    from sklearn.metrics import cohen_kappa_score

    human, judge = np.array(pairs, float).T
    array = np.array([human, judge])
    if len(set(human)) > 1 and len(set(judge)) > 1:
        assert pearson(array) == pytest.approx(stats.pearsonr(human, judge).statistic)
        assert spearman(array) == pytest.approx(stats.spearmanr(human, judge).statistic)
        theirs = cohen_kappa_score(human, judge, weights="quadratic", labels=list(range(6)))
        assert quadratic_kappa(array) == pytest.approx(theirs)
    else:
        assert pearson(array) is None


class TestUndefined:
    @pytest.mark.parametrize("n", [0, 1, 2])
    def test_too_few_pairs(self, n):
        found = values([1.0] * n, [2.0] * n)
        assert all(one.value is None for one in found.values())
        assert found["pearson"].reason.endswith("3 are needed")

    def test_a_rater_who_always_gives_the_same(self):
        found = values([3, 3, 3], [1, 2, 3])
        assert {one.value for one in found.values()} == {None}
        assert {one.reason for one in found.values()} == {"undefined: all human points are equal"}

    def test_both_always_give_the_same(self):
        found = values([3, 3, 3], [3, 3, 3])["quadratic_kappa"]
        assert (found.value, found.reason) == (
            None,
            "undefined: all human and judge points are equal",
        )

    def test_points_that_hardly_differ(self):
        found = values([1e-300, 2e-300, 3e-300], [1e-300, 2e-300, 4e-300])["quadratic_kappa"]
        assert (found.value, found.reason) == (None, "undefined: the points hardly differ")

    @pytest.mark.parametrize(
        "bad", [([1, 2, 3], [1, 2]), ([1, 2, np.nan], [1, 2, 3]), ([1, 2, 1e308], [1, 2, 3])]
    )
    def test_what_does_not_pair_is_an_error(self, bad):
        with pytest.raises(ValueError, match=r"pair|finite"):
            agreement(*bad)


class TestIntervals:
    def test_hold_the_value_and_come_from_the_seed(self):
        rng = np.random.default_rng(1)
        human = rng.integers(0, 6, 60)
        judge = np.clip(human + rng.integers(-1, 2, 60), 0, 5)
        found = agreement(human, judge)
        for one in found:
            assert -1 <= one.low < one.value < one.high <= 1
        assert found == agreement(human, judge)
        assert found != agreement(human, judge, seed=1)

    def test_pairs_of_one_instance_are_drawn_together(self):
        rng = np.random.default_rng(2)
        human = rng.integers(0, 6, 15)
        judge = np.clip(human + rng.integers(-2, 3, 15), 0, 5)
        many = (np.tile(human, 4), np.tile(judge, 4))
        together = values(*many, [f"q{number % 15}" for number in range(60)])["pearson"]
        apart = values(*many)["pearson"]
        assert together.value == pytest.approx(apart.value)
        assert together.high - together.low > 1.5 * (apart.high - apart.low)

    @pytest.mark.parametrize("instances", [1, 3, 9])
    def test_few_instances_have_none(self, instances):
        groups = [number % instances for number in range(12)]
        found = values(range(12), range(12), groups)["pearson"]
        assert (found.value, found.low) == (pytest.approx(1), None)
        assert found.reason == "no interval: fewer than 10 instances"

    def test_mostly_undefined_draws_have_none(self):
        found = values([5] + [0] * 40, [5] + [0] * 40)["pearson"]
        assert found.value == pytest.approx(1)
        assert found.low is not None, "63 % of draws hold the one that differs"
