"""Pixel similarity: how many pixels that matter are equal."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import numpy as np
import numpy.typing as npt

from benchmark.protocols import Needs
from metrics.colour import modal_colour
from metrics.metric import FunctionMetric
from metrics.pictures import RGB, as_pair, frozen

TOLERANCE = 0.02
"""Largest difference, as a share of the range of 255 levels, at which two colours are equal."""

HELM_MODAL_SHARE = 0.5
"""HELM ignores a colour only when more than this share of both pictures has it."""


def pixel(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    r"""Return the share of equal pixels among those that matter, 0 to 1 (higher is better).

    With ``t = 0.02 · 255`` levels, ``d(u, v) = max over channels |u − v|``, and ``m`` the
    reference's modal colour (the most frequent one; of several, the darkest in RGB order)::

        M = {p : d(prediction[p], m) > t or d(reference[p], m) > t}
        pixel = |{p in M : d(prediction[p], reference[p]) <= t}| / |M|      (1 if M is empty)

    So the background that both pictures show is ignored, while ink that one of them lacks counts
    as different; ``pixel(x, x) == 1`` for every picture.

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.

    Source: Image2Struct (arXiv 2410.22456), appendix A: equality of corresponding pixels, the
    modal colour ignored and minor differences of colour permitted.
    """
    from metrics.colour_count import agreement

    predicted, expected = as_pair(prediction, reference)
    first, second = (frozen(x).reshape(-1, 3) for x in (predicted, expected))
    matter, equal = agreement(first, second, modal_colour(expected), int(TOLERANCE * 255))
    return float(equal / matter) if matter else 1.0


def pixel_helm(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return the number that HELM's released code gives for pixel similarity, 0 to 1.

    On 8-bit greys (Pillow's ``L``), each *row* of the picture is one colour of W channels; rows
    are equal when the Euclidean norm of their difference in wrapping 8-bit arithmetic is at most
    0.02 · 255; a row that makes up more than half of all rows of both pictures counts as a
    mismatch. ``pixel_helm(x, x)`` is therefore often below 1, and a blank page scores 0.

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.

    Source: stanford-crfm/helm, behaviour of ``pixel_similarity`` on grey pictures.
    """
    predicted, expected = (_grey(image) for image in as_pair(prediction, reference))
    rows: int = predicted.shape[0]
    wrapped = (predicted - expected).astype(np.float64)
    equal = np.linalg.norm(wrapped, axis=1) / 255 <= TOLERANCE
    sides = [[row.tobytes() for row in side] for side in (predicted, expected)]
    counts = Counter(chain(*sides))
    valid = [
        bool(equal[row]) and all(counts[side[row]] <= rows * HELM_MODAL_SHARE for side in sides)
        for row in range(rows)
    ]
    return valid.count(True) / rows


def _grey(image: RGB) -> npt.NDArray[np.uint8]:
    from PIL import Image

    return np.asarray(Image.fromarray(image).convert("L"))


METRIC = FunctionMetric(
    name="pixel",
    version="1",
    needs=Needs.IMAGES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=pixel,
)
