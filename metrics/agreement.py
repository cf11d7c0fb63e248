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
is not defined are left out, and where that is more than half of them there is no interval. Nor is
there one of fewer than ten groups: resamples of three pairs that agree would claim 1 to 1.
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
LEAST_GROUPS = 10
MOST_POINTS = 1e6
"""Points are within this of 0, so that their squares can be summed."""
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
        ValueError: lengths differ, or points are not finite or beyond ``MOST_POINTS``.
    """
    import numpy as np

    own: Sequence[Hashable] = range(len(human)) if groups is None else groups
    if not len(human) == len(judge) == len(own):
        raise ValueError(f"{len(human)} and {len(judge)} points of {len(own)} groups do not pair")
    pairs = np.array([human, judge], np.float64).reshape(2, -1)
    if not (np.abs(pairs) <= MOST_POINTS).all():
        raise ValueError(f"points are finite numbers within {MOST_POINTS:,.0f} of 0")
    if reason := _reason(pairs):
        return tuple(Agreement(measure=name, value=None, reason=reason) for name in MEASURES)
    drawn = _drawn(pairs, own, seed)
    return tuple(_measured(name, pairs, drawn, confidence) for name in MEASURES)


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
    if not chance:
        return None
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
    if not same:
        return "undefined: the points hardly differ"
    return f"undefined: all {' and '.join(same)} points are equal"


def _measured(
    name: str,
    pairs: NDArray[np.float64],
    drawn: dict[str, list[float | None]] | None,
    confidence: float,
) -> Agreement:
    import numpy as np

    value = MEASURES[name](pairs)
    if value is None:
        return Agreement(measure=name, value=None, reason=_undefined(pairs))
    if drawn is None:
        reason = f"no interval: fewer than {LEAST_GROUPS} instances"
        return Agreement(measure=name, value=value, reason=reason)
    found = [each for each in drawn[name] if each is not None]
    if len(found) <= UNDEFINED_SHARE * RESAMPLES:
        reason = "no interval: most draws have a rater who always gives the same"
        return Agreement(measure=name, value=value, reason=reason)
    tail = (1 - confidence) / 2
    low, high = (float(bound) for bound in np.quantile(found, [tail, 1 - tail]))
    return Agreement(measure=name, value=value, low=min(low, value), high=max(high, value))


def _drawn(
    pairs: NDArray[np.float64], groups: Sequence[Hashable], seed: int
) -> dict[str, list[float | None]] | None:
    """Return each measure of ``RESAMPLES`` resamples of whole groups; None of too few groups."""
    import numpy as np

    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    if len(members) < LEAST_GROUPS:
        return None
    places = [np.array(found) for found in members.values()]
    rng = np.random.default_rng(seed)
    found: dict[str, list[float | None]] = {name: [] for name in MEASURES}
    for _ in range(RESAMPLES):
        draw = rng.integers(len(places), size=len(places))
        drawn = pairs[:, np.concatenate([places[group] for group in draw])]
        for name, of in MEASURES.items():
            found[name].append(of(drawn))
    return found
