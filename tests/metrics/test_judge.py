"""The judged metrics, their scales and the offline judge."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import registry
from metrics.judge import METRIC_5, METRIC_10
from metrics.judge_lexical import TOKENS, similarity, tokens
from metrics.judge_scale import FIVE, TEN
from tests.contracts.metric_contract import MetricContract


class TestJudge5(MetricContract):
    metric = METRIC_5


class TestJudge10(MetricContract):
    metric = METRIC_10


@pytest.mark.parametrize("metric", [METRIC_5, METRIC_10], ids=lambda metric: metric.name)
def test_what_is_tested_is_registered_and_ends_where_its_scale_ends(metric):
    assert registry.metrics.get(metric.name) is metric
    assert metric.range == (metric.scale.low, metric.scale.high)
    assert {metric.scale.low, metric.scale.high} <= set(metric.scale.levels)


class TestSimilarity:
    def test_by_hand(self):
        # p = 4, r = 3, c = 3 (the, end, x), l = 2 (the, end): (3 + 2) / 7
        assert similarity("x the end now", "the end x") == pytest.approx(5 / 7)

    def test_case_width_and_punctuation_do_not_count(self):
        assert similarity("ＡＢＣ, done!", "abc done") == 1.0

    def test_order_counts(self):
        assert similarity("a above b", "b above a") < 1.0

    def test_chinese_is_compared_by_character(self):
        assert tokens("开始 step2") == ["开", "始", "step2"]
        assert 0 < similarity("检查库存", "检查订单") < 1

    def test_a_text_without_words_equals_only_itself(self):
        assert similarity("→", "→ ") == 1.0
        assert similarity("→", "←") == 0.0
        assert similarity("", "word") == 0.0

    def test_an_endless_answer_is_cut(self):
        assert len(tokens("a " * (TOKENS + 5))) == TOKENS

    @given(st.text(max_size=40), st.text(max_size=40))
    def test_symmetric_and_one_only_for_equal_tokens(self, one, other):
        value = similarity(one, other)
        assert value == similarity(other, one)
        assert 0 <= value <= 1
        if tokens(one) or tokens(other):
            assert (value == 1) == (tokens(one) == tokens(other))


def test_shares_become_points():
    assert [FIVE.place(share / 10) for share in (0, 1, 3, 5, 9, 10)] == [0, 1, 2, 3, 5, 5]
    assert [TEN.place(share) for share in (0.0, 0.05, 0.5, 1.0)] == [1, 1, 6, 10]
