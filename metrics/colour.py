"""Colours of a picture: the modal one, decided in integers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.pictures import RGB


def packed(image: RGB) -> npt.NDArray[np.uint32]:
    """Return each pixel as one integer, red · 65536 + green · 256 + blue; shape (H, W)."""
    wide = image.astype(np.uint32)
    return np.asarray((wide[:, :, 0] << 16) | (wide[:, :, 1] << 8) | wide[:, :, 2], np.uint32)


def modal_colour(image: RGB) -> npt.NDArray[np.uint8]:
    """Return the most frequent colour, uint8 (3,); of several, the first in RGB order."""
    colours, counts = np.unique(packed(image), return_counts=True)
    colour = int(colours[np.argmax(counts)])
    return np.array([colour >> 16, (colour >> 8) & 255, colour & 255], dtype=np.uint8)
