"""EMS: earth mover similarity of two pictures.

Two nested transport problems. The pictures are cut into patches of 8 × 8 pixels (at most 100, by
resizing). Moving patch i of the prediction onto patch j of the reference costs

    c[i, j] = E(A_i, B_j) + w · (|Δrow| / rows + |Δcolumn| / columns),   w = 8 / (width + height)

where E is the earth mover's distance between the patches' pixels with the ground distance
|Δgrey| + (|Δx| + |Δy|) / 8. Background (the reference's modal colour) weighs 1/1000 of everything
else, pixel by pixel and patch by patch. EMDblock is the least total cost of moving all patches;

    EMS(prediction, reference) = 1 − EMDblock(prediction, reference) / EMDblock(constant, reference)

with a constant picture, white if the reference's modal colour is dark (grey below 127 of 255) and
black otherwise.

Why few of the up to 10,000 inner problems need solving, and the result is still exact
--------------------------------------------------------------------------------------
Start with lower bounds L ≤ c, solve the outer problem with L, replace the entries of L that carry
flow by their exact costs, and repeat until all that carry flow are exact. Let f be the last flow,
optimal for the last L. For every feasible flow g: Σ g·c ≥ Σ g·L ≥ Σ f·L = Σ f·c. The first step
holds because L ≤ c and g ≥ 0, the second because f is optimal for L, the third because L = c
wherever f > 0. So f is optimal for c and its cost is EMDblock, for any valid bounds. The loop ends
because every round makes at least one more entry exact.

The bounds are valid because for every function φ that is 1-Lipschitz in the ground distance, each
transport plan costs at least ∫φ dA − ∫φ dB (see ``metrics.ems_bounds``).

Mass that both sides have at one place may stay there: the ground distance is a metric, and so is
c on pairs of a patch's content and its position; if mass leaves a point and other mass arrives at
it, letting the first stay and sending the second's origin straight to the first's goal costs no
more, by the triangle inequality. This cancels equal pixels in the inner problem and equal patches
at one position in the outer one.

Against a constant picture all patches of the prediction are alike, so E(A_i, B_j) depends on j
only and contributes the same to every flow; what is left, the cost of the way, is 0 for the
identity. Each E splits in turn: all pixels of a constant patch have the same grey, so its greys
cost Σ q·|grey − constant| whatever the plan, and the rest is a transport on the 8 × 8 grid.

The floor
---------
A blank prediction does not score 0: background is cheap to make up for. On black text over white
it is typically 0.25 to 0.75, 0.48 on a line of text. Compare with the `blank` model, or ask
``is_blank``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from benchmark.protocols import Needs
from metrics import ems_patches as patches
from metrics.colour import modal_colour
from metrics.metric import FunctionMetric
from metrics.pictures import RGB, as_pair, as_rgb

Cut = Callable[[RGB, RGB], patches.Signature]

DARK = 127
"""A modal colour whose grey is below this level is dark: the constant picture is white."""

LIGHT = 255
"""The level of a white constant picture; a black one has 0."""


class UndefinedError(ValueError):
    """HELM's released code raises on this pair."""


def ems(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return the earth mover similarity, 0 to 1 (higher is better).

    Defined for every size and aspect, the same on every processor, clipped to [0, 1];
    ``ems(x, x) == 1``.

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes (alpha is
            composited on white).
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.

    Source: Image2Struct (arXiv 2410.22456), section 2.2 and appendix A (EMDblock).
    """
    predicted, expected = as_pair(prediction, reference)
    grey = int(modal_colour(expected).astype(np.int64) @ np.array([299, 587, 114]))
    constant = LIGHT if grey < DARK * 1000 else 0
    distance, worst = _distances(predicted, expected, constant, patches.plain)
    return min(1.0, max(0.0, _similarity(distance, worst)))


def block_emd(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return EMDblock, the least cost of making the prediction the reference (lower is better).

    Not symmetric: background is the reference's modal colour. ``block_emd(x, x) == 0``; the value
    is at most 3 + 16 / (width + height of the pictures as cut).

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.
    """
    pair = (patches.resized(image) for image in as_pair(prediction, reference))
    return _emd(patches.plain(*pair))


def ems_helm(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return the number that HELM's released code gives for EMS on this processor, at most 1.

    Background is recognised by comparing floats, so the value depends on the processor's
    instruction set (see ``metrics.ems_patches.as_helm``); it may be negative.

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.
        UndefinedError: HELM's code raises: wider than about 100:1, or both blank.
    """
    predicted, expected = as_pair(prediction, reference)
    _check_defined(expected)
    grey = float(np.matmul(modal_colour(expected), patches.LUMA)[0])
    constant = LIGHT if grey < DARK else 0
    distance, worst = _distances(predicted, expected, constant, patches.as_helm)
    return 1.0 - distance / worst


def block_emd_helm(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return EMDblock as HELM's released code gives it on this processor (see ``ems_helm``)."""
    predicted, expected = as_pair(prediction, reference)
    _check_defined(expected)
    signature = patches.as_helm(patches.resized(predicted), patches.resized(expected))
    return _emd(_not_blank(signature))


def is_blank(image: npt.ArrayLike) -> bool:
    """Return whether a picture has one colour only; its EMS is then a floor, not an achievement."""
    array = as_rgb(image)
    return bool((array == array[0, 0]).all())


def warm() -> None:
    """Compile the kernels, or load them from the cache (half a minute, or a second)."""
    noise = np.random.default_rng(0).integers(0, 256, (2, 100, 90, 3)).astype(np.uint8)
    for levels in (noise, noise // 128 * 255):  # with many colours and with few
        ems(levels[0], levels[1])


def _distances(prediction: RGB, reference: RGB, constant: int, cut: Cut) -> tuple[float, float]:
    expected = patches.resized(reference)
    signature = cut(patches.resized(prediction), expected)
    if cut is patches.as_helm:
        signature = _not_blank(signature)
    return _emd(signature), _emd(cut(np.full_like(expected, constant), expected))


def _similarity(distance: float, worst: float) -> float:
    if distance == 0.0:
        return 1.0
    return 1.0 - distance / worst if worst > 0.0 else 0.0


def _check_defined(reference: RGB) -> None:
    height, width = reference.shape[:2]
    if patches.too_wide_for_helm(width, height):
        raise UndefinedError(f"HELM's code raises on pictures as wide as {width}×{height}")


def _not_blank(signature: patches.Signature) -> patches.Signature:
    if len(signature.masses) == 0:
        raise UndefinedError("HELM's code raises when both pictures are blank")
    return signature


def _emd(signature: patches.Signature) -> float:
    from metrics.ems_blocks import earth_mover

    return earth_mover(signature)


METRIC = FunctionMetric(
    name="ems",
    version="1",
    needs=Needs.IMAGES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=ems,
)
