"""Logical verification: statements that are true or false of a chart, by its graph alone.

Each maker gives a statement that is true if that is wanted, and else one that is false but nearly
true; None where the chart offers none of either.
"""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.flowce.asking import Asking, Kind, Maker, Question
from scenarios.graphs import NodeType

Pair = tuple[int, int]

LEAST_ENDS = 2
"""Of a chart with fewer ends their number is not stated."""


def comes_next(asking: Asking) -> Question | None:
    """State that a step comes directly after another one; false: before it, or a step too far."""
    chart = asking.chart
    pairs = [(a, b) for a, b in _pairs(asking) if b in chart.after(a)]
    if not asking.wanted:
        near = _pairs(asking)
        pairs = [
            (a, b)
            for a, b in near
            if b not in chart.after(a) and (a in chart.after(b) or _is_second(asking, a, b))
        ]
    return _state_pair(asking, pairs)


def follows_branch(asking: Asking) -> Question | None:
    """State where an answer leads to; false: where another answer of the same question does."""
    chart = asking.chart
    found = []
    for node in _directed(asking):
        arms = chart.arms(node)
        for label, target in arms.items():
            others = [other for other in arms.values() if other != target]
            steps = [target] if asking.wanted else others
            found += [(node, label, step) for step in steps if step in chart.named]
    if not found:
        return None
    node, label, step = asking.chance.choice(found)
    decides = chart.nodes[node].type is NodeType.DECISION
    values = {"a": chart.text(node), "label": label, "b": chart.text(step)}
    return asking.state(values, wording="branch" if decides else "branch arrow")


def reaches(asking: Asking) -> Question | None:
    """State that a way leads from one step to another one, not next to it."""
    chart = asking.chart
    if asking.wanted:
        pairs = [
            (a, b) for a, b in _pairs(asking) if b in chart.reach[a] and b not in chart.after(a)
        ]
    else:
        pairs = [(a, b) for a, b in _pairs(asking) if b not in chart.reach[a]]
        pairs = [(a, b) for a, b in pairs if a in chart.reach[b]] or pairs
    return _state_pair(asking, pairs)


def passes_every_way(asking: Asking) -> Question | None:
    """State that no way from one step to another one leaves out a third one."""
    chart = asking.chart
    named = _directed(asking)
    for start in asking.some(named):
        behind = [n for n in named if n in chart.reach[start] and n != start]
        for via in asking.some(behind):
            ends = [
                end
                for end in asking.some(behind)
                if end != via
                and end in chart.reach[via]
                and chart.must_pass(start, end, via) is asking.wanted
            ]
            if ends:
                end = asking.chance.choice(ends)
                values = {"a": chart.text(start), "b": chart.text(end), "c": chart.text(via)}
                return asking.state(values)
    return None


def always_happens(asking: Asking) -> Question | None:
    """State that a step is carried out in every run, whatever the answers are."""
    chart = asking.chart
    if asking.wanted and not any(chart.arms(node) for node in range(len(chart.nodes))):
        return None  # without a decision nothing could be left out
    for node in asking.some([one for one in _directed(asking) if one != chart.start]):
        if chart.happens_in_every_run(node) is asking.wanted:
            return asking.state({"a": chart.text(node)})
    return None


def lies_on_loop(asking: Asking) -> Question | None:
    """State that one can come back to a step; false: it lies before or behind a loop."""
    chart = asking.chart
    on = {node for node in range(len(chart.nodes)) if node in chart.reach[node]}
    if asking.wanted:
        return _state_node(asking, [node for node in _directed(asking) if node in on])
    off = [node for node in _directed(asking) if node not in on]
    near = [node for node in off if on & {*chart.after(node), *chart.before(node)}]
    return _state_node(asking, near)


def can_be_together(asking: Asking) -> Question | None:
    """State that one way can pass two steps; false: they lie on different branches."""
    chart = asking.chart
    if chart.start is None or chart.forks:
        return None
    pairs = [
        (a, b)
        for a, b in _pairs(asking)
        if a < b
        and chart.start not in (a, b)
        and not {a, b} & {*chart.after(a), *chart.after(b)}
        and (b in chart.reach[a] or a in chart.reach[b]) is asking.wanted
    ]
    ends = set(chart.ends)
    return _state_pair(asking, [pair for pair in pairs if not ends & set(pair)] or pairs)


