"""Answers to questions about a picture: exact match, and MindBench's F1 of it.

MindBench (arXiv 2407.02842) calls F1 what its evaluation computes like this: a
question counts as predicted positive if the answer equals the reference, and every question is
truly positive. With m of n answers right, one of precision and recall is 1 and the other m / n, so

    F1 = 2 (m / n) / (1 + m / n) = 2m / (n + m)

which lies above the plain share of right answers: half right gives 0.667.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric
from metrics.tokens import clean


def vqa_match(prediction: str, reference: str) -> float:
    """Return 1.0 if the answer equals the reference, else 0.0.

    Line breaks, tabs and outer white space of the answer do not count, as in MindBench's
    evaluation; upper and lower case do. The reference is taken as it is; one with white space
    that the answer is rid of is reachable only by repeating it exactly.
    """
    return float(reference in {clean(prediction), prediction})


def vqa_f1(predictions: Sequence[str], references: Sequence[str]) -> float:
    """Return MindBench's F1 of answers to questions, in [0, 1].

    Args:
        predictions: the n answers.
        references: the n right answers, in the same order.

    Raises:
        TypeError: a single text was given for a sequence of texts.
        ValueError: the lengths differ, or there is no question at all.
    """
    if isinstance(predictions, str) or isinstance(references, str):
        raise TypeError("vqa_f1 takes sequences of texts; vqa_match compares two texts")
    if len(predictions) != len(references):
        raise ValueError(f"{len(predictions)} answers do not fit {len(references)} references")
    if not references:
        raise ValueError("the F1 of no questions is undefined")
    right = sum(vqa_match(*pair) for pair in zip(predictions, references, strict=True))
    return 2 * right / (len(references) + right)


METRIC = FunctionMetric(
    name="vqa_match",
    version="1",
    needs=Needs.TEXTS,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=vqa_match,
)
