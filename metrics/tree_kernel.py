"""The compiled inner loops of the tree edit distance of Zhang and Shasha (1989).

Its own module, because importing numba is slow: ``metrics.tree_edit`` imports it when the first
pair of different trees is compared. The machine code is cached on disk and runs without the GIL.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from metrics.compiled import compiled

Ints = NDArray[np.int32]


@compiled
def fill(
    first_a: Ints,
    first_b: Ints,
    roots_a: Ints,
    roots_b: Ints,
    weights_a: Ints,
    weights_b: Ints,
    replace: Ints,
    trees: Ints,
    forests: Ints,
) -> None:
    """Fill in the edit distances of all pairs of subtrees of two trees in postorder.

    Plain loops and comparisons only: they compile in half the time of ``min`` and of iterators.

    Args:
        first_a: shape (n,), the first node, in postorder, of the subtree below each node.
        first_b: shape (m,), likewise for the other tree.
        roots_a: the key roots in ascending order: of all nodes with one first node, the last.
        roots_b: likewise for the other tree.
        weights_a: shape (n,), the cost of deleting each node.
        weights_b: shape (m,), the cost of inserting each node.
        replace: shape (n, m), the cost of turning one node into another.
        trees: shape (n, m), receives the least cost of turning one subtree into another.
        forests: shape (n + 1, m + 1), room to work in.
    """
    for p in range(roots_a.size):
        root_a = roots_a[p]
        start_a = first_a[root_a]
        for q in range(roots_b.size):
            root_b = roots_b[q]
            start_b = first_b[root_b]
            forests[0, 0] = 0
            for row in range(1, root_a - start_a + 2):
                forests[row, 0] = forests[row - 1, 0] + weights_a[start_a + row - 1]
            for column in range(1, root_b - start_b + 2):
                forests[0, column] = forests[0, column - 1] + weights_b[start_b + column - 1]
            for row in range(1, root_a - start_a + 2):
                a = start_a + row - 1
                before_a = first_a[a] - start_a
                for column in range(1, root_b - start_b + 2):
                    b = start_b + column - 1
                    before_b = first_b[b] - start_b
                    best = forests[row - 1, column] + weights_a[a]
                    other = forests[row, column - 1] + weights_b[b]
                    if other < best:  # noqa: PLR1730
                        best = other
                    whole_trees = before_a == 0 and before_b == 0
                    if whole_trees:
                        other = forests[row - 1, column - 1] + replace[a, b]
                    else:
                        other = forests[before_a, before_b] + trees[a, b]
                    if other < best:  # noqa: PLR1730
                        best = other
                    if whole_trees:
                        trees[a, b] = best
                    forests[row, column] = best
