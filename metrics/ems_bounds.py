"""Lower bounds of the inner problems of EMS, from one-dimensional projections, compiled.

For signs (a, b, c) in {−1, 0, 1} the projection t = a·x + b·y + c·grey is 1-Lipschitz in the
ground distance |Δx| + |Δy| + |Δgrey|, so the one-dimensional transport cost of two projected
patches is at most their E. More: projections on disjoint sets of coordinates add up, because each
uses its own summands of the ground distance. Of the partitions of {x, y, grey} the best counts.

The one-dimensional cost is ∫|F − G| over t. It is bounded from below by cutting t into bins and
taking the absolute value bin by bin, Σ|∫(F − G)|, so that each patch becomes one vector and a
bound the L1 distance of two vectors. Positions lie on the bins' edges, greys anywhere.

With the sign of each bin's difference as a slope, the projections also give a potential, which is
1-Lipschitz too: where ``metrics.ems_inner`` starts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled, compiled_bound

Features = npt.NDArray[np.float32]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SIDE = 8
PIXELS = SIDE * SIDE

WAY_BINS = SIDE
"""Bins in one unit of a projection on positions alone."""

GREY_BINS = 32
"""Bins in one unit of a projection that involves greys; a multiple of 8."""

PROJECTIONS = np.array(
    [
        # x, y, grey, lowest value, units, bins in a unit
        [1, 0, 0, 0, 1, WAY_BINS],
        [0, 1, 0, 0, 1, WAY_BINS],
        [1, 1, 0, 0, 2, WAY_BINS],
        [1, -1, 0, -1, 2, WAY_BINS],
        [0, 0, 1, 0, 1, GREY_BINS],
        [1, 0, 1, 0, 2, GREY_BINS],
        [1, 0, -1, -1, 2, GREY_BINS],
        [0, 1, 1, 0, 2, GREY_BINS],
        [0, 1, -1, -1, 2, GREY_BINS],
        [1, 1, 1, 0, 3, GREY_BINS],
        [1, 1, -1, -1, 3, GREY_BINS],
        [1, -1, 1, -1, 3, GREY_BINS],
        [1, -1, -1, -2, 3, GREY_BINS],
    ],
    dtype=np.int64,
)
X, Y, XY, GREY, X_GREY, Y_GREY, XY_GREY = 0, 1, 2, 4, 5, 7, 9
"""Positions in the list of the first projection of each kind; the next ones differ in signs."""

_LENGTHS = PROJECTIONS[:, 4] * PROJECTIONS[:, 5]
OFFSETS = np.concatenate(([0], np.cumsum(_LENGTHS)))
"""Where each projection's bins begin in a vector of features."""

MARGIN = 1e-5
"""More than the rounding of a sum of features in 32 bits."""


@compiled
def projected(kind: int, pixel: int, grey: float) -> Any:  # noqa: ANN401 - numba infers it
    """Return where a pixel falls in a projection, counted in bins from its lowest value."""
    line = PROJECTIONS[kind]
    place = (line[0] * (pixel % SIDE) + line[1] * (pixel // SIDE)) / SIDE
    return (place + line[2] * grey - line[3]) * line[5]


@compiled
def features(greys: Floats, weights: Integers) -> Features:
    """Return for each patch ∫(1 − F) over every bin of every projection, (N, bins).

    Args:
        greys: (N, 64) in [0, 1].
        weights: (N, 64), positive.
    """
    count = greys.shape[0]
    vectors = np.empty((count, OFFSETS[-1]), np.float32)
    whole = np.empty(OFFSETS[-1], np.float64)
    part = np.empty(OFFSETS[-1], np.float64)
    for patch in range(count):
        whole[:] = 0.0
        part[:] = 0.0
        total = 1.0 / weights[patch].sum()
        for kind in range(PROJECTIONS.shape[0]):
            first, last = OFFSETS[kind], OFFSETS[kind + 1] - 1
            for pixel in range(PIXELS):
                place = max(0.0, projected(kind, pixel, greys[patch, pixel]))
                bin_ = min(int(place), last - first)
                share = weights[patch, pixel] * total
                whole[first + bin_] += share
                part[first + bin_] += share * (place - bin_)
            above = 0.0
            width = 1.0 / PROJECTIONS[kind, 5]
            for bin_ in range(last, first - 1, -1):
                vectors[patch, bin_] = (above + part[bin_]) * width
                above += whole[bin_]
    return vectors


@compiled_bound
def _apart(first: Features, second: Features, begin: int, end: int) -> Any:  # noqa: ANN401
    total = np.float32(0.0)
    for bin_ in range(begin, end):
        total += abs(first[bin_] - second[bin_])
    return total


@compiled
def apart(first: Features, second: Features, kind: int) -> float:
    """Return the bound that one projection gives."""
    return float(_apart(first, second, OFFSETS[kind], OFFSETS[kind + 1]))


@compiled
def coarse(first: Features, second: Features) -> Any:  # noqa: ANN401 - numba infers it
    """Return the bound that positions and greys give separately."""
    way = apart(first, second, X) + apart(first, second, Y)
    for kind in range(XY, XY + 2):
        way = max(way, apart(first, second, kind))
    return max(0.0, way + apart(first, second, GREY) - MARGIN)


@compiled
def fine(first: Features, second: Features, kinds: Integers) -> Any:  # noqa: ANN401
    """Return the best bound of all partitions.

    Args:
        first: one patch's features.
        second: the other's.
        kinds: (3,), set to the projections of the best partition, −1 where it has fewer.
    """
    x, y, grey = apart(first, second, X), apart(first, second, Y), apart(first, second, GREY)
    best = x + y + grey
    kinds[0], kinds[1], kinds[2] = X, Y, GREY
    for kind in range(XY, XY + 2):
        value = apart(first, second, kind) + grey
        if value > best:
            best = value
            kinds[0], kinds[1], kinds[2] = kind, GREY, -1
    for kind in range(X_GREY, XY_GREY + 4):
        value = apart(first, second, kind)
        rest = -1
        if kind < Y_GREY:
            value, rest = value + y, Y
        elif kind < XY_GREY:
            value, rest = value + x, X
        if value > best:
            best = value
            kinds[0], kinds[1], kinds[2] = kind, rest, -1
    return max(0.0, best - MARGIN)


@compiled
def slopes(first: Features, second: Features, kind: int, heights: Floats) -> None:
    """Fill in a projection's potential at the edges of its bins, from its lowest value on.

    Args:
        first: features of the patch that moves.
        second: features of the patch that it becomes.
        kind: a projection.
        heights: (bins + 1 or more,), filled in.
    """
    begin, end = OFFSETS[kind], OFFSETS[kind + 1]
    step = 1.0 / PROJECTIONS[kind, 5]
    heights[0] = 0.0
    for bin_ in range(begin, end):
        sign = 1.0 if first[bin_] > second[bin_] else -1.0
        heights[bin_ - begin + 1] = heights[bin_ - begin] + sign * step
