"""LPIPS: learned perceptual image patch similarity."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from benchmark.protocols import Needs
from metrics import weights
from metrics.lpips_features import features_of, references_of
from metrics.metric import FunctionMetric
from metrics.network import batches_by_size, device, inference
from metrics.pictures import RGB, as_pair

if TYPE_CHECKING:
    import torch

Net = Literal["vgg", "alex"]

SIDE = 256
"""A picture with a longer side is scored at 256 × 256, as in Image2Struct."""

SMALLEST = 32
"""A shorter side is extended to this many pixels, so that every layer has something to pool."""

_BACKBONES: dict[Net, str] = {"vgg": "vgg16", "alex": "alexnet"}
_models: dict[Net, Any] = {}
_lock = Lock()


def lpips(
    prediction: npt.ArrayLike,
    reference: npt.ArrayLike,
    *,
    net: Net = "vgg",
    side: int | None = SIDE,
) -> float:
    """Return 1 − LPIPS distance, clipped to [0, 1] (higher is better).

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.
        net: backbone, ``vgg`` as in Image2Struct or ``alex``.
        side: pictures with a longer side are first resized to ``side × side`` (Pillow's
            bilinear filter, as in Image2Struct, which does not keep the aspect); smaller ones
            are never resized. None: every picture at its own size, at 30 times the cost for a
            full screen.

    A side below 32 pixels is extended to 32 by repeating its edge. Equal pictures score exactly 1.

    Raises:
        PictureError: not two pictures of one size.
        MetricUnavailable: the backbone's weights are not on this machine.

    Source: Zhang et al. 2018 (arXiv 1801.03924), equation 1, version 0.1 of its weights;
    Image2Struct (arXiv 2410.22456), appendix A, for VGG and 1 − distance.
    """
    return lpips_batch([prediction], [reference], net=net, side=side)[0]


def lpips_batch(
    predictions: Sequence[npt.ArrayLike],
    references: Sequence[npt.ArrayLike],
    *,
    net: Net = "vgg",
    side: int | None = SIDE,
) -> list[float]:
    """Return ``lpips`` of many pairs, which may differ in size; pairs of one size go together.

    Raises:
        ValueError: not as many predictions as references.
        PictureError, MetricUnavailable: as ``lpips``.
    """
    pairs = [as_pair(*pair) for pair in zip(predictions, references, strict=True)]
    model = _model(net)
    values = [1.0] * len(pairs)
    different = [n for n, (first, second) in enumerate(pairs) if not np.array_equal(first, second)]
    prepared = [tuple(_at_size(image, side) for image in pairs[n]) for n in different]
    for batch in batches_by_size([first.shape for first, _ in prepared]):
        distances = _distances(
            model, [prepared[n][0] for n in batch], [prepared[n][1] for n in batch]
        )
        for position, distance in zip(batch, distances, strict=True):
            values[different[position]] = min(1.0, max(0.0, 1.0 - distance))
    return values


def _distances(model: Any, first: list[RGB], second: list[RGB]) -> list[float]:  # noqa: ANN401
    """Return the distances of pairs of one size: what the package's own network gives."""
    import torch

    with inference():
        references = references_of(model).features(model, second)
        layers = zip(model.lins, features_of(model, first), references, strict=True)
        parts = [
            weigh((own - other) ** 2).mean([2, 3], keepdim=True) for weigh, own, other in layers
        ]
        distances: list[float] = sum(parts).reshape(-1).to(torch.float64).tolist()
    return distances


def _at_size(image: RGB, side: int | None) -> RGB:
    if side is not None and max(image.shape[:2]) > side:
        from PIL import Image

        resized = Image.fromarray(image).resize((side, side), Image.Resampling.BILINEAR)
        return np.asarray(resized)
    missing = [(0, max(0, SMALLEST - length)) for length in image.shape[:2]]
    if not any(after for _, after in missing):
        return image
    return np.pad(image, [*missing, (0, 0)], mode="edge")


def _model(net: Net) -> Any:  # noqa: ANN401 - an untyped module
    with _lock:
        if net not in _models:
            _models[net] = build(net, weights.load(_BACKBONES[net]))
        return _models[net]


def build(net: Net, backbone: dict[str, torch.Tensor]) -> Any:  # noqa: ANN401 - an untyped module
    """Return the lpips package's network with its calibrated layers and the given backbone.

    Args:
        net: ``vgg`` or ``alex``.
        backbone: ``features.N.weight`` and ``features.N.bias`` by torchvision's names.

    Raises:
        MissingWeights: the backbone lacks a parameter or has one of another shape.
    """
    import warnings

    import torch

    # Imported by its full name: this module carries the package's name too.
    from lpips import LPIPS

    with warnings.catch_warnings(), torch.random.fork_rng():
        # torchvision's notes on an argument that the package still passes
        warnings.simplefilter("ignore", UserWarning)
        model = LPIPS(net=net, pnet_rand=True, verbose=False)
    own = model.net.state_dict()
    renamed = {key: backbone.get(f"features.{key.split('.', 1)[1]}") for key in own}
    lacking = [
        key for key, value in renamed.items() if value is None or value.shape != own[key].shape
    ]
    if lacking:
        raise weights.MissingWeights(f"the weights of {net} lack {lacking[0]}; {weights.NEXT_STEP}")
    model.net.load_state_dict(renamed)
    model = model.eval().requires_grad_(False)
    # channels last is a quarter faster on processors
    return model.to(device(), memory_format=torch.channels_last)


METRIC = FunctionMetric(
    name="lpips",
    version="1",
    needs=Needs.IMAGES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=lpips,
)
