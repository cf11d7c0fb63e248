"""The compiled parts of EMS against plain or independent implementations."""

from __future__ import annotations

import numpy as np
import PIL
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linear_sum_assignment, linprog

from metrics.colour import modal_colour
from metrics.ems_assignment import assignment
from metrics.ems_bounds import coarse, features, fine
from metrics.ems_inner import inner
from metrics.ems_patches import patch_grid, plain, too_wide_for_helm
from metrics.ems_resize import bicubic
from metrics.ems_simplex import transport
from metrics.ems_spread import one_grey, spread

SEEDS = st.integers(0, 2**32 - 1)
QUIET = settings(deadline=None, max_examples=40)

ROWS, COLUMNS = np.divmod(np.arange(64), 8)
WAYS = (np.abs(ROWS[:, None] - ROWS) + np.abs(COLUMNS[:, None] - COLUMNS)) / 8


def reference_transport(cost: np.ndarray, supply: np.ndarray, demand: np.ndarray) -> float:
    n, m = cost.shape
    rows = sparse.kron(sparse.eye(n), np.ones((1, m)))
    columns = sparse.kron(np.ones((1, n)), sparse.eye(m))
    equal = np.concatenate([supply, demand]).astype(float)
    constraint = sparse.vstack([rows, columns]).tocsr()
    return linprog(cost.ravel(), A_eq=constraint, b_eq=equal, method="highs").fun


