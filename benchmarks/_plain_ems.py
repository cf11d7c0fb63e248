"""EMS the plain way: every inner problem solved by cv2.EMD, one by one, nothing shared.

The reference side of the comparison; written from the description of EMDblock in Image2Struct
(appendix A), with background decided on colours as ``metrics.ems`` does.
"""

from __future__ import annotations

import math

import cv2
import numpy as np
from PIL import Image

SIDE = 8
LARGEST = 100
FAINT = 0.001


def plain_ems(prediction: np.ndarray, reference: np.ndarray) -> float:
    """Return 1 − EMDblock(prediction, reference) / EMDblock(constant, reference)."""
    red, green, blue = modal(reference)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 127
    constant = np.full_like(reference, 255 if dark else 0)
    return 1.0 - plain_block_emd(prediction, reference) / plain_block_emd(constant, reference)


def plain_block_emd(prediction: np.ndarray, reference: np.ndarray) -> float:
    """Return EMDblock from a full matrix of inner distances."""
    size = target_size(prediction.shape[1], prediction.shape[0])
    first, second = (np.asarray(Image.fromarray(x).resize(size)) for x in (prediction, reference))
    background = modal(second)
    share = np.mean((second == background).all(axis=2))
    one, two = patches(first, background), patches(second, background)
    rows, columns = math.ceil(size[1] / SIDE), math.ceil(size[0] / SIDE)
    places = [(row / rows, column / columns) for row in range(rows) for column in range(columns)]
    kept = [
        index
        for index in range(len(places))
        if share <= 0.5 or not (one[index][1] and two[index][1])
    ]
    if not kept:
        return 0.0
    weights = np.maximum(patch_weights(one), patch_weights(two))[kept].astype(np.float32)
    weights /= weights.sum()
    cost = np.empty((len(kept), len(kept)), np.float32)
    step = SIDE / sum(size)
    for i, left in enumerate(kept):
        for j, right in enumerate(kept):
            distance, _, _ = cv2.EMD(one[left][0], two[right][0], cv2.DIST_L1)
            way = sum(abs(a - b) for a, b in zip(places[left], places[right], strict=True))
            cost[i, j] = distance + step * way
    signature = weights[:, None]
    total, _, _ = cv2.EMD(signature, signature, cv2.DIST_USER, cost)
    return float(total)


def patches(image: np.ndarray, background: np.ndarray) -> list[tuple[np.ndarray, bool]]:
    """Return each patch's pixels as (weight, grey, x, y), and whether it is all background."""
    height, width = (math.ceil(side / SIDE) * SIDE for side in image.shape[:2])
    canvas = np.full((height, width, 3), background, np.uint8)
    canvas[: image.shape[0], : image.shape[1]] = image
    found = []
    for top in range(0, height, SIDE):
        for left in range(0, width, SIDE):
            block = canvas[top : top + SIDE, left : left + SIDE].reshape(-1, 3)
            empty = (block == background).all(axis=1)
            weight = np.where(empty, FAINT, 1.0)
            y, x = np.divmod(np.arange(SIDE * SIDE), SIDE)
            grey = block @ np.array([0.299, 0.587, 0.114]) / 255
            columns = (weight / weight.sum(), grey, x / SIDE, y / SIDE)
            found.append((np.stack(columns, axis=1).astype(np.float32), bool(empty.all())))
    return found


def patch_weights(found: list[tuple[np.ndarray, bool]]) -> np.ndarray:
    """Return the patches' weights, which sum to 1."""
    weights = np.array([FAINT if blank else 1.0 for _, blank in found])
    return weights / weights.sum()


def modal(image: np.ndarray) -> np.ndarray:
    """Return the most frequent colour, the first in RGB order of several."""
    red, green, blue = (image[:, :, channel].astype(np.uint32) for channel in range(3))
    colours, counts = np.unique(red << 16 | green << 8 | blue, return_counts=True)
    colour = int(colours[np.argmax(counts)])
    return np.array([colour >> 16, colour >> 8 & 255, colour & 255], np.uint8)


def target_size(width: int, height: int) -> tuple[int, int]:
    """Return the size at which there are at most 100 patches."""
    count = math.ceil(width / SIDE) * math.ceil(height / SIDE)
    if count <= LARGEST:
        return width, height
    columns = min(LARGEST, math.ceil(width / SIDE / math.sqrt(count / LARGEST)))
    return columns * SIDE, LARGEST // columns * SIDE
