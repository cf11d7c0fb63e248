"""The mean of several means (FlowCE's average of its five scores), with its interval.

The parts may share documents (five questions about one flowchart), so documents are drawn once for
all parts: a bootstrap of whole documents as in ``metrics.interval``, with percentile bounds, since
a draw may hold no document of some part and is then drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING

from metrics.interval import CELLS, RESAMPLES, Interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Part = Sequence[tuple[float, Hashable]]
"""The values of one part, each with the document that it comes from."""


def average_interval(parts: Sequence[Part], *, seed: int = 0, confidence: float = 0.95) -> Interval:
    """Return the unweighted mean of the parts' means with its interval.

    Args:
        parts: values with their documents; documents of equal name are the same in all parts.
        seed: of the resampling.
        confidence: the probability that the interval is made for, in (0, 1).

    Returns:
        No mean where a part is empty, no bounds where there is one document only; ``n`` counts the
        values of all parts, ``clusters`` the documents.

    Raises:
        ValueError: a value is not finite.
    """
    documents = {source: place for place, source in enumerate(_documents(parts))}
    n = sum(map(len, parts))
    found = {"n": n, "clusters": len(documents), "confidence": confidence}
    if not parts or not all(parts):
        return Interval(mean=None, low=None, high=None, **found)
    if not all(math.isfinite(value) for part in parts for value, _ in part):
        raise ValueError("a mean of values that are not finite cannot be taken")
    means = [math.fsum(value for value, _ in part) / len(part) for part in parts]
    mean = math.fsum(means) / len(means)
    if len(documents) == 1:
        return Interval(mean=mean, low=None, high=None, **found)
    low, high = _bounds(_summed(parts, documents), seed, confidence)
    return Interval(mean=mean, low=min(low, mean), high=max(high, mean), **found)


def _documents(parts: Sequence[Part]) -> list[Hashable]:
    return list(dict.fromkeys(source for part in parts for _, source in part))


def _summed(parts: Sequence[Part], documents: dict[Hashable, int]) -> NDArray[np.float64]:
    """Return sums and counts by part and document: shape (2, parts, documents)."""
    import numpy as np

    cells = np.zeros((2, len(parts), len(documents)))
    for row, part in enumerate(parts):
        for value, source in part:
            cells[:, row, documents[source]] += (value, 1.0)
    return cells


def _bounds(cells: NDArray[np.float64], seed: int, confidence: float) -> tuple[float, float]:
    """Draw documents until there are ``RESAMPLES`` averages of which no part is empty."""
    import numpy as np

    rng = np.random.default_rng(seed)
    count = cells.shape[2]
    size = max(1, min(RESAMPLES, CELLS // count))
    averages: list[NDArray[np.float64]] = []
    known = 0
    while known < RESAMPLES:
        times = rng.multinomial(count, np.full(count, 1 / count), size=size).T.astype(float)
        sums, counts = cells @ times
        whole = (counts > 0).all(axis=0)
        averages.append((sums[:, whole] / counts[:, whole]).mean(axis=0))
        known += int(whole.sum())
    tail = (1 - confidence) / 2
    low, high = np.quantile(np.concatenate(averages)[:RESAMPLES], [tail, 1 - tail])
    return float(low), float(high)
