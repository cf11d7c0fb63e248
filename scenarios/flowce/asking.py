"""What a question about a flowchart is, and one attempt at asking it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from benchmark.chance import Chance
from scenarios.flowce.chart import Chart
from scenarios.flowce.wording import ask
from scenarios.mindbench.phrasing import Language


class Kind(StrEnum):
    """What is asked."""

    NEXT = "next"
    BRANCH = "branch"
    REACHES = "reaches"
    EVERY_WAY = "every_way"
    ALWAYS = "always"
    LOOP = "loop"
    TOGETHER = "together"
    ENDS = "ends"
    ARROWS_OUT = "arrows_out"
    ARROWS_IN = "arrows_in"
    IN_LANE = "in_lane"
    SAME_LANE = "same_lane"

    ALL_TEXTS = "all_texts"
    TEXTS_OF_TYPE = "texts_of_type"
    ARROW_TEXTS = "arrow_texts"
    BRANCH_TEXTS = "branch_texts"
    LANE_TEXTS = "lane_texts"

    BRANCH_NEXT = "branch_next"
    CONDITION = "condition"
    ROUTE = "route"
    WAY = "way"
    MEETING = "meeting"
    GOES_BACK = "goes_back"
    LOOP_EXIT = "loop_exit"
    VALUE = "value"
    COMPARISON = "comparison"

    NEXT_STEPS = "next_steps"
    PREVIOUS_STEPS = "previous_steps"
    BOTH_SIDES = "both_sides"
    COMMON_PREVIOUS = "common_previous"
    NEIGHBOUR = "neighbour"
    OUTERMOST = "outermost"
    SIDE = "side"
    LANE = "lane"

    SUMMARY = "summary"


@dataclass(frozen=True)
class Question:
    """One question with its true answer.

    Attributes:
        kind: what is asked.
        text: the question in words.
        items: the true answer: ``("yes",)`` or ``("no",)`` to a statement, else the texts that the
            answer names.
        values: what is named in the question, by its role in the wording.
        answer: the answer in words, where that is more than the items.
    """

    kind: Kind
    text: str
    items: tuple[str, ...]
    values: Mapping[str, str] = field(default_factory=dict)
    answer: str = ""


TRIED = 12
"""So many nodes are looked at where each needs a search of the whole chart."""


@dataclass(frozen=True)
class Asking:
    """One attempt at a question: of what, in which language, by which draws.

    Attributes:
        kind: what is asked.
        chart: about what.
        language: of the question.
        chance: of all choices.
        wanted: whether a statement shall be true.
    """

    kind: Kind
    chart: Chart
    language: Language
    chance: Chance
    wanted: bool = True

    def some(self, nodes: Sequence[int]) -> list[int]:
        """Return some of the nodes, in a drawn order."""
        return self.chance.shuffled(nodes)[:TRIED]

    def ask(
        self,
        items: Sequence[str],
        values: Mapping[str, str] | None = None,
        *,
        wording: str | None = None,
        answer: str = "",
    ) -> Question:
        """Return the question in one of the wordings of its kind."""
        known = values or {}
        text = ask(wording or self.kind, self.language, self.chance, **known)
        return Question(self.kind, text, tuple(items), dict(known), answer)

    def state(self, values: Mapping[str, str], *, wording: str | None = None) -> Question:
        """Return a statement that is as true as is wanted."""
        return self.ask(["yes" if self.wanted else "no"], values, wording=wording)


Maker = Callable[[Asking], Question | None]
"""Makes one attempt at a question of a kind; None where the chart offers none."""
