"""Questions of FlowCE's dimensions about any flowchart whose graph is known, as material."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from functools import lru_cache
from itertools import chain

from benchmark.chance import Chance
from benchmark.outcome import Failed, Outcome
from benchmark.records import Answer, Material
from scenarios.derived import derived_material, seeded
from scenarios.flowce.asking import Question
from scenarios.flowce.chart import Chart
from scenarios.flowce.questions import KINDS, Dimension, generate
from scenarios.flowce.wording import enumerate_texts
from scenarios.flowchart import Flowchart
from scenarios.graphs import from_json
from scenarios.graphs_dot import frames_are_plain
from scenarios.mindbench.phrasing import Language, language_of
from scenarios.tree_boxes import Box, read_boxes

WORDS: dict[Language, dict[str, str]] = {
    "en": {"yes": "Yes", "no": "No"},
    "zh": {"yes": "是", "no": "否"},
}
"""How the truth of a statement is answered."""


class Deriving(ABC):
    """What a scenario has that makes its questions from flowcharts."""

    name: str
    dimension: Dimension
    derives_from = Flowchart.name
    needs_places = False

    @property
    def cycle(self) -> int:
        """After so many turns the kinds begin anew."""
        return len(KINDS[self.dimension])

    def derive(self, material: Material, *, turn: int, seed: int) -> Material | None:
        """Return the question of a turn about a chart: the kinds take turns.

        Of the statements of two turns one is true and one false.

        Returns:
            The question, or None where the chart offers none of the dimension. Attributes:
            ``question``, ``kind``, and ``chart_kind``, which is what the chart itself has as kind.
        """
        chart = chart_of(material)
        if chart is None:
            return None
        question = generate(
            self.dimension,
            chart,
            language_of(material.subset),
            seeded(self.name, material, turn, seed),
            turn,
            wanted=is_true_wanted(turn, seed),
        )
        truth = question and write_truth(question, self.dimension, language_of(material.subset))
        if not question or not truth or not self._is_read_as_written(truth):
            return None
        kind = material.attributes.get("kind")
        return derived_material(
            self.name,
            material,
            turn,
            seed,
            truth=truth,
            asked={
                "question": question.text,
                "kind": str(question.kind),
                **({} if kind is None else {"chart_kind": kind}),
            },
        )

    @abstractmethod
    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer, as ``Scenario.read``."""

    def _is_read_as_written(self, truth: str) -> bool:
        """Tell whether the right answer needs no repair: a text may look like a block of code."""
        read = self.read(truth)
        return not isinstance(read, Failed) and not (read.value.repairs or read.value.flags)


def chart_of(material: Material) -> Chart | None:
    """Return the chart of a material, with its boxes if they are known.

    None where the truth is no flowchart; boxes that are not of this graph are left out.
    """
    return _chart(material.known_truth(), read_boxes(material.attributes.get("boxes")))


@lru_cache(maxsize=64)
def _chart(truth: str, boxes: tuple[Box, ...] | None) -> Chart | None:
    """Read a chart; a few are kept, for each is asked about many times."""
    read = Flowchart().read(truth)
    graph = read if isinstance(read, Failed) else from_json(read.value.tree)
    if isinstance(read, Failed) or isinstance(graph, Failed):
        return None
    known = boxes if boxes is not None and len(boxes) == len(graph.value.nodes) else None
    return Chart(graph.value, known, frames_are_plain(read.value.structure.text))


def is_true_wanted(turn: int, seed: int, chart: str = "") -> bool:
    """Return whether the statement of a turn is true: of two in a row, a drawn one is.

    Args:
        turn: of the statement.
        seed: of all choices.
        chart: where each chart has turns of its own, what tells it from others; kinds follow turns,
            so the statements of a kind would else be true of all charts, or of none.
    """
    pair, place = divmod(turn, 2)
    own = (chart,) if chart else ()
    return Chance("statement", seed, pair, *own).happens(50) is (place == 0)


def write_truth(question: Question, dimension: Dimension, language: Language) -> str:
    """Write the true answer as a perfect answer does."""
    if dimension is Dimension.LOGIC:
        return WORDS[language][question.items[0]]
    if dimension is Dimension.EXTRACTION:
        return json.dumps(list(question.items), ensure_ascii=False)
    return question.answer or enumerate_texts(question.items, language)


def ask_all(material: Material, count: int, seed: int) -> list[tuple[Dimension, Question]]:
    """Return questions of all dimensions about one chart.

    Args:
        material: the chart, with its boxes if they are known.
        count: of each dimension, at most; where the chart offers fewer, all that were found. There
            is one summary.
        seed: of all choices.
    """
    chart = chart_of(material)
    if chart is None:
        return []
    asked = (_ask(material, chart, dimension, count, seed) for dimension in Dimension)
    return list(chain.from_iterable(asked))


def _ask(
    material: Material, chart: Chart, dimension: Dimension, count: int, seed: int
) -> list[tuple[Dimension, Question]]:
    """Ask in turns that begin anywhere, so that charts meet different kinds."""
    language = language_of(material.subset)
    name = f"flowce-{dimension}"
    first = 2 * Chance(name, material.id, seed).below(len(KINDS[dimension]))
    most = 1 if dimension is Dimension.SUMMARIZATION else count
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], Question] = {}
    for turn in range(first, first + 3 * count):
        question = generate(
            dimension,
            chart,
            language,
            seeded(name, material, turn, seed),
            turn,
            wanted=is_true_wanted(turn, seed, material.id),
        )
        if question is not None:
            values = tuple(question.values.values())
            found.setdefault((question.kind, values, question.items), question)
        if len(found) == most:
            break
    return [(dimension, question) for question in found.values()]
