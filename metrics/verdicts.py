"""Logical verification: how often the verdict is right, and which verdicts a model tends to.

FlowCE (arXiv 2406.10057, section 3.3) asks whether a statement holds in a flowchart and counts the
share of questions whose "Yes" or "No" is the standard answer's. An answer that says that it cannot
be determined (``unknown``) and one without any verdict (``unreadable``) is not right; the paper's
appendix E shows the first apart ("Unknown"), ``distribution`` shows both.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric

Said = Literal["yes", "no", "unknown", "unreadable", "failed"]
"""What an answer comes to; ``failed``: there is none that could be read (refused, cut off)."""

SAID: tuple[Said, ...] = get_args(Said)
_VERDICTS = ("yes", "no")


def verdict_accuracy(prediction: Any, reference: Any) -> float:  # noqa: ANN401 - JSON values
    """Return 1.0 if two verdicts are the same, else 0.0; its mean is FlowCE's accuracy.

    A verdict is ``"yes"``, ``"no"``, ``"unknown"`` or ``"unreadable"``.

    >>> verdict_accuracy("yes", "no"), verdict_accuracy("unknown", "no")
    (0.0, 0.0)
    """
    return float(prediction == reference)


@dataclass(frozen=True)
class Distribution:
    """How many answers said what, beside what is true: a subplot of FlowCE's figure 10.

    Attributes:
        counts: by truth (``yes``, ``no``) and by what was said (``SAID``), numbers of questions.
    """

    counts: dict[Literal["yes", "no"], dict[Said, int]]

    @property
    def n(self) -> int:
        """The number of questions."""
        return sum(self.truths.values())

    @property
    def truths(self) -> dict[Literal["yes", "no"], int]:
        """How many questions have which true verdict (red in the figure)."""
        return {truth: sum(said.values()) for truth, said in self.counts.items()}

    @property
    def said(self) -> dict[Said, int]:
        """How many answers said what (blue in the figure), each of ``SAID`` named."""
        return {name: sum(said[name] for said in self.counts.values()) for name in SAID}

    @property
    def right(self) -> int:
        """How many verdicts are right."""
        return sum(said[truth] for truth, said in self.counts.items())

    @property
    def accuracy(self) -> float | None:
        """The share of right verdicts, in [0, 1]; None of no question."""
        return self.right / self.n if self.n else None


def distribution(pairs: Iterable[tuple[Any, Any]]) -> Distribution:
    """Count verdicts by truth.

    Args:
        pairs: (verdict, true verdict) as in ``verdict_accuracy``, the first None where the model
            gave no answer that could be read at all; questions without a result because of the
            infrastructure are left out by the caller.

    Raises:
        ValueError: a truth is neither yes nor no.
    """
    counts: dict[Literal["yes", "no"], dict[Said, int]] = {
        "yes": dict.fromkeys(SAID, 0),
        "no": dict.fromkeys(SAID, 0),
    }
    for verdict, truth in pairs:
        if truth not in _VERDICTS:
            raise ValueError(f"the truth of a statement is yes or no, not {truth!r}")
        said: Said = "failed" if verdict is None else "unreadable"
        if isinstance(verdict, str) and verdict in SAID:
            said = verdict
        counts["yes" if truth == "yes" else "no"][said] += 1
    return Distribution(counts)


METRIC = FunctionMetric(
    name="verdict_accuracy",
    version="1",
    needs=Needs.TREES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=verdict_accuracy,
)
