"""What a report is made of: one model's road on one instance, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from benchmark.outcome import Failed, Ok, Outcome
from benchmark.protocols import Metric, Needs
from benchmark.records import Completion, Instance, Rendering, Score
from reports.text import printable


@dataclass(frozen=True)
class Result:
    """All that is known of one model and one instance; None for a stage that has not been run."""

    model: str
    instance: Instance
    completion: Outcome[Completion] | None
    rendering: Outcome[Rendering] | None
    scores: tuple[Score, ...] = ()

    @property
    def failure(self) -> Failed | None:
        """The failure that ended the road before a picture, if any."""
        for outcome in (self.completion, self.rendering):
            if isinstance(outcome, Failed):
                return outcome
        return None

    @property
    def rendered(self) -> Rendering | None:
        """The picture that came of the answer, if any."""
        return self.rendering.value if isinstance(self.rendering, Ok) else None

    @property
    def unscored(self) -> Failed | None:
        """An infra failure of scoring: there is a picture, but not every value of it."""
        failures = (score.failure for score in self.scores if score.failure is not None)
        return next((failure for failure in failures if not failure.final), None)

    @property
    def fate(self) -> Fate:
        """What became of the answer."""
        failure = self.failure
        if failure is not None:
            return Fate.FAILED if failure.final else Fate.INFRA
        rendered = self.rendered
        if rendered is None:
            return Fate.PENDING
        return Fate.PARTIAL if rendered.flags else Fate.CLEAN


class Fate(StrEnum):
    """What became of one model's answer to one instance."""

    CLEAN = "clean"
    """A picture, and the tool had nothing to complain of."""
    PARTIAL = "partial"
    """A picture in spite of errors, which are its flags."""
    FAILED = "failed"
    """No picture, and that is the model's fault: the worst value of every metric."""
    INFRA = "infra"
    """No picture, and that is not the model's fault: not scored, to be run again."""
    PENDING = "pending"
    """Not done yet: not scored."""


def document(instance: Instance) -> str:
    """Return the source document that an instance was taken from; intervals resample these.

    That is the attribute ``document`` where a source sets one, else the address that the instance
    came from (the formulas of one paper share it), else the instance itself.
    """
    named = instance.attributes.get("document")
    if isinstance(named, str) and named:
        return named
    return instance.provenance.url or instance.id


def applies(metric: Metric, instance: Instance) -> bool:
    """Tell whether a metric can be computed for an instance and says something of it.

    Metrics that do not compare pictures need a known truth; others say nothing of some answers.
    """
    if not instance.scored_by(metric.name):
        return False
    return metric.needs is Needs.IMAGES or instance.truth is not None


def worst(metric: Metric) -> float:
    """Return the end of a metric's range that a failure of the model counts as."""
    return metric.range[0] if metric.higher_is_better else metric.range[1]


def value_of(result: Result, metric: Metric) -> float | None:
    """Return what an instance counts as in a metric's mean; None if it does not count."""
    if not applies(metric, result.instance):
        return None
    if result.fate is Fate.FAILED:
        return worst(metric)
    score = score_of(result, metric.name)
    if score is not None and score.failure is not None and score.failure.final:
        return worst(metric)
    return None if score is None or result.rendered is None else score.value


def score_of(result: Result, metric: str) -> Score | None:
    """Return the score of one metric, if there is one (its value may be missing all the same)."""
    return next((score for score in result.scores if score.metric == metric), None)


def missing_reason(results: Iterable[Result], metric: Metric) -> str:
    """Return why pictures have no value of a metric: the most frequent reason given ("" if none).

    Reasons of equal frequency are decided by the alphabet, so that reports are reproducible.
    """
    reasons: dict[str, int] = {}
    for result in results:
        if result.rendered is None or not applies(metric, result.instance):
            continue
        score = score_of(result, metric.name)
        if score is None or score.value is None:
            given = score.reason if score is not None else ""
            reason = printable(given) or "not scored yet"
            reasons[reason] = reasons.get(reason, 0) + 1
    return min(reasons, key=lambda reason: (-reasons[reason], reason), default="")


def judges_of(results: Iterable[Result], metric: str) -> str:
    """Return who gave the values of a metric, in alphabetical order; "" where no judge did."""
    scores = (score_of(result, metric) for result in results)
    judges = {s.judgment.judge for s in scores if s is not None and s.judgment is not None}
    return ", ".join(sorted(judges))


def models_of(results: Sequence[Result]) -> list[str]:
    """Return the models, in order of appearance."""
    return list(dict.fromkeys(result.model for result in results))
