"""The leaderboard: every model on every scenario, with n, failures and intervals.

The rules, which docs/report.md explains to readers:

* A failure that is the model's fault counts as the worst value of every metric.
* A failure of the infrastructure is not scored; it is counted, and a row that lost more than 2 % of
  its instances that way says so.
* A metric that could not be computed is missing, with the reason; it is never 0.
* Intervals come from resampling source documents (``metrics.interval``, ``metrics.winrate``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol

from benchmark.protocols import Metric
from reports.aggregate import Grid, Rules, cell, row, with_best
from reports.flowce import flowce
from reports.flowce_figures import Truth
from reports.ranking import ranked
from reports.records import Cell, FailureCount, Leaderboard, MetricNote, Row, Table
from reports.results import Fate, Result, judges_of, models_of

__all__ = [
    "Cell",
    "FailureCount",
    "Fate",
    "Leaderboard",
    "MetricNote",
    "Result",
    "Row",
    "Table",
    "leaderboard",
    "to_csv",
]


class ScenarioNames(Protocol):
    """What the leaderboard wants to know of a scenario."""

    @property
    def name(self) -> str:
        """The registered name."""

    @property
    def subsets(self) -> tuple[str, ...]:
        """The subsets, in the order in which they are shown."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the metrics, in the order in which they are shown."""


def leaderboard(
    results: Sequence[Result],
    metrics: Mapping[str, Metric],
    scenarios: Iterable[ScenarioNames],
    *,
    baselines: Collection[str] = (),
    seed: int = 0,
    confidence: float = 0.95,
    title: str = "",
    snapshot: str = "",
    prices: Mapping[str, tuple[float, float]] | None = None,
    truth: Truth | None = None,
) -> Leaderboard:
    """Aggregate results.

    Args:
        results: one per model and instance, in any order (the same order gives the same bytes).
        metrics: the metrics by name; at least those that the scenarios name.
        scenarios: the scenarios in the order in which they are shown; those without results are
            left out.
        baselines: models that are a ceiling or a floor: shown and ranked, but not marked
            as the best as soon as there are two others.
        seed: of the resampling.
        confidence: of the intervals.
        title: what the report is about, for its readers.
        snapshot: name and digest of the material, for its readers.
        prices: dollars for a million tokens of input and output by model, before list prices.
        truth: returns the tree of an instance's truth, for distributions of what is true.

    Raises:
        KeyError: a scenario names a metric that is not given.
    """
    how = Rules(seed, confidence, frozenset(baselines), prices or {})
    tables: list[Table] = []
    grids: list[Grid] = []
    for scenario in scenarios:
        chosen = [metrics[name] for name in scenario.metrics]
        whole = [result for result in results if result.instance.scenario == scenario.name]
        if not whole:
            continue
        grid = Grid(whole, chosen)
        grids.append(grid)
        tables.append(_table(scenario.name, None, grid, grid.unavailable, how))
        subsets = _in_order({result.instance.subset for result in whole}, scenario.subsets)
        for subset in subsets if len(subsets) > 1 else ():
            missing = {**grid.subset(subset).unavailable, **grid.unavailable}
            tables.append(_table(scenario.name, subset, grid.subset(subset), missing, how))
    shown = [result for grid in grids for result in grid.results]
    rows = [row(model, [r for r in shown if r.model == model], how) for model in models_of(shown)]
    return Leaderboard(
        title=title,
        snapshot=snapshot,
        seed=seed,
        confidence=confidence,
        overall=ranked(rows, grids, [grid.unavailable for grid in grids], how),
        tables=tuple(tables),
        flowce=flowce(results, metrics, how, truth),
    )


def to_csv(board: Leaderboard) -> str:
    """Return all numbers as one table with a line for each model and measure.

    Missing values are empty, with the reason in the column of that name; ``measure`` is a metric's
    name, ``rendered`` or ``win_rate``; the scenario of the overall rows is ``*``, the subset of a
    whole scenario likewise. ``judge`` says who gave the values, where a judge did.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for found in board.overall:
        writer.writerows(_lines("*", "*", found, {}))
    for table in board.tables:
        judges = {metric.name: metric.judge for metric in table.metrics}
        for found in table.rows:
            writer.writerows(_lines(table.scenario, table.subset or "*", found, judges))
    return text.getvalue()


CSV_COLUMNS = (
    *("scenario", "subset", "model", "n", "clean", "partial", "failed", "infra", "pending"),
    *("measure", "value", "low", "high", "scored", "documents", "best"),
    *("behind_best", "behind_low", "behind_high", "reason", "judge"),
)


def _lines(
    scenario: str, subset: str, found: Row, judges: Mapping[str, str]
) -> Iterator[tuple[object, ...]]:
    fates = (found.n, found.clean, found.partial, found.failed, found.infra, found.pending)
    head = (scenario, subset, found.model, *fates)
    rate, bounds = found.win_rate, (found.win_rate_low, found.win_rate_high)
    reason = "" if rate is not None else "no other model to compare with"
    nothing = ("", "", "")
    yield (*head, "win_rate", rate, *bounds, "", "", int(found.leads), *nothing, reason, "")
    done = found.rendered
    values = (done.mean, done.low, done.high, done.n, done.clusters)
    yield (*head, "rendered", *values, "", *nothing, "", "")
    for one in found.cells:
        mean, gap = one.interval, one.behind
        values = (mean.mean, mean.low, mean.high, mean.n, mean.clusters)
        behind = nothing if gap is None else (gap.mean, gap.low, gap.high)
        yield (*head, one.metric, *values, int(one.best), *behind, one.reason, judges[one.metric])


def _table(
    scenario: str, subset: str | None, grid: Grid, missing: Mapping[str, str], how: Rules
) -> Table:
    rows = []
    for model in grid.models:
        own = grid.of(model)
        cells = tuple(cell(own, metric, missing, how) for metric in grid.metrics)
        rows.append(row(model, own, how, cells))
    return Table(
        scenario=scenario,
        subset=subset,
        n=len({result.instance.id for result in grid.results}),
        documents=len(grid.documents),
        metrics=tuple(
            MetricNote(
                name=metric.name,
                version=metric.version,
                range=metric.range,
                higher_is_better=metric.higher_is_better,
                judge=judges_of(grid.results, metric.name),
            )
            for metric in grid.metrics
        ),
        rows=ranked(with_best(rows, grid, how, paired=subset is None), [grid], [missing], how),
    )


def _in_order(present: set[str], known: Sequence[str]) -> list[str]:
    """Return subsets in the scenario's order, unknown ones behind."""
    return [*(name for name in known if name in present), *sorted(present.difference(known))]
