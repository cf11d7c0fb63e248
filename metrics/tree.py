"""Normalised tree edit distance (nTED) accuracy: how much of a tree was recovered.

    accuracy = max(0, 1 − TED(prediction, reference) / TED(empty, reference))

TED is the ordered tree edit distance of Zhang and Shasha (SIAM J. Computing 18, 1989) with Donut's
costs (Kim et al., ECCV 2022, arXiv 2111.15664): inserting or deleting costs a text's length or 1,
replacing one text by another their Levenshtein distance. MindBench (arXiv 2407.02842) reports it.

``nted_accuracy`` compares all that the values hold; ``nted_accuracy_donut`` leaves out what the
released evaluator leaves out (see ``metrics.tree_nodes``) and gives the numbers that published
tables hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric
from metrics.tree_edit import distance
from metrics.tree_nodes import Nodes, nodes, nodes_donut


@dataclass(frozen=True)
class TreeDistance:
    """The raw numbers behind an accuracy, which is clamped and so hides how far off a tree is."""

    distance: int
    """TED(prediction, reference), at least 0."""
    size: int
    """TED(empty, reference): the cost of writing the reference from nothing."""

    @property
    def accuracy(self) -> float:
        """The accuracy, in [0, 1]; for an empty reference 1 if the prediction is empty, else 0."""
        if self.size == 0:
            return 0.0 if self.distance else 1.0
        return max(0.0, 1 - self.distance / self.size)


def tree_distance(prediction: Any, reference: Any) -> TreeDistance:  # noqa: ANN401
    """Return the raw distance of two JSON values in the plain form; never negative, unbounded."""
    return compare(nodes(prediction), nodes(reference))


def tree_distance_donut(prediction: Any, reference: Any) -> TreeDistance:  # noqa: ANN401
    """Return the raw distance of two JSON values in the form of Donut's evaluator."""
    return compare(nodes_donut(prediction), nodes_donut(reference))


def nted_accuracy(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the nTED accuracy of two JSON values, in [0, 1]; 1 exactly for equal trees.

    Order of siblings counts, order of keys does not. Numbers are compared as texts. Two values
    without any content are equal (1.0); against an empty reference any content scores 0.0.

    >>> nted_accuracy({"text": "A", "children": []}, {"text": "A"})
    1.0
    >>> nted_accuracy({"text": "AB"}, {"text": "ABCD"})
    0.6
    """
    return accuracy(nodes(prediction), nodes(reference))


def nted_accuracy_donut(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the nTED accuracy as Donut's and MindBench's evaluators compute it, in [0, 1].

    Values that Python calls false, and objects in lists that hold other things too, do not count:
    a prediction that lacks them can score 1.0. Where the evaluator divides by zero (an empty
    reference) the value is that of ``nted_accuracy``.

    >>> nted_accuracy_donut({"a": ["x"]}, {"a": ["x", {"b": "lost"}]})
    1.0
    """
    return accuracy(nodes_donut(prediction), nodes_donut(reference))


def compare(prediction: Nodes, reference: Nodes) -> TreeDistance:
    """Return the raw distance of two trees."""
    return TreeDistance(distance(prediction, reference), reference.size())


def accuracy(prediction: Nodes, reference: Nodes) -> float:
    """Return the nTED accuracy of two trees, in [0, 1].

    The distance is at least the difference of the sizes, so a prediction of twice the size or more
    scores 0 without being compared: a runaway answer cannot hold up a run.
    """
    size = reference.size()
    if size and prediction.size() >= 2 * size:
        return 0.0
    return compare(prediction, reference).accuracy


METRIC = FunctionMetric(
    name="nted_accuracy",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=nted_accuracy,
)

METRIC_DONUT = FunctionMetric(
    name="nted_accuracy_donut",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=nted_accuracy_donut,
)
