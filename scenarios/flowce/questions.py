"""Questions about a flowchart, generated from its graph and its layout: pure and seeded.

The five dimensions are those of FlowCE (arXiv 2406.10057, section 3.1), whose questions were
written by hand; the kinds within them, their wording and all rules are ours. Each question has one
answer, which the graph or the layout proves:

* a node is named by its text only where no other one has the same;
* statements about order are about ways along arrows, and none is made where a line has no head;
* what a run carries out is asked only where choices and forks read alike (``chart.forks``);
* places are asked for only where the layout leaves no doubt (``questions_places``).

Statements of logical verification are true and false equally often; a false one is as near to the
truth as the chart allows (the arrow turned round, the other branch, one step too far).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from benchmark.chance import Chance
from scenarios.flowce import (
    questions_extraction,
    questions_logic,
    questions_places,
    questions_reasoning,
    questions_summary,
)
from scenarios.flowce.asking import Asking, Kind, Maker, Question
from scenarios.flowce.chart import MOST_NODES, Chart
from scenarios.mindbench.phrasing import Language

VERSION = 2
"""Raised when anything here, or a wording, changes a question."""


class Dimension(StrEnum):
    """What is tested."""

    LOGIC = "logic"
    EXTRACTION = "extraction"
    REASONING = "reasoning"
    LOCALIZATION = "localization"
    SUMMARIZATION = "summarization"


MAKERS: Mapping[Dimension, Mapping[Kind, Maker]] = {
    Dimension.LOGIC: questions_logic.MAKERS,
    Dimension.EXTRACTION: questions_extraction.MAKERS,
    Dimension.REASONING: questions_reasoning.MAKERS,
    Dimension.LOCALIZATION: questions_places.MAKERS,
    Dimension.SUMMARIZATION: questions_summary.MAKERS,
}
"""How questions are made, by what is tested and what is asked."""

KINDS: Mapping[Dimension, tuple[Kind, ...]] = {
    dimension: tuple(makers) for dimension, makers in MAKERS.items()
}
"""The kinds of questions of each dimension; they take turns."""


def generate(
    dimension: Dimension,
    chart: Chart,
    language: Language,
    chance: Chance,
    turn: int,
    *,
    wanted: bool = True,
) -> Question | None:
    """Return a question of a dimension, or None where the chart offers none.

    The same arguments and state of `chance` give the same question.

    Args:
        dimension: what is tested.
        chart: about what.
        language: of the question.
        chance: of all choices.
        turn: decides whose turn among the kinds it is; where the chart offers none of it, the
            others are tried as they are drawn.
        wanted: whether a statement shall be true; a statement is never the other way.
    """
    if len(chart.nodes) > MOST_NODES:
        return None
    kinds = KINDS[dimension]
    first = kinds[turn % len(kinds)]
    others = chance.shuffled([kind for kind in kinds if kind is not first])
    for kind in (first, *others):
        asking = Asking(kind, chart, language, chance, wanted)
        if (question := MAKERS[dimension][kind](asking)) is not None:
            return question
    return None
