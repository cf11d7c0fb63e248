"""What synthetic flowcharts tell: steps and arrows, made of the blocks that programs are made of.

A plan grows from its start to its end: each block takes the arrows that are still open and leaves
others open. So every step is reached, every question has all its answers, and every loop ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from benchmark.chance import Chance
from sources.flowchart_words import Part, Topic

Kind = Literal["decision-tree", "loop", "swim-lanes", "parallel", "code-like", "mixed"]
KINDS: tuple[Kind, ...] = ("decision-tree", "loop", "swim-lanes", "parallel", "code-like", "mixed")

StepType = Literal["terminal", "process", "decision", "input_output", "other"]

MOST_STEPS = 30
_LEAST = {
    "decision-tree": 8,
    "loop": 5,
    "swim-lanes": 7,
    "parallel": 10,
    "code-like": 7,
    "mixed": 6,
}

Open = list[tuple[int, str]]
"""Arrows that lead nowhere yet: from which step, with which label."""

Block = Callable[[Open, int], Open]
"""Takes the open arrows and how deep it lies in other blocks; returns the arrows it leaves open."""

_TYPES: dict[Part, StepType] = {
    "start": "terminal", "end": "terminal", "action": "process", "input": "input_output",
    "output": "input_output", "question": "decision", "more": "decision", "fork": "other",
    "join": "other",
}  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A node: its text, what it is, and the lane it lies in."""

    text: str
    type: StepType
    lane: str | None = None


@dataclass(frozen=True)
class Plan:
    """A flowchart without looks: steps by number, arrows as (from, to, label)."""

    steps: tuple[Step, ...]
    arrows: tuple[tuple[int, int, str], ...]


def random_plan(chance: Chance, topic: Topic, kind: Kind) -> Plan:
    """Draw a plan of 5 to 30 steps, in which no text occurs twice and some arrow has a label."""
    count = chance.between(_LEAST[kind], MOST_STEPS)
    lanes: list[str] = []
    if kind == "swim-lanes":
        lanes = chance.shuffled(topic.lanes)[: chance.between(2, len(topic.lanes))]
    planner = _Planner(chance, topic, count, lanes)
    if kind == "decision-tree":
        planner.grow_tree()
    else:
        planner.grow(kind)
    return Plan(tuple(planner.steps), tuple(planner.arrows))


