"""How well two raters agree on points: correlation, rank correlation, and chance-corrected.

FlowCE (arXiv 2406.10057, table 5) gives Pearson's correlation of people's and a judge model's
points. A correlation alone hides a judge that is always two points too generous, so beside it stand
Spearman's rank correlation and quadratic-weighted kappa (Cohen, 1968), which counts the distance:

    kappa = 1 - sum (h - j)^2 / n  /  sum over all pairs (h_i - j_k)^2 / n^2

for n pairs of points h and j. Neither categories nor their number enter, so the points may be means
of several people's, where the value equals Lin's concordance correlation coefficient (1989).

A value that is not defined (fewer than three pairs, a rater who always gives the same) is missing,
with the reason. Intervals are percentiles of a bootstrap that draws whole groups (all pairs of one
instance), since two models' answers to one question resemble each other; draws of which the value
is not defined are left out, and where that is more than half of them there is no interval.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any

from pydantic import Field

from benchmark.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000
LEAST_PAIRS = 3
UNDEFINED_SHARE = 0.5


class Agreement(Record):
    """One measure of agreement with its interval, or the reason why there is none."""

    measure: str
    value: float | None = Field(description="-1 to 1")
    low: float | None = None
    high: float | None = None
    reason: str = Field(default="", description="why the value, or its interval, is missing")


def agreement(
    human: Sequence[float],
    judge: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    seed: int = 0,
    confidence: float = 0.95,
) -> tuple[Agreement, ...]:
    """Return Pearson's and Spearman's correlation and quadratic-weighted kappa.

    Args:
        human: points of people, finite.
        judge: points of a judge for the same answers, in the same order, on the same scale.
        groups: for each pair what is drawn together (the instance); None: each by itself.
        seed: of the resampling; the same input and seed give the same intervals.
        confidence: the probability that the intervals are made for, in (0, 1).

    Raises:
        ValueError: lengths differ, or points are not finite.
    """
    import numpy as np

    own: Sequence[Hashable] = range(len(human)) if groups is None else groups
    if not len(human) == len(judge) == len(own):
        raise ValueError(f"{len(human)} and {len(judge)} points of {len(own)} groups do not pair")
    pairs = np.array([human, judge], np.float64).reshape(2, -1)
    if not np.isfinite(pairs).all():
        raise ValueError("points are finite numbers")
    drawn = None if _reason(pairs) else _draws(pairs, own, seed)
    return tuple(_measured(name, of, pairs, drawn, confidence) for name, of in MEASURES.items())


def pearson(pairs: NDArray[np.float64]) -> float | None:
    """Return Pearson's r of pairs of shape (2, n); None where a row is constant."""
    import numpy as np

    centred = pairs - pairs.mean(axis=1, keepdims=True)
    scale = float(np.sqrt((centred[0] ** 2).sum() * (centred[1] ** 2).sum()))
    if _constant(pairs[0]) or _constant(pairs[1]) or not scale:
        return None
    return max(-1.0, min(1.0, float((centred[0] * centred[1]).sum()) / scale))


def spearman(pairs: NDArray[np.float64]) -> float | None:
    """Return Spearman's rho: Pearson's r of ranks, equal points sharing their mean rank."""
    from scipy.stats import rankdata

    return pearson(rankdata(pairs, axis=1))


def quadratic_kappa(pairs: NDArray[np.float64]) -> float | None:
    """Return quadratic-weighted kappa; None where a row is constant (it would be 0 or 0 / 0)."""
    human, judge = pairs
    if _constant(human) or _constant(judge):
        return None
    observed = float(((human - judge) ** 2).mean())
    chance = float(human.var() + judge.var() + (human.mean() - judge.mean()) ** 2)
    return 1.0 - observed / chance


MEASURES: dict[str, Callable[[Any], float | None]] = {
    "pearson": pearson,
    "spearman": spearman,
    "quadratic_kappa": quadratic_kappa,
}


def _constant(points: NDArray[np.float64]) -> bool:
    return bool((points == points[0]).all())


def _reason(pairs: NDArray[np.float64]) -> str:
    """Return why nothing can be said of some pairs, or ""."""
    n = pairs.shape[1]
    if n < LEAST_PAIRS:
        return f"undefined: {n} pair{'s' if n != 1 else ''}, {LEAST_PAIRS} are needed"
    return ""


def _undefined(pairs: NDArray[np.float64]) -> str:
    same = [name for name, row in zip(("human", "judge"), pairs, strict=True) if _constant(row)]
    return f"undefined: all {' and '.join(same)} points are equal"


def _measured(
    name: str,
    of: Callable[[NDArray[np.float64]], float | None],
    pairs: NDArray[np.float64],
    drawn: list[NDArray[np.float64]] | None,
    confidence: float,
) -> Agreement:
    import numpy as np

    if drawn is None:
        return Agreement(measure=name, value=None, reason=_reason(pairs))
    value = of(pairs)
    if value is None:
        return Agreement(measure=name, value=None, reason=_undefined(pairs))
    found = [each for each in map(of, drawn) if each is not None]
    if len(found) <= UNDEFINED_SHARE * max(1, len(drawn)):
        reason = "no interval: most draws have a rater who always gives the same"
        if not drawn:
            reason = "no interval: all pairs are of one group"
        return Agreement(measure=name, value=value, reason=reason)
    tail = (1 - confidence) / 2
    low, high = (float(bound) for bound in np.quantile(found, [tail, 1 - tail]))
    return Agreement(measure=name, value=value, low=min(low, value), high=max(high, value))


def _draws(
    pairs: NDArray[np.float64], groups: Sequence[Hashable], seed: int
) -> list[NDArray[np.float64]]:
    """Return ``RESAMPLES`` resamples of whole groups; none where there is one group only."""
    import numpy as np

    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    if len(members) < 2:
        return []
    places = [np.array(found) for found in members.values()]
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(places), size=(RESAMPLES, len(places)))
    return [pairs[:, np.concatenate([places[group] for group in draw])] for draw in draws]
