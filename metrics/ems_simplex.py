"""An exact transport simplex for small dense problems, compiled.

The basis is a spanning tree of the bipartite graph of sources (nodes 0 to n−1) and sinks (nodes n
to n+m−1), rooted at node 0 and kept in arrays, so that it survives a change of costs: the flow
stays feasible and the next run starts from it.

Masses are integers and made non-degenerate in the classical way (Dantzig): every supply, times
``SCALE``, is raised by one, and the last demand by n. All basic flows are then positive in exact
arithmetic, every pivot makes progress and none can cycle. Rounding a flow to a multiple of
``SCALE`` removes the perturbation, because that changes no flow by more than n < SCALE / 2.

An instance of a problem is a set of arrays:

    cost        float64 (n, m), costs
    tree        int32 (5, n+m): parent, first child, next sibling, previous sibling, depth
    flow        int64 (n+m,): flow between a node and its parent, perturbed
    potential   float64 (n+m,): u for sources, v for sinks; u[i] + v[j] = cost[i, j] on the tree
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Nodes = npt.NDArray[np.int32]

SCALE = 512
"""Factor between masses and perturbed flows; more than twice the largest number of sources."""

EPSILON = 1e-11
"""A reduced cost above −EPSILON counts as 0; costs are of the order of 1."""

PARENT, FIRST, NEXT, PREVIOUS, DEPTH = range(5)


@compiled
def attach(tree: Nodes, child: int, parent: int) -> None:
    """Make `child` the first child of `parent`."""
    head = tree[FIRST, parent]
    tree[PARENT, child] = parent
    tree[PREVIOUS, child] = -1
    tree[NEXT, child] = head
    if head >= 0:
        tree[PREVIOUS, head] = child
    tree[FIRST, parent] = child


@compiled
def detach(tree: Nodes, child: int) -> None:
    """Take `child` out of its parent's list of children."""
    before, after = tree[PREVIOUS, child], tree[NEXT, child]
    if before >= 0:
        tree[NEXT, before] = after
    else:
        tree[FIRST, tree[PARENT, child]] = after
    if after >= 0:
        tree[PREVIOUS, after] = before


@compiled
def following(tree: Nodes, node: int, top: int) -> int:
    """Return the node after `node` in depth-first order below `top`, or −1 at the end."""
    if tree[FIRST, node] >= 0:
        return int(tree[FIRST, node])
    while node != top:
        if tree[NEXT, node] >= 0:
            return int(tree[NEXT, node])
        node = tree[PARENT, node]
    return -1


@compiled
def ends(tree: Nodes, node: int, n: int) -> Any:  # noqa: ANN401 - numba infers it
    """Return row and column of the basic cell between a node and its parent, for n sources."""
    parent = tree[PARENT, node]
    return (node, parent - n) if node < n else (parent, node - n)


@compiled
def set_potentials(cost: Floats, tree: Nodes, potential: Floats) -> None:
    """Recompute all potentials and depths from the tree and the costs."""
    n = cost.shape[0]
    potential[0] = 0.0
    tree[DEPTH, 0] = 0
    node = following(tree, 0, 0)
    while node >= 0:
        parent = tree[PARENT, node]
        tree[DEPTH, node] = tree[DEPTH, parent] + 1
        if node < n:
            potential[node] = cost[node, parent - n] - potential[parent]
        else:
            potential[node] = cost[parent, node - n] - potential[parent]
        node = following(tree, node, 0)


@compiled
def start(
    cost: Floats,
    ranks: Floats,
    supply: Integers,
    demand: Integers,
    tree: Nodes,
    flow: Integers,
    potential: Floats,
) -> None:
    """Build a first tree by the matrix-minimum rule.

    Args:
        cost: (n, m).
        ranks: (n, m), the costs or what stands for them in the choice of cells.
        supply: perturbed masses of the sources; used up.
        demand: perturbed masses of the sinks, the same sum; used up.
        tree: filled in.
        flow: filled in.
        potential: filled in.
    """
    n, m = cost.shape
    nodes = n + m
    cells = np.empty((nodes - 1, 2), np.int32)
    amounts = np.empty(nodes - 1, np.int64)
    nearest = np.empty(n, np.int64)
    for i in range(n):
        nearest[i] = _nearest_open(ranks[i], demand)
    count = 0
    while count < nodes - 1:
        best, i = np.inf, -1
        for row in range(n):
            if supply[row] > 0 and ranks[row, nearest[row]] < best:
                best, i = ranks[row, nearest[row]], row
        j = nearest[i]
        amount = min(supply[i], demand[j])
        supply[i] -= amount
        demand[j] -= amount
        cells[count, 0], cells[count, 1], amounts[count] = i, n + j, amount
        count += 1
        if demand[j] == 0 and count < nodes - 1:
            for row in range(n):
                if supply[row] > 0 and nearest[row] == j:
                    nearest[row] = _nearest_open(ranks[row], demand)
    _root(cells, amounts, tree, flow)
    set_potentials(cost, tree, potential)


@compiled
def _nearest_open(costs: Floats, demand: Integers) -> int:
    best, found = np.inf, 0
    for j in range(costs.shape[0]):
        if demand[j] > 0 and costs[j] < best:
            best, found = costs[j], j
    return found


