"""What one-grey patches cost to make: a transport on the grid of a patch's pixels, compiled.

All pixels of such a patch have the same grey and weight, so its E to another patch splits: greys
cost the same whatever the plan, and what is left moves uniform mass to the other patch's weights
over an 8 × 8 grid, where L1 is the distance along the grid's edges. That is a minimum cost flow on
112 edges without capacities, solved by a network simplex with whole-number potentials.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from metrics.compiled import compiled
from metrics.ems_bounds import PIXELS, SIDE, Floats, Integers
from metrics.ems_simplex import DEPTH, FIRST, NEXT, PARENT, SCALE, Nodes, attach, following, hang

EDGES = 2 * SIDE * (SIDE - 1)


@compiled
def spread(weights: Integers) -> Any:  # noqa: ANN401 - numba infers it
    """Return the cost of moving uniform mass 1 to weights (64,) normalised to the sum 1."""
    total = weights.sum()
    excess = total - PIXELS * weights
    tree, flow, height = np.empty((5, PIXELS), np.int32), np.empty(PIXELS, np.int64), _zeros()
    _comb(excess, tree, flow, height)
    edge, idle = 0, 0
    while idle < EDGES:
        one, two = _ends(edge)
        difference = height[one] - height[two]
        if difference > 1:
            _pivot(one, two, tree, flow, height)
            idle = 0
        elif difference < -1:
            _pivot(two, one, tree, flow, height)
            idle = 0
        else:
            idle += 1
            edge = edge + 1 if edge + 1 < EDGES else 0
    value = 0
    for pixel in range(PIXELS):
        value += excess[pixel] * height[pixel]
    return value / (float(total) * PIXELS * SIDE)


@compiled
def one_grey(grey: float, greys: Floats, weights: Integers, spread_cost: float) -> Any:  # noqa: ANN401
    """Return E of a patch of one grey and weight and another patch."""
    apart = 0.0
    for pixel in range(PIXELS):
        apart += weights[pixel] * abs(greys[pixel] - grey)
    return apart / weights.sum() + spread_cost


@compiled
def _zeros() -> Integers:
    return np.zeros(PIXELS, np.int64)


@compiled
def _ends(edge: int) -> Any:  # noqa: ANN401 - numba infers it
    """Return the two pixels of an edge: first all horizontal ones, then all vertical ones."""
    half = EDGES // 2
    if edge < half:
        row, column = edge // (SIDE - 1), edge % (SIDE - 1)
        return row * SIDE + column, row * SIDE + column + 1
    return edge - half, edge - half + SIDE


@compiled
def _comb(excess: Integers, tree: Nodes, flow: Integers, height: Integers) -> None:
    """Build a first tree: every row hangs from the first column, the columns from pixel 0.

    A flow is what goes from a node up to its parent, negative if it comes down. Perturbing the
    excess keeps all of them from being 0, as in ``metrics.ems_simplex``.
    """
    tree[FIRST, :] = -1
    tree[PARENT, 0] = tree[NEXT, 0] = -1
    for pixel in range(1, PIXELS):
        attach(tree, pixel, pixel - 1 if pixel % SIDE else pixel - SIDE)
        flow[pixel] = excess[pixel] * SCALE + 1
    for pixel in range(PIXELS - 1, 0, -1):
        if tree[PARENT, pixel] > 0:
            flow[tree[PARENT, pixel]] += flow[pixel]
    tree[DEPTH, 0] = 0
    for pixel in range(1, PIXELS):
        parent = tree[PARENT, pixel]
        tree[DEPTH, pixel] = tree[DEPTH, parent] + 1
        height[pixel] = height[parent] + (1 if flow[pixel] > 0 else -1)


@compiled
def _pivot(high: int, low: int, tree: Nodes, flow: Integers, height: Integers) -> None:
    """Let mass flow over the edge from `high` to `low`, whose heights differ by more than 1."""
    up, down = low, high
    leaving, below_low = -1, True
    least = flow[0]
    while up != down:
        if tree[DEPTH, up] >= tree[DEPTH, down]:
            if flow[up] < 0 and (leaving < 0 or -flow[up] < least):
                leaving, least, below_low = up, -flow[up], True
            up = tree[PARENT, up]
        else:
            if flow[down] > 0 and (leaving < 0 or flow[down] < least):
                leaving, least, below_low = down, flow[down], False
            down = tree[PARENT, down]
    meeting = up
    node = low
    while node != meeting:
        flow[node] += least
        node = tree[PARENT, node]
    node = high
    while node != meeting:
        flow[node] -= least
        node = tree[PARENT, node]
    difference = height[high] - height[low]
    if below_low:
        hang(low, high, leaving, -int(least), -1, tree, flow)
        _lift(low, difference - 1, tree, height)
    else:
        hang(high, low, leaving, int(least), -1, tree, flow)
        _lift(high, 1 - difference, tree, height)


@compiled
def _lift(top: int, step: int, tree: Nodes, height: Integers) -> None:
    node = top
    while node >= 0:
        tree[DEPTH, node] = tree[DEPTH, tree[PARENT, node]] + 1
        height[node] += step
        node = following(tree, node, top)
