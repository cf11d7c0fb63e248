"""Reasoning: what is done under a condition, where given answers lead, which value comes out."""

from __future__ import annotations

from scenarios.flowce.arithmetic import Assignment, meant_by, read_assignment, read_comparison
from scenarios.flowce.asking import Asking, Kind, Maker, Question
from scenarios.flowce.chart import Chart
from scenarios.flowce.wording import enumerate_texts, fill, join, wordings
from scenarios.graphs import NodeType

ROUTES = 12
"""So many routes are drawn before a chart is said to have none that ends."""

MOST_ANSWERS = 6
"""A route gives at most so many answers."""

MOST_STEPS = 5
"""So many steps lie at most between the two whose way is asked for."""

EFFORT = 2_000
"""Steps that the search for a second way takes before it is given up, and the first one with it."""

MOST_SENTENCES = 3
"""So many assignments in a row are followed at most."""


def next_of_branch(asking: Asking) -> Question | None:
    """Ask what is done next after an answer."""
    chart = asking.chart
    found = [
        (node, label, target)
        for node in _decisions(asking)
        for label, target in chart.arms(node).items()
        if chart.text(target)
    ]
    if not found:
        return None
    node, label, target = asking.chance.choice(found)
    return asking.ask([chart.text(target)], {"a": chart.text(node), "label": label})


def condition(asking: Asking) -> Question | None:
    """Ask which answer leads to a step."""
    chart = asking.chart
    found = [
        (node, label, target)
        for node in _decisions(asking)
        for label, target in chart.arms(node).items()
        if target in chart.named and list(chart.arms(node).values()).count(target) == 1
    ]
    if not found:
        return None
    node, label, target = asking.chance.choice(found)
    return asking.ask([label], {"a": chart.text(node), "b": chart.text(target)})


def route(asking: Asking) -> Question | None:
    """Ask where the process ends if all answers on the way are given."""
    chart = asking.chart
    if not chart.is_directed:
        return None
    begins = [node for node in chart.named if node == chart.start]
    begins += asking.chance.shuffled(chart.named)[:2]
    for _ in range(ROUTES if begins else 0):
        begin = asking.chance.choice(begins)
        end, answers = _draw_route(asking, begin)
        if answers and end is not None and chart.text(end):
            (given,) = wordings("route answer", asking.language)
            told = [fill(given, {"a": chart.text(node), "label": label}) for node, label in answers]
            values = {"a": chart.text(begin), "answers": join(told, asking.language, "clauses")}
            return asking.ask([chart.text(end)], values)
    return None


def way(asking: Asking) -> Question | None:
    """Ask which steps lie between two of which only one way leads to the other."""
    chart = asking.chart
    named = set(chart.named)
    begins = asking.chance.shuffled(chart.named if chart.is_directed else [])
    for begin in begins[:4]:
        for end in asking.chance.shuffled(sorted(chart.reach[begin] & named - {begin}))[:4]:
            between = only_way(chart, begin, end)
            if between and len(between) <= MOST_STEPS and set(between) <= named:
                texts = [chart.text(node) for node in between]
                answer = enumerate_texts(texts, asking.language)
                values = {"a": chart.text(begin), "b": chart.text(end)}
                return asking.ask(texts, values, answer=answer)
    return None


def only_way(chart: Chart, begin: int, end: int) -> list[int] | None:
    """Return the nodes between two if one way alone, without a step twice, leads to the other.

    None too where that cannot be told with little effort.
    """
    found: list[list[int]] = []
    waiting: list[list[int]] = [[begin]]
    for _ in range(EFFORT):
        if not waiting or len(found) > 1:
            break
        path = waiting.pop()
        for target in chart.after(path[-1]):
            if target == end:
                found.append(path[1:])
            elif target not in path and end in chart.reach[target]:
                waiting.append([*path, target])
    return found[0] if len(found) == 1 and not waiting else None


def meeting(asking: Asking) -> Question | None:
    """Ask which step comes first that all branches of a question lead to."""
    chart = asking.chart
    for node in asking.some(_decisions(asking)):
        point = chart.meeting_point(node) if len(chart.after(node)) > 1 else None
        if point is not None and chart.text(point):
            loops = node in chart.reachable(node, without=point)
            wording = "meeting behind a loop" if loops else None
            return asking.ask([chart.text(point)], {"a": chart.text(node)}, wording=wording)
    return None


def goes_back(asking: Asking) -> Question | None:
    """Ask to which earlier step an answer leads back."""
    chart = asking.chart
    if chart.start is None:
        return None
    found = [
        (node, label, target)
        for node in asking.some(_decisions(asking))
        for label, target in chart.arms(node).items()
        if target not in (node, chart.start)
        and chart.text(target)
        and node in chart.reach[target]
        and chart.must_pass(chart.start, node, target)
    ]
    if not found:
        return None
    node, label, target = asking.chance.choice(found)
    return asking.ask([chart.text(target)], {"a": chart.text(node), "label": label})


