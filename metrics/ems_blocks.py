"""The two nested transport problems of EMS, compiled.

``inner`` moves the pixels of one patch onto those of another; ``outer`` moves the patches of one
picture onto the other's, each at the cost of its inner problem plus that of its way.
"""

# ruff: noqa: PLR0917 - kernels are called with positions only

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled
from metrics.ems_patches import Signature
from metrics.ems_simplex import SCALE, optimise, set_potentials, start, transport

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SIDE = 8
PIXELS = SIDE * SIDE


@compiled
def inner(first: Floats, first_weights: Integers, second: Floats, second_weights: Integers) -> Any:  # noqa: ANN401 - numba infers it
    """Return the earth mover's distance between two patches.

    The ground distance is L1 in grey and in position, with positions in eighths of a patch; both
    patches' weights are brought to the sum 1. Mass that both have at the same grey and pixel stays
    where it is, which is optimal because the ground distance is a metric.

    Args:
        first: greys (64,) in [0, 1].
        first_weights: positive weights (64,).
        second: greys of the other patch.
        second_weights: its weights.
    """
    first_sum, second_sum = first_weights.sum(), second_weights.sum()
    supply, demand = np.empty(PIXELS, np.int64), np.empty(PIXELS, np.int64)
    sources, sinks = np.empty(PIXELS, np.int64), np.empty(PIXELS, np.int64)
    n = m = 0
    for pixel in range(PIXELS):
        out = first_weights[pixel] * second_sum
        into = second_weights[pixel] * first_sum
        if first[pixel] == second[pixel]:
            stays = min(out, into)
            out -= stays
            into -= stays
        if out > 0:
            supply[n], sources[n] = out, pixel
            n += 1
        if into > 0:
            demand[m], sinks[m] = into, pixel
            m += 1
    if n == 0:
        return 0.0
    cost = np.empty((n, m), np.float64)
    for i in range(n):
        one = sources[i]
        for j in range(m):
            two = sinks[j]
            way = abs(one // SIDE - two // SIDE) + abs(one % SIDE - two % SIDE)
            cost[i, j] = abs(first[one] - second[two]) + way / SIDE
    return transport(cost, supply[:n], demand[:m]) / (float(first_sum) * float(second_sum))


@compiled
def outer(
    cost: Floats,
    exact: npt.NDArray[np.bool_],
    masses: Integers,
    first: Floats,
    first_weights: Integers,
    second: Floats,
    second_weights: Integers,
    ways: Floats,
) -> Any:  # noqa: ANN401 - numba infers it
    """Return the cost of moving patches onto patches, for masses that sum to anything.

    Args:
        cost: (n, n) lower bounds of all costs, ways included; raised in place.
        exact: (n, n) whether a cost is no bound but exact.
        masses: (n,) of the patches, alike for both pictures.
        first: greys of the patches that move, (n, 64).
        first_weights: their pixels' weights, (n, 64).
        second: greys of the patches that they become.
        second_weights: their pixels' weights.
        ways: (n, n) costs of the way alone.
    """
    n = cost.shape[0]
    tree = np.empty((5, 2 * n), np.int32)
    flow = np.zeros(2 * n, np.int64)
    potential = np.empty(2 * n, np.float64)
    supply, demand = masses * SCALE + 1, masses * SCALE
    demand[n - 1] += n
    start(cost, supply, demand, tree, flow, potential)
    while True:
        optimise(cost, tree, flow, potential)
        raised = False
        for node in range(1, 2 * n):
            if flow[node] < SCALE // 2:
                continue
            parent = tree[0, node]
            i, j = (node, parent - n) if node < n else (parent, node - n)
            if not exact[i, j]:
                distance = inner(first[i], first_weights[i], second[j], second_weights[j])
                cost[i, j] = distance + ways[i, j]
                exact[i, j] = True
                raised = True
        if not raised:
            break
        set_potentials(cost, tree, potential)
    total = 0.0
    for i in range(n):
        total += (potential[i] + potential[n + i]) * masses[i]
    return total


def earth_mover(signature: Signature) -> float:
    """Return the least cost of moving one picture's patches onto the other's, per unit of mass."""
    masses = signature.masses
    if len(masses) == 0:
        return 0.0
    ways = signature.step * np.abs(
        signature.positions[:, None, :] - signature.positions[None, :, :]
    ).sum(axis=2)
    first, second = signature.greys
    first_weights, second_weights = signature.pixels
    means = [
        (greys * weights).sum(axis=1) / weights.sum(axis=1)
        for greys, weights in zip(signature.greys, signature.pixels, strict=True)
    ]
    # |difference of the mean greys| is a lower bound; the margin absorbs rounding
    cost = np.maximum(0.0, np.abs(means[0][:, None] - means[1][None, :]) - 1e-12) + ways
    exact = np.zeros(cost.shape, np.bool_)
    total = outer(cost, exact, masses, first, first_weights, second, second_weights, ways)
    return float(total) / float(masses.sum())
