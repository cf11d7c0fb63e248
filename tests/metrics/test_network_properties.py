"""Properties of the metrics with networks, and of answer matching, for any input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from benchmark.protocols import MetricUnavailable
from metrics.cis import build, cis_batch
from metrics.lpips import lpips
from metrics.vqa import METRIC as VQA
from metrics.vqa import vqa_match

few = settings(
    max_examples=4,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
sizes = st.tuples(st.integers(1, 24), st.integers(1, 24))


def pictures(size: tuple[int, int]) -> st.SearchStrategy[np.ndarray]:
    """Pictures of one size, of few colours and of many."""
    flat = st.integers(0, 255).map(lambda grey: np.full((*size, 3), grey, np.uint8))
    seeds = st.integers(0, 2**32 - 1)
    noise = seeds.map(lambda s: np.random.default_rng(s).integers(0, 256, (*size, 3), np.uint8))
    return flat | noise | arrays.arrays(np.uint8, (*size, 3), fill=st.integers(0, 255))


pairs = sizes.flatmap(lambda size: st.tuples(pictures(size), pictures(size)))
WHITE, BLACK = (np.full((30, 30, 3), grey, np.uint8) for grey in (255, 0))


def check(value: float) -> None:
    assert isinstance(value, float)
    assert math.isfinite(value)
    assert 0.0 <= value <= 1.0


class TestLpips:
    @pytest.mark.parametrize("net", ["vgg", "alex"])
    def test_range_and_identity(self, net):
        try:
            lpips(WHITE, WHITE, net=net)
        except MetricUnavailable as reason:
            pytest.skip(str(reason))

        @few
        @given(pairs)
        @example((WHITE, BLACK))
        def hold(pair):
            prediction, reference = pair
            assert lpips(prediction, prediction, net=net) == 1.0
            check(lpips(prediction, reference, net=net))

        hold()


class TestCis:
    @pytest.fixture(scope="class")
    def network(self):
        return build(seed=11)

    def test_range_and_identity(self, network):
        @few
        @given(pairs)
        @example((WHITE, BLACK))
        def hold(pair):
            prediction, reference = pair
            same, value = cis_batch([prediction] * 2, [prediction, reference], model=network)
            assert same == 1.0
            check(value)

        hold()


class TestVqaMatch:
    def test_a_text_matches_itself(self):
        @given(st.text())
        @example("")
        @example(" padded\n")
        @example("\ud83d")
        def hold(text):
            assert VQA(text, text) == VQA.best

        hold()

    def test_either_right_or_wrong(self):
        @given(st.text(), st.text())
        def hold(prediction, reference):
            assert vqa_match(prediction, reference) in (0.0, 1.0)

        hold()

    def test_white_space_around_an_answer_does_not_count(self):
        words = st.text("abcXYZ019 é中", min_size=1).map(str.strip).filter(bool)
        spaces = st.text(" \t\n", max_size=4)

        @given(words, spaces, spaces)
        def hold(words, before, after):
            assert vqa_match(f"{before}{words}{after}", words) == 1.0
            assert vqa_match(f"{words}!", words) == 0.0

        hold()
