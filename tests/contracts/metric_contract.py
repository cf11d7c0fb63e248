"""What every registered metric must do; a test module subclasses ``MetricContract``.

```python
class TestMyMetric(MetricContract):
    metric = my_module.METRIC
```
"""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
import pytest

from benchmark.protocols import Metric, MetricUnavailable, Needs


def _drawing(height: int, width: int, seed: int) -> np.ndarray:
    image = np.full((height, width, 3), 255, np.uint8)
    rng = np.random.default_rng(seed)
    for _ in range(6):
        top, left = rng.integers(height), rng.integers(width)
        image[top : top + 3, left : left + 12] = rng.integers(0, 256, 3)
    return image


SAMPLES: dict[Needs, list[tuple]] = {
    Needs.IMAGES: [
        (_drawing(60, 90, 1), _drawing(60, 90, 2)),
        (_drawing(1, 1, 1), _drawing(1, 1, 2)),
        (_drawing(4, 300, 1), _drawing(4, 300, 2)),
        (np.full((30, 30, 3), 255, np.uint8), _drawing(30, 30, 3)),
        (np.zeros((30, 30, 3), np.uint8), np.full((30, 30, 3), 255, np.uint8)),
    ],
    Needs.TEXTS: [
        (r"\frac{a}{b}", r"\frac{a}{c} + 1"),
        ("", "x"),
        ("x", ""),
        ("中文 a", "中 a b"),
    ],
    Needs.JUDGMENT: [
        ("It restarts.", "the process stops"),
        ("", "x"),
        ("?!", "…"),
        ("开始之后是检查 (check)", "检查之后是开始"),
    ],
    Needs.TREES: [
        ({"name": "a", "children": []}, {"name": "a", "children": [{"name": "b"}]}),
        ({}, {"name": "a"}),
        ([], {"name": "a"}),
        ({"name": "中"}, {"name": "a", "children": [{"name": "b"}, {"name": "b"}]}),
    ],
}


class MetricContract:
    """Identity, range, determinism and description of one metric."""

    metric: ClassVar[Metric]

    @property
    def samples(self) -> list[tuple]:
        return SAMPLES[self.metric.needs]

    def value(self, prediction, reference) -> float:
        try:
            return self.metric(prediction, reference)
        except MetricUnavailable as reason:
            pytest.skip(str(reason) or pytest.fail("a metric that cannot run says why"))

    def test_describes_itself(self):
        metric = self.metric
        assert isinstance(metric, Metric)
        assert metric.name
        assert metric.version
        assert metric.needs in Needs
        low, high = metric.range
        assert low < high
        assert isinstance(metric.higher_is_better, bool)

    def test_equal_things_have_the_best_value(self):
        low, high = self.metric.range
        best = high if self.metric.higher_is_better else low
        for prediction, reference in self.samples:
            assert self.value(reference, reference) == best
            assert self.value(prediction, prediction) == best

    def test_values_are_finite_and_in_range(self):
        low, high = self.metric.range
        for prediction, reference in self.samples:
            value = self.value(prediction, reference)
            assert isinstance(value, float)
            assert math.isfinite(value)
            assert low <= value <= high

    def test_the_same_things_have_the_same_value(self):
        for prediction, reference in self.samples[:2]:
            assert self.value(prediction, reference) == self.value(prediction, reference)

    def test_arguments_are_left_alone(self):
        prediction, reference = self.samples[0]
        if self.metric.needs is not Needs.IMAGES:
            before = (repr(prediction), repr(reference))
            self.value(prediction, reference)
            assert before == (repr(prediction), repr(reference))
            return
        pair = [prediction.copy(), reference.copy()]
        for image in pair:
            image.setflags(write=False)
        self.value(*pair)
