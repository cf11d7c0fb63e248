"""Mean win rate, as HELM defines it: how often a model beats another one, over all columns.

In one column (a metric on a scenario) a model's win rate is the share of the other models that have
a value there and are worse; a tie counts as half a win. The mean win rate of a model is the mean of
its win rates over the columns in which it has a value. A column with fewer than two values compares
nothing and is skipped (HELM, arXiv 2211.09110, section 9.1; used by Image2Struct, arXiv 2410.22456,
section 4).

A win rate depends on who else is in the table: rates from different tables cannot be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean


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