@compiled
def _root(cells: Nodes, amounts: Integers, tree: Nodes, flow: Integers) -> None:
    """Turn a list of basic cells into a tree that hangs from node 0."""
    edges = cells.shape[0]
    nodes = edges + 1
    tree[FIRST, :nodes] = -1
    heads = np.full(nodes, -1, np.int32)
    links = np.empty(2 * edges, np.int32)
    for edge in range(edges):
        for end in range(2):
            links[2 * edge + end] = heads[cells[edge, end]]
            heads[cells[edge, end]] = 2 * edge + end
    queue = np.empty(nodes, np.int32)
    queue[0] = 0
    tree[PARENT, 0] = tree[NEXT, 0] = tree[PREVIOUS, 0] = -1
    filled = 1
    for position in range(nodes):
        node = queue[position]
        link = heads[node]
        while link >= 0:
            other = cells[link // 2, 1 - link % 2]
            if other != tree[PARENT, node]:
                attach(tree, other, node)
                flow[other] = amounts[link // 2]
                queue[filled] = other
                filled += 1
            link = links[link]


@compiled
def optimise(cost: Floats, tree: Nodes, flow: Integers, potential: Floats) -> None:
    """Pivot until no reduced cost is negative; the tree's flow is then optimal.

    Rows are priced in turn, each by its lowest reduced cost, until a whole turn finds none.
    """
    n, m = cost.shape
    sinks = potential[n:]
    row, idle = 0, 0
    while idle < n:
        costs = cost[row]
        lowest = costs[0] - sinks[0]
        for j in range(1, m):
            lowest = min(lowest, costs[j] - sinks[j])
        reduced = lowest - potential[row]
        if reduced < -EPSILON:
            idle = 0
            j = 0
            while costs[j] - sinks[j] > lowest:
                j += 1
            _pivot(row, n + j, reduced, n, tree, flow, potential)
        else:
            idle += 1
            row = row + 1 if row + 1 < n else 0


@compiled
def _pivot(
    source: int,
    sink: int,
    reduced: float,
    n: int,
    tree: Nodes,
    flow: Integers,
    potential: Floats,
) -> None:
    """Bring the arc from `source` to `sink` into the tree, its `reduced` cost being negative."""
    # Flow runs from the sink up to the common ancestor and down to the source; it falls on the
    # arcs above sinks on the first half and above sources on the second.
    low, high = source, sink
    leaving, on_source_side = -1, True
    least = flow[0]
    while low != high:
        if tree[DEPTH, low] >= tree[DEPTH, high]:
            if low < n and (leaving < 0 or flow[low] < least):
                leaving, least, on_source_side = low, flow[low], True
            low = tree[PARENT, low]
        else:
            if high >= n and (leaving < 0 or flow[high] < least):
                leaving, least, on_source_side = high, flow[high], False
            high = tree[PARENT, high]
    meeting = low
    node = source
    while node != meeting:
        flow[node] += -least if node < n else least
        node = tree[PARENT, node]
    node = sink
    while node != meeting:
        flow[node] += -least if node >= n else least
        node = tree[PARENT, node]
    if on_source_side:
        hang(source, sink, leaving, least, 1, tree, flow)
        _shift(source, reduced, n, tree, potential)
    else:
        hang(sink, source, leaving, least, 1, tree, flow)
        _shift(sink, -reduced, n, tree, potential)


@compiled
def hang(
    top: int, parent: int, leaving: int, amount: int, turned: int, tree: Nodes, flow: Integers
) -> None:
    """Hang the part of the tree below `leaving` from `parent`, with `top` as its new top.

    Args:
        top: the node that enters with its arc to `parent`.
        parent: where it hangs.
        leaving: the node above `top` whose arc to its parent leaves the tree.
        amount: flow of the arc that enters.
        turned: factor of a flow whose arc changes its upper end, 1 or −1.
        tree: changed.
        flow: changed.
    """
    node, above, carried = top, parent, amount
    while True:
        old_parent, old_flow = tree[PARENT, node], flow[node]
        detach(tree, node)
        attach(tree, node, above)
        flow[node] = carried
        if node == leaving:
            break
        node, above, carried = old_parent, node, turned * old_flow


@compiled
def _shift(top: int, step: float, n: int, tree: Nodes, potential: Floats) -> None:
    """Add `step` to the sources below `top`, take it from the sinks, and renew the depths."""
    node = top
    while node >= 0:
        tree[DEPTH, node] = tree[DEPTH, tree[PARENT, node]] + 1
        potential[node] += step if node < n else -step
        node = following(tree, node, top)


@compiled
def transport(cost: Floats, ranks: Floats, supply: Integers, demand: Integers) -> Any:  # noqa: ANN401
    """Return the least total cost of moving `supply` to `demand`, exactly.

    Args:
        cost: (n, m), n < SCALE / 2.
        ranks: (n, m), the order in which the start tries cells; the costs themselves will do.
        supply: positive masses (n,).
        demand: positive masses (m,), the same sum.
    """
    n, m = cost.shape
    tree = np.empty((5, n + m), np.int32)
    flow = np.zeros(n + m, np.int64)
    potential = np.empty(n + m, np.float64)
    raised = supply * SCALE + 1
    lowered = demand * SCALE
    lowered[m - 1] += n
    start(cost, ranks, raised, lowered, tree, flow, potential)
    optimise(cost, tree, flow, potential)
    # By duality the optimal value of the unperturbed masses.
    total = 0.0
    for i in range(n):
        total += potential[i] * supply[i]
    for j in range(m):
        total += potential[n + j] * demand[j]
    return total
