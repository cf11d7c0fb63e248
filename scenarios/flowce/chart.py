"""A flowchart as questions see it: nodes by number, arrows, ways along them, lanes, places.

All that is said here of order is said of ways along arrows, which can be followed with a finger.
What a run of the process does differs where a step leads on to several others at once: does it take
one of them (a choice) or all (a fork)? ``happens_in_every_run`` says neither where that matters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scenarios.graphs import Graph, Node, NodeType
from scenarios.tree_boxes import Box

MOST_NODES = 200
"""Charts with more are not asked about: nobody could read such a picture."""

MOST_CHARACTERS = 120
"""A node with a longer text is not named in questions."""

_QUOTES = frozenset("“”")


@dataclass(frozen=True)
class Arrow:
    """An arrow between two nodes, by number, and what stands at it."""

    source: int
    target: int
    label: str


@dataclass(frozen=True)
class Chart:
    """A graph whose nodes are numbered in their order.

    Attributes:
        graph: the graph.
        boxes: the box of each node, or None where positions are not known.
        framed: whether the title of each node's frame is known for certain: frames have titles, and
            none lies in another one.
    """

    graph: Graph
    boxes: Sequence[Box] | None = None
    framed: bool = True

    def __post_init__(self) -> None:
        """Refuse boxes that do not belong to the graph.

        Raises:
            ValueError: there are more or fewer boxes than nodes.
        """
        if self.boxes is not None and len(self.boxes) != len(self.nodes):
            raise ValueError(f"{len(self.boxes)} boxes for {len(self.nodes)} nodes")

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in order."""
        return self.graph.nodes

    @cached_property
    def arrows(self) -> tuple[Arrow, ...]:
        """All arrows."""
        numbers = {node.id: number for number, node in enumerate(self.nodes)}
        return tuple(
            Arrow(numbers[edge.source], numbers[edge.target], edge.label)
            for edge in self.graph.edges
        )

    @cached_property
    def is_directed(self) -> bool:
        """Whether every line has a head at one end: only then is anything known of order."""
        return bool(self.graph.edges) and all(edge.directed for edge in self.graph.edges)

    def text(self, number: int) -> str:
        """Return what stands in a node."""
        return self.nodes[number].text

    @cached_property
    def named(self) -> list[int]:
        """The nodes that a question can name by their text: no other node has the same."""
        counts = Counter(_folded(node.text) for node in self.nodes)
        return [
            number
            for number, node in enumerate(self.nodes)
            if node.text.strip()
            and counts[_folded(node.text)] == 1
            and len(node.text) <= MOST_CHARACTERS
            and not _QUOTES & set(node.text)
        ]

    @cached_property
    def leaving(self) -> list[list[Arrow]]:
        """The arrows that leave each node."""
        found: list[list[Arrow]] = [[] for _ in self.nodes]
        for arrow in self.arrows:
            found[arrow.source].append(arrow)
        return found

    @cached_property
    def entering(self) -> list[list[Arrow]]:
        """The arrows that lead into each node."""
        found: list[list[Arrow]] = [[] for _ in self.nodes]
        for arrow in self.arrows:
            found[arrow.target].append(arrow)
        return found

    def after(self, number: int) -> list[int]:
        """Return the nodes that arrows lead to from a node, each once."""
        return self._following[number]

    def before(self, number: int) -> list[int]:
        """Return the nodes from which arrows lead to a node, each once."""
        return self._preceding[number]

    @cached_property
    def _following(self) -> list[list[int]]:
        return [list(dict.fromkeys(arrow.target for arrow in own)) for own in self.leaving]

    @cached_property
    def _preceding(self) -> list[list[int]]:
        return [list(dict.fromkeys(arrow.source for arrow in own)) for own in self.entering]

    def reachable(self, number: int, without: int | None = None) -> set[int]:
        """Return the nodes that one comes to from a node by an arrow or more.

        Args:
            number: where one begins; it is in the set only if a way leads back to it.
            without: a node that may not be passed, nor be come to.
        """
        found: set[int] = set()
        waiting = [number]
        while waiting:
            for target in self.after(waiting.pop()):
                if target != without and target not in found:
                    found.add(target)
                    waiting.append(target)
        return found

    @cached_property
    def reach(self) -> list[set[int]]:
        """The nodes that one comes to from each node by an arrow or more."""
        return [self.reachable(number) for number in range(len(self.nodes))]

    def must_pass(self, start: int, end: int, via: int) -> bool:
        """Tell whether every way from one node to another one passes a third one."""
        return end not in self.reachable(start, without=via)

    @cached_property
    def start(self) -> int | None:
        """The node where the process begins: no arrow enters it, and all others lie behind it."""
        found = [n for n in range(len(self.nodes)) if all(s == n for s in self.before(n))]
        if len(found) != 1 or len(self.reach[found[0]] | {found[0]}) < len(self.nodes):
            return None
        return found[0]

    @cached_property
    def ends(self) -> list[int]:
        """The nodes that no arrow leaves."""
        return [number for number in range(len(self.nodes)) if not self.leaving[number]]

    @cached_property
    def comes_to_an_end(self) -> bool:
        """Whether there is one start and an end lies ahead of every step."""
        ends = set(self.ends)
        return self.start is not None and all(
            number in ends or self.reach[number] & ends for number in range(len(self.nodes))
        )

    @cached_property
    def forks(self) -> list[int]:
        """The nodes that lead on to several others though nothing is decided there."""
        return [
            number
            for number, node in enumerate(self.nodes)
            if node.type is not NodeType.DECISION
            and len(self.after(number)) > 1
            and not all(arrow.label for arrow in self.leaving[number])
        ]

    def arms(self, number: int) -> dict[str, int]:
        """Return where each answer at a node leads to; nothing where labels do not tell them apart.

        There are two at least, and all have labels that a question can name.
        """
        arrows = self.leaving[number]
        labels = {_folded(arrow.label) for arrow in arrows}
        if len(arrows) < 2 or len(labels) < len(arrows):
            return {}
        if not all(_is_name(arrow.label) for arrow in arrows):
            return {}
        return {arrow.label: arrow.target for arrow in arrows}

    def happens_in_every_run(self, number: int) -> bool | None:
        """Tell whether every run from the start to an end carries out a step.

        Returns:
            None where there is no start, or where it depends on whether a fork takes all its ways.
        """
        if self.start is None or not self.comes_to_an_end:
            return None
        choices = self._can_be_left_out(number, together=frozenset())
        forks = self._can_be_left_out(number, together=frozenset(self.forks))
        return not choices if choices is forks else None

    def _can_be_left_out(self, number: int, *, together: frozenset[int]) -> bool:
        """Tell whether a run leaves a step out if some nodes lead on to all their ways at once."""
        without = set(self.ends) - {number}
        grows = True
        while grows:
            grows = False
            for node in range(len(self.nodes)):
                if node in without or node == number:
                    continue
                rule = all if node in together else any
                if self.after(node) and rule(target in without for target in self.after(node)):
                    without.add(node)
                    grows = True
        return self.start in without

    def meeting_point(self, number: int) -> int | None:
        """Return the first node that every way from a node to an end passes, if there is one.

        It is the nearest node that postdominates it.
        """
        if not self.comes_to_an_end:
            return None
        common = [
            other
            for other in self.reach[number]
            if other != number and not self._ends_without(number, other)
        ]
        first = [
            one
            for one in common
            if not any(other != one and self.must_pass(number, one, other) for other in common)
        ]
        return first[0] if len(first) == 1 else None

    def _ends_without(self, number: int, without: int) -> bool:
        ends = set(self.ends)
        return bool((self.reachable(number, without=without) | {number}) & (ends - {without}))

    @cached_property
    def lanes(self) -> dict[str, list[int]]:
        """The nodes of each lane or frame by its title; none where titles are not certain."""
        found: dict[str, list[int]] = {}
        for number, node in enumerate(self.nodes):
            if node.group is not None and self.framed:
                found.setdefault(node.group, []).append(number)
        return found if all(_is_name(title) for title in found) else {}

    def box(self, number: int) -> Box:
        """Return a node's box.

        Raises:
            ValueError: positions are not known.
        """
        if self.boxes is None:
            raise ValueError("the chart has no boxes")
        return self.boxes[number]


def _folded(text: str) -> str:
    """Return what makes two texts look alike: letters without case and space."""
    return "".join(text.casefold().split())


def _is_name(text: str) -> bool:
    return bool(text.strip()) and len(text) <= MOST_CHARACTERS and not _QUOTES & set(text)
