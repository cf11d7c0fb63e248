"""The outer problem of EMS: patches onto patches, with lazily evaluated costs, compiled.

Why the result is exact stands in ``metrics.ems``.
"""

# ruff: noqa: PLR0917 - kernels are called with positions only

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled
from metrics.ems_bounds import Features, Floats, Integers, coarse, features, fine
from metrics.ems_inner import inner
from metrics.ems_patches import Signature
from metrics.ems_simplex import PARENT, SCALE, optimise, set_potentials, start

COARSE, FINE, TIGHT, EXACT = range(4)
"""How well the cost of one content becoming another is known; each level costs ten times more."""

Levels = npt.NDArray[np.int8]


@compiled
def _known_better(
    level: int,
    one: int,
    two: int,
    greys: Floats,
    weights: Integers,
    vectors: Features,
) -> Any:  # noqa: ANN401 - numba infers it
    """Return the cost of content `one` becoming `two` at the given level."""
    if level == FINE:
        return fine(vectors[one], vectors[two], np.empty(3, np.int64))
    return inner(
        greys[one],
        weights[one],
        vectors[one],
        greys[two],
        weights[two],
        vectors[two],
        level == EXACT,
    )


@compiled
def _first_costs(
    ways: Floats, first: Integers, second: Integers, vectors: Features, value: Floats
) -> Any:  # noqa: ANN401 - numba infers it
    """Return coarse bounds of all costs (n, n) and the levels at which contents are known."""
    n, contents = ways.shape[0], vectors.shape[0]
    levels = np.full((contents, contents), -1, np.int8)
    cost = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            one, two = first[i], second[j]
            if levels[one, two] < 0:
                levels[one, two] = COARSE
                value[one, two] = coarse(vectors[one], vectors[two])
            cost[i, j] = value[one, two] + ways[i, j]
    return cost, levels


@compiled
def _renew(
    cost: Floats, ways: Floats, first: Integers, second: Integers, one: int, two: int, value: float
) -> None:
    """Set the cost of content `one` becoming `two` wherever they occur."""
    for i in range(first.shape[0]):
        if first[i] == one:
            for j in range(second.shape[0]):
                if second[j] == two:
                    cost[i, j] = value + ways[i, j]


@compiled
def outer(
    ways: Floats,
    masses: Integers,
    first: Integers,
    second: Integers,
    greys: Floats,
    weights: Integers,
) -> Any:  # noqa: ANN401 - numba infers it
    """Return the cost of moving patches onto patches, for masses that sum to anything.

    Args:
        ways: (n, n) costs of the way alone.
        masses: (n,) of the patches, alike for both pictures.
        first: (n,) contents of the patches that move, as rows of `greys` and `weights`.
        second: (n,) contents of those that they become.
        greys: (contents, 64).
        weights: (contents, 64), of their pixels.
    """
    n = masses.shape[0]
    vectors = features(greys, weights)
    value = np.empty((greys.shape[0], greys.shape[0]))
    cost, levels = _first_costs(ways, first, second, vectors, value)
    tree, flow = np.empty((5, 2 * n), np.int32), np.zeros(2 * n, np.int64)
    potential = np.empty(2 * n)
    supply, demand = masses * SCALE + 1, masses * SCALE
    demand[n - 1] += n
    start(cost, supply, demand, tree, flow, potential)
    raised = True
    while raised:
        optimise(cost, tree, flow, potential)
        raised = False
        for node in range(1, 2 * n):
            parent = tree[PARENT, node]
            i, j = (node, parent - n) if node < n else (parent, node - n)
            one, two = first[i], second[j]
            if flow[node] > SCALE // 2 and levels[one, two] < EXACT:
                raised = True
                level = levels[one, two] + 1
                levels[one, two] = level
                known = _known_better(level, one, two, greys, weights, vectors)
                value[one, two] = known
                _renew(cost, ways, first, second, one, two, known)
        set_potentials(cost, tree, potential)
    total = 0.0
    for i in range(n):
        total += (potential[i] + potential[n + i]) * masses[i]
    return total


def earth_mover(signature: Signature) -> float:
    """Return the least cost of moving one picture's patches onto the other's, per unit of mass."""
    moved = np.flatnonzero(
        (signature.greys[0] != signature.greys[1]).any(axis=1)
        | (signature.pixels[0] != signature.pixels[1]).any(axis=1)
    )
    if len(moved) == 0:
        return 0.0
    places = signature.positions[moved]
    ways = signature.step * np.abs(places[:, None, :] - places[None, :, :]).sum(axis=2)
    rows: dict[bytes, int] = {}
    of = np.empty((2, len(moved)), np.int64)
    greys, weights = [], []
    for side in range(2):
        for position, patch in enumerate(moved):
            levels, pixels = signature.greys[side][patch], signature.pixels[side][patch]
            key = levels.tobytes() + pixels.tobytes()
            if key not in rows:
                rows[key] = len(rows)
                greys.append(levels)
                weights.append(pixels)
            of[side, position] = rows[key]
    total = outer(
        ways,
        signature.masses[moved],
        of[0],
        of[1],
        np.array(greys),
        np.array(weights),
    )
    return float(total) / float(signature.masses.sum())
