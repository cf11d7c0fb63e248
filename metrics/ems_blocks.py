"""The outer problem of EMS: patches onto patches, with lazily evaluated costs, compiled.

Why the result is exact stands in ``metrics.ems``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled
from metrics.ems_bounds import Features, Floats, Integers, coarse, features, fine
from metrics.ems_inner import inner
from metrics.ems_patches import Signature
from metrics.ems_simplex import SCALE, Nodes, ends, optimise, set_potentials, start
from metrics.ems_spread import one_grey, spread

DONE, COARSE, FINE, TIGHT, EXACT = range(-1, 4)
"""How well the cost of one content becoming another is known; each level costs ten times more.

DONE is no level: nothing is known, or nothing is left to know.
"""

FLAT, UNKNOWN = -1.0, -2.0
"""In place of what uniform mass costs to become a content's weights: nothing, or not yet known."""

DIGITS = 12
"""Decimal digits of a result, far below any difference that matters."""

Levels = npt.NDArray[np.int8]


@compiled
def _known_better(
    level: int,
    one: int,
    two: int,
    greys: Floats,
    weights: Integers,
    vectors: Features,
    spreads: Floats,
) -> Any:  # noqa: ANN401 - numba infers it
    """Return the level at which the cost of content `one` becoming `two` is now known, and it."""
    if level == FINE:
        return FINE, fine(vectors[one], vectors[two], np.empty(3, np.int64))
    for flat, other in ((one, two), (two, one)):
        if spreads[flat] == FLAT:
            if spreads[other] == UNKNOWN:
                spreads[other] = spread(weights[other])
            way = 0.0 if spreads[other] == FLAT else spreads[other]
            return EXACT, one_grey(greys[flat, 0], greys[other], weights[other], way)
    return level, inner(
        greys[one],
        weights[one],
        vectors[one],
        greys[two],
        weights[two],
        vectors[two],
        level == EXACT,
    )


@compiled
def _spreads(greys: Floats, weights: Integers) -> Floats:
    """Return for each content FLAT if all of its pixels are alike, UNKNOWN if not."""
    spreads = np.empty(greys.shape[0])
    for content in range(greys.shape[0]):
        alike = (greys[content] == greys[content, 0]).all()
        alike &= (weights[content] == weights[content, 0]).all()
        spreads[content] = FLAT if alike else UNKNOWN
    return spreads


@compiled
def _first_costs(
    ways: Floats, first: Integers, second: Integers, vectors: Features, value: Floats
) -> Any:  # noqa: ANN401 - numba infers it
    """Return coarse bounds of all costs (n, n) and the levels at which contents are known."""
    n, contents = ways.shape[0], vectors.shape[0]
    levels = np.full((contents, contents), DONE, np.int8)
    cost = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            one, two = first[i], second[j]
            if levels[one, two] == DONE:
                levels[one, two] = COARSE
                value[one, two] = coarse(vectors[one], vectors[two])
            cost[i, j] = value[one, two] + ways[i, j]
    return cost, levels


@compiled
def _next_level(
    tree: Nodes, flow: Integers, first: Integers, second: Integers, levels: Levels
) -> Any:  # noqa: ANN401 - numba infers it
    """Return the level below which costs that carry flow are to be known better, DONE if none.

    As long as some are only FINE, no TIGHT one is made EXACT: it may yet lose its flow.
    """
    limit = DONE
    n = first.shape[0]
    for node in range(1, 2 * n):
        i, j = ends(tree, node, n)
        level = levels[first[i], second[j]]
        if flow[node] > SCALE // 2 and level < EXACT:
            limit = TIGHT if level < TIGHT or limit == TIGHT else EXACT
    return limit


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
    vectors, spreads = features(greys, weights), _spreads(greys, weights)
    value = np.empty((greys.shape[0], greys.shape[0]))
    cost, levels = _first_costs(ways, first, second, vectors, value)
    tree, flow = np.empty((5, 2 * n), np.int32), np.zeros(2 * n, np.int64)
    potential = np.empty(2 * n)
    supply, demand = masses * SCALE + 1, masses * SCALE
    demand[n - 1] += n
    start(cost, cost, supply, demand, tree, flow, potential)
    while True:
        optimise(cost, tree, flow, potential)
        limit = _next_level(tree, flow, first, second, levels)
        if limit == DONE:
            break
        for node in range(1, 2 * n):
            i, j = ends(tree, node, n)
            one, two = first[i], second[j]
            if flow[node] > SCALE // 2 and levels[one, two] < limit:
                levels[one, two], known = _known_better(
                    levels[one, two] + 1, one, two, greys, weights, vectors, spreads
                )
                value[one, two] = known
                _renew(cost, ways, first, second, one, two, known)
        set_potentials(cost, tree, potential)
    total = 0.0
    for i in range(n):
        total += (potential[i] + potential[n + i]) * masses[i]
    return total


def earth_mover(signature: Signature) -> float:
    """Return the least cost of moving one picture's patches onto the other's, per unit of mass."""
    differs = (signature.greys[0] != signature.greys[1]).any(axis=1)
    differs |= (signature.pixels[0] != signature.pixels[1]).any(axis=1)
    moved = np.flatnonzero(differs)
    count = len(moved)
    if count == 0:
        return 0.0
    places = signature.positions[moved]
    ways = signature.step * np.abs(places[:, None, :] - places[None, :, :]).sum(axis=2)
    greys = np.concatenate([side[moved] for side in signature.greys])
    weights = np.concatenate([side[moved] for side in signature.pixels])
    of, rows = _distinct(greys, weights)
    total = outer(ways, signature.masses[moved], of[:count], of[count:], greys[rows], weights[rows])
    # the last digits depend on the order in which a processor adds up; these do not
    return round(float(total) / float(signature.masses.sum()), DIGITS)


def _distinct(greys: Floats, weights: Integers) -> tuple[Integers, Integers]:
    """Number equal rows alike; return each row's number and a row of each number."""
    numbers: dict[bytes, int] = {}
    both = np.hstack((greys, weights))
    of = [numbers.setdefault(row.tobytes(), len(numbers)) for row in both]
    rows = np.zeros(len(numbers), np.int64)
    rows[of] = np.arange(len(of))
    return np.array(of), rows
