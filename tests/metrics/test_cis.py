from __future__ import annotations

import numpy as np
import pytest

from benchmark.protocols import MetricUnavailable
from metrics import cis as module
from metrics.cis import build, cis, cis_batch, outputs, similarity
from tests.metrics.noise import noise


@pytest.fixture(scope="module")
def network():
    return build(seed=3)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1.0, 0.0], [2.0, 0.0], 1.0),
        ([1.0, 0.0], [0.0, 3.0], 0.5),
        ([1.0, 0.0], [-5.0, 0.0], 0.0),
        ([3.0, 4.0], [4.0, 3.0], (1 + 24 / 25) / 2),
        ([0.0, 0.0], [1.0, 0.0], 0.5),
    ],
)
def test_cosine_is_mapped_to_the_unit_interval(first, second, expected):
    assert similarity(np.array(first), np.array(second)) == pytest.approx(expected, abs=1e-12)


def test_value_is_the_cosine_of_the_logits(network):
    import torch
    from PIL import Image
    from torchvision.models import Inception_V3_Weights

    first, second = noise(350, 300), noise(350, 300, 1)
    transform = Inception_V3_Weights.IMAGENET1K_V1.transforms()
    with torch.inference_mode():
        u, v = (network(transform(Image.fromarray(x))[None])[0] for x in (first, second))
    expected = (1 + torch.nn.functional.cosine_similarity(u, v, dim=0).item()) / 2
    assert u.shape == (1000,)
    assert cis_batch([first], [second], model=network)[0] == pytest.approx(expected, abs=1e-6)


def test_batches_of_any_size_give_the_single_values(network):
    sizes = [(20, 30), (1, 1), (400, 90)]
    references = [noise(*size, seed=n) for n, size in enumerate(sizes)]
    predictions = [noise(*size, seed=n + 9) for n, size in enumerate(sizes)]
    single = [
        cis_batch([a], [b], model=network)[0] for a, b in zip(predictions, references, strict=True)
    ]
    together = cis_batch(predictions, references, model=network)
    assert together == pytest.approx(single, abs=1e-5)
    assert all(0.0 <= value <= 1.0 for value in together)
    assert cis_batch(references, references, model=network) == [1.0] * len(sizes)
    assert cis_batch([], [], model=network) == []


def test_seeded_weights_are_deterministic(network):
    image = noise(40, 40)
    again = build(seed=3)
    np.testing.assert_array_equal(outputs([image], network), outputs([image], again))
    assert not np.array_equal(outputs([image], network), outputs([image], build(seed=4)))


def test_absent_weights_are_a_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(module, "_models", {})
    with pytest.raises(MetricUnavailable, match="rerender weights"):
        cis(noise(8, 8), noise(8, 8))


def test_weights_that_do_not_fit_are_a_reason():
    with pytest.raises(MetricUnavailable, match="do not fit"):
        build({})
