"""Results of one scenario or subset, summed up to rows and cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from benchmark.outcome import Ok
from benchmark.protocols import Metric
from benchmark.records import Usage
from metrics.interval import Interval, mean_interval, rate_interval
from reports.records import Cell, FailureCount, Row
from reports.results import Fate, Result, applies, document, missing_reason, models_of, value_of
from sources.freshness import after_cutoff
from vlms.cutoffs import cutoff
from vlms.prices import price

INFRA_SHARE = 0.02
"""A row that lost a larger share of its instances to the infrastructure carries a warning."""

NO_TRUTH = "the truth of these instances is not known, only their pictures"
NOT_ASKED = "it says nothing of these instances"


@dataclass(frozen=True)
class Rules:
    """How intervals are made, and which models are a ceiling or a floor."""

    seed: int
    confidence: float
    baselines: frozenset[str]
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The reader's own, which come before list prices."""


def contenders(rows: Sequence[Row]) -> list[Row]:
    """Return the rows among which the best is sought.

    A ceiling that knows the truth would be the best of every column, so baselines stand aside as
    soon as there are two models to compare.
    """
    models = [found for found in rows if not found.baseline]
    return models if len(models) > 1 else list(rows)


@dataclass(frozen=True)
class Grid:
    """The results of one table and the metrics that are its columns."""

    results: Sequence[Result]
    metrics: Sequence[Metric]

    @cached_property
    def models(self) -> list[str]:
        """The models, in order of appearance."""
        return models_of(self.results)

    @cached_property
    def documents(self) -> list[str]:
        """The source documents, in order of appearance."""
        return list(dict.fromkeys(document(result.instance) for result in self.results))

    @cached_property
    def unavailable(self) -> dict[str, str]:
        """Metrics that no picture in the whole grid has a value of, with the reason.

        They are missing for all models: a mean over failures alone would be a made-up 0, and would
        make the models incomparable.
        """
        found = {}
        for metric in self.metrics:
            pictures = [r for r in self.results if r.rendered and applies(metric, r.instance)]
            if pictures and all(value_of(result, metric) is None for result in pictures):
                found[metric.name] = missing_reason(pictures, metric)
        return found

    def of(self, model: str) -> list[Result]:
        """Return one model's results."""
        return [result for result in self.results if result.model == model]

    def subset(self, name: str) -> Grid:
        """Return the grid of one subset."""
        chosen = [result for result in self.results if result.instance.subset == name]
        return Grid(chosen, self.metrics)


def row(model: str, own: Sequence[Result], how: Rules, cells: tuple[Cell, ...] = ()) -> Row:
    """Sum up one model's results; the win rate is filled in when all rows are known."""
    fates = Counter(result.fate for result in own)
    counted = [r for r in own if r.fate in {Fate.CLEAN, Fate.PARTIAL, Fate.FAILED}]
    rendered = rate_interval(
        [result.rendered is not None for result in counted],
        [document(result.instance) for result in counted],
        seed=how.seed,
        confidence=how.confidence,
    )
    last = cutoff(model)
    made = [result.instance.provenance.created for result in own]
    usage, known = _usage(own), price(model, how.prices)
    judge_usage, judge_cost = _judging(own, how)
    return Row(
        model=model,
        baseline=model in how.baselines,
        n=len(own),
        clean=fates[Fate.CLEAN],
        partial=fates[Fate.PARTIAL],
        failed=fates[Fate.FAILED],
        infra=fates[Fate.INFRA],
        pending=fates[Fate.PENDING],
        repaired=sum(bool(r.rendered and r.rendered.repairs) for r in own),
        rendered=rendered,
        failures=_failures(own),
        cells=cells,
        win_rate=None,
        usage=usage,
        cost=None if known is None else known.of(usage),
        judge_usage=judge_usage,
        judge_cost=judge_cost,
        warning=_warning(own),
        cutoff=last,
        new_to_it=None if last is None else sum(bool(after_cutoff(day, last)) for day in made),
    )


def _failures(results: Sequence[Result]) -> tuple[FailureCount, ...]:
    kinds = Counter(result.failure.kind for result in results if result.failure is not None)
    ordered = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))
    return tuple(FailureCount(kind=k, blame=k.blame, count=count) for k, count in ordered)


def _usage(results: Sequence[Result]) -> Usage:
    completions = (result.completion for result in results)
    return _total([found.value.usage for found in completions if isinstance(found, Ok)])


