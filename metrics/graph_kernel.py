"""The compiled search for the best way to match the nodes of two graphs.

A matching pairs nodes of graph 1 with nodes of graph 2, each at most once. Its value is the sum of
the weights of its pairs and of the gains of links whose ends are both matched. All numbers are
integers, and all that bounds the search is counted in steps, so a result depends on nothing else
than the graphs.

A graph is given as the links of each node: ``starts`` (n + 1) tells where those of a node begin in
``others`` (the node at the other end, ascending), and ``spans`` (links, 4) where the labels of each
link stand in ``labels``: those going out, coming in, without direction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from metrics.compiled import compiled

Ints = NDArray[np.int64]

SAME = 1000
"""Likeness of equal labels; of others it is less."""

MOST_PARALLEL = 32
"""Of more edges than that, all of one direction between two nodes, labels are not compared."""


MOVE_STEPS = 10
"""How many steps a move takes that has to be tried."""


class Links(NamedTuple):
    """The links of a graph; see the module."""

    starts: Ints
    others: Ints
    spans: Ints
    labels: Ints


class Task(NamedTuple):
    """What is to be matched."""

    weights: Ints
    """Shape (n, m), what a pair of nodes is worth; negative where it is forbidden."""
    first: Links
    second: Links
    likeness: Ints
    """Shape (labels of 1, labels of 2), 0 to `SAME`."""
    edge_worth: int
    """Of an edge that is matched."""
    label_worth: int
    """Of its label, for each thousandth of likeness."""


@compiled
def _gain_way(task: Task, start: int, end: int, begin: int, stop: int) -> int:
    """Return what edges of one direction between two pairs of nodes are worth together."""
    one, two = end - start, stop - begin
    count = one if one < two else two
    if count == 0:
        return 0
    worth = count * task.edge_worth
    labels, others = task.first.labels, task.second.labels
    if one == 1 and two == 1:
        return worth + task.label_worth * int(task.likeness[labels[start], others[begin]])
    if one > MOST_PARALLEL or two > MOST_PARALLEL:
        return worth
    left, right = 0, 0
    alike = 0
    for wanted in (SAME, 1, 0):  # equal labels first, then any that are alike
        for a in range(one):
            if left >> a & 1:
                continue
            for b in range(two):
                if right >> b & 1:
                    continue
                like = task.likeness[labels[start + a], others[begin + b]]
                if like >= wanted:
                    left |= 1 << a
                    right |= 1 << b
                    alike += like
                    break
    return worth + task.label_worth * alike


@compiled
def _gain(task: Task, link: int, node: int, other: int) -> int:
    """Return what a link of graph 1 is worth if it is matched with that of two nodes of graph 2."""
    second = task.second
    low, high = second.starts[node], second.starts[node + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if second.others[middle] < other:
            low = middle + 1
        else:
            high = middle
    if low == end or second.others[low] != other:
        return 0
    total = 0
    spans, facing = task.first.spans[link], second.spans[low]
    for way in range(3):
        total += _gain_way(task, spans[way], spans[way + 1], facing[way], facing[way + 1])
    return total


@compiled
def _worth(task: Task, matched: Ints, node: int, partner: int, without: int) -> int:
    """Return what matching two nodes is worth beside the matching of the others but one."""
    if partner < 0:
        return 0
    total = int(task.weights[node, partner])
    first = task.first
    for link in range(first.starts[node], first.starts[node + 1]):
        other = first.others[link]
        if other == node:
            total += _gain(task, link, partner, partner)
        elif other != without and matched[other] >= 0:
            total += _gain(task, link, partner, matched[other])
    return total


@compiled
def value_of(task: Task, matched: Ints) -> int:
    """Return the value of a matching: for each node of graph 1 its partner, or -1."""
    total = 0
    first = task.first
    for node in range(matched.size):
        partner = matched[node]
        if partner < 0:
            continue
        total += task.weights[node, partner]
        for link in range(first.starts[node], first.starts[node + 1]):
            other = first.others[link]
            if other <= node and matched[other] >= 0:
                total += _gain(task, link, partner, matched[other])
    return total


@compiled
def _degree(links: Links, node: int) -> int:
    """Return the number of edges at a node."""
    first, last = links.starts[node], links.starts[node + 1]
    return int(links.spans[last - 1, 3] - links.spans[first, 0]) if last > first else 0


@compiled
def _most(task: Task, node: int, target: int) -> int:
    """Return the most that matching two nodes can be worth, whatever else is matched."""
    one, two = _degree(task.first, node), _degree(task.second, target)
    edges = one if one < two else two
    return int(task.weights[node, target]) + edges * (task.edge_worth + task.label_worth * SAME)


@compiled
def improve(task: Task, matched: Ints, steps: int) -> int:  # noqa: PLR0912 - one loop compiles best
    """Improve a matching in place by moving a node or exchanging two; return the steps left.

    Every move that is better is made, until none is or the steps are used up. A move that cannot
    be better by what its nodes can be worth at most takes one step, any other `MOVE_STEPS`.
    """
    size, room = task.weights.shape
    owner = np.full(room, -1, np.int64)
    for node in range(size):
        if matched[node] >= 0:
            owner[matched[node]] = node
    changed = True
    while changed and steps > 0:
        changed = False
        for node in range(size):
            present = _worth(task, matched, node, matched[node], -1)
            for target in range(room):
                here = matched[node]
                if target == here or task.weights[node, target] < 0:
                    continue
                steps -= 1
                if steps <= 0:
                    return 0
                rival = owner[target]
                most, least = _most(task, node, target), present
                if rival >= 0:
                    least += task.weights[rival, target]
                    if here >= 0:
                        if task.weights[rival, here] < 0:
                            continue
                        most += _most(task, rival, here)
                if most <= least:
                    continue
                steps -= MOVE_STEPS
                before = _worth(task, matched, node, here, rival)
                if rival >= 0:
                    before += _worth(task, matched, rival, target, -1)
                    matched[rival] = here
                matched[node] = target
                after = _worth(task, matched, node, target, rival)
                if rival >= 0:
                    after += _worth(task, matched, rival, here, -1)
                if after > before:
                    changed = True
                    owner[target] = node
                    if here >= 0:
                        owner[here] = rival
                    present = _worth(task, matched, node, target, -1)
                else:
                    matched[node] = here
                    if rival >= 0:
                        matched[rival] = target
    return steps


@compiled
def order_nodes(links: Links) -> Ints:
    """Return the nodes so that each has as many links as can be to those before it."""
    size = links.starts.size - 1
    order = np.zeros(size, np.int64)
    near = np.zeros(size, np.int64)
    for place in range(size):
        best = -1
        for node in range(size):
            if near[node] < 0:
                continue
            degree = links.starts[node + 1] - links.starts[node]
            if (
                best < 0
                or near[node] > near[best]
                or (
                    near[node] == near[best]
                    and degree > links.starts[best + 1] - links.starts[best]
                )
            ):
                best = node
        order[place] = best
        near[best] = -1
        for link in range(links.starts[best], links.starts[best + 1]):
            if near[links.others[link]] >= 0:
                near[links.others[link]] += 1
    return order


@compiled
def build(task: Task, order: Ints) -> Ints:
    """Match node after node with the best partner that is left; return the matching."""
    size, room = task.weights.shape
    matched = np.full(size, -1, np.int64)
    taken = np.zeros(room, np.bool_)
    for place in range(size):
        node = order[place]
        best, most = -1, 0
        for target in range(room):
            if taken[target] or task.weights[node, target] < 0:
                continue
            if _most(task, node, target) <= most:
                continue
            worth = _worth(task, matched, node, target, -1)
            if worth > most:
                best, most = target, worth
        if best >= 0:
            matched[node] = best
            taken[best] = True
    return matched


@compiled
def _possible(links: Links, per_edge: int, done: NDArray[np.bool_], node: int) -> int:
    """Return the most that the links of a node to nodes that are not done can be worth."""
    count = 0
    for link in range(links.starts[node], links.starts[node + 1]):
        other = links.others[link]
        if other != node and not done[other]:
            count += links.spans[link, 3] - links.spans[link, 0]
    return int(count) * per_edge


@compiled
def _bound(task: Task, matched: Ints, done: NDArray[np.bool_], taken: NDArray[np.bool_]) -> int:
    """Return twice the most that the nodes that are not done can add to a matching.

    A link between two of them counts half at each of its ends, and a node may have any partner, so
    the bound is never too small. It is taken from both sides, and the smaller one holds.
    """
    size, room = task.weights.shape
    per_edge = task.edge_worth + task.label_worth * SAME
    columns = np.zeros(room, np.int64)
    facing = np.zeros(room, np.int64)
    for target in range(room):
        if not taken[target]:
            facing[target] = _possible(task.second, per_edge, taken, target)
    rows = 0
    for node in range(size):
        if done[node]:
            continue
        possible = _possible(task.first, per_edge, done, node)
        best = 0
        for target in range(room):
            if taken[target] or task.weights[node, target] < 0:
                continue
            open_ended = possible if possible < facing[target] else facing[target]
            worth = 2 * _worth(task, matched, node, target, -1) + open_ended
            best = max(best, worth)
            columns[target] = max(columns[target], worth)
        rows += best
    across = columns.sum()
    return rows if rows < across else int(across)


@compiled
def search(task: Task, order: Ints, best: Ints, steps: int) -> int:  # noqa: PLR0912, PLR0915
    """Look for the best matching by branch and bound; return the steps left, 0 if it did not end.

    Args:
        task: what is to be matched.
        order: of the nodes of graph 1.
        best: the best matching that is known; receives the best one found.
        steps: how many pairs of nodes may be looked at.
    """
    size, room = task.weights.shape
    per_edge = task.edge_worth + task.label_worth * SAME
    record = value_of(task, best)
    matched = np.full(size, -1, np.int64)
    done = np.zeros(size, np.bool_)
    taken = np.zeros(room, np.bool_)
    choices = np.zeros((size + 1, room + 1), np.int64)
    counts = np.zeros(size + 1, np.int64)
    values = np.zeros(size + 1, np.int64)
    depth, fresh = 0, True
    while depth >= 0:
        if fresh:
            counts[depth] = 0
            if values[depth] > record:
                record = values[depth]
                best[:] = matched
            if depth < size:
                steps -= (size - depth) * room + 1
                if steps <= 0:
                    return 0
                if 2 * values[depth] + _bound(task, matched, done, taken) > 2 * record:
                    node = order[depth]
                    possible = _possible(task.first, per_edge, done, node)
                    worths = np.zeros(room + 1, np.int64)
                    count = 1  # the last choice is to leave the node without a partner
                    choices[depth, 0] = -1
                    for target in range(room):
                        if taken[target] or task.weights[node, target] < 0:
                            continue
                        facing = _possible(task.second, per_edge, taken, target)
                        worth = 2 * _worth(task, matched, node, target, -1)
                        worth += possible if possible < facing else facing
                        if worth == 0:
                            continue
                        place = count
                        while place > 1 and worths[place - 1] >= worth:
                            worths[place] = worths[place - 1]
                            choices[depth, place] = choices[depth, place - 1]
                            place -= 1
                        worths[place] = worth
                        choices[depth, place] = target
                        count += 1
                    counts[depth] = count
        if depth < size:
            node = order[depth]
            if matched[node] >= 0:
                taken[matched[node]] = False
                matched[node] = -1
            done[node] = False
        if counts[depth] == 0:
            depth -= 1
            fresh = False
            continue
        counts[depth] -= 1
        target = choices[depth, counts[depth]]
        values[depth + 1] = values[depth] + _worth(task, matched, node, target, -1)
        matched[node] = target
        done[node] = True
        if target >= 0:
            taken[target] = True
        depth += 1
        fresh = True
    return steps
