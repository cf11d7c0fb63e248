from __future__ import annotations

import json

import numpy as np
import pytest

from benchmark.protocols import MetricUnavailable
from metrics import lpips as module
from metrics import lpips_features
from metrics.lpips import build, lpips, lpips_batch
from metrics.lpips_features import References
from metrics.network import as_batch
from metrics.pictures import read
from metrics.weights import BACKBONES, load
from tests.metrics.noise import noise


def needs(name: str) -> None:
    try:
        load(name)
    except MetricUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture
def random_weights(monkeypatch):
    """A small seeded AlexNet in place of the trained ones, for everything but the values."""
    import torch
    from torchvision.models import alexnet

    with torch.random.fork_rng():
        torch.manual_seed(0)
        state = alexnet(weights=None).state_dict()
    monkeypatch.setitem(module._models, "vgg", build("alex", state))


@pytest.mark.parametrize("net", ["alex", "vgg"])
def test_published_distances(shared, net):
    needs(module._BACKBONES[net])
    folder = shared / "golden" / "lpips"
    values = json.loads((folder / "values.json").read_text(encoding="utf-8"))[net]
    reference = read(folder / "ex_ref.png")
    for name, distance in values.items():
        similarity = lpips(read(folder / f"{name}.png"), reference, net=net)
        assert 1.0 - similarity == pytest.approx(distance, abs=1e-5)


@pytest.mark.parametrize(("net", "convolutions"), [("alex", 5), ("vgg", 13)])
def test_backbones_have_torchvisions_shapes(net, convolutions):
    from torchvision import models

    name = module._BACKBONES[net]
    needs(name)
    state = load(name)
    expected = getattr(models, name)(weights=None).state_dict()
    shapes = {key: value.shape for key, value in expected.items() if key.startswith("features.")}
    assert {key: value.shape for key, value in state.items()} == shapes
    assert len(state) == 2 * convolutions


def test_absent_weights_are_a_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_WEIGHTS", str(tmp_path))
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    monkeypatch.setattr(module, "_models", {})
    with pytest.raises(MetricUnavailable, match="rerender weights"):
        lpips(noise(64, 64), noise(64, 64, 1))


def test_incomplete_backbone_is_a_reason():
    with pytest.raises(MetricUnavailable, match="lack"):
        build("alex", {})


@pytest.mark.parametrize("size", [(1, 1), (3, 400), (32, 32), (64, 48), (256, 256), (300, 257)])
def test_every_size(random_weights, size):
    image, other = noise(*size), noise(*size, seed=1)
    assert lpips(image, image) == 1.0
    assert 0.0 <= lpips(other, image) < 1.0


def test_batch_of_several_sizes_gives_the_single_values(random_weights):
    sizes = [(40, 60), (33, 33), (40, 60), (500, 300), (700, 90), (40, 60)]
    references = [noise(*size, seed=n) for n, size in enumerate(sizes)]
    predictions = [noise(*size, seed=n + 50) for n, size in enumerate(sizes)]
    predictions[2] = references[2]
    single = [lpips(*pair) for pair in zip(predictions, references, strict=True)]
    assert lpips_batch(predictions, references) == pytest.approx(single, abs=1e-6)
    assert single[2] == 1.0
    with pytest.raises(ValueError, match="shorter"):
        lpips_batch(predictions, references[:-1])


def test_the_distance_is_that_of_the_packages_own_network(random_weights):
    import torch

    model = module._models["vgg"]
    first, second, reference = (noise(64, 48, seed) for seed in range(3))
    expected = []
    with torch.inference_mode():
        for image in (first, second):  # the second time the reference's features are known
            pair = [as_batch([each]) * 2.0 - 1.0 for each in (image, reference)]
            expected.append(1.0 - float(model(*pair)))
    assert [lpips(image, reference) for image in (first, second)] == expected


def test_a_references_features_are_made_once(random_weights, monkeypatch):
    made = []
    monkeypatch.setattr(
        lpips_features,
        "features_of",
        lambda model, images: made.append(len(images)) or original(model, images),
    )
    original = module.features_of
    references = [noise(64, 48, seed) for seed in range(2)]
    lpips_batch([noise(64, 48, 7), noise(64, 48, 8)], references)
    lpips(noise(64, 48, 9), references[1])
    assert made == [2]


def test_the_oldest_references_are_forgotten(random_weights):
    model = module._models["vgg"]
    images = [noise(64, 48, seed) for seed in range(4)]
    one = References()
    one.features(model, images[:1])
    kept = References(limit=2 * one.bytes)
    for image in images:
        kept.features(model, [image])
    assert kept.bytes == 2 * one.bytes


def test_large_pictures_are_scored_at_256(random_weights):
    from PIL import Image

    pair = [noise(400, 300, seed) for seed in (0, 1)]
    small = [
        np.asarray(Image.fromarray(x).resize((256, 256), Image.Resampling.BILINEAR)) for x in pair
    ]
    assert lpips(*pair) == lpips(*small)
    assert lpips(*pair, side=None) != lpips(*pair)


def test_scoring_leaves_the_random_state_alone():
    import torch
    from torchvision.models import alexnet

    state = alexnet(weights=None).state_dict()
    before = torch.random.get_rng_state()
    build("alex", state)
    assert torch.equal(before, torch.random.get_rng_state())


def test_backbones_cover_both_nets():
    assert set(module._BACKBONES.values()) <= set(BACKBONES)
