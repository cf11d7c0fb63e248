"""Pictures in tests: written to bytes, and what is asked of one that a renderer made."""

from __future__ import annotations

import io

import numpy as np
from PIL import Image

from benchmark.outcome import Ok
from benchmark.records import Picture
from renderers import canvas


def encoded(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def pixels(picture: Picture) -> np.ndarray:
    array = canvas.decode(picture.png)
    assert isinstance(array, Ok), array
    return array.value


def has_colour(picture: Picture, colour: tuple[int, int, int]) -> bool:
    return bool((pixels(picture) == colour).all(axis=2).any())


def flagged(picture: Picture, text: str) -> bool:
    return any(text in flag.message for flag in picture.flags)
