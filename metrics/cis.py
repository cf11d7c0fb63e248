"""CIS: cosine similarity of Inception vectors."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from benchmark.protocols import Needs
from metrics import weights
from metrics.metric import FunctionMetric
from metrics.network import BATCH, device, inference
from metrics.pictures import RGB, as_pair

if TYPE_CHECKING:
    import torch

Vectors = npt.NDArray[np.float64]
"""Inception v3 outputs: one row of 1,000 logits for each picture."""

_models: dict[str, Any] = {}
_lock = Lock()


def cis(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return ``(1 + cos(u, v)) / 2`` for the Inception v3 outputs of both pictures, 0 to 1.

    The outputs are the 1,000 logits of torchvision's ``Inception_V3_Weights.IMAGENET1K_V1`` with
    the preprocessing that belongs to these weights (shorter side to 342 pixels, centre crop of
    299 × 299, ImageNet's mean and deviation, ``transform_input=True``).

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.
        MetricUnavailable: the weights are not on this machine.

    Source: Image2Struct (arXiv 2410.22456), section 2.2, cosine similarity between Inception
    vectors.
    """
    return cis_batch([prediction], [reference])[0]


def cis_batch(
    predictions: Sequence[npt.ArrayLike],
    references: Sequence[npt.ArrayLike],
    *,
    model: torch.nn.Module | None = None,
) -> list[float]:
    """Return ``cis`` of many pairs, which may differ in size.

    Args:
        predictions: as many as references.
        references: see ``cis``.
        model: another network with 1-dimensional outputs (tests use seeded random weights).

    Raises:
        ValueError: not as many predictions as references.
        PictureError, MetricUnavailable: as ``cis``.
    """
    pairs = [as_pair(*pair) for pair in zip(predictions, references, strict=True)]
    network = model or _model()
    if not pairs:
        return []
    vectors = outputs([image for pair in pairs for image in pair], network)
    return [similarity(vectors[2 * n], vectors[2 * n + 1]) for n in range(len(pairs))]


def similarity(first: Vectors, second: Vectors) -> float:
    """Return the cosine of two vectors mapped to [0, 1]; exactly 1 for equal vectors.

    A vector of zeros has no direction: its cosine with any other counts as 0.
    """
    if np.array_equal(first, second):
        return 1.0
    norms = float(np.linalg.norm(first) * np.linalg.norm(second))
    cosine = float(first @ second) / norms if norms > 0.0 else 0.0
    return min(1.0, max(0.0, (1.0 + cosine) / 2.0))


def outputs(images: Sequence[RGB], model: torch.nn.Module) -> Vectors:
    """Return the network's outputs for pictures of any size, float64 (N, outputs)."""
    import torch

    rows = []
    with inference():
        for start in range(0, len(images), BATCH):
            batch = torch.stack([_preprocessed(image) for image in images[start : start + BATCH]])
            rows.append(model(batch.to(device())).to("cpu", torch.float64).numpy())
    return np.concatenate(rows)


def build(state: dict[str, torch.Tensor] | None = None, *, seed: int = 0) -> torch.nn.Module:
    """Return Inception v3, with the given parameters or with seeded random ones.

    Raises:
        MissingWeights: `state` does not fit the network.
    """
    import torch
    from torchvision.models import inception_v3

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = inception_v3(weights=None, transform_input=True, init_weights=False)
    if state is not None:
        try:
            model.load_state_dict(state)
        except RuntimeError as error:
            raise weights.MissingWeights(
                f"the weights of inception_v3 do not fit; {weights.NEXT_STEP}"
            ) from error
    return model.eval().requires_grad_(False).to(device())  # type: ignore[no-any-return]


def _preprocessed(image: RGB) -> torch.Tensor:
    from PIL import Image
    from torchvision.models import Inception_V3_Weights

    transform = Inception_V3_Weights.IMAGENET1K_V1.transforms()
    tensor: torch.Tensor = transform(Image.fromarray(image))
    return tensor


def _model() -> torch.nn.Module:
    with _lock:
        if "inception_v3" not in _models:
            _models["inception_v3"] = build(weights.load("inception_v3"))
        return _models["inception_v3"]  # type: ignore[no-any-return]


METRIC = FunctionMetric(
    name="cis",
    version="1",
    needs=Needs.IMAGES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=cis,
)
