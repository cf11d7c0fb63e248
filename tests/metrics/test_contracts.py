"""The tree metrics, field F1 and answer matching pass the contract of metrics."""

from __future__ import annotations

import pytest

from benchmark import registry
from benchmark.protocols import Needs
from metrics import extraction, tree, vqa
from tests.contracts.metric_contract import SAMPLES, MetricContract


class TestNtedAccuracy(MetricContract):
    metric = tree.METRIC


class TestNtedAccuracyDonut(MetricContract):
    metric = tree.METRIC_DONUT


class TestFieldF1(MetricContract):
    metric = extraction.METRIC


class TestFieldF1Donut(MetricContract):
    metric = extraction.METRIC_DONUT


class TestVqaMatch(MetricContract):
    metric = vqa.METRIC

    @property
    def samples(self) -> list[tuple]:
        return [*SAMPLES[Needs.TEXTS], ("Yes\n", "Yes"), (" \t", ""), ("yes", "Yes"), ("", " ")]


COVERED = (TestNtedAccuracy, TestNtedAccuracyDonut, TestFieldF1, TestFieldF1Donut, TestVqaMatch)


@pytest.mark.parametrize("suite", COVERED, ids=lambda suite: suite.metric.name)
def test_what_is_tested_is_what_is_registered(suite):
    assert registry.metrics.get(suite.metric.name) == suite.metric
