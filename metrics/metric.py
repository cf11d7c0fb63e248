"""A plain function with what one must know about it: what every metric registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmark.protocols import Needs


@dataclass(frozen=True)
class FunctionMetric:
    """A metric made of a pure function; satisfies ``benchmark.protocols.Metric``.

    Attributes:
        name: the registered name.
        version: part of every score's key; raised whenever the same input may give another value.
        needs: what is compared.
        range: lowest and highest value.
        higher_is_better: the direction; the best value is the end of `range` that it points to.
        function: ``function(prediction, reference) -> float``.
    """

    name: str
    version: str
    needs: Needs
    range: tuple[float, float]
    higher_is_better: bool
    function: Callable[[Any, Any], float]

    @property
    def best(self) -> float:
        """The value of ``metric(x, x)``."""
        return self.range[1] if self.higher_is_better else self.range[0]

    @property
    def worst(self) -> float:
        """The value that a failure of the model counts as."""
        return self.range[0] if self.higher_is_better else self.range[1]

    def __call__(self, prediction: Any, reference: Any) -> float:  # noqa: ANN401 - as in Metric
        """Compare; the value lies in ``range``.

        Raises:
            MetricUnavailable: the metric cannot run here.
        """
        return self.function(prediction, reference)
