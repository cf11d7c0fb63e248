"""Points for free answers: ``judge_5`` (0 to 5) and ``judge_10`` (1 to 10), given by a judge.

A judge compares an answer with the reference answer to the same question and gives whole points on
one of FlowCE's scales (``metrics.judge_scale``). The judge is a model that the flows ask with the
rubric of ``metrics.judge_rubric``, or, where none is set, the offline judge: the metrics called as
functions are that one (``metrics.judge_lexical``). See docs/judge.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from benchmark.protocols import Needs
from metrics.judge_lexical import similarity
from metrics.judge_scale import FIVE, TEN, Scale
from metrics.metric import FunctionMetric


@dataclass(frozen=True)
class JudgedMetric(FunctionMetric):
    """A metric whose values a judge gives; called as a function it is the offline judge.

    Attributes:
        scale: the points that a judge may give; their ends are the metric's range.
    """

    scale: Scale


def judge_5(prediction: str, reference: str) -> float:
    """Return the offline judge's points for an answer, 0 to 5: 5 times the similarity, rounded.

    >>> judge_5("It goes back to the start", "It goes back to the start.")
    5.0
    """
    return float(FIVE.place(similarity(prediction, reference)))


def judge_10(prediction: str, reference: str) -> float:
    """Return the offline judge's points for an answer, 1 to 10: 1 + 9 times the similarity.

    >>> judge_10("nothing of the kind", "A loop that counts down")
    1.0
    """
    return float(TEN.place(similarity(prediction, reference)))


METRIC_5 = JudgedMetric(
    name="judge_5",
    version="1",
    needs=Needs.JUDGMENT,
    range=(0.0, 5.0),
    higher_is_better=True,
    function=judge_5,
    scale=FIVE,
)

METRIC_10 = JudgedMetric(
    name="judge_10",
    version="1",
    needs=Needs.JUDGMENT,
    range=(1.0, 10.0),
    higher_is_better=True,
    function=judge_10,
    scale=TEN,
)
