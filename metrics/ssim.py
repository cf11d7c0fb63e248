"""SSIM: the structural similarity index, mapped to [0, 1]."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmark.protocols import Needs
from metrics.metric import FunctionMetric
from metrics.pictures import RGB, as_pair

WINDOW = 7
"""Side of the sliding window in pixels (scikit-image's default, as in Image2Struct)."""

DATA_RANGE = 255
"""Distance between the lowest and the highest level of an 8-bit grey."""


def ssim(prediction: npt.ArrayLike, reference: npt.ArrayLike) -> float:
    """Return ``(s + 1) / 2`` for the mean SSIM ``s`` of the grey pictures, 0 to 1.

    Greys are Pillow's ``L`` (ITU-R 601 luma, 8 bits); the window is uniform, 7 × 7; the range of
    the data is 255. A side below 7 pixels is first extended to 7 by repeating its edge, so the
    metric is defined for every size.

    Args:
        prediction: uint8 (H, W, 3), or what ``metrics.pictures.as_rgb`` takes.
        reference: the same size.

    Raises:
        PictureError: not two pictures of one size.

    Source: Wang et al. 2004, equation 13, with the mapping of Image2Struct (arXiv 2410.22456,
    appendix A).
    """
    from skimage.metrics import structural_similarity

    predicted, expected = (_at_least_window(_grey(x)) for x in as_pair(prediction, reference))
    similarity = structural_similarity(  # type: ignore[no-untyped-call]
        predicted, expected, win_size=WINDOW, data_range=DATA_RANGE
    )
    return min(1.0, max(0.0, (float(similarity) + 1.0) / 2.0))


def _grey(image: RGB) -> npt.NDArray[np.uint8]:
    from PIL import Image

    return np.asarray(Image.fromarray(image).convert("L"))


def _at_least_window(grey: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    missing = [(0, max(0, WINDOW - side)) for side in grey.shape]
    return np.pad(grey, missing, mode="edge") if any(after for _, after in missing) else grey


METRIC = FunctionMetric(
    name="ssim",
    version="1",
    needs=Needs.IMAGES,
    range=(0.0, 1.0),
    higher_is_better=True,
    function=ssim,
)
