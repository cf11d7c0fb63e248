"""How sure a mean is: bootstrap intervals that respect which instances belong together.

Instances cut from one document (the equations of a paper, the questions on a map) resemble each
other. Counting them as independent makes intervals too narrow, so whole documents are resampled,
and the mean is taken over the instances of the drawn documents (cluster bootstrap; Davison and
Hinkley, *Bootstrap Methods and their Application*, section 3.8).

Intervals are bias-corrected and accelerated (BCa; Efron, JASA 82, 1987), from ``scipy.stats``: for
the skewed, bounded scores of some dozens of instances they cover better than plain percentiles.
Percentiles are taken where BCa is undefined, which can happen with very few documents, and above
``BCA_DOCUMENTS`` documents, where the correction vanishes and its cost, a square, does not.

What a bootstrap cannot tell is not made up: with one document there is no interval (None); where
all documents have the same mean the interval is that point. For rates, where the point would be a
false claim (no failure in ten pages does not prove that none will fail), ``rate_interval`` then
gives Wilson's score interval for the number of documents.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from benchmark.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000
BCA_DOCUMENTS = 1000
CELLS = 4_000_000
"""Numbers that scipy may hold at a time; larger resamplings are done in batches."""


class Interval(Record):
    """A mean with the bounds of its confidence interval."""

    mean: float | None = Field(description="None without any value")
    low: float | None = Field(description="None where no interval can be told")
    high: float | None = Field(description="None where no interval can be told")
    n: int = Field(ge=0, description="number of values")
    clusters: int = Field(ge=0, description="number of documents that the values come from")
    confidence: float = Field(default=0.95, gt=0, lt=1)


class Comparison(Record):
    """Two models on the same instances."""

    difference: Interval = Field(description="mean of first minus second, on equal instances")
    p_value: float | None = Field(
        description="two-sided, of the hypothesis that the models are exchangeable; "
        "None with fewer than two documents"
    )


def mean_interval(
    values: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> Interval:
    """Return the mean of values with its interval.

    Args:
        values: one number per instance, finite; may be empty.
        clusters: for each value the document it comes from; None: each is its own document.
        seed: of the resampling; the same input and seed give the same interval.
        confidence: the probability that the interval is made for, in (0, 1).

    Raises:
        ValueError: lengths differ, or a value is not finite.
    """
    sums, counts = _by_cluster(values, clusters)
    found = {"n": len(values), "clusters": len(sums), "confidence": confidence}
    if not len(sums):
        return Interval(mean=None, low=None, high=None, **found)
    mean = math.fsum(values) / len(values)
    if len(sums) == 1:
        return Interval(mean=mean, low=None, high=None, **found)
    if _constant(sums / counts):
        return Interval(mean=mean, low=mean, high=mean, **found)
    low, high = _bootstrap(sums, counts, seed=seed, confidence=confidence)
    # The bounds come from sums in another order: rounding must not put the mean outside.
    return Interval(mean=mean, low=min(low, mean), high=max(high, mean), **found)


def rate_interval(
    successes: Sequence[bool],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> Interval:
    """Return a rate with its interval, which has a width even where all went well, or all badly.

    Arguments and errors as in ``mean_interval``.
    """
    found = mean_interval(
        [float(success) for success in successes], clusters, seed=seed, confidence=confidence
    )
    if found.mean not in {0.0, 1.0}:
        return found
    from scipy.stats import binomtest

    test = binomtest(round(found.mean * found.clusters), found.clusters)
    bounds = test.proportion_ci(confidence_level=confidence, method="wilson")
    return found.model_copy(update={"low": float(bounds.low), "high": float(bounds.high)})


def compare(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> Comparison:
    """Compare two models that were scored on the same instances, in the same order.

    The interval is that of the mean difference per instance. The p-value is that of the permutation
    test which exchanges the two models in each document (exact for few documents, else by
    ``RESAMPLES`` random exchanges).

    Raises:
        ValueError: lengths differ, or a value is not finite.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} values are not of the same instances")
    differences = [one - other for one, other in zip(first, second, strict=True)]
    interval = mean_interval(differences, clusters, seed=seed, confidence=confidence)
    sums, _ = _by_cluster(differences, clusters)
    return Comparison(difference=interval, p_value=_exchange_test(sums, seed))


def _exchange_test(sums: NDArray[np.float64], seed: int) -> float | None:
    """Return the two-sided p-value of sums of differences under exchange of their signs."""
    if len(sums) < 2:
        return None
    if not sums.any():
        return 1.0
    import numpy as np
    from scipy.stats import permutation_test

    def total(differences: NDArray[np.float64], axis: int = -1) -> Any:  # noqa: ANN401
        return np.sum(differences, axis=axis)

    result = permutation_test(
        (sums,),
        total,
        permutation_type="samples",
        vectorized=True,
        n_resamples=RESAMPLES,
        batch=max(1, CELLS // len(sums)),
        rng=np.random.default_rng(seed),
    )
    return float(result.pvalue)


def _by_cluster(
    values: Sequence[float], clusters: Sequence[Hashable] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sum and the number of values of each document, in order of appearance."""
    import numpy as np

    keys: Sequence[Hashable] = range(len(values)) if clusters is None else clusters
    if len(keys) != len(values):
        raise ValueError(f"{len(keys)} documents are named for {len(values)} values")
    found: dict[Hashable, list[float]] = {}
    for key, value in zip(keys, values, strict=True):
        if not math.isfinite(value):
            raise ValueError(f"a mean of {value} cannot be taken; leave missing values out")
        found.setdefault(key, []).append(value)
    sums = np.array([math.fsum(group) for group in found.values()], np.float64)
    return sums, np.array([len(group) for group in found.values()], np.float64)


def _constant(means: NDArray[np.float64]) -> bool:
    import numpy as np

    return bool(np.ptp(means) <= 1e-12 * max(1.0, float(np.abs(means).max())))


def _bootstrap(
    sums: NDArray[np.float64], counts: NDArray[np.float64], *, seed: int, confidence: float
) -> tuple[float, float]:
    """Return the bounds for at least two documents whose means differ."""
    import numpy as np
    from scipy.stats import DegenerateDataWarning, bootstrap

    def mean_of(*drawn: NDArray[np.float64], axis: int = -1) -> Any:  # noqa: ANN401
        sums, *counts = drawn
        return sums.sum(axis=axis) / counts[0].sum(axis=axis) if counts else sums.mean(axis=axis)

    # With one value a document there is nothing to weigh, and half as much to draw.
    single = bool((counts == 1).all())
    with warnings.catch_warnings():  # the degenerate case is answered below
        warnings.simplefilter("ignore", DegenerateDataWarning)
        result = bootstrap(
            (sums,) if single else (sums, counts),
            mean_of,
            paired=not single,
            vectorized=True,
            n_resamples=RESAMPLES,
            batch=max(1, CELLS // len(sums)),
            confidence_level=confidence,
            method="BCa" if len(sums) <= BCA_DOCUMENTS else "percentile",
            rng=np.random.default_rng(seed),
        )
    low, high = result.confidence_interval
    if math.isnan(low) or math.isnan(high):
        tail = (1 - confidence) / 2
        low, high = np.quantile(result.bootstrap_distribution, [tail, 1 - tail])
    return float(low), float(high)
