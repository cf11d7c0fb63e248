"""An exact solver of small assignment problems whose potentials are nearly right, compiled.

When all pixels of two patches weigh the same, moving one onto the other is an assignment, on which
a transport simplex spends most pivots without moving mass. Shortest augmenting paths do not: rows
first take free columns of zero cost, then each row that is left gets the cheapest alternating path
to a free column, which Dijkstra's algorithm finds in reduced costs (Jonker and Volgenant 1987).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ZERO = 1e-13
"""A reduced cost up to this counts as 0; costs are of the order of 1."""

FREE = -1


@compiled
def assignment(cost: Floats) -> Any:  # noqa: ANN401 - numba infers it
    """Return the least total cost of assigning rows to columns.

    Args:
        cost: (n, n), none negative; best with a zero in every row and column.
    """
    n = cost.shape[0]
    row_of, column_of = np.full(n, FREE, np.int64), np.full(n, FREE, np.int64)
    rows, columns = np.zeros(n), np.zeros(n)
    distance, open_distance = np.empty(n), np.empty(n)
    before, settled = np.empty(n, np.int64), np.empty(n, np.int64)
    for row in range(n):
        for column in range(n):
            if cost[row, column] <= ZERO and row_of[column] == FREE:
                row_of[column], column_of[row] = row, column
                break
    for start in range(n):
        if column_of[start] != FREE:
            continue
        end, count = _shortest_path(
            start, cost, row_of, rows, columns, distance, open_distance, before, settled
        )
        length = distance[end]
        rows[start] += length
        for position in range(count):
            column = settled[position]
            rows[row_of[column]] += length - distance[column]
            columns[column] += distance[column] - length
        column = end
        while True:
            row = before[column]
            row_of[column] = row
            column, column_of[row] = column_of[row], column
            if row == start:
                break
    total = 0.0
    for row in range(n):
        total += cost[row, column_of[row]]
    return total


@compiled
def _shortest_path(
    start: int,
    cost: Floats,
    row_of: Integers,
    rows: Floats,
    columns: Floats,
    distance: Floats,
    open_distance: Floats,
    before: Integers,
    settled: Integers,
) -> Any:  # noqa: ANN401 - numba infers it
    """Find the nearest free column from the free row `start`.

    Returns:
        That column, and how many assigned columns were settled before it: their numbers stand in
        `settled`, all distances in `distance` (in `open_distance` infinite for settled ones), and
        the row before each column in `before`.
    """
    n = cost.shape[0]
    open_distance[:] = np.inf
    distance[:] = np.inf
    row, base, count = start, 0.0, 0
    while True:
        costs, offset = cost[row], rows[row] - base
        for column in range(n):
            # no distance is below the last settled one, so settled columns never change
            length = max(base, costs[column] - offset - columns[column])
            if length < distance[column]:
                distance[column] = open_distance[column] = length
                before[column] = row
        base = np.inf
        for column in range(n):
            base = min(base, open_distance[column])
        nearest = FREE
        for column in range(n):
            if open_distance[column] == base:
                nearest = column
                if row_of[column] == FREE:
                    return column, count
        settled[count] = nearest
        count += 1
        open_distance[nearest] = np.inf
        row = row_of[nearest]