def patch(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A patch with some background, like those that drawings are cut into."""
    levels = rng.choice([2, 5, 256])
    greys = rng.integers(0, levels, 64) / (levels - 1)
    background = rng.random(64) < rng.choice([0.0, 0.3, 0.9])
    greys[background] = 1.0
    return greys, np.where(background, 1, 1000).astype(np.int64)


def reference_inner(first: tuple, second: tuple) -> float:
    cost = np.abs(first[0][:, None] - second[0][None, :]) + WAYS
    supply, demand = (weights / weights.sum() for _, weights in (first, second))
    return reference_transport(cost, supply, demand)


@given(SEEDS, st.integers(1, 12), st.integers(1, 12), st.booleans())
@QUIET
def test_transport(seed, n, m, degenerate):
    rng = np.random.default_rng(seed)
    cost = rng.random((n, m))
    supply, demand = rng.integers(1, 60, n) * m, rng.integers(1, 60, m) * n
    if degenerate:
        cost, supply, demand = np.round(cost * 3) / 3, np.full(n, m), np.full(m, n)
    larger, smaller = (supply, demand) if supply.sum() > demand.sum() else (demand, supply)
    smaller[-1] += larger.sum() - smaller.sum()
    expected = reference_transport(cost, supply, demand)
    assert transport(cost, cost, supply, demand) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(SEEDS, st.integers(1, 40), st.booleans())
@QUIET
def test_assignment(seed, n, coarse_costs):
    cost = np.random.default_rng(seed).random((n, n))
    if coarse_costs:
        cost = np.round(cost * 5) / 5
    expected = cost[linear_sum_assignment(cost)].sum()
    assert assignment(cost) == pytest.approx(expected, abs=1e-9)


@given(SEEDS)
@QUIET
def test_spread_over_the_grid(seed):
    _, weights = patch(np.random.default_rng(seed))
    total = int(weights.sum())
    expected = transport(WAYS, WAYS, np.full(64, total), 64 * weights) / (64 * total)
    assert spread(weights) == pytest.approx(expected, abs=1e-12)


@given(SEEDS)
@settings(deadline=None, max_examples=15)
def test_inner_problem_and_its_bounds(seed):
    rng = np.random.default_rng(seed)
    first, second = patch(rng), patch(rng)
    expected = reference_inner(first, second)
    vectors = features(*(np.stack(part) for part in zip(first, second, strict=True)))
    sides = (*first, vectors[0], *second, vectors[1])
    exact = inner(*sides, True)
    assert exact == pytest.approx(expected, abs=1e-7)
    rough = coarse(vectors[0], vectors[1])
    better = fine(vectors[0], vectors[1], np.empty(3, np.int64))
    best = inner(*sides, False)
    assert 0.0 <= rough <= better + 1e-6 <= best + 2e-5
    assert best <= exact + 1e-12


@given(SEEDS, st.sampled_from([1, 1000]))
@settings(deadline=None, max_examples=10)
def test_one_grey_patches_are_separable(seed, weight):
    rng = np.random.default_rng(seed)
    other = patch(rng)
    flat = np.full(64, rng.random()), np.full(64, weight, np.int64)
    value = one_grey(flat[0][0], *other, spread(other[1]))
    assert value == pytest.approx(reference_inner(flat, other), abs=1e-7)


@given(SEEDS)
@QUIET
def test_modal_colour(seed):
    rng = np.random.default_rng(seed)
    size = tuple(rng.integers(1, 90, 2))
    image = rng.integers(0, rng.choice([2, 6, 256]), (*size, 3)).astype(np.uint8)
    if rng.random() < 0.5:
        image = np.repeat(image, 3, axis=1)
    colours, counts = np.unique(image.reshape(-1, 3), axis=0, return_counts=True)
    assert modal_colour(image).tolist() == colours[np.argmax(counts)].tolist()


@given(SEEDS, st.integers(1, 120), st.integers(1, 120), st.integers(1, 30), st.integers(1, 30))
@QUIET
def test_resizing_has_pillows_bits(seed, width, height, columns, rows):
    from PIL import Image

    old_order = int(PIL.__version__.split(".")[0]) < 13
    if old_order and height - rows > 2 * max(0, width - columns):
        return  # these Pillows always begin along rows
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 256, (height, width, 3)).astype(np.uint8)
    if rng.random() < 0.5:
        image = np.where(image > 127, np.uint8(255), np.uint8(0))
    expected = Image.fromarray(image).resize((columns, rows), Image.Resampling.BICUBIC)
    np.testing.assert_array_equal(bicubic(image, columns, rows), np.asarray(expected))


@pytest.mark.parametrize(
    ("size", "grid"),
    [
        ((80, 80), None),
        ((800, 8), None),
        ((1920, 1080), (112, 56)),
        ((1280, 3600), (48, 128)),
        ((2000, 16), (800, 8)),
        ((8, 8000), (8, 800)),
    ],
)
def test_grid(size, grid):
    assert patch_grid(*size) == grid
    assert too_wide_for_helm(*size) is (size == (2000, 16))


def test_patches_run_along_rows_and_blank_ones_in_both_are_dropped():
    reference = np.full((16, 24, 3), 255, np.uint8)
    reference[2, 17] = 10  # the third patch of the first row
    prediction = np.full((16, 24, 3), 255, np.uint8)
    prediction[9, 1] = 10  # the first patch of the second row
    signature = plain(prediction, reference)
    assert signature.positions.tolist() == [[0.0, 2 / 3], [0.5, 0.0]]
    assert signature.pixels[1][0].tolist().index(1000) == 2 * 8 + 1
    assert signature.masses[0] == signature.masses[1]
    assert signature.step == 8 / 40


def test_background_weighs_a_thousandth_of_a_patch():
    reference = np.zeros((8, 16, 3), np.uint8)
    reference[:, :7] = 90  # black is modal, and the second patch all black
    prediction = np.zeros((8, 16, 3), np.uint8)
    prediction[:, 0] = 90
    signature = plain(prediction, reference)
    assert len(signature.masses) == 1
    prediction[0, 15] = 90
    masses = plain(prediction, reference).masses
    # max(1000/2000, 1000/1001) and max(1000/2000, 1/1001), of one common factor
    assert masses[1] / masses[0] == pytest.approx((1000 / 2000) / (1000 / 1001))
