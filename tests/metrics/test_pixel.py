from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from metrics.colour import modal_colour
from metrics.pictures import PictureError
from metrics.pixel import METRIC, pixel, pixel_helm
from tests.metrics.golden_pairs import golden_pair, golden_params

SMALL = arrays.arrays(
    np.uint8,
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(3)),
    elements=st.sampled_from([0, 3, 128, 250, 255]),
)


def flat(level: int, height: int = 8, width: int = 8) -> np.ndarray:
    return np.full((height, width, 3), level, np.uint8)


def with_ink(ink: list[tuple[int, int]], level: int = 0) -> np.ndarray:
    image = flat(255)
    for row, column in ink:
        image[row, column] = level
    return image


@given(SMALL)
@settings(deadline=None)
def test_identical_pictures_score_one(image):
    assert pixel(image, image) == 1.0


@given(SMALL, st.randoms())
@settings(deadline=None)
def test_range(image, random):
    other = np.array([random.randrange(256) for _ in range(image.size)], np.uint8)
    value = pixel(other.reshape(image.shape), image)
    assert 0.0 <= value <= 1.0


def test_share_of_the_pixels_that_matter():
    reference = with_ink([(0, 0), (0, 1), (0, 2), (0, 3)])
    prediction = with_ink([(0, 0), (0, 1), (0, 2), (5, 5)])
    # four of reference and one more of the prediction matter; three of them agree
    assert pixel(prediction, reference) == pytest.approx(3 / 5)


def test_blank_prediction_of_a_drawing_scores_zero():
    assert pixel(flat(255), with_ink([(1, 1)])) == 0.0


@pytest.mark.parametrize("difference", [1, 5])
def test_small_differences_are_tolerated_in_both_directions(difference):
    darker, lighter = flat(100), flat(100 + difference)
    assert pixel(darker, lighter) == pixel(lighter, darker) == 1.0


def test_difference_beyond_tolerance_counts():
    assert pixel(flat(100), flat(106)) == pixel(flat(106), flat(100)) == 0.0


def test_eight_bit_difference_does_not_wrap():
    assert pixel(with_ink([(2, 2)], 255 - 6), with_ink([(2, 2)], 0)) == 0.0


def test_modal_colour_is_the_first_in_rgb_order_of_several():
    image = np.array([[[9, 0, 0], [9, 0, 0], [0, 200, 9], [0, 200, 9]]], np.uint8)
    assert modal_colour(image).tolist() == [0, 200, 9]


def test_sizes_must_agree():
    with pytest.raises(PictureError, match="differ in size"):
        pixel(flat(0, 8, 8), flat(0, 8, 9))


@pytest.mark.parametrize(("name", "entry"), golden_params())
def test_helm_value(name, entry):
    assert pixel_helm(*golden_pair(entry)) == pytest.approx(entry["pixel_similarity"], abs=1e-12)


def test_helm_rows_wrap_and_blank_pages_score_zero():
    assert pixel_helm(flat(255), flat(255)) == 0.0
    striped = np.arange(8, dtype=np.uint8).reshape(8, 1, 1) + np.zeros((8, 8, 3), np.uint8)
    assert pixel_helm(striped + 1, striped) > pixel_helm(striped, striped + 1)


def test_metric_says_what_it_is():
    assert (METRIC.name, METRIC.range, METRIC.higher_is_better) == ("pixel", (0.0, 1.0), True)