def counts_ends(asking: Asking) -> Question | None:
    """State how many nodes no arrow leaves, where there are several.

    Most charts have one end: that there is one would nearly always be true, and could be guessed.
    """
    true = len(asking.chart.ends)
    if not _directed(asking) or true < LEAST_ENDS:
        return None
    near = true - 1 if true > LEAST_ENDS and asking.chance.happens(50) else true + 1
    return asking.state({"n": str(true if asking.wanted else near)})


def counts_arrows_out(asking: Asking) -> Question | None:
    """State how many arrows leave a step."""
    return _counts(asking, [len(arrows) for arrows in asking.chart.leaving])


def counts_arrows_in(asking: Asking) -> Question | None:
    """State how many arrows lead into a step."""
    return _counts(asking, [len(arrows) for arrows in asking.chart.entering])


def lies_in_lane(asking: Asking) -> Question | None:
    """State in which lane a step lies; false: in that of a step before or after it."""
    chart = asking.chart
    found = []
    for node in chart.named:
        own = chart.nodes[node].group
        near = {chart.nodes[one].group for one in {*chart.after(node), *chart.before(node)}}
        lanes = [own] if asking.wanted else sorted(lane for lane in near - {own} if lane)
        found += [(node, lane) for lane in lanes if lane in chart.lanes]
    if len(chart.lanes) < 2 or not found:
        return None
    node, lane = asking.chance.choice(found)
    return asking.state({"a": chart.text(node), "lane": str(lane)})


def lie_in_same_lane(asking: Asking) -> Question | None:
    """State that a step and the next one lie in the same lane."""
    chart = asking.chart
    inside = {node for nodes in chart.lanes.values() for node in nodes}
    pairs = [
        (a, b)
        for a, b in _pairs(asking)
        if b in chart.after(a)
        and {a, b} <= inside
        and (chart.nodes[a].group == chart.nodes[b].group) is asking.wanted
    ]
    return _state_pair(asking, pairs) if len(chart.lanes) > 1 else None


def _directed(asking: Asking) -> list[int]:
    """Return the nodes that can be named, if anything is known of order."""
    return asking.chart.named if asking.chart.is_directed else []


def _pairs(asking: Asking) -> list[Pair]:
    named = _directed(asking)
    return [(a, b) for a in named for b in named if a != b]


def _is_second(asking: Asking, one: int, other: int) -> bool:
    chart = asking.chart
    return any(other in chart.after(between) for between in chart.after(one))


def _counts(asking: Asking, numbers: Sequence[int]) -> Question | None:
    """State a number that some step has; false: of a step that has one more or one less.

    So no number is more often true than false, and none can be guessed without the picture.
    """
    named = _directed(asking)
    present = sorted({numbers[node] for node in named} - {0})
    stated = [number for number in present if {number - 1, number + 1} & {*present}]
    if not stated:
        return None
    number = asking.chance.choice(stated)
    fitting = {number} if asking.wanted else {number - 1, number + 1} - {0}
    node = asking.chance.choice([node for node in named if numbers[node] in fitting])
    return asking.state({"a": asking.chart.text(node), "n": str(number)})


def _state_pair(asking: Asking, pairs: Sequence[Pair]) -> Question | None:
    if not pairs:
        return None
    one, other = asking.chance.choice(pairs)
    return asking.state({"a": asking.chart.text(one), "b": asking.chart.text(other)})


def _state_node(asking: Asking, nodes: Sequence[int]) -> Question | None:
    if not nodes:
        return None
    return asking.state({"a": asking.chart.text(asking.chance.choice(nodes))})


MAKERS: dict[Kind, Maker] = {
    Kind.NEXT: comes_next,
    Kind.BRANCH: follows_branch,
    Kind.REACHES: reaches,
    Kind.EVERY_WAY: passes_every_way,
    Kind.ALWAYS: always_happens,
    Kind.LOOP: lies_on_loop,
    Kind.TOGETHER: can_be_together,
    Kind.ENDS: counts_ends,
    Kind.ARROWS_OUT: counts_arrows_out,
    Kind.ARROWS_IN: counts_arrows_in,
    Kind.IN_LANE: lies_in_lane,
    Kind.SAME_LANE: lie_in_same_lane,
}
