"""Backdrops: the same everywhere, a function of place, multiplied with what is drawn."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from benchmark.outcome import Failed, Kind, Ok
from renderers import canvas
from renderers.backdrop import Backdrop, apply, encode, read_backdrop

PATTERNS = ("plain", "dots", "grid", "lines", "stripes", "gradient", "blobs", "fibres")
COLOURS = {"colour": "#f4efe0", "ink": "#c0d0e0"}


def drawing(height: int = 600, width: int = 700) -> np.ndarray:
    array = np.full((height, width, 3), 255, np.uint8)
    array[20:60, 30:90] = (200, 30, 40)
    array[80:120, 30:90] = 0
    return array


def backdrop(pattern: str, noise: int = 0, seed: int = 7) -> Backdrop:
    return Backdrop(pattern=pattern, noise=noise, seed=seed, **COLOURS)


@pytest.mark.parametrize("noise", [0, 9])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_smaller_picture_has_the_same_backdrop(pattern, noise):
    whole = apply(drawing(), backdrop(pattern, noise))
    part = apply(drawing()[:311, :402], backdrop(pattern, noise))
    assert np.array_equal(part, whole[:311, :402])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_paper_shows_where_the_drawing_is_white_and_black_stays(pattern):
    result = apply(drawing(), backdrop(pattern))
    assert (result[80:120, 30:90] == 0).all()
    paper = result[drawing()[:, :, 0] == 255]
    low, high = np.array([0xC0, 0xD0, 0xE0]), np.array([0xF4, 0xEF, 0xE0])
    assert (paper >= low).all()
    assert (paper <= high).all()
    assert (len(np.unique(paper, axis=0)) == 1) == (pattern == "plain")


def test_every_pattern_and_seed_is_its_own():
    white = np.full((512, 512, 3), 255, np.uint8)
    made = [apply(white, backdrop(pattern)).tobytes() for pattern in PATTERNS]
    assert len(set(made)) == len(PATTERNS)
    for pattern in ("blobs", "fibres"):
        assert apply(white, backdrop(pattern, seed=8)).tobytes() not in made


def test_noise_is_gaussian_with_its_deviation():
    grey = np.full((512, 512, 3), 128, np.uint8)
    result = apply(grey, Backdrop(noise=20, seed=3)).astype(int)
    assert (result[:, :, 0] == result[:, :, 1]).all()
    values = result[:, :, 0] - 128
    assert abs(values.mean()) < 0.2
    assert abs(values.std() - 20) < 0.2
    assert abs((np.abs(values) <= 20).mean() - 0.683) < 0.02
    assert abs((np.abs(values) <= 40).mean() - 0.954) < 0.01
    other = apply(grey, Backdrop(noise=20, seed=4)).astype(int)[:, :, 0] - 128
    assert abs(np.corrcoef(values.ravel(), other.ravel())[0, 1]) < 0.01


def test_known_pixels():
    """Written down once: another platform or numpy must give the same."""
    made = [apply(drawing(), backdrop(pattern, 5)).tobytes() for pattern in PATTERNS]
    assert (
        hashlib.sha256(b"".join(made)).hexdigest()
        == "a899c9ec79f6f3be181a17ac5b757dc4983d1ec30c29cbc9adbf3b42ce6755a9"
    )


def test_nothing_is_changed_without_a_backdrop():
    before = drawing()
    assert np.array_equal(apply(before, Backdrop()), before)
    assert read_backdrop(None) == read_backdrop({}) == Ok(None)


@pytest.mark.parametrize("noise", [0, 5])
def test_encoding(noise):
    decoded = canvas.decode(encode(drawing(), backdrop("dots", noise)))
    assert np.array_equal(decoded.value, apply(drawing(), backdrop("dots", noise)))


@pytest.mark.parametrize(
    "value",
    [
        5, "dots", {"pattern": "photo"}, {"noise": 65}, {"noise": -1}, {"colour": "red"},
        {"step": 0}, {"seed": -1}, {"file": "/etc/passwd"},
    ],
)  # fmt: skip
def test_what_is_no_backdrop_is_refused(value):
    outcome = read_backdrop(value)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.UNSUPPORTED
