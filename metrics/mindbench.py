"""Scores of a published MindBench prediction file, as the benchmark's own evaluation gives them.

Such a file has one JSON object a line: ``conversations[1].value`` is the question,
``conversations[2].value`` the reference, ``model_answer`` the prediction; token sequences for the
parsing tasks, texts for the questions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
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


@dataclass(frozen=True)
class Prediction:
    """One line of a prediction file."""

    question: str
    answer: str
    truth: str


def read_predictions(lines: Iterable[str]) -> list[Prediction]:
    """Read the lines of a prediction file.

    Raises:
        NotAPredictionFile: a line is not in MindBench's form, or there is none.
    """
    predictions = [_prediction(number, line) for number, line in enumerate(lines, 1)]
    if not predictions:
        raise NotAPredictionFile("the file has no line")
    return predictions


def score_maps(lines: Iterable[str]) -> MapScores:
    """Score the predictions of a parsing task.

    Raises:
        NotAPredictionFile: a line is not in MindBench's form, or there is none.
    """
    return score_read_maps(read_predictions(lines))


def score_read_maps(predictions: Sequence[Prediction]) -> MapScores:
    """Score predictions of a parsing task that were read (at least one)."""
    values = [(read_map(one.answer), read_tokens(clean(one.truth))) for one in predictions]
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
        cut_off=sum(not clean(one.answer).endswith(END_OF_MAP) for one in predictions),
    )


def score_questions(lines: Iterable[str]) -> QuestionScores:
    """Score the answers of a question answering task.

    Raises:
        NotAPredictionFile: a line is not in MindBench's form, or there is none.
    """
    return score_read_questions(read_predictions(lines))


def score_read_questions(predictions: Sequence[Prediction]) -> QuestionScores:
    """Score answers of a question answering task that were read (at least one)."""
    answers = [one.answer for one in predictions]
    return QuestionScores(len(answers), vqa_f1(answers, [one.truth for one in predictions]))


def _prediction(number: int, line: str) -> Prediction:
    try:
        entry: Any = json.loads(line)
        _, asked, answered = entry["conversations"][:3]
        question = str(asked.get("value", ""))
        return Prediction(question, str(entry["model_answer"]), str(answered["value"]))
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise NotAPredictionFile(
            f"line {number} is not a MindBench prediction ({type(error).__name__}: {error})"
        ) from error