@dataclass
class _Planner:
    chance: Chance
    topic: Topic
    count: int
    lanes: list[str]
    steps: list[Step] = field(default_factory=list)
    arrows: list[tuple[int, int, str]] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    lane: int = 0

    def __post_init__(self) -> None:
        self.yes, self.no = self.chance.choice(self.topic.answers)

    @property
    def room(self) -> int:
        """How many steps may come before the last one."""
        return self.count - len(self.steps) - 1

    @property
    def spare_end(self) -> bool:
        """Whether there are ends enough that the last step has one too."""
        return self.topic.left("end", self.taken) > 1

    def add(self, part: Part, open_arrows: Open, text: str | None = None) -> int:
        """Add a step to which all open arrows lead; return its number."""
        if self.lanes and self.steps and self.chance.happens(40):
            self.lane = self.chance.below(len(self.lanes))
        text = self.topic.text(self.chance, part, self.taken) if text is None else text
        lane = self.lanes[self.lane] if self.lanes else None
        self.steps.append(Step(text, _TYPES[part], lane))
        self.connect(open_arrows, len(self.steps) - 1)
        return len(self.steps) - 1

    def connect(self, open_arrows: Open, step: int) -> None:
        self.arrows += [(source, step, label) for source, label in open_arrows]

    def grow(self, kind: Kind) -> None:
        """Grow from start to end; the first blocks are those that make the kind what it is."""
        blocks = self._blocks(kind)
        open_arrows: Open = [(self.add("start", []), "")]
        if kind == "code-like" or (self.room > 6 and self.chance.happens(40)):
            open_arrows = [(self.add("input", open_arrows), "")]
        for block in self._first(kind):
            open_arrows = block(open_arrows, 1)
        while self.room > 0:
            fitting = [(block, weight) for block, need, weight in blocks if need <= self.room]
            open_arrows = self.chance.weighted(fitting)(open_arrows, 1)
        self.add("end", open_arrows)

    def _first(self, kind: Kind) -> Sequence[Block]:
        blocks: dict[Kind, Sequence[Block]] = {
            "loop": [self.chance.choice((self.repeat, self.repeat_until))],
            "swim-lanes": [self.chance.choice((self.branch, self.retry))],
            "parallel": [self.parallel, self.branch],
            "code-like": [self.repeat],
            "mixed": [self.branch],
        }
        return blocks[kind]

    def _blocks(self, kind: Kind) -> Sequence[tuple[Block, int, int]]:
        """Return each block with the steps that it needs and its weight."""
        loops = {"loop": 4, "code-like": 3, "mixed": 2}.get(kind, 1)
        forks = {"parallel": 4, "mixed": 1}.get(kind, 0)
        blocks: list[tuple[Block, int, int]] = [
            (self.action, 1, 6),
            (self.exchange, 1, 2),
            (self.branch, 3, 3),
            (self.choice, 4, 1),
            (self.retry, 2, 2 if kind == "swim-lanes" else 1),
            (self.repeat, 2, loops),
            (self.repeat_until, 2, loops),
        ]
        return blocks + ([(self.parallel, 4, forks)] if forks else [])

    def action(self, open_arrows: Open, depth: int) -> Open:  # noqa: ARG002 - as all blocks
        return [(self.add("action", open_arrows), "")]

    def exchange(self, open_arrows: Open, depth: int) -> Open:  # noqa: ARG002
        part: Part = self.chance.choice(("input", "output"))
        return [(self.add(part, open_arrows), "")]

    def run(self, open_arrows: Open, depth: int, most: int = 2) -> Open:
        """Add one step at least, and at times more or a block of its own."""
        open_arrows = self.action(open_arrows, depth)
        if depth < 3 and self.room > 6 and self.chance.happens(25):
            block = self.chance.choice((self.branch, self.repeat, self.retry))
            return block(open_arrows, depth + 1)
        for _ in range(self.chance.below(most)):
            if self.room > 4:
                open_arrows = self.chance.choice((self.action, self.exchange))(open_arrows, depth)
        return open_arrows

    def branch(self, open_arrows: Open, depth: int) -> Open:
        """Ask a question; one answer has steps of its own, the other one at times."""
        question = self.add("question", open_arrows)
        answers = [self.yes, self.no]
        if self.chance.happens(30):
            answers.reverse()
        closed = self.run([(question, answers[0])], depth)
        rest: Open = [(question, answers[1])]
        if self.room > 2 and self.spare_end and self.chance.happens(30):
            self.add("end", rest)
            return closed
        if self.room > 1 and self.chance.happens(55):
            rest = self.run(rest, depth)
        return closed + rest

    def choice(self, open_arrows: Open, depth: int) -> Open:
        """Ask which of several cases holds; each but perhaps the last has a step of its own."""
        fresh = [one for one in self.topic.choices if one[0] not in self.taken]
        if not fresh:
            return self.branch(open_arrows, depth)
        text, *labels = self.chance.choice(fresh)
        self.taken.add(text)
        question = self.add("question", open_arrows, text)
        closed: Open = []
        for label in labels[:-1]:
            closed += self.action([(question, label)], depth)
        rest: Open = [(question, labels[-1])]
        return closed + (self.action(rest, depth) if self.room > 1 else rest)

    def retry(self, open_arrows: Open, depth: int) -> Open:
        """Ask a question again after each step that shall mend what it found."""
        question = self.add("question", open_arrows)
        self.connect(self.action([(question, self.no)], depth), question)
        return [(question, self.yes)]

    def repeat(self, open_arrows: Open, depth: int) -> Open:
        """Ask first whether the loop goes round."""
        question = self.add("more", open_arrows)
        self.connect(self.run([(question, self.yes)], depth), question)
        return [(question, self.no)]

    def repeat_until(self, open_arrows: Open, depth: int) -> Open:
        """Ask at the end of the loop whether it goes round again."""
        first = len(self.steps)
        question = self.add("more", self.action(open_arrows, depth))
        self.connect([(question, self.yes)], first)
        return [(question, self.no)]

    def parallel(self, open_arrows: Open, depth: int) -> Open:
        """Go several ways at once and meet again."""
        fork = self.add("fork", open_arrows)
        ways: Open = []
        for _ in range(min(self.chance.between(2, 4), max(2, self.room - 2))):
            way = self.action([(fork, "")], depth)
            if self.room > 4 and self.chance.happens(35):
                way = self.action(way, depth)
            ways += way
        return [(self.add("join", ways), "")]

    def grow_tree(self) -> None:
        """Grow questions below questions; the oldest open answer is the next one to be taken."""
        waiting: Open = [(self.add("start", []), "")]
        while waiting:
            arrow = waiting.pop(0)
            left = self.count - len(self.steps) - len(waiting)
            if left >= 3 and (len(self.steps) < 3 or self.chance.happens(75)):
                waiting += self._ask([arrow], left)
            else:
                ends: list[tuple[Part, int]] = [("end", 2)] if self.spare_end else []
                part = self.chance.weighted([("action", 5), *ends, ("output", 1)])
                self.add(part, [arrow])

    def _ask(self, open_arrows: Open, left: int) -> Open:
        fresh = [one for one in self.topic.choices if one[0] not in self.taken]
        if left >= 4 and fresh and self.chance.happens(25):
            text, *labels = self.chance.choice(fresh)
            self.taken.add(text)
            question = self.add("question", open_arrows, text)
            return [(question, label) for label in labels]
        question = self.add("question", open_arrows)
        return [(question, self.yes), (question, self.no)]
