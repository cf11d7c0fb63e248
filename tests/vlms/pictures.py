"""Pictures drawn for the tests of the reader, with Pillow's own font (no font of the host)."""

from __future__ import annotations

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from tests.pictures import encoded


class Sheet:
    """A picture to draw on; colours are names or hexadecimal."""

    def __init__(self, width: int, height: int, ground: str = "white") -> None:
        self.image = Image.new("RGB", (width, height), ground)
        self._draw = ImageDraw.Draw(self.image)

    def text(self, x: int, y: int, text: str, size: int = 20, colour: str = "black") -> None:
        self._draw.text((x, y), text, font=ImageFont.load_default(size=size), fill=colour)

    def box(self, x: int, y: int, right: int, bottom: int, colour: str) -> None:
        self._draw.rectangle((x, y, right - 1, bottom - 1), fill=colour)

    def frame(self, x: int, y: int, right: int, bottom: int, colour: str = "black") -> None:
        self._draw.rectangle((x, y, right - 1, bottom - 1), outline=colour, width=2)

    def line(self, x: int, y: int, right: int, bottom: int, colour: str = "black") -> None:
        self._draw.line((x, y, right, bottom), fill=colour, width=2)

    @property
    def pixels(self) -> np.ndarray:
        return np.asarray(self.image)

    @property
    def png(self) -> bytes:
        return encoded(self.image)


def staff(sheet: Sheet, top: int, left: int = 20, right: int = 580, space: int = 8) -> None:
    """Draw the five lines of a staff."""
    for number in range(5):
        y = top + number * space
        sheet.box(left, y, right, y + 1, "black")


def bar(sheet: Sheet, x: int, top: int, bottom: int) -> None:
    """Draw a bar line."""
    sheet.box(x, top, x + 2, bottom + 1, "black")
