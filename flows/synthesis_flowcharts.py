"""How synthetic flowcharts are written: structure, boxes, and questions of FlowCE's dimensions."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

from pydantic import JsonValue

from benchmark.outcome import Failed
from benchmark.records import Answer, Material
from flows.synthesis import Recipe
from scenarios import graph_drawing
from scenarios.flowce import questions
from scenarios.flowce.derivation import ask_all, write_truth
from scenarios.flowchart import Flowchart
from scenarios.mindbench.phrasing import language_of
from sources import synthetic_flowcharts

if TYPE_CHECKING:
    from renderers.graphviz import Drawing

QUESTIONS = 2
"""Questions of each dimension about a chart, unless another number is asked for."""

_PARTS = {"picture": "png", "structure": "json", "graph": "gv", "boxes": "json"}


def flowcharts(count: int = QUESTIONS) -> Recipe:
    """Return the recipe of flowcharts.

    Args:
        count: questions of each dimension about each chart, at most (and one summary); 0: none.
    """
    asked = {"questions": "json"} if count else {}
    return Recipe(
        version=synthetic_flowcharts.VERSION,
        parts={**_PARTS, **asked},
        make=synthetic_flowcharts.make_chart,
        answer=chart_answer,
        contents=partial(_contents, count),
        options={"questions": count, "asking": questions.VERSION} if count else {},
    )


def chart_answer(material: Material) -> Answer:
    """Return what is drawn of a synthetic flowchart.

    Raises:
        ValueError: the truth is no flowchart.
    """
    read = Flowchart().read(material.known_truth())
    if isinstance(read, Failed):
        raise ValueError(f"{material.id}: the truth is no flowchart")
    return read.value


def _contents(count: int, material: Material, answer: Answer, drawing: Drawing) -> dict[str, bytes]:
    boxes = graph_drawing.node_boxes(drawing.boxes, answer)
    found = {
        "structure": json.dumps(answer.tree, ensure_ascii=False).encode() + b"\n",
        "boxes": json.dumps(boxes).encode() + b"\n",
    }
    if count:
        placed: dict[str, JsonValue] = {"boxes": [list(box) for box in boxes]}
        asked = questions_of(material.model_copy(update={"attributes": placed}), count)
        found["questions"] = json.dumps(asked, ensure_ascii=False, indent=1).encode() + b"\n"
    return found


def questions_of(material: Material, count: int) -> list[dict[str, JsonValue]]:
    """Return the questions about a chart by its own seed, as they are written down.

    Args:
        material: with the boxes of its nodes.
        count: of each dimension, at most.
    """
    return [
        {
            "dimension": str(dimension),
            "kind": str(question.kind),
            "question": question.text,
            "answer": write_truth(question, dimension, language_of(material.subset)),
        }
        for dimension, question in ask_all(material, count, seed=0)
    ]
