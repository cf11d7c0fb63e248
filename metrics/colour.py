"""Colours of a picture: the modal one, decided in integers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from metrics.pictures import RGB, frozen


def modal_colour(image: RGB) -> npt.NDArray[np.uint8]:
    """Return the most frequent colour, uint8 (3,); of several, the first in RGB order."""
    from metrics.colour_count import modal

    colour = int(modal(frozen(image).reshape(-1, 3)))
    return np.array([colour >> 16, (colour >> 8) & 255, colour & 255], dtype=np.uint8)
