"""Questions about a map, generated from its tree: pure and seeded.

Kinds of structured questions (7): theme, parent, children, level, nodes of a level, parent and
child or not, siblings or not. Kinds of position-related questions (11): the first six about nodes
that are named by their box (a text in place of the theme), the count of nodes in a region; and
where a node, its parent, its children, its branch are. Source: MindBench (arXiv 2407.02842,
section 3.2 and appendix B).

What the published generator leaves to chance is decided here: a node is asked for by its text
or by its box only where that names one node; yes and no are wanted equally often; a region does
not cut nodes in half; and an answer that could not be read back as it is, is not asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from benchmark.chance import Chance
from scenarios.mindbench.answers import Form, Item, is_readable
from scenarios.mindbench.map import Map
from scenarios.mindbench.phrasing import Language, ask
from scenarios.tree_boxes import union, write_box

ATTEMPTS = 40
"""So many choices are tried before a map is said to offer no question of a kind."""

BEYOND = 10
"""Percent of the questions after a level that ask for one below the deepest: the answer is none."""

INNER = 75
"""Percent of the questions after children that ask about a node that has some."""

WORDS: dict[Language, tuple[str, str]] = {"en": ("No", "Yes"), "zh": ("否", "是")}


class Kind(StrEnum):
    """What is asked."""

    THEME = "theme"
    PARENT = "parent"
    CHILDREN = "children"
    LEVEL = "level"
    NODES_AT_LEVEL = "nodes_at_level"
    PARENT_CHILD = "parent_child"
    SIBLINGS = "siblings"

    BOX_TEXT = "box_text"
    BOX_LEVEL = "box_level"
    BOX_PARENT = "box_parent"
    BOX_CHILDREN = "box_children"
    BOX_PARENT_CHILD = "box_parent_child"
    BOX_SIBLINGS = "box_siblings"
    BOX_COUNT = "box_count"

    LABEL_BOX = "label_box"
    PARENT_OF_LABEL_BOX = "parent_of_label_box"
    CHILDREN_OF_LABEL_BOX = "children_of_label_box"
    SUBGRAPH_BOX = "subgraph_box"


STRUCTURED = tuple(Kind)[:7]
RECOGNITION = tuple(Kind)[7:14]
GROUNDING = tuple(Kind)[14:]


@dataclass(frozen=True)
class Question:
    """One question with its true answer.

    Attributes:
        kind: what is asked.
        text: the question in words.
        form: the form of the answer.
        items: the true answer; empty where there is none (a root's parent).
        nodes: the numbers of the nodes that are asked about.
        level: the level that is asked about, if one is.
        region: the region that is asked about, if one is.
    """

    kind: Kind
    text: str
    form: Form
    items: tuple[Item, ...]
    nodes: tuple[int, ...] = ()
    level: int | None = None
    region: tuple[int, int, int, int] | None = None


def generate(kind: Kind, mind_map: Map, language: Language, chance: Chance) -> Question | None:
    """Return a question of a kind, or None where the map offers none.

    The same map, language and state of `chance` give the same question.
    """
    if kind not in STRUCTURED and mind_map.boxes is None:
        return None
    for _ in range(ATTEMPTS):
        question = _MAKERS[kind](_Maker(kind, mind_map, language, chance))
        if question is not None and is_readable(question.items, question.form):
            return question
    return None


class _Maker:
    """Makes one attempt at a question."""

    def __init__(self, kind: Kind, mind_map: Map, language: Language, chance: Chance) -> None:
        self.kind = kind
        self.map = mind_map
        self.language = language
        self.chance = chance
        self.by_place = kind in RECOGNITION
        self.known = mind_map.placed if self.by_place else mind_map.named

    def theme(self) -> Question:
        """Ask what the root says."""
        return self._ask(Form.TEXT, [self._text(0)])

    def box_text(self) -> Question | None:
        """Ask for a node's text."""
        return self._about_node(Form.TEXT, lambda i: [self._text(i)])

    def parent(self) -> Question | None:
        """Ask for a node's parent."""
        return self._about_node(Form.TEXT, lambda i: [self._text(p) for p in self._parent(i)])

    def children(self) -> Question | None:
        """Ask for a node's children."""
        return self._about_node(
            Form.LIST, lambda i: [self._text(c) for c in self.map.children(i)], inner=True
        )

    def level(self) -> Question | None:
        """Ask for a node's level."""
        return self._about_node(Form.NUMBER, lambda i: [Item(str(self.map.levels[i]))])

    def nodes_at_level(self) -> Question:
        """Ask for the nodes of a level."""
        deepest = max(self.map.levels)
        beyond = self.chance.happens(BEYOND)
        level = deepest + 1 if beyond else self.chance.between(1, deepest)
        found = [i for i, own in enumerate(self.map.levels) if own == level]
        return self._ask(
            Form.LIST, [self._text(i) for i in found], level=level, values={"level": str(level)}
        )

    def parent_child(self) -> Question | None:
        """Ask whether one of two nodes is the parent of the other."""
        return self._about_pair(
            lambda one, other: one in self._parent(other) or other in self._parent(one)
        )

    def siblings(self) -> Question | None:
        """Ask whether two nodes have one parent."""
        return self._about_pair(
            lambda one, other: bool(self._parent(one)) and self._parent(one) == self._parent(other)
        )

    def box_count(self) -> Question | None:
        """Ask how many nodes lie in the region around two nodes."""
        if len(self.known) < 2:
            return None
        pair = self.chance.shuffled(self.known)[:2]
        region = union(self.map.box(i) for i in pair)
        inside = self.map.within(region)
        if inside is None:
            return None
        count = [Item(str(len(inside)))]
        return self._ask(Form.NUMBER, count, region=region, values={"box": write_box(region)})

    def label_box(self) -> Question | None:
        """Ask where a node is."""
        return self._about_node(Form.BOX, lambda i: [Item(box=self.map.box(i))])

    def parent_box(self) -> Question | None:
        """Ask for a node's parent and where it is."""
        return self._about_node(Form.TEXT_BOX, lambda i: [self._both(p) for p in self._parent(i)])

    def children_boxes(self) -> Question | None:
        """Ask for a node's children and where they are."""
        return self._about_node(
            Form.LIST_BOX, lambda i: [self._both(c) for c in self.map.children(i)], inner=True
        )

    def subgraph_box(self) -> Question | None:
        """Ask where a node and all below it are."""
        return self._about_node(Form.BOX, lambda i: [Item(box=self.map.region(i))], inner=True)

    def _about_node(
        self, form: Form, answer: Callable[[int], list[Item]], *, inner: bool = False
    ) -> Question | None:
        nodes = self.known
        if inner and self.chance.happens(INNER):
            nodes = [i for i in nodes if self.map.nodes[i].children]
        if not nodes:
            return None
        chosen = self.chance.choice(nodes)
        return self._ask(form, answer(chosen), nodes=(chosen,), values=self._names(chosen))

    def _about_pair(self, related: Callable[[int, int], bool]) -> Question | None:
        wanted = self.chance.happens(50)
        one = self.chance.choice(self.known) if self.known else 0
        others = [i for i in self.known if i != one and related(one, i) is wanted]
        if not others:
            return None
        other = self.chance.choice(others)
        return self._ask(
            Form.YES_NO,
            [Item(WORDS[self.language][wanted])],
            nodes=(one, other),
            values=self._names(one, other),
        )

    def _names(self, one: int, other: int | None = None) -> dict[str, str]:
        """Return how nodes are called in the question."""
        places = ("box", "other_box") if self.by_place else ("label", "other")
        numbers = [one] if other is None else [one, other]
        return {
            place: write_box(self.map.box(i)) if self.by_place else self.map.nodes[i].text
            for place, i in zip(places, numbers, strict=False)
        }

    def _ask(
        self,
        form: Form,
        items: list[Item],
        *,
        nodes: tuple[int, ...] = (),
        level: int | None = None,
        region: tuple[int, int, int, int] | None = None,
        values: dict[str, str] | None = None,
    ) -> Question:
        text = ask(self.kind, self.language, self.chance, **(values or {}))
        return Question(self.kind, text, form, tuple(items), nodes, level, region)

    def _parent(self, number: int) -> list[int]:
        parent = self.map.parents[number]
        return [] if parent is None else [parent]

    def _text(self, number: int) -> Item:
        return Item(self.map.nodes[number].text)

    def _both(self, number: int) -> Item:
        return Item(self.map.nodes[number].text, self.map.box(number))


_MAKERS: dict[Kind, Callable[[_Maker], Question | None]] = {
    Kind.THEME: _Maker.theme,
    Kind.PARENT: _Maker.parent,
    Kind.CHILDREN: _Maker.children,
    Kind.LEVEL: _Maker.level,
    Kind.NODES_AT_LEVEL: _Maker.nodes_at_level,
    Kind.PARENT_CHILD: _Maker.parent_child,
    Kind.SIBLINGS: _Maker.siblings,
    Kind.BOX_TEXT: _Maker.box_text,
    Kind.BOX_LEVEL: _Maker.level,
    Kind.BOX_PARENT: _Maker.parent,
    Kind.BOX_CHILDREN: _Maker.children,
    Kind.BOX_PARENT_CHILD: _Maker.parent_child,
    Kind.BOX_SIBLINGS: _Maker.siblings,
    Kind.BOX_COUNT: _Maker.box_count,
    Kind.LABEL_BOX: _Maker.label_box,
    Kind.PARENT_OF_LABEL_BOX: _Maker.parent_box,
    Kind.CHILDREN_OF_LABEL_BOX: _Maker.children_boxes,
    Kind.SUBGRAPH_BOX: _Maker.subgraph_box,
}
