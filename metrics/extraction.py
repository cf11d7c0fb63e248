"""Field F1: how many fields of a structured value were extracted exactly.

A field is a leaf's text with the keys that lead to it; positions in lists do not count. With tp
fields in both values (each counted as often as it occurs in both), fp only in the prediction and fn
only in the reference,

    F1 = tp / (tp + (fp + fn) / 2)

as in Donut's evaluator (Kim et al., arXiv 2111.15664) and MindBench (arXiv 2407.02842). Over many
pairs the counts are summed first (micro average): ``corpus_field_f1``.

The ``_donut`` forms leave out what the released evaluator leaves out (see ``metrics.tree_nodes``)
and join keys by dots, as it does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric
from metrics.tree_nodes import Nodes, nodes, nodes_donut


@dataclass(frozen=True)
class FieldCounts:
    """Numbers of fields; add the counts of several pairs for the micro average."""

    matched: int = 0
    predicted: int = 0
    expected: int = 0

    def __add__(self, other: FieldCounts) -> FieldCounts:
        return FieldCounts(
            self.matched + other.matched,
            self.predicted + other.predicted,
            self.expected + other.expected,
        )

    @property
    def f1(self) -> float:
        """The F1, in [0, 1]; 1 where nothing was to be found and nothing was found."""
        either = self.predicted + self.expected
        return 2 * self.matched / either if either else 1.0


def field_counts(prediction: Any, reference: Any) -> FieldCounts:  # noqa: ANN401
    """Count the fields of two JSON values, and those in both."""
    return count(nodes(prediction), nodes(reference))


def field_counts_donut(prediction: Any, reference: Any) -> FieldCounts:  # noqa: ANN401
    """Count fields as Donut's evaluator does."""
    return count_donut(nodes_donut(prediction), nodes_donut(reference))


def field_f1(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the field F1 of two JSON values, in [0, 1].

    Two values without any content are equal (1.0).

    >>> field_f1({"a": "x", "b": ["y", "z"]}, {"a": "x", "b": ["z"], "c": "w"})
    0.6666666666666666
    """
    return field_counts(prediction, reference).f1


def field_f1_donut(prediction: Any, reference: Any) -> float:  # noqa: ANN401
    """Return the field F1 of two JSON values as Donut's evaluator computes it, in [0, 1].

    Where that divides by zero (two empty values) the value is that of ``field_f1``.
    """
    return field_counts_donut(prediction, reference).f1


def corpus_field_f1(pairs: Iterable[tuple[Any, Any]]) -> float:
    """Return the micro-averaged field F1 of (prediction, reference) pairs, in [0, 1]."""
    return sum((field_counts(*pair) for pair in pairs), FieldCounts()).f1


def corpus_field_f1_donut(pairs: Iterable[tuple[Any, Any]]) -> float:
    """Return the micro-averaged field F1 of pairs as published tables give it, in [0, 1]."""
    return sum((field_counts_donut(*pair) for pair in pairs), FieldCounts()).f1


def count(prediction: Nodes, reference: Nodes) -> FieldCounts:
    """Count the fields of two trees, and those in both."""
    return _counts(Counter(prediction.fields()), Counter(reference.fields()))


def count_donut(prediction: Nodes, reference: Nodes) -> FieldCounts:
    """Count the fields of two trees with their keys joined by dots."""
    return _counts(_dotted(prediction), _dotted(reference))


def _dotted(tree: Nodes) -> Counter[tuple[str, str]]:
    return Counter((".".join(path), text) for path, text in tree.fields())


def _counts(predicted: Counter[Any], expected: Counter[Any]) -> FieldCounts:
    return FieldCounts((predicted & expected).total(), predicted.total(), expected.total())


METRIC = FunctionMetric(
    name="field_f1",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=field_f1,
)

METRIC_DONUT = FunctionMetric(
    name="field_f1_donut",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=field_f1_donut,
)
