"""Localization: what is connected to what, and where it is in the picture.

Where a node is, its box says, in thousandths of the picture's width and height; whatever is said of
places is said where the boxes leave no doubt, with ``MARGIN`` between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from scenarios.flowce.asking import Asking, Kind, Maker, Question
from scenarios.flowce.chart import Chart
from scenarios.flowce.wording import ask, enumerate_texts, wordings
from scenarios.tree_boxes import Box

MARGIN = 8
"""Of 999: nearer than this, two edges are at one place."""

COVERED = 0.6
"""Share of a node's width or height that must lie over or beside another one's."""

FARTHEST = 350
"""Of 999: a node that is farther is not called the one directly below."""

MOST = 6
"""More connected steps are not asked for."""

Side = Literal["above", "below", "left", "right"]
SIDES: tuple[Side, ...] = ("above", "below", "left", "right")


def next_steps(asking: Asking) -> Question | None:
    """Ask for all steps to which arrows lead from a step."""
    chart = asking.chart
    return _about_links(asking, [chart.after(node) for node in range(len(chart.nodes))])


def previous_steps(asking: Asking) -> Question | None:
    """Ask for all steps from which arrows lead to a step."""
    chart = asking.chart
    return _about_links(asking, [chart.before(node) for node in range(len(chart.nodes))])


def both_sides(asking: Asking) -> Question | None:
    """Ask for the one step before and the one after a step."""
    chart = asking.chart
    nodes = [
        node
        for node in (chart.named if chart.is_directed else [])
        if len(chart.before(node)) == len(chart.after(node)) == 1
        and {*chart.before(node), *chart.after(node)} <= set(chart.named) - {node}
    ]
    if not nodes:
        return None
    node = asking.chance.choice(nodes)
    before, after = chart.text(chart.before(node)[0]), chart.text(chart.after(node)[0])
    answer = ask("both_sides answer", asking.language, asking.chance, a=before, b=after)
    return asking.ask([before, after], {"a": chart.text(node)}, answer=answer)


def common_previous(asking: Asking) -> Question | None:
    """Ask for the one step from which arrows lead to two others."""
    chart = asking.chart
    named = chart.named if chart.is_directed else []
    found = []
    for one in named:
        for other in named:
            shared = set(chart.before(one)) & set(chart.before(other))
            if one < other and len(shared) == 1 and shared <= set(named) - {one, other}:
                found.append((one, other, shared.pop()))
    if not found:
        return None
    one, other, before = asking.chance.choice(found)
    return asking.ask([chart.text(before)], {"a": chart.text(one), "b": chart.text(other)})


def neighbour(asking: Asking) -> Question | None:
    """Ask which node is directly below, above, left or right of another one."""
    chart = asking.chart
    if chart.boxes is None:
        return None
    for node in asking.chance.shuffled(chart.named):
        for side in asking.chance.shuffled(SIDES):
            found = find_neighbour(chart.boxes, node, side)
            if found is not None and chart.text(found):
                wording = f"neighbour {side}"
                return asking.ask([chart.text(found)], {"a": chart.text(node)}, wording=wording)
    return None


def outermost(asking: Asking) -> Question | None:
    """Ask which node is the topmost, bottommost, leftmost or rightmost one."""
    chart = asking.chart
    for side in asking.chance.shuffled(SIDES):
        found = None if chart.boxes is None else find_outermost(chart.boxes, side)
        if found is not None and chart.text(found):
            return asking.ask([chart.text(found)], wording=f"outermost {side}")
    return None


def side_of(asking: Asking) -> Question | None:
    """Ask on which side of a node another one is."""
    chart = asking.chart
    if chart.boxes is None:
        return None
    named = asking.chance.shuffled(chart.named)
    for one in named:
        for other in named:
            side = None if one == other else find_side(chart.boxes[other], chart.boxes[one])
            if side is not None:
                (word,) = wordings(f"side {side}", asking.language)
                values = {"a": chart.text(other), "b": chart.text(one)}
                return asking.ask([side], values, answer=word)
    return None


def lane_of(asking: Asking) -> Question | None:
    """Ask in which lane a step lies."""
    chart = asking.chart
    inside = [node for node in chart.named if chart.nodes[node].group in chart.lanes]
    if len(chart.lanes) < 2 or not inside:
        return None
    node = asking.chance.choice(inside)
    return asking.ask([str(chart.nodes[node].group)], {"a": chart.text(node)})


def find_neighbour(boxes: Sequence[Box], node: int, side: Side) -> int | None:
    """Return the node that is directly on one side of another one, beyond doubt.

    It covers most of the other's breadth, or lies within it; nothing else that is as near reaches
    into that breadth; nothing that is nearer lies beside that breadth, no farther than it is broad;
    and it is not far.
    """
    turned = [_turned(box, side) for box in boxes]
    left, _, right, bottom = turned[node]
    ahead = [
        (one[1], number)
        for number, one in enumerate(turned)
        if number != node and one[3] > bottom and _overlap(one, turned[node]) > -MARGIN
    ]
    if not ahead:
        return None
    top, nearest = min(ahead)
    near = turned[nearest]
    breadth = min(right - left, near[2] - near[0])
    clear = MARGIN <= top - bottom <= FARTHEST
    covers = _overlap(near, turned[node]) >= COVERED * breadth
    alone = all(number == nearest or start >= near[3] + MARGIN for start, number in ahead)
    aside = any(
        left - right < _overlap(one, turned[node]) <= -MARGIN
        and bottom <= one[1]
        and one[1] + one[3] < 2 * top
        for one in turned
    )
    return nearest if clear and covers and alone and not aside else None


def find_outermost(boxes: Sequence[Box], side: Side) -> int | None:
    """Return the node that lies wholly farther on one side than all others, beyond doubt."""
    turned = [_turned(box, side) for box in boxes]
    if len(turned) < 2:
        return None
    order = sorted(range(len(turned)), key=lambda number: turned[number][1])
    last, others = order[-1], order[:-1]
    clear = all(turned[last][1] >= turned[number][3] + MARGIN for number in others)
    return last if clear else None


def find_side(one: Box, other: Box) -> Side | None:
    """Return on which side of another box one lies, if it lies straight there."""
    for side in SIDES:
        here, there = _turned(one, side), _turned(other, side)
        breadth = min(here[2] - here[0], there[2] - there[0])
        if here[1] >= there[3] + MARGIN and _overlap(here, there) >= COVERED * breadth:
            return side
    return None


def _turned(box: Box, side: Side) -> Box:
    """Return a box as it is when the picture is turned so that a side points down."""
    left, top, right, bottom = box
    turns: dict[Side, Box] = {
        "below": box,
        "above": (left, -bottom, right, -top),
        "right": (top, left, bottom, right),
        "left": (top, -right, bottom, -left),
    }
    return turns[side]


def _overlap(one: Box, other: Box) -> int:
    return min(one[2], other[2]) - max(one[0], other[0])


def _about_links(asking: Asking, links: Sequence[list[int]]) -> Question | None:
    chart: Chart = asking.chart
    named = set(chart.named)
    nodes = [
        node
        for node in (chart.named if chart.is_directed else [])
        if 0 < len(links[node]) <= MOST and set(links[node]) <= named - {node}
    ]
    if not nodes:
        return None
    node = asking.chance.choice(nodes)
    texts = [chart.text(one) for one in links[node]]
    answer = enumerate_texts(texts, asking.language)
    return asking.ask(texts, {"a": chart.text(node)}, answer=answer)


MAKERS: dict[Kind, Maker] = {
    Kind.NEXT_STEPS: next_steps,
    Kind.NEIGHBOUR: neighbour,
    Kind.PREVIOUS_STEPS: previous_steps,
    Kind.OUTERMOST: outermost,
    Kind.BOTH_SIDES: both_sides,
    Kind.SIDE: side_of,
    Kind.COMMON_PREVIOUS: common_previous,
    Kind.LANE: lane_of,
}
