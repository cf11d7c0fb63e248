"""Every stated truth is derived again from the words of its question, by another walk."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmark.chance import Chance
from benchmark.outcome import Failed
from benchmark.records import digest_json
from scenarios import graphs_dot
from scenarios.flowce.asking import Asking, Kind, Question
from scenarios.flowce.chart import MOST_NODES, Chart
from scenarios.flowce.derivation import ask_all, is_true_wanted
from scenarios.flowce.questions import KINDS, MAKERS, Dimension, generate
from scenarios.flowce.questions_places import find_neighbour
from scenarios.flowce.wording import wordings
from scenarios.flowchart import Flowchart
from scenarios.graphs import Edge, Graph, Node, NodeType
from scenarios.mindbench.phrasing import LANGUAGES, read_sections
from sources.synthetic_flowcharts import make_chart
from tests.scenarios.flowce_walk import QUOTED, Unknown, Walk

CHARTS = 100
"""In each language."""
TURNS = 12


def place(graph: Graph, chance: Chance) -> list[tuple[int, int, int, int]]:
    """Put nodes into rows and columns at random, as a layout might."""
    cells = chance.shuffled([(row, column) for row in range(9) for column in range(6)])
    boxes = []
    for node in graph.nodes:
        row, column = cells.pop()
        left = column * 160 + chance.below(60)
        top = row * 110 + chance.below(20)
        width, height = min(60 + 3 * len(node.text), 95), 40 + chance.below(25)
        boxes.append((left, top, left + width, top + height))
    return boxes


def charts(language: str) -> list[tuple[str, Graph, list]]:
    found = []
    for number in range(CHARTS):
        material = make_chart(language, 3, number)
        graph = graphs_dot.read(material.truth).value
        found.append((material.id, graph, place(graph, Chance(material.id))))
    return found


def ask(name: str, chart: Chart, language: str, turns: int = TURNS):
    for dimension in Dimension:
        for turn in range(turns if dimension is not Dimension.SUMMARIZATION else 1):
            chance = Chance(name, dimension, turn)
            wanted = is_true_wanted(turn, sum(name.encode()))
            question = generate(dimension, chart, language, chance, turn, wanted=wanted)
            if question is not None:
                yield dimension, wanted, question


def check(question: Question, walk: Walk, language: str) -> None:  # noqa: PLR0912
    """Derive the answer again; what is named in the words is what is asked about."""
    kind, items, values = question.kind, list(question.items), question.values
    assert all(value in question.text for value in values.values())
    a, b, c = (walk.find(values[role]) if role in values else -1 for role in "abc")
    label, lane = values.get("label", ""), values.get("lane", "")
    truth: object
    if kind is Kind.NEXT:
        truth = b in walk.next(a)
    elif kind is Kind.BRANCH:
        truth = walk.arm(a, label) == b
    elif kind is Kind.REACHES:
        truth = walk.closed[a, b]
    elif kind is Kind.EVERY_WAY:
        assert walk.closed[a, b]
        truth = not walk.without(c)[a, b]
    elif kind is Kind.ALWAYS:
        readings = {walk.left_out(a, forks=forks) for forks in (False, True)}
        assert len(readings) == 1, "choices and forks read alike"
        truth = not readings.pop()
    elif kind is Kind.LOOP:
        truth = walk.closed[a, a]
    elif kind is Kind.TOGETHER:
        truth = walk.closed[a, b] or walk.closed[b, a]
        assert walk.closed[walk.start, a]
        assert walk.closed[walk.start, b]
    elif kind is Kind.ENDS:
        truth = len(walk.ends) == int(values["n"])
    elif kind is Kind.ARROWS_OUT:
        truth = walk.counts[a].sum() == int(values["n"])
    elif kind is Kind.ARROWS_IN:
        truth = walk.counts[:, a].sum() == int(values["n"])
    elif kind is Kind.IN_LANE:
        truth = walk.nodes[a].get("group") == lane
    elif kind is Kind.SAME_LANE:
        truth = walk.nodes[a]["group"] == walk.nodes[b]["group"]
    else:
        check_open(question, walk, language, a, b)
        return
    assert items == ["yes" if truth else "no"], question


def check_open(  # noqa: PLR0912, PLR0915
    question: Question, walk: Walk, language: str, a: int, b: int
) -> None:
    kind, items, values = question.kind, list(question.items), question.values
    texts = [node["text"] for node in walk.nodes]
    if kind is Kind.ALL_TEXTS:
        wanted = Counter([*texts, *(label for _, _, label in walk.edges)])
        wanted.pop("", None)
        assert Counter(items) == wanted
    elif kind is Kind.TEXTS_OF_TYPE:
        sections = read_sections("flowce_questions", language)
        (shape,) = {
            name.split()[1]
            for name, lines in sections.items()
            if name.startswith("texts_of_type") and question.text in lines.split("\n")
        }
        assert Counter(items) == Counter(
            n["text"] for n in walk.nodes if n["type"] == shape and n["text"]
        )
    elif kind is Kind.ARROW_TEXTS:
        assert Counter(items) == Counter(label for _, _, label in walk.edges if label)
    elif kind is Kind.BRANCH_TEXTS:
        assert Counter(items) == Counter(own for s, _, own in walk.edges if s == a)
    elif kind is Kind.LANE_TEXTS:
        inside = [n["text"] for n in walk.nodes if n.get("group") == values["lane"]]
        assert Counter(items) == Counter(text for text in inside if text)
    elif kind is Kind.BRANCH_NEXT:
        assert items == [walk.text(walk.arm(a, values["label"]))]
    elif kind is Kind.CONDITION:
        assert items == [own for s, t, own in walk.edges if (s, t) == (a, b)]
    elif kind is Kind.ROUTE:
        told = QUOTED.findall(values["answers"])
        end = walk.follow(a, list(zip(told[::2], told[1::2], strict=True)))
        assert items == [walk.text(end)]
    elif kind is Kind.WAY:
        (way,) = walk.simple_ways(a, b)
        assert items == [walk.text(node) for node in way[1:-1]]
    elif kind is Kind.MEETING:
        assert items == [walk.text(walk.meeting(a))]
    elif kind is Kind.GOES_BACK:
        target = walk.arm(a, values["label"])
        assert walk.closed[target, a]
        assert not walk.without(target)[walk.start, a], "it was passed before"
        assert items == [walk.text(target)]
    elif kind is Kind.LOOP_EXIT:
        assert walk.closed[a, a]
        leaving = [own for s, t, own in walk.edges if s == a and t != a and not walk.closed[t, a]]
        assert items == leaving
    elif kind is Kind.VALUE:
        end = b if b >= 0 else a
        after = walk.compute(a, end, {values["v"]: int(values["n"])})
        assert items == [str(after[values["w"]])]
    elif kind is Kind.COMPARISON:
        truth = walk.holds(a, {values["v"]: int(values["n"])})
        yes = {"yes", "y", "true", "t", "是", "真", "成立"}
        (target,) = [t for s, t, own in walk.edges if s == a and (own.lower() in yes) is truth]
        assert items == [walk.text(target)]
    elif kind in (Kind.NEXT_STEPS, Kind.PREVIOUS_STEPS):
        links = walk.next(a) if kind is Kind.NEXT_STEPS else walk.previous(a)
        assert Counter(items) == Counter(walk.text(node) for node in links)
        assert all(item in question.answer for item in items)
    elif kind is Kind.BOTH_SIDES:
        (before,), (after_,) = walk.previous(a), walk.next(a)
        assert items == [walk.text(before), walk.text(after_)]
        assert all(f"“{item}”" in question.answer for item in items)
    elif kind is Kind.COMMON_PREVIOUS:
        (shared,) = walk.previous(a) & walk.previous(b)
        assert items == [walk.text(shared)]
    elif kind is Kind.NEIGHBOUR:
        met = {side: walk.ray(a, side) for side in side_of(question, "neighbour", language)}
        (found,) = met.values()
        assert walk.find(items[0]) in found
        assert len(found) == 1 or all(far(walk, a, one, items[0], question) for one in found)
    elif kind is Kind.OUTERMOST:
        (side,) = side_of(question, "outermost", language)
        assert items == [walk.text(walk.extreme(side))]
    elif kind is Kind.SIDE:
        (side,) = items
        one, other = walk.boxes[a], walk.boxes[b]
        checks = {
            "above": one[3] < other[1], "below": one[1] > other[3],
            "left": one[2] < other[0], "right": one[0] > other[2],
        }  # fmt: skip
        assert checks[side]
        across = 0 if side in ("above", "below") else 1
        assert one[across] < other[across + 2]
        assert other[across] < one[across + 2], "it lies straight there"
        assert question.answer in wordings(f"side {side}", language)
    elif kind is Kind.LANE:
        assert items == [walk.nodes[a]["group"]]
    else:
        assert kind is Kind.SUMMARY
        (told,) = items
        assert all(f"“{text}”" in told for text in texts)
        assert all(f"“{own}”" in told for _, _, own in walk.edges if own)


def side_of(question: Question, section: str, language: str) -> list[str]:
    lines = {
        side: wordings(f"{section} {side}", language)
        for side in ("above", "below", "left", "right")
    }
    named = question.values.get("a", "")
    return [
        s
        for s, some in lines.items()
        if question.text in [one.replace("{a}", named) for one in some]
    ]


def far(walk: Walk, node: int, met: int, answer: str, question: Question) -> bool:
    """Whether what a ray meets is the answer, or lies behind all of the answer."""
    nearest, other = walk.boxes[walk.find(answer)], walk.boxes[met]
    mine = walk.boxes[node]
    gaps = [
        max(one[0] - mine[2], mine[0] - one[2], one[1] - mine[3], mine[1] - one[3])
        for one in (nearest, other)
    ]
    return met == walk.find(answer) or gaps[1] > gaps[0]


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_truth_is_derived_again_on_synthetic_charts(language):
    kinds, truths = Counter(), Counter()
    for name, graph, boxes in charts(language):
        walk = Walk(graph, boxes)
        for dimension, wanted, question in ask(name, Chart(graph, boxes), language):
            check(question, walk, language)
            kinds[question.kind] += 1
            if dimension is Dimension.LOGIC:
                assert question.items == ("yes" if wanted else "no",)
                truths[question.kind, question.items[0]] += 1
    assert set(kinds) == set(Kind), "every kind occurs"
    both = Counter(truth for (_, truth), n in truths.items() for _ in range(n))
    assert abs(both["yes"] - both["no"]) <= 0.02 * sum(both.values()), both
    for kind in KINDS[Dimension.LOGIC]:
        assert truths[kind, "yes"], f"{kind} is never true"
        assert truths[kind, "no"], f"{kind} is never false"


def test_the_kind_of_a_statement_does_not_tell_whether_it_is_true():
    """In a set of files each chart is asked by the same turns: truths must not follow them."""
    truths: dict[Kind, Counter] = {}
    for number in range(60):
        for dimension, question in ask_all(make_chart("en", 6, number), 6, seed=0):
            if dimension is Dimension.LOGIC:
                truths.setdefault(question.kind, Counter())[question.items[0]] += 1
    often = {kind: found for kind, found in truths.items() if found.total() >= 20}
    assert len(often) >= 8
    for kind, found in often.items():
        assert max(found.values()) <= 0.75 * found.total(), (kind, found)


def test_a_number_of_arrows_does_not_tell_whether_it_is_true():
    for kind in (Kind.ARROWS_OUT, Kind.ARROWS_IN):
        stated: dict[str, Counter] = {}
        for number in range(60):
            chart = Chart(graphs_dot.read(make_chart("en", 5, number).truth).value)
            for wanted in (True, False):
                asking = Asking(kind, chart, "en", Chance(kind, number, int(wanted)), wanted)
                if (question := MAKERS[Dimension.LOGIC][kind](asking)) is not None:
                    stated.setdefault(question.values["n"], Counter())[wanted] += 1
        guessed = sum(max(found.values()) for found in stated.values())
        asked = sum(found.total() for found in stated.values())
        assert asked >= 60
        assert guessed <= 0.65 * asked, (kind, stated)


def real_charts(folder: Path) -> list[tuple[str, Graph, bool]]:
    found = []
    for path in sorted(folder.iterdir()):
        text = path.read_bytes().decode("utf-8", errors="replace")
        read = Flowchart().read(text)
        if not isinstance(read, Failed):
            source = read.value.structure.text
            graph = graphs_dot.read(source).value
            found.append((path.name, graph, graphs_dot.frames_are_plain(source)))
    return found


def test_each_truth_is_derived_again_on_files_that_people_wrote(shared):
    asked = Counter()
    unknown = 0
    for name, graph, framed in real_charts(shared / "real" / "dot"):
        walk = Walk(graph)
        for _, _, question in ask(name, Chart(graph, framed=framed), "en"):
            asked[name] += 1
            try:
                check(question, walk, "en")
            except Unknown:
                unknown += 1
    assert len(asked) >= 20
    assert unknown <= 0.02 * asked.total()


def test_equal_arguments_give_equal_questions():
    assert digest() == digest()
    program = "from tests.scenarios.test_flowce_questions import digest; print(digest())"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": "77", "PATH": ""}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert told.stdout.strip() == digest(), "whatever the hash seed is"


def digest() -> str:
    material = make_chart("en", 4, 7)
    graph = graphs_dot.read(material.truth).value
    chart = Chart(graph, place(graph, Chance("fixed")))
    return digest_json([[q.kind, q.text, list(q.items)] for _, _, q in ask("fixed", chart, "en")])


def graph(*edges: str, **types: NodeType) -> Graph:
    """A graph of edges written as ``a>b`` or ``a>b:label``; a type by the name of its node."""
    parsed = [edge.partition(":")[::2] for edge in edges]
    ends = [tuple(way.split(">")) for way, _ in parsed]
    names = dict.fromkeys(name for pair in ends for name in pair)
    return Graph(
        tuple(Node(name, name, types.get(name, NodeType.PROCESS)) for name in names),
        tuple(Edge(*pair, label) for pair, (_, label) in zip(ends, parsed, strict=True)),
    )


FORKED = graph("s>f", "f>one", "f>two", "one>j", "two>j", "j>e", f=NodeType.OTHER)
CHOSEN = graph("s>d", "d>one:yes", "d>two:no", "one>j", "two>j", "j>e", d=NodeType.DECISION)


def number(of: Graph, name: str) -> int:
    return [node.id for node in of.nodes].index(name)


def test_what_a_run_carries_out_is_told_of_forks_and_choices_only_where_they_agree():
    forked, chosen = Chart(FORKED), Chart(CHOSEN)
    assert forked.happens_in_every_run(number(FORKED, "one")) is None
    assert forked.happens_in_every_run(number(FORKED, "j")) is True
    assert chosen.happens_in_every_run(number(CHOSEN, "one")) is False
    assert chosen.happens_in_every_run(number(CHOSEN, "j")) is True


def test_nothing_is_said_of_two_ways_of_a_fork_excluding_each_other():
    for turn in range(40):
        asked = generate(Dimension.LOGIC, Chart(FORKED), "en", Chance(turn), 6, wanted=False)
        assert asked is None or asked.kind is not Kind.TOGETHER


def test_a_text_that_occurs_twice_names_nothing():
    twice = Graph((*CHOSEN.nodes[:-1], Node("e", "ONE ")), CHOSEN.edges)
    for turn in range(60):
        for dimension in (Dimension.LOGIC, Dimension.REASONING, Dimension.LOCALIZATION):
            asked = generate(dimension, Chart(twice), "en", Chance(turn), turn)
            assert asked is None or "one" not in str(asked.values.get("a", "")).lower()
            assert asked is None or "one" not in str(asked.values.get("b", "")).lower()


def test_lines_without_heads_and_huge_charts_offer_nothing_of_order():
    lines = Graph(CHOSEN.nodes, (*CHOSEN.edges[:-1], Edge("j", "e", directed=False)))
    for turn in range(12):
        for dimension in (Dimension.LOGIC, Dimension.REASONING, Dimension.SUMMARIZATION):
            assert generate(dimension, Chart(lines), "en", Chance(turn), turn) is None
    chain = graph(*(f"n{i}>n{i + 1}" for i in range(MOST_NODES + 1)))
    for dimension in Dimension:
        assert generate(dimension, Chart(chain), "en", Chance(1), 1) is None


def test_a_chart_in_which_everything_leads_everywhere_takes_no_effort():
    names = [f"n{i}" for i in range(70)]
    every = graph(*(f"{one}>{other}" for one in names for other in names if one != other))
    asked = [
        generate(dimension, Chart(every), "en", Chance(turn), turn, wanted=turn % 2 == 0)
        for turn in range(12)
        for dimension in Dimension
    ]
    assert any(asked), "and is asked about all the same"


def test_boxes_must_belong_to_the_graph():
    with pytest.raises(ValueError, match="boxes for"):
        Chart(CHOSEN, [(0, 0, 9, 9)])


def test_doubtful_places_are_not_asked_for():
    boxes = {
        "s": (400, 0, 500, 50),
        "f": (400, 100, 500, 150),
        "one": (100, 200, 200, 250),
        "two": (440, 203, 540, 255),
        "j": (395, 300, 600, 350),
        "e": (100, 304, 200, 350),
    }
    chart = Chart(FORKED, [boxes[node.id] for node in FORKED.nodes])
    asked = [
        generate(Dimension.LOCALIZATION, chart, "en", Chance(turn, kind), kind)
        for turn in range(60)
        for kind in range(8)
    ]
    outermost = {q.items[0] for q in asked if q and q.kind is Kind.OUTERMOST}
    assert outermost == {"s"}, "j and e are equally low, one and e equally far left"
    below = {
        (q.values["a"], q.items[0])
        for q in asked
        if q and q.kind is Kind.NEIGHBOUR and ("below" in q.text or "under" in q.text)
    }
    assert {("s", "f"), ("f", "two"), ("two", "j"), ("one", "e")} >= below >= {("s", "f")}


def test_a_nearer_node_beside_makes_the_one_straight_below_doubtful():
    straight = {"s": (400, 0, 500, 50), "f": (400, 300, 500, 350)}
    beside, far_off = (540, 100, 640, 150), (840, 100, 940, 150)
    assert find_neighbour([*straight.values(), far_off], 0, "below") == 1
    assert find_neighbour([*straight.values(), beside], 0, "below") is None
    assert find_neighbour([*straight.values(), (540, 300, 640, 350)], 0, "below") == 1, "one row"


def test_branches_that_come_back_are_not_said_to_come_together():
    retried = graph("s>q", "q>fix:no", "fix>q", "q>e:yes", q=NodeType.DECISION)
    for of, told in ((retried, False), (CHOSEN, True)):
        asked = [
            MAKERS[Dimension.REASONING][Kind.MEETING](
                Asking(Kind.MEETING, Chart(of), "en", Chance(turn))
            )
            for turn in range(20)
        ]
        assert any("come together" in question.text for question in asked) is told


def test_texts_at_lines_without_heads_are_not_called_texts_at_arrows():
    lines = Graph(CHOSEN.nodes, (*CHOSEN.edges[:-1], Edge("j", "e", "x", directed=False)))
    for kind in (Kind.ALL_TEXTS, Kind.ARROW_TEXTS):
        make = MAKERS[Dimension.EXTRACTION][kind]
        assert make(Asking(kind, Chart(CHOSEN), "en", Chance(1))) is not None
        assert make(Asking(kind, Chart(lines), "en", Chance(1))) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_kind_has_several_wordings(language):
    sections = read_sections("flowce_questions", language)
    for kind in Kind:
        own = [name for name in sections if name == kind or name.startswith(f"{kind} ")]
        asked = [name for name in own if len(wordings(name, language)) > 1]
        assert asked, kind
    assert set(read_sections("flowce_questions", "en")) == set(sections)


def test_every_kind_belongs_to_one_dimension():
    kinds = [kind for makers in MAKERS.values() for kind in makers]
    assert sorted(kinds) == sorted(Kind)
