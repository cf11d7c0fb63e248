"""Counting of colours and of equal pixels, compiled.

Drawings have few colours in long runs: a small hash table is touched once for every run. Pictures
with many colours are sorted into buckets by red and green, and only buckets that may hold the
modal colour are counted by blue.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled

Pixels = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int64]

_FREE = -1
_SLOTS = 1 << 12
_BUCKETS = 1 << 16


@compiled
def modal(pixels: Pixels) -> Any:  # noqa: ANN401 - numba infers it
    """Return the most frequent colour as red · 65536 + green · 256 + blue; the least of several.

    Args:
        pixels: uint8 (N, 3), N at least 1.
    """
    colours, counts = np.full(_SLOTS, _FREE, np.int64), np.zeros(_SLOTS, np.int64)
    used = 0
    start, total = 0, pixels.shape[0]
    while start < total:
        end = start + 1
        red, green, blue = pixels[start, 0], pixels[start, 1], pixels[start, 2]
        while (
            end < total
            and pixels[end, 0] == red
            and pixels[end, 1] == green
            and pixels[end, 2] == blue
        ):
            end += 1
        colour = (np.int64(red) << 16) | (np.int64(green) << 8) | np.int64(blue)
        slot = (colour * 40503 >> 4) & (_SLOTS - 1)
        while colours[slot] not in (_FREE, colour):
            slot = (slot + 1) & (_SLOTS - 1)
        if colours[slot] == _FREE:
            colours[slot] = colour
            used += 1
            if 2 * used > _SLOTS:
                return _modal_of_many(pixels)
        counts[slot] += end - start
        start = end
    most = counts.max()
    best = colours.max()
    for entry in range(_SLOTS):
        if counts[entry] == most:
            best = min(best, colours[entry])
    return best


@compiled
def _modal_of_many(pixels: Pixels) -> Any:  # noqa: ANN401 - numba infers it
    ends = np.zeros(_BUCKETS + 1, np.int64)
    for pixel in range(pixels.shape[0]):
        ends[(np.int64(pixels[pixel, 0]) << 8) + pixels[pixel, 1] + 1] += 1
    for bucket in range(_BUCKETS):
        ends[bucket + 1] += ends[bucket]
    blues, filled = np.empty(pixels.shape[0], np.uint8), ends[:-1].copy()
    for pixel in range(pixels.shape[0]):
        bucket = (np.int64(pixels[pixel, 0]) << 8) + pixels[pixel, 1]
        blues[filled[bucket]] = pixels[pixel, 2]
        filled[bucket] += 1
    best, most = np.int64(0), np.int64(0)
    counts = np.empty(256, np.int64)
    for bucket in range(_BUCKETS):
        if ends[bucket + 1] - ends[bucket] <= most:
            continue
        counts[:] = 0
        for position in range(ends[bucket], ends[bucket + 1]):
            counts[blues[position]] += 1
        blue = np.int64(counts.argmax())
        if counts[blue] > most:
            best, most = (np.int64(bucket) << 8) + blue, counts[blue]
    return best


@compiled
def agreement(first: Pixels, second: Pixels, background: Pixels, tolerance: int) -> Any:  # noqa: ANN401
    """Count the pixels that are not background in both pictures, and those of them that are equal.

    Args:
        first: uint8 (N, 3).
        second: uint8 (N, 3).
        background: a colour, uint8 (3,).
        tolerance: largest difference of a channel at which colours are equal.
    """
    matter = equal = 0
    for pixel in range(first.shape[0]):
        apart = ink = np.int64(0)
        for channel in range(3):
            one, two = np.int64(first[pixel, channel]), np.int64(second[pixel, channel])
            ground = np.int64(background[channel])
            apart = max(apart, abs(one - two))
            ink = max(ink, abs(one - ground), abs(two - ground))
        if ink > tolerance:
            matter += 1
            if apart <= tolerance:
                equal += 1
    return matter, equal