def loop_exit(asking: Asking) -> Question | None:
    """Ask which answer leaves a loop for good."""
    chart = asking.chart
    found = []
    for node in _decisions(asking):
        arms = chart.arms(node)
        leave = [label for label, to in arms.items() if to != node and node not in chart.reach[to]]
        if len(leave) == 1:
            found += [(node, leave[0])] if node in chart.reach[node] else []
    if not found:
        return None
    node, label = asking.chance.choice(found)
    return asking.ask([label], {"a": chart.text(node)})


def value(asking: Asking) -> Question | None:
    """Ask which value a variable has behind steps that compute it."""
    chart = asking.chart
    for node in asking.chance.shuffled(chart.named if chart.is_directed else []):
        run = _sentences(chart, node)
        if not run:
            continue
        first = run[0][1]
        unknown = [one for one in first.operands if not one.isdigit()]
        if not first.sign or len(set(unknown)) != 1:
            continue
        start = asking.chance.between(2, 9)
        values = {unknown[0]: start}
        for _, sentence in run:
            values = sentence.run(values)
        last, sentence = run[-1]
        if sentence.variable in values and last in chart.named:
            told = {
                "a": chart.text(node),
                "b": chart.text(last),
                "v": unknown[0],
                "n": str(start),
                "w": sentence.variable,
            }
            wording = "value" if len(run) > 1 else "value of one step"
            return asking.ask([str(values[sentence.variable])], told, wording=wording)
    return None


def comparison(asking: Asking) -> Question | None:
    """Ask what is next if the variable that a question compares has a value."""
    chart = asking.chart
    for node in asking.chance.shuffled(_decisions(asking)):
        compared = read_comparison(chart.text(node))
        arms = {meant_by(label): to for label, to in chart.arms(node).items()}
        if compared is None or set(arms) != {True, False} or arms[True] == arms[False]:
            continue
        number = max(0, compared.bound + asking.chance.between(-2, 2))
        if compared.modulus:
            number = asking.chance.between(3, 30)
        target = arms[compared.holds(number)]
        if chart.text(target):
            values = {"a": chart.text(node), "v": compared.variable, "n": str(number)}
            return asking.ask([chart.text(target)], values)
    return None


def _decisions(asking: Asking) -> list[int]:
    """Return the decisions that can be named and whose answers are told apart by their labels."""
    chart = asking.chart
    if not chart.is_directed:
        return []
    return [
        node
        for node in chart.named
        if chart.nodes[node].type is NodeType.DECISION and chart.arms(node)
    ]


def _draw_route(asking: Asking, begin: int) -> tuple[int | None, list[tuple[int, str]]]:
    """Follow arrows, with an answer drawn at each decision, to an end.

    Returns:
        The end, or None where a step would come twice, or nothing tells which arrow to take; and
        the answers.
    """
    chart = asking.chart
    answers: list[tuple[int, str]] = []
    node, passed = begin, {begin}
    while chart.leaving[node]:
        if len(chart.leaving[node]) == 1:
            node = chart.leaving[node][0].target
        else:
            arms = chart.arms(node)
            decides = chart.nodes[node].type is NodeType.DECISION and node in chart.named
            if not arms or not decides or len(answers) == MOST_ANSWERS:
                return None, answers
            label = asking.chance.choice(list(arms))
            answers.append((node, label))
            node = arms[label]
        if node in passed:
            return None, answers
        passed.add(node)
    return node, answers


def _sentences(chart: Chart, node: int) -> list[tuple[int, Assignment]]:
    """Return the assignments from a node on, as long as only one arrow leads further."""
    found: list[tuple[int, Assignment]] = []
    place: int | None = node
    while place is not None and len(found) < MOST_SENTENCES:
        sentence = read_assignment(chart.text(place))
        if sentence is None or any(place == known for known, _ in found):
            break
        found.append((place, sentence))
        leaving = chart.leaving[place]
        place = leaving[0].target if len(leaving) == 1 else None
    return found


MAKERS: dict[Kind, Maker] = {
    Kind.BRANCH_NEXT: next_of_branch,
    Kind.CONDITION: condition,
    Kind.ROUTE: route,
    Kind.WAY: way,
    Kind.MEETING: meeting,
    Kind.GOES_BACK: goes_back,
    Kind.LOOP_EXIT: loop_exit,
    Kind.VALUE: value,
    Kind.COMPARISON: comparison,
}
