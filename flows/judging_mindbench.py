"""`rerender score mindbench`: a prediction file in the official format, by task and question type.

The published numbers are ``nted_accuracy_donut``, ``field_f1_donut`` and ``vqa_f1``. Beside them
stands what the paper lacks: the plain share of right answers (``vqa_match``) and partial credit for
lists and boxes (``answer_f1``, ``answer_iou``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from flows.judging import Judged, UnusableInput
from metrics import mindbench
from metrics.answers import answer_f1, answer_iou
from metrics.mindbench import NotAPredictionFile, Prediction
from metrics.vqa import vqa_match
from scenarios.mindbench.answers import Item, as_tree, read_items
from sources.mindbench_questions import PARSING, TASKS, kind_of

MAP_VALUES = (
    *("nted_accuracy", "field_f1", "nted_accuracy_donut", "field_f1_donut"),
    *("n", "unreadable", "cut_off"),
)
OTHER = "other"
"""The kind of questions whose words are of no official kind."""

_ORDER = {kind: place for place, kind in enumerate(TASKS)}


def judge_mindbench(path: Path) -> list[Judged]:
    """Score a prediction file in MindBench's own format.

    Token sequences are scored as maps, plain answers as questions.

    Returns:
        The values of all maps and of all questions, as far as there are any, and behind them those
        of each task and each kind of question, where there are several.

    Raises:
        UnusableInput: the file is not in that format.
    """
    try:
        with path.open(encoding="utf-8", newline="\n") as lines:  # no other character ends a line
            predictions = mindbench.read_predictions(lines)
    except NotAPredictionFile as error:
        raise UnusableInput(f"{path.name}: {error}") from error
    maps = [one for one in predictions if one.truth.startswith(PARSING)]
    questions = [one for one in predictions if not one.truth.startswith(PARSING)]
    return [
        *(_judge(maps, "maps", _judge_maps) if maps else ()),
        *(_judge(questions, "questions", _judge_questions) if questions else ()),
    ]


def _judge(
    predictions: Sequence[Prediction],
    name: str,
    judge: Callable[[str, Sequence[Prediction]], Judged],
) -> list[Judged]:
    groups: dict[str, list[Prediction]] = {}
    for one in predictions:
        groups.setdefault(kind_of(one.question, one.truth) or OTHER, []).append(one)
    if len(groups) == 1:
        return [judge(next(iter(groups)), predictions)]
    kinds = sorted(groups, key=lambda kind: _ORDER.get(kind, len(_ORDER)))
    return [judge(name, predictions), *(judge(kind, groups[kind]) for kind in kinds)]


def _judge_maps(name: str, predictions: Sequence[Prediction]) -> Judged:
    scores = mindbench.score_read_maps(predictions)
    return Judged(name, {value: getattr(scores, value) for value in MAP_VALUES}, {})


def _judge_questions(name: str, predictions: Sequence[Prediction]) -> Judged:
    pairs = [(read_items(one.answer), read_items(one.truth)) for one in predictions]
    lists = [pair for one, pair in zip(predictions, pairs, strict=True) if _wants_list(one)]
    boxes = [pair for pair in pairs if any(item.box is not None for item in pair[1])]
    values: dict[str, float | None] = {
        "vqa_f1": mindbench.score_read_questions(predictions).vqa_f1,
        "vqa_match": fmean(vqa_match(one.answer, one.truth) for one in predictions),
        "answer_f1": _mean(answer_f1, lists),
        "answer_iou": _mean(answer_iou, boxes),
        "n": len(predictions),
    }
    reasons = {} if lists else {"answer_f1": "no question asks for a list"}
    reasons |= {} if boxes else {"answer_iou": "no answer holds a box"}
    return Judged(name, values, reasons)


def _wants_list(one: Prediction) -> bool:
    kind = kind_of(one.question, one.truth) or OTHER
    return "children" in kind or kind == "nodes_at_level"


def _mean(
    metric: Callable[[object, object], float], pairs: Sequence[tuple[list[Item], list[Item]]]
) -> float | None:
    """Return the mean of a metric over answers, or None where there are none."""
    if not pairs:
        return None
    return fmean(metric(as_tree(prediction), as_tree(truth)) for prediction, truth in pairs)
