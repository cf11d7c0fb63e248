"""The image metrics and the edit similarity pass the contract of metrics."""

from __future__ import annotations

from metrics import cis, edit, ems, lpips, pixel, ssim
from tests.contracts.metric_contract import MetricContract


class TestPixel(MetricContract):
    metric = pixel.METRIC


class TestSsim(MetricContract):
    metric = ssim.METRIC


class TestLpips(MetricContract):
    metric = lpips.METRIC


class TestCis(MetricContract):
    metric = cis.METRIC


class TestEms(MetricContract):
    metric = ems.METRIC


class TestEdit(MetricContract):
    metric = edit.METRIC