def _judging(results: Sequence[Result], how: Rules) -> tuple[Usage, float | None]:
    """Return what judging took, and what that cost where every price is known."""
    found = [s.judgment for result in results for s in result.scores if s.judgment is not None]
    paid = [judgment for judgment in found if judgment.usage != Usage()]
    prices = {judgment.judge: price(judgment.judge, how.prices) for judgment in paid}
    costs = [None if (p := prices[one.judge]) is None else p.of(one.usage) for one in paid]
    known = [cost for cost in costs if cost is not None]
    total = math.fsum(known) if paid and len(known) == len(costs) else None
    return _total([judgment.usage for judgment in paid]), total


def _total(used: Sequence[Usage]) -> Usage:
    return Usage(
        input_tokens=sum(usage.input_tokens for usage in used),
        output_tokens=sum(usage.output_tokens for usage in used),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in used),
    )


def _warning(own: Sequence[Result]) -> str:
    fates, n = Counter(result.fate for result in own), len(own)
    unscored = sum(result.unscored is not None for result in own)
    lost, waiting = fates[Fate.INFRA] + unscored, fates[Fate.PENDING]
    parts = []
    if lost > INFRA_SHARE * n:
        parts.append(f"{lost} of {n} lost to the infrastructure ({lost / n:.1%}) and not scored")
    if waiting:
        parts.append(f"{waiting} of {n} not done yet")
    return "; ".join(parts) + "; run again to fill them in" if parts else ""


def cell(own: Sequence[Result], metric: Metric, unavailable: Mapping[str, str], how: Rules) -> Cell:
    """Return the mean of one metric over one model's results, or why there is none."""
    applicable = [result for result in own if applies(metric, result.instance)]
    pictures = [result for result in applicable if result.rendered is not None]
    reason = unavailable.get(metric.name) or missing_reason(pictures, metric)
    kept = [] if metric.name in unavailable else counted(own, metric)
    interval = mean_interval(
        [value for value, _ in kept],
        [source for _, source in kept],
        seed=how.seed,
        confidence=how.confidence,
    )
    return Cell(
        metric=metric.name,
        interval=interval,
        unscored=sum(value_of(result, metric) is None for result in pictures),
        reason=reason if applicable else _inapplicable(own, metric),
    )


def _inapplicable(own: Sequence[Result], metric: Metric) -> str:
    """Return why no instance has a value of a metric."""
    says_something = any(result.instance.scored_by(metric.name) for result in own)
    return NO_TRUTH if says_something else NOT_ASKED


def counted(own: Sequence[Result], metric: Metric) -> list[tuple[float, str]]:
    """Return the values that one model's mean is taken over, each with its source document.

    Nothing where pictures were made and none has a value: what is left then are failures, whose
    mean says nothing of the metric.
    """
    pictures = [r for r in own if r.rendered is not None and applies(metric, r.instance)]
    if pictures and all(value_of(result, metric) is None for result in pictures):
        return []
    values = ((value_of(result, metric), document(result.instance)) for result in own)
    return [(value, source) for value, source in values if value is not None]


def with_best(rows: Sequence[Row], grid: Grid, how: Rules, *, paired: bool) -> list[Row]:
    """Mark the best mean of each column, ties included, where there is something to beat.

    If `paired`, the other cells tell how far behind the best model they are, on the same instances.
    """
    compared = [found.model for found in contenders(rows)]
    marked = {found.model: list(found.cells) for found in rows}
    for column, metric in enumerate(grid.metrics):
        means = {model: marked[model][column].interval.mean for model in compared}
        known = {model: mean for model, mean in means.items() if mean is not None}
        if len(known) < 2:
            continue
        best = max(known.values()) if metric.higher_is_better else min(known.values())
        leader = next(model for model, mean in known.items() if mean == best)
        for model, mean in known.items():
            update: dict[str, object] = {"best": mean == best}
            if paired and mean != best:
                update["behind"] = _behind(model, leader, grid, metric, how)
            marked[model][column] = marked[model][column].model_copy(update=update)
    return [found.model_copy(update={"cells": tuple(marked[found.model])}) for found in rows]


def _behind(model: str, leader: str, grid: Grid, metric: Metric, how: Rules) -> Interval:
    """Return how much worse than the leader a model is, on the instances both are scored on."""
    sign = 1 if metric.higher_is_better else -1
    ahead = {result.instance.id: value_of(result, metric) for result in grid.of(leader)}
    differences, sources = [], []
    for result in grid.of(model):
        value, other = value_of(result, metric), ahead.get(result.instance.id)
        if value is not None and other is not None:
            differences.append(sign * (other - value))
            sources.append(document(result.instance))
    return mean_interval(differences, sources, seed=how.seed, confidence=how.confidence)
