"""Mean win rates of the rows of a table, with intervals, and the order that follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from benchmark.protocols import Metric
from metrics.winrate import Column, Scored, mean_win_rates, win_rate_intervals
from reports.aggregate import Grid, Rules, contenders, counted
from reports.records import Row


def ranked(
    rows: Sequence[Row],
    grids: Sequence[Grid],
    missing: Sequence[Mapping[str, str]],
    how: Rules,
) -> tuple[Row, ...]:
    """Fill in the mean win rates over all columns of some grids, and sort by them.

    Models without a rate come last; equal ones are sorted by name.
    """
    models = [found.model for found in rows]
    scored = [
        _scored(grid, [m for m in grid.metrics if m.name not in unavailable], models)
        for grid, unavailable in zip(grids, missing, strict=True)
    ]
    rates = mean_win_rates(column for one in scored for column in _columns(one, models))
    bounds = win_rate_intervals(scored, seed=how.seed, confidence=how.confidence)
    by_model = dict(zip(models, bounds, strict=False))
    compared = {found.model for found in contenders(rows)}
    known = [rate for model, rate in rates.items() if rate is not None and model in compared]
    filled = []
    for found in rows:
        rate, interval = rates.get(found.model), by_model.get(found.model)
        update: dict[str, object] = {
            "win_rate": rate,
            "leads": bool(known) and found.model in compared and rate == max(known),
        }
        if rate is not None and interval is not None:
            # Percentiles of few documents can miss the rate itself; the interval holds it.
            update |= {
                "win_rate_low": min(interval[0], rate),
                "win_rate_high": max(interval[1], rate),
            }
        filled.append(found.model_copy(update=update))
    return tuple(
        sorted(
            filled,
            key=lambda one: (one.win_rate is None, -(one.win_rate or 0.0), one.model),
        )
    )


def _scored(grid: Grid, metrics: Sequence[Metric], models: Sequence[str]) -> Scored:
    """Sum a grid's values by metric, model and document."""
    column = {source: index for index, source in enumerate(grid.documents)}
    sums = np.zeros((len(metrics), len(models), len(column)))
    counts = np.zeros_like(sums)
    for place, model in enumerate(models):
        own = grid.of(model)
        for index, metric in enumerate(metrics):
            for value, source in counted(own, metric):
                sums[index, place, column[source]] += value
                counts[index, place, column[source]] += 1
    return Scored(sums, counts, [metric.higher_is_better for metric in metrics])


def _columns(scored: Scored, models: Sequence[str]) -> Iterator[Column]:
    sums, counts = scored.sums.sum(axis=2), scored.counts.sum(axis=2)
    for index, higher in enumerate(scored.higher_is_better):
        pairs = zip(models, sums[index], counts[index], strict=True)
        # Rounded as in the intervals: equal models tie in whatever order values were added.
        values = {model: round(float(s / c), 12) if c else None for model, s, c in pairs}
        yield Column(values, higher)
