"""Scores of a published MindBench prediction file, as the benchmark's own evaluation gives them.

Such a file has one JSON object a line: ``conversations[2].value`` is the reference,
``model_answer`` the prediction; token sequences for the parsing tasks, texts for the questions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from metrics.extraction import FieldCounts, count, count_donut
from metrics.tokens import END_OF_MAP, clean, read_map, read_tokens, unreadable
from metrics.tree import accuracy
from metrics.tree_nodes import nodes, nodes_donut
from metrics.vqa import vqa_f1


class NotAPredictionFile(ValueError):
    """A line that is not a prediction in MindBench's form; the text says which and why."""


@dataclass(frozen=True)
class MapScores:
    """Scores of the parsing tasks; the ``_donut`` ones are those of the published tables."""

    n: int
    nted_accuracy: float
    nted_accuracy_donut: float
    field_f1: float
    field_f1_donut: float
    accuracies: tuple[float, ...]
    """The nTED accuracy of each map, plain form."""
    accuracies_donut: tuple[float, ...]
    """The nTED accuracy of each map, as published."""
    unreadable: int
    """Predictions without a single pair of tokens; they score what their text scores as a leaf."""
    cut_off: int
    """Predictions that did not end as a map must, and were closed by the official rule."""


@dataclass(frozen=True)
class QuestionScores:
    """Scores of the question answering tasks."""

    n: int
    vqa_f1: float


def score_maps(lines: Iterable[str]) -> MapScores:
    """Score the predictions of a parsing task.

    Raises:
        NotAPredictionFile: a line is not in MindBench's form, or there is none.
    """
    answers = [_prediction(number, line) for number, line in enumerate(lines, 1)]
    if not answers:
        raise NotAPredictionFile("the file has no line")
    values = [(read_map(answer), read_tokens(clean(truth))) for answer, truth in answers]
    plain = [(nodes(prediction), nodes(truth)) for prediction, truth in values]
    donut = [(nodes_donut(prediction), nodes_donut(truth)) for prediction, truth in values]
    accuracies = tuple(accuracy(*pair) for pair in plain)
    accuracies_donut = tuple(accuracy(*pair) for pair in donut)
    return MapScores(
        n=len(values),
        nted_accuracy=fmean(accuracies),
        nted_accuracy_donut=fmean(accuracies_donut),
        field_f1=sum((count(*pair) for pair in plain), FieldCounts()).f1,
        field_f1_donut=sum((count_donut(*pair) for pair in donut), FieldCounts()).f1,
        accuracies=accuracies,
        accuracies_donut=accuracies_donut,
        unreadable=sum(unreadable(prediction) for prediction, _ in values),
        cut_off=sum(not clean(answer).endswith(END_OF_MAP) for answer, _ in answers),
    )


def score_questions(lines: Iterable[str]) -> QuestionScores:
    """Score the answers of a question answering task.

    Raises:
        NotAPredictionFile: a line is not in MindBench's form, or there is none.
    """
    answers = [_prediction(number, line) for number, line in enumerate(lines, 1)]
    if not answers:
        raise NotAPredictionFile("the file has no line")
    predictions, truths = zip(*answers, strict=True)
    return QuestionScores(n=len(answers), vqa_f1=vqa_f1(predictions, truths))


def _prediction(number: int, line: str) -> tuple[str, str]:
    """Return the answer and the truth of one line."""
    try:
        entry: Any = json.loads(line)
        return str(entry["model_answer"]), str(entry["conversations"][2]["value"])
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise NotAPredictionFile(
            f"line {number} is not a MindBench prediction ({type(error).__name__}: {error})"
        ) from error
