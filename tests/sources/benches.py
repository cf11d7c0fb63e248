"""Workbenches without containers, for tests of what a source does around the tools."""

from __future__ import annotations

import io
import re

import numpy as np
from PIL import Image

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.workbench import Updated


def page(systems: int, *, width: int = 800, space: int = 8, top: int = 60) -> np.ndarray:
    """A page of single staves, grey."""
    grey = np.full((top * 2 + systems * 140, width), 255, np.uint8)
    for system in range(systems):
        first = top + system * 140
        for line in range(5):
            grey[first + line * space, 30:-30] = 0
        for bar in range(4):
            column = 30 + bar * (width - 61) // 3
            grey[first : first + 4 * space + 1, column : column + 2] = 0
    return grey


def png(grey: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(grey).save(buffer, "PNG")
    return buffer.getvalue()


class PaperBench:
    """Draws what each test says; brings nothing up to date."""

    def __init__(self, *, systems: int = 1, pages: list[np.ndarray] | None = None) -> None:
        self.systems = systems
        self.pages = pages or []
        self.drawn: list[str] = []

    def draw_pages(self, pdf: bytes, pages, dpi: int) -> Outcome[list[bytes]]:
        return ok([png(self.pages[number - 1]) for number in pages])

    def count_pages(self, pdf: bytes) -> Outcome[int]:
        return ok(len(self.pages))

    def update_lilypond(self, source: str) -> Outcome[Updated]:
        found = re.search(r'\\version "([\d.]+)"', source)
        if found and found[1] > "2.24.9":
            message = f"needs LilyPond {found[1]}"
            return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, message)
        return ok(Updated(source, found and found[1], ""))

    def draw_lilypond(self, source: str) -> Outcome[bytes]:
        self.drawn.append(source)
        return Ok(png(page(self.systems)))
