"""A web page as one HTML file: rectangles of one colour, and each line of text in its place.

Boxes, links, columns and pictures are not recognised; a line's size is chosen so that it is as wide
as in the picture, its colours are taken from the picture.
"""

from __future__ import annotations

import html
import json
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from vlms.reader import Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.ImageFont import FreeTypeFont, ImageFont

BLOCK = 8
"""Side in pixels of the squares that rectangles are made of."""
MOST_COLOURS = 24
LEAST_AREA = 0.003
"""Share of the page that a rectangle covers at least."""
FILLED = 0.8
"""Share of a rectangle that has its colour at least."""


def write(picture: NDArray[np.uint8], lines: list[Line]) -> str:
    """Return the answer of the webpage scenario: a JSON list with one file."""
    page = document(picture, lines)
    return json.dumps([{"filename": "index.html", "content": page}], ensure_ascii=False)


def document(picture: NDArray[np.uint8], lines: list[Line]) -> str:
    """Return the HTML of a page that looks like a picture (H, W, 3)."""
    height, width = picture.shape[:2]
    background, rectangles = find_rectangles(picture)
    parts = [
        "<!DOCTYPE html>",
        '<html><head><meta charset="utf-8"><title>Page</title><style>',
        f"body {{ margin: 0; position: relative; width: {width}px; height: {height}px;",
        f"  background: {background}; font-family: sans-serif; overflow-x: hidden; }}",
        "div { position: absolute; white-space: pre; }",
        "</style></head><body>",
        *rectangles,
        *(_text(picture, line) for line in lines),
        "</body></html>",
    ]
    return "\n".join(parts)


def _text(picture: NDArray[np.uint8], line: Line) -> str:
    box = picture[line.top : line.bottom, line.left : line.right]
    colour, ground, left, right = _lettering(box)
    size = font_size(line.text, right - left, line.height)
    style = (
        f"left: {line.left + left}px; top: {line.top}px; line-height: {line.height}px; "
        f"font-size: {size:.1f}px; color: {colour}; background: {ground}"
    )
    return f'<div style="{style}">{html.escape(line.text)}</div>'


def _lettering(box: NDArray[np.uint8]) -> tuple[str, str, int, int]:
    """Return the colours of letters and ground, and the columns between which letters stand."""
    import numpy as np

    border = np.concatenate([box[0], box[-1], box[:, 0], box[:, -1]])
    ground = np.median(border, axis=0)
    difference = np.abs(box.astype(int) - ground).sum(axis=2)
    strongest = difference >= max(1, int(difference.max()) * 4 // 5)
    columns = (difference > int(difference.max()) / 3).any(axis=0).nonzero()[0]
    if not strongest.any() or not len(columns):
        return "#000000", _hex(ground), 0, box.shape[1]
    letters = _hex(np.median(box[strongest], axis=0))
    return letters, _hex(ground), int(columns[0]), int(columns[-1]) + 1


def font_size(text: str, width: int, height: int) -> float:
    """Return the size in pixels at which a text is `width` wide, within reason for its height."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    narrow = "".join(c for c in text if unicodedata.east_asian_width(c) not in "WF")
    ems = wide + _font().getlength(narrow) / 100
    size = width / ems if ems > 0 else height
    return max(6.0, min(size, 1.2 * height), 0.4 * height)


@cache
def _font() -> FreeTypeFont | ImageFont:
    """Return Pillow's own sans-serif at 100 pixels; only its widths matter."""
    from PIL import ImageFont

    return ImageFont.load_default(size=100)


def find_rectangles(picture: NDArray[np.uint8]) -> tuple[str, list[str]]:
    """Return the page's background and its larger rectangles of one colour, the largest first."""
    import numpy as np
    from scipy import ndimage

    squares = _squares(picture)
    colours, counts = np.unique(squares[squares >= 0], return_counts=True)
    if not len(colours):
        return _hex(np.median(picture, axis=(0, 1))), []
    order = np.argsort(-counts, kind="stable")[:MOST_COLOURS]
    background = int(colours[order[0]])
    found: list[tuple[int, str]] = []
    for colour in (int(value) for value in colours[order[1:]]):
        labels, _ = ndimage.label(squares == colour)
        for number, (rows, columns) in enumerate(ndimage.find_objects(labels), start=1):
            area = (rows.stop - rows.start) * (columns.stop - columns.start)
            own = int((labels[rows, columns] == number).sum())
            if area >= LEAST_AREA * squares.size and own >= FILLED * area:
                found.append((area, _rectangle(rows, columns, _unpack(colour))))
    return _unpack(background), [text for _, text in sorted(found, key=lambda item: -item[0])]


def _squares(picture: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the colour of each square as one number, -1 where it has no clear colour."""
    import numpy as np

    rows, columns = picture.shape[0] // BLOCK, picture.shape[1] // BLOCK
    whole = picture[: rows * BLOCK, : columns * BLOCK].astype(np.int64)
    packed = whole @ np.array([65536, 256, 1])
    blocks = packed.reshape(rows, BLOCK, columns, BLOCK).swapaxes(1, 2)
    values = np.sort(blocks.reshape(rows, columns, BLOCK * BLOCK), axis=2)
    middle: NDArray[np.int64] = values[:, :, BLOCK * BLOCK // 2]
    clear = (values == middle[:, :, None]).mean(axis=2) >= 0.5
    return np.where(clear, middle, -1)


def _rectangle(rows: slice, columns: slice, colour: str) -> str:
    left, top = columns.start * BLOCK, rows.start * BLOCK
    width, height = columns.stop * BLOCK - left, rows.stop * BLOCK - top
    box = f"left: {left}px; top: {top}px; width: {width}px; height: {height}px"
    return f'<div style="{box}; background: {colour}"></div>'


def _hex(colour: NDArray[np.floating]) -> str:
    red, green, blue = (round(float(value)) for value in colour)
    return f"#{red:02x}{green:02x}{blue:02x}"


def _unpack(colour: int) -> str:
    return f"#{colour:06x}"
