"""Pillow's bicubic resizing to few pixels, compiled: the same bits in a quarter of the time.

EMS cuts a page of millions of pixels to at most 100 patches, and with everything else fast,
resizing would take most of its time. The arithmetic is Pillow's for 8-bit channels: coefficients in
64-bit floats, rounded to 22 binary digits, applied in whole numbers first along rows, then along
columns, each pass rounded to 8 bits. A test compares the result with Pillow's bit by bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.compiled import compiled

Levels = npt.NDArray[np.uint8]
Coefficients = npt.NDArray[np.int32]

_SUPPORT = 2.0
_BITS = 22
_HALF = 1 << (_BITS - 1)


@compiled
def bicubic(image: Levels, width: int, height: int) -> Levels:
    """Return the picture, uint8 (H, W, 3), at another size, as Pillow's ``BICUBIC`` gives it.

    Like Pillow from version 13 on, it resizes along columns first where that removes more than
    twice as many rows as there are columns to remove; older ones always begin along rows, which
    on such tall pictures may differ by a level.
    """
    rows, columns = image.shape[0] - height, image.shape[1] - width
    if rows > 2 * max(0, columns):
        return _along_rows(_along_columns(image, height), width)
    return _along_columns(_along_rows(image, width), height)


@compiled
def _along_rows(image: Levels, width: int) -> Levels:
    first, coefficients = _coefficients(image.shape[1], width)
    resized = np.empty((image.shape[0], width, 3), np.uint8)
    plane = np.empty((3, image.shape[1]), np.int32)
    for row in range(image.shape[0]):
        for column in range(image.shape[1]):
            for channel in range(3):
                plane[channel, column] = image[row, column, channel]
        for place in range(width):
            for channel in range(3):
                total = _weighted(plane[channel], first[place], coefficients[place])
                resized[row, place, channel] = _eight_bits(total)
    return resized


@compiled
def _along_columns(image: Levels, height: int) -> Levels:
    first, coefficients = _coefficients(image.shape[0], height)
    lines = image.reshape(image.shape[0], -1)
    resized = np.empty((height, lines.shape[1]), np.uint8)
    sums = np.empty(lines.shape[1], np.int32)
    for row in range(height):
        sums[:] = _HALF
        for tap in range(coefficients.shape[1]):
            factor = coefficients[row, tap]
            if factor != 0:
                line = lines[first[row] + tap]
                for place in range(line.shape[0]):
                    sums[place] = np.int32(sums[place] + np.int32(line[place]) * factor)
        for place in range(lines.shape[1]):
            resized[row, place] = _eight_bits(sums[place])
    return resized.reshape(height, image.shape[1], 3)


@compiled
def _weighted(line: Coefficients, first: int, factors: Coefficients) -> Any:  # noqa: ANN401
    part = line[first : first + factors.shape[0]]
    total = np.int32(_HALF)
    for tap in range(part.shape[0]):
        total = np.int32(total + part[tap] * factors[tap])
    return total


@compiled
def _eight_bits(total: int) -> Any:  # noqa: ANN401 - numba infers it
    return np.uint8(min(255, max(0, total >> _BITS)))


@compiled
def _coefficients(before: int, after: int) -> Any:  # noqa: ANN401 - numba infers it
    """Return for each new pixel the first old one that counts, and the factors from there on."""
    scale = before / after
    stretch = max(scale, 1.0)
    support = _SUPPORT * stretch
    taps = int(np.ceil(support)) * 2 + 1
    first = np.zeros(after, np.int32)
    coefficients = np.zeros((after, taps), np.int32)
    weights = np.empty(taps)
    for place in range(after):
        centre = (place + 0.5) * scale
        low = max(0, int(centre - support + 0.5))
        high = min(before, int(centre + support + 0.5))
        total = 0.0
        for tap in range(high - low):
            weights[tap] = _weight((tap + low - centre + 0.5) * (1.0 / stretch))
            total += weights[tap]
        first[place] = low
        for tap in range(high - low):
            share = weights[tap] / total * (1 << _BITS)
            coefficients[place, tap] = int(share - 0.5) if share < 0 else int(share + 0.5)
    return first, coefficients


@compiled
def _weight(distance: float) -> float:
    """Return the cubic convolution kernel with a = −0.5."""
    x = abs(distance)
    if x < 1.0:
        return ((-0.5 + 2.0) * x - (-0.5 + 3.0)) * x * x + 1.0
    if x < 2.0:
        return (((x - 5.0) * x + 8.0) * x - 4.0) * -0.5
    return 0.0
