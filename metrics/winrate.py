"""Mean win rate, as HELM defines it: how often a model beats another one, over all columns.

In one column (a metric on a scenario) a model's win rate is the share of the other models that have
a value there and are worse; a tie counts as half a win. The mean win rate of a model is the mean of
its win rates over the columns in which it has a value. A column with fewer than two values compares
nothing and is skipped (HELM, arXiv 2211.09110; used by Image2Struct, arXiv 2410.22456).

A win rate depends on who else is in the table: rates from different tables cannot be compared.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000
CELLS = 4_000_000
"""Numbers that one batch of resamples may hold."""


@dataclass(frozen=True)
class Column:
    """One metric on one scenario: a value for each model, None where it is missing."""

    values: Mapping[str, float | None]
    higher_is_better: bool = True


def mean_win_rates(columns: Iterable[Column]) -> dict[str, float | None]:
    """Return each model's mean win rate in [0, 1].

    Args:
        columns: the table; models may lack values, or be absent from a column.

    Returns:
        For every model of any column its rate; None if it was compared with no other model.

    >>> mean_win_rates([Column({"a": 0.9, "b": 0.5}), Column({"a": 0.7, "b": 0.7})])
    {'a': 0.75, 'b': 0.25}
    """
    rates: dict[str, list[float]] = {}
    for column in columns:
        for model in column.values:
            rates.setdefault(model, [])
        for model, rate in win_rates(column).items():
            rates[model].append(rate)
    return {model: fmean(found) if found else None for model, found in rates.items()}


def win_rates(column: Column) -> dict[str, float]:
    """Return the win rates in one column of the models that have a value; {} if fewer than two."""
    known = {model: value for model, value in column.values.items() if value is not None}
    if len(known) < 2:
        return {}
    sign = 1 if column.higher_is_better else -1
    points = {
        model: sum(
            1.0 if sign * value > sign * other else 0.5 if value == other else 0.0
            for rival, other in known.items()
            if rival != model
        )
        for model, value in known.items()
    }
    return {model: won / (len(known) - 1) for model, won in points.items()}


@dataclass(frozen=True)
class Scored:
    """All scores of one scenario, summed by document, for c columns, m models and d documents."""

    sums: NDArray[np.float64]
    """Shape (c, m, d): the summed values of a model's instances from one document."""
    counts: NDArray[np.float64]
    """Shape (c, m, d): how many values were summed; 0 where there is none."""
    higher_is_better: Sequence[bool]
    """Length c: the direction of each column."""


def win_rate_intervals(
    scenarios: Sequence[Scored], *, seed: int = 0, confidence: float = 0.95
) -> list[tuple[float, float] | None]:
    """Return the bounds of each model's mean win rate, from drawing other documents.

    The documents of each scenario are resampled together for all models, since all were scored on
    the same ones; the bounds are percentiles of the mean win rates of ``RESAMPLES`` such tables.
    They say how sure the rate is among these models on such material, not among other models.

    Returns:
        One pair per model, in the order of the arrays; None for a model that is compared with no
        other one, and for all if no scenario has two documents.
    """
    import numpy as np
    from scipy.stats import DegenerateDataWarning, bootstrap

    scenarios = [scored for scored in scenarios if scored.sums.shape[0] and scored.sums.shape[2]]
    if not scenarios or all(scored.sums.shape[2] < 2 for scored in scenarios):
        return [None] * (scenarios[0].sums.shape[1] if scenarios else 0)

    # A single document is drawn as itself each time; scipy's bootstrap refuses to draw it.
    varied = [scored for scored in scenarios if scored.sums.shape[2] > 1]
    fixed = [scored for scored in scenarios if scored.sums.shape[2] == 1]

    def rates(*drawn: NDArray[np.int64], axis: int) -> NDArray[np.float64]:  # noqa: ARG001
        columns = [_win_rates_of(scored, rows) for scored, rows in zip(varied, drawn, strict=True)]
        only = np.zeros((*drawn[0].shape[:-1], 1), np.int64)
        columns += [_win_rates_of(scored, only) for scored in fixed]
        return _mean_known(np.concatenate(columns), axis=0)

    documents = [np.arange(scored.sums.shape[2]) for scored in varied]
    largest = max(len(rows) for rows in documents)
    with warnings.catch_warnings():  # a model without rivals has no rate in any resample
        warnings.simplefilter("ignore", DegenerateDataWarning)
        drawn = bootstrap(
            tuple(documents),
            rates,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=max(1, CELLS // largest),
            method="percentile",
            rng=np.random.default_rng(seed),
        ).bootstrap_distribution
    tail = (1 - confidence) / 2
    bounds: list[tuple[float, float] | None] = []
    for found in drawn:
        known = found[~np.isnan(found)]
        low, high = np.quantile(known, [tail, 1 - tail]) if len(known) else (np.nan, np.nan)
        bounds.append((float(low), float(high)) if len(known) else None)
    return bounds


def _win_rates_of(scored: Scored, drawn: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return win rates of shape (c, m, …) for drawn documents of shape (…, d)."""
    import numpy as np

    *batch, count = drawn.shape
    rows = drawn.reshape(-1, count)
    cells = (np.arange(len(rows)) * count)[:, None] + rows
    times = np.bincount(cells.ravel(), minlength=rows.size).reshape(rows.shape).T.astype(float)
    sums, counts = scored.sums @ times, scored.counts @ times
    means = np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)
    # Equal models must tie whatever the order in which their values were added up.
    means = np.round(means, 12)
    means[[not higher for higher in scored.higher_is_better]] *= -1
    one, other = means[:, :, None, :], means[:, None, :, :]
    comparable = ~(np.isnan(one) | np.isnan(other))
    comparable[:, np.arange(means.shape[1]), np.arange(means.shape[1])] = False
    points = np.where(comparable, (one > other) + 0.5 * (one == other), 0.0).sum(axis=2)
    rivals = comparable.sum(axis=2)
    rates: NDArray[np.float64] = np.full(points.shape, np.nan)
    np.divide(points, rivals, out=rates, where=rivals > 0)
    return rates.reshape(*rates.shape[:2], *batch)


def _mean_known(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Return the mean of the values that are not NaN; NaN where there is none."""
    import numpy as np

    known = ~np.isnan(values)
    counts = known.sum(axis=axis)
    sums = np.where(known, values, 0.0).sum(axis=axis)
    means: NDArray[np.float64] = np.full(sums.shape, np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means
