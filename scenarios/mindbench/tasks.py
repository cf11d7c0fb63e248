"""The tasks as scenarios, beside full parsing, which is the scenario ``mindmap``.

Each task is derived from maps (``derive``): the picture is that of the whole map, the truth is a
part of it or an answer. What is asked of an instance stands in its attributes:

* ``question``: the question in words;
* ``form``: the form of the answer, ``json`` or ``tokens`` for trees, a ``Form`` for answers;
* ``kind``: what is asked (``part``, ``part_box`` or a ``Kind``), for statistics;
* ``document``: the map that it is asked about.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pydantic import JsonValue

from benchmark.chance import Chance
from benchmark.outcome import Failed, Outcome, Stage, ok
from benchmark.outcome import Kind as FailureKind
from benchmark.protocols import Fit
from benchmark.records import Answer, Instance, Material, Structure
from scenarios.derived import derived_material, seeded
from scenarios.mindbench import answers, parts
from scenarios.mindbench.answers import Form
from scenarios.mindbench.map import Map
from scenarios.mindbench.phrasing import LANGUAGES, how_to_answer, language_of, what_boxes_are
from scenarios.mindbench.questions import (
    GROUNDING,
    RECOGNITION,
    STRUCTURED,
    Kind,
    Question,
    generate,
)
from scenarios.mindmap import Mindmap
from scenarios.parsing import extract
from scenarios.tree_boxes import read_boxes
from scenarios.tree_tokens import to_tokens
from scenarios.trees import Node, from_json, to_json

TREE_FORMS = ("json", "tokens")
BASE = "mindmap"
"""The scenario that reads and draws whole maps."""

_ANSWER = "answer.txt"
_BOX_FORMS = (Form.BOX, Form.TEXT_BOX, Form.LIST_BOX)
_LIST_FORMS = (Form.LIST, Form.LIST_BOX)


def map_of(material: Material) -> Map | None:
    """Return the map of a material whose truth is a tree, with its boxes if they are known.

    None where the truth is no tree; boxes that are not of this tree are left out.
    """
    read = Mindmap().read(material.known_truth())
    tree = read if isinstance(read, Failed) else from_json(read.value.tree)
    if isinstance(tree, Failed):
        return None
    boxes = read_boxes(material.attributes.get("boxes"))
    nodes = sum(1 for _ in tree.value.walk())
    return Map(tree.value, boxes if boxes is not None and len(boxes) == nodes else None)


class _Parsing(Mindmap):
    """What both tasks that ask for a part of the tree have in common."""

    derives_from = BASE
    needs_places = False
    metrics = (
        *("nted_accuracy", "field_f1", "nted_accuracy_donut", "field_f1_donut"),
        *("ssim", "lpips", "ems"),
    )
    cycle = len(TREE_FORMS)
    _kind = "part"

    def derive(self, material: Material, *, turn: int, seed: int) -> Material | None:
        """Return the question of a turn about a map, or None where the map offers none."""
        mind_map = map_of(material)
        chance = seeded(self.name, material, turn, seed)
        part = mind_map and self._part(mind_map, material, chance)
        if not part:
            return None
        form = TREE_FORMS[turn % len(TREE_FORMS)]
        asked: dict[str, JsonValue] = {"question": part.text, "form": form, "kind": self._kind}
        truth = write_tree(part.tree, form)
        return derived_material(self.name, material, turn, seed, truth=truth, asked=asked)

    def _part(self, mind_map: Map, material: Material, chance: Chance) -> parts.Part | None:
        return parts.by_name(mind_map, language_of(material.subset), chance)


class MindmapPart(_Parsing):
    """The model is shown a mind map and writes the part of its tree below a node that is named."""

    name = "mindmap-part"
    version = "1"


class MindmapPosition(_Parsing):
    """The model is shown a mind map and writes the part of its tree that lies in a region."""

    name = "mindmap-position"
    version = "1"
    needs_places = True
    _kind = "part_box"

    def _part(self, mind_map: Map, material: Material, chance: Chance) -> parts.Part | None:
        return parts.by_place(mind_map, language_of(material.subset), chance)


def write_tree(tree: Node, form: str) -> str:
    """Write a tree as a perfect answer does: as JSON or as a token sequence."""
    if form == "tokens":
        return to_tokens(tree)
    return json.dumps(to_json(tree), ensure_ascii=False, indent=1)


class _Answering:
    """What both tasks of questions have in common: nothing is rendered, answers are compared."""

    name: str
    family = "mindbench"
    version = "2"
    subsets: tuple[str, ...] = LANGUAGES
    renderer = None
    metrics: tuple[str, ...]
    fit = Fit.PAD
    derives_from = BASE
    needs_places = False
    kinds: tuple[Kind, ...]
    cycle: int
    """After so many turns the kinds begin anew."""

    def prompt(self, instance: Instance) -> str:
        """Return the question and how to answer it."""
        language = language_of(instance.subset)
        form = str(instance.attributes.get("form", Form.ANY))
        parts_ = [str(instance.attributes["question"])]
        if form in _BOX_FORMS or "<bbox>" in parts_[0]:
            parts_.append(what_boxes_are(language))
        return "\n\n".join([*parts_, how_to_answer(form, language)])

    def blank(self) -> str:
        """Return the answer that there is nothing."""
        return answers.NONE

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer.

        Returns:
            An answer with its items in ``tree`` and in ``text`` (the order of a list does not
            count there), or a failure of stage parse.
        """
        extracted = extract(text, ("json", "text", "txt", "plaintext"), truncated=truncated)
        if isinstance(extracted, Failed):
            return extracted
        found = extracted.value
        items = answers.read_items(found.text)
        written = answers.canonical(items)
        if not written.strip():
            return Failed.of(Stage.PARSE, FailureKind.NO_ANSWER, "the completion holds no answer")
        return ok(
            Answer(
                structure=Structure(files={_ANSWER: written.encode()}, entry=_ANSWER),
                text=written,
                tree=answers.as_tree(items),
                repairs=found.repairs,
                flags=found.flags,
            )
        )

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:  # noqa: ARG002 - contract
        """Return None: nothing is rendered."""
        return None

    def derive(self, material: Material, *, turn: int, seed: int) -> Material | None:
        """Return the question of a turn about a map: the kinds take turns.

        None where the map offers none of the kinds.
        """
        mind_map = map_of(material)
        chance = seeded(self.name, material, turn, seed)
        language = language_of(material.subset)
        if mind_map is None:
            return None
        for kind in _from_turn(self.kinds, turn):
            question = generate(kind, mind_map, language, chance)
            if question is not None and self._can_be_answered(question):
                return self._derived(material, turn, seed, question)
        return None

    def _can_be_answered(self, question: Question) -> bool:
        """Tell whether the right answer is read as it is written.

        A node's text may look like the frame of an answer (a row of tildes begins a code block).
        """
        read = self.read(answers.write(question.items, question.form))
        return not isinstance(read, Failed) and not (read.value.repairs or read.value.flags)

    def _derived(self, material: Material, turn: int, seed: int, question: Question) -> Material:
        asked: dict[str, JsonValue] = {
            "question": question.text,
            "form": str(question.form),
            "kind": str(question.kind),
        }
        truth = answers.write(question.items, question.form)
        told = tuple(name for name in self.metrics if says_something(name, question.form))
        return derived_material(
            self.name, material, turn, seed, truth=truth, asked=asked, metrics=told
        )


def says_something(metric: str, form: Form) -> bool:
    """Tell whether a metric says something of answers of a form (partial credit: where partial)."""
    if metric == "answer_f1":
        return form in _LIST_FORMS
    return form in _BOX_FORMS if metric == "answer_iou" else True


def _from_turn(kinds: Sequence[Kind], turn: int) -> list[Kind]:
    """Return kinds so that the one whose turn it is comes first."""
    start = turn % len(kinds)
    return [*kinds[start:], *kinds[:start]]


class MindmapVqa(_Answering):
    """The model is shown a mind map and answers a question about its structure."""

    name = "mindmap-vqa"
    metrics = ("vqa_match", "answer_f1")
    kinds = STRUCTURED
    cycle = len(kinds)


class MindmapPositionVqa(_Answering):
    """The model is shown a mind map and answers a question that names or asks for positions."""

    name = "mindmap-position-vqa"
    needs_places = True
    metrics = ("vqa_match", "answer_f1", "answer_iou")
    kinds = tuple(
        kind for pair in zip(RECOGNITION, (*GROUNDING, *GROUNDING), strict=False) for kind in pair
    )
    """Recognition and grounding in turns, each of the 11 kinds at least once."""
    cycle = len(kinds)
