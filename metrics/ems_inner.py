"""The inner problem of EMS: what it costs to turn one patch into another, compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled
from metrics.ems_assignment import assignment
from metrics.ems_bounds import (
    OFFSETS,
    PIXELS,
    SIDE,
    Features,
    Floats,
    Integers,
    fine,
    projected,
    slopes,
)
from metrics.ems_simplex import transport

Pixels = npt.NDArray[np.int64]


UNREDUCED = 1.0 / 3.0
"""Share of the costs themselves in the order in which a start tries cells of reduced cost.

Reduced costs alone are 0 in too many cells to choose well; a third halves the pivots.
"""


@compiled
def reduced(
    first: Floats,
    first_weights: Integers,
    second: Floats,
    second_weights: Integers,
    masses: Integers,
    places: Pixels,
) -> Any:  # noqa: ANN401 - numba infers it
    """Set up the problem without the mass that both patches have at one grey and pixel.

    Args:
        first: greys (64,) in [0, 1].
        first_weights: positive weights (64,).
        second: greys of the other patch.
        second_weights: its weights.
        masses: (2, 64), filled with what leaves each pixel and what arrives, in integers.
        places: (2, 64), filled with the pixels that these belong to.

    Returns:
        The numbers of sources and sinks.
    """
    first_sum, second_sum = first_weights.sum(), second_weights.sum()
    n = m = 0
    for pixel in range(PIXELS):
        out = first_weights[pixel] * second_sum
        into = second_weights[pixel] * first_sum
        if first[pixel] == second[pixel]:
            stays = min(out, into)
            out -= stays
            into -= stays
        if out > 0:
            masses[0, n], places[0, n] = out, pixel
            n += 1
        if into > 0:
            masses[1, m], places[1, m] = into, pixel
            m += 1
    return n, m


@compiled
def costs(first: Floats, second: Floats, places: Pixels, cost: Floats) -> None:
    """Fill in the ground distances between sources and sinks, (n, m)."""
    n, m = cost.shape
    rows, columns, greys = np.empty(m), np.empty(m), np.empty(m)
    for j in range(m):
        pixel = places[1, j]
        rows[j], columns[j] = (pixel // SIDE) / SIDE, (pixel % SIDE) / SIDE
        greys[j] = second[pixel]
    for i in range(n):
        pixel = places[0, i]
        row, column, grey = (pixel // SIDE) / SIDE, (pixel % SIDE) / SIDE, first[pixel]
        for j in range(m):
            cost[i, j] = abs(row - rows[j]) + abs(column - columns[j]) + abs(grey - greys[j])


@compiled
def _potentials(
    first: Features, second: Features, places: Pixels, greys: Floats, sinks: Floats
) -> None:
    """Fill in the sinks' potentials that the best partition of projections gives."""
    kinds = np.empty(3, np.int64)
    heights = np.empty(OFFSETS[-1] - OFFSETS[-2] + 1)
    fine(first, second, kinds)
    sinks[:] = 0.0
    for position in range(3):
        kind = int(kinds[position])
        if kind < 0:
            continue
        slopes(first, second, kind, heights)
        last = OFFSETS[kind + 1] - OFFSETS[kind] - 1
        for j in range(sinks.shape[0]):
            pixel = int(places[1, j])
            place = max(0.0, projected(kind, pixel, greys[pixel]))
            bin_ = min(int(place), last)
            sinks[j] += heights[bin_] + (heights[bin_ + 1] - heights[bin_]) * (place - bin_)


@compiled
def tighten(cost: Floats, sinks: Floats, sources: Floats) -> None:
    """Make potentials feasible and as good as two c-transforms make them; reduce the costs.

    Args:
        cost: (n, m); the reduced costs on return, none negative, a zero in every row and column.
        sinks: (m,) any potentials; lowered.
        sources: (n,), filled in; ``sources[i] − sinks[j]`` is at most the cost.
    """
    n, m = cost.shape
    for i in range(n):
        lowest = np.inf
        for j in range(m):
            lowest = min(lowest, cost[i, j] + sinks[j])
        sources[i] = lowest
    lowered = np.full(m, np.inf)
    for i in range(n):
        for j in range(m):
            lowered[j] = min(lowered[j], cost[i, j] - sources[i])
    for j in range(m):
        sinks[j] = -lowered[j]
    for i in range(n):
        for j in range(m):
            cost[i, j] = max(0.0, cost[i, j] - sources[i] + sinks[j])


@compiled
def _all_equal(supply: Integers, demand: Integers) -> Any:  # noqa: ANN401 - numba infers it
    return (
        supply.shape[0] == demand.shape[0]
        and (supply == supply[0]).all()
        and (demand == supply[0]).all()
    )


@compiled
def inner(
    first: Floats,
    first_weights: Integers,
    first_features: Features,
    second: Floats,
    second_weights: Integers,
    second_features: Features,
    exactly: bool,
) -> Any:  # noqa: ANN401 - numba infers it
    """Return E of two patches, or a lower bound of it from potentials alone.

    The problem is solved in reduced costs: potentials from the projections, made tight, already
    account for most of the value and leave a problem in which a cheap start is nearly optimal.

    Args:
        first: greys (64,) in [0, 1] of the patch that moves.
        first_weights: its positive weights (64,).
        first_features: its features.
        second: greys of the patch that it becomes.
        second_weights: its weights.
        second_features: its features.
        exactly: False for the bound.
    """
    masses, places = np.empty((2, PIXELS), np.int64), np.empty((2, PIXELS), np.int64)
    n, m = reduced(first, first_weights, second, second_weights, masses, places)
    if n == 0:
        return 0.0
    cost = np.empty((n, m))
    costs(first, second, places, cost)
    ranks = cost * UNREDUCED
    sinks, sources = np.empty(m), np.empty(n)
    _potentials(first_features, second_features, places, second, sinks)
    tighten(cost, sinks, sources)
    value = 0.0
    for i in range(n):
        value += masses[0, i] * sources[i]
    for j in range(m):
        value -= masses[1, j] * sinks[j]
    if exactly:
        if _all_equal(masses[0, :n], masses[1, :m]):
            value += assignment(cost) * masses[0, 0]
        else:
            value += transport(cost, ranks + cost, masses[0, :n], masses[1, :m])
    return value / (float(first_weights.sum()) * float(second_weights.sum()))
