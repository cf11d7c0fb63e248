"""The one place where crop, padding and size are decided, for reference and prediction alike.

Tools write PNG files under the control of whoever wrote the structure, so pictures are untrusted:
the sizes of all pages are read from their headers before a pixel is unpacked, and everything
becomes 8-bit RGB on white before any other step.

The limits hold for every finished picture, whoever made it: what ``picture`` accepts, ``decode``
accepts. The sides are limited too, since two pictures are padded to the larger width and the larger
height: without that a column and a row of 50 million pixels each would need all the memory there
is. Ten pages of A4 at 200 dots per inch below each other pass, and so do screens and posters.
"""

from __future__ import annotations

import io
import math
import struct
import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Fit
from benchmark.records import Flag, Picture

if TYPE_CHECKING:
    from PIL.Image import Image

T = TypeVar("T")

VERSION = "3"
"""Part of every key; raised when any decision here changes a picture."""

MAX_PIXELS = 50_000_000
"""Of a picture, and of all pages of one together."""

MAX_WIDTH, MAX_HEIGHT = 32_767, 32_767
"""Sides of a picture: the longest that cairo, hence Graphviz, draws."""

MAX_PAGES = 50
MARGIN = 10
"""White pixels left around the content of a document, and twice as many between two pages."""

VISIBLE = 250
"""A pixel counts as content when its darkest channel is below this value."""

COMPRESSION = 6
FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "TIFF")
WHITE = 255

Array = np.ndarray[tuple[int, ...], np.dtype[np.uint8]]
"""A picture: uint8, shape (H, W, 3), RGB."""

_UNREADABLE = (
    OSError, ValueError, SyntaxError, EOFError, OverflowError, struct.error, zlib.error,
)  # fmt: skip  # all that PIL's decoders raise for damaged files


def decode(data: bytes) -> Outcome[Array]:
    """Decode an untrusted picture to 8-bit RGB, transparency composited on white.

    Args:
        data: a PNG file (or JPEG, GIF, WebP, TIFF: references that arrive as scans).

    Returns:
        uint8 array (H, W, 3), or a failure: ``RESOURCE_LIMIT`` for more than ``MAX_PIXELS`` pixels
        or a side that is too long, told by the header alone; ``EMPTY_RENDER`` for bytes that are no
        readable picture.
    """
    return _read(data, lambda image: _too_large(*image.size) or ok(_to_rgb(image)))


def encode(array: Array, compression: int = COMPRESSION) -> bytes:
    """Encode (H, W, 3) uint8 as an RGB PNG without metadata; equal arrays give equal bytes."""
    from PIL import Image  # noqa: PLC0415

    buffer = io.BytesIO()
    Image.fromarray(np.ascontiguousarray(array), "RGB").save(
        buffer, "PNG", compress_level=compression
    )
    return buffer.getvalue()


def size(data: bytes) -> Outcome[tuple[int, int]]:
    """Read width and height of an untrusted picture from its header; failures as of `decode`."""
    return _read(data, lambda image: ok(image.size))


def picture(
    pages: Sequence[bytes],
    *,
    crop_content: bool = True,
    finish: Callable[[Array, tuple[int, int]], bytes] | None = None,
    flags: Sequence[Flag] = (),
    log: str = "",
    seconds: float = 0.0,
) -> Outcome[Picture]:
    """Make a renderer's result of the pages that its tool wrote.

    Args:
        pages: picture files in reading order; several are stacked.
        crop_content: documents are cropped to their content; web pages keep their window's size.
        finish: makes the file of the finished array, of the same size, in place of `encode`; is
            given the `corner` of what was cropped as well.
        flags: what went wrong although a picture came out.
        log: excerpt of the tool's log.
        seconds: how long the rendering took.

    Returns:
        The picture, or a failure: ``EMPTY_RENDER`` when no page shows anything (white pages, no
        pages, no pictures), ``RESOURCE_LIMIT`` for more than ``MAX_PAGES`` pages, more than
        ``MAX_PIXELS`` pixels on all of them, or a picture that ``decode`` would refuse.
    """
    too_many = _pages_failure(pages)
    if too_many:
        return too_many
    decoded: list[Array] = []
    for page in pages:
        outcome = _read(page, lambda image: ok(_to_rgb(image)))
        if isinstance(outcome, Failed):
            return outcome
        decoded.append(outcome.value)
    if not any(_is_visible(page) for page in decoded):
        message = "the tool finished, but nothing is visible" if pages else "no page was written"
        return Failed.of(Stage.RENDER, Kind.EMPTY_RENDER, message, log)
    stacked = ok(decoded[0]) if len(decoded) == 1 else stack(decoded)
    if isinstance(stacked, Failed):
        return stacked
    cut = crop(stacked.value) if crop_content else _whole(stacked.value)
    if isinstance(cut, Failed):
        return cut
    array = cut.value
    height, width = array.shape[:2]
    png = finish(array, corner(stacked.value)) if finish else encode(array)
    return ok(
        Picture(
            png=png, width=width, height=height, pages=len(pages),
            flags=tuple(flags), log=log, seconds=seconds,
        )
    )  # fmt: skip


def crop(array: Array, margin: int = MARGIN) -> Outcome[Array]:
    """Cut a document to its content with a white margin of exactly `margin` pixels.

    A picture without content is returned unchanged; where the background is not white, it is
    content.

    Returns:
        The picture, or ``RESOURCE_LIMIT`` when it is too large with its margin.
    """
    rows, columns = _content(array)
    if rows is None or columns is None:
        return _whole(array)
    content = array[rows, columns]
    height, width = content.shape[:2]
    too_large = _too_large(width + 2 * margin, height + 2 * margin)
    return too_large or ok(_pad(content, margin, margin, margin, margin))


def corner(array: Array) -> tuple[int, int]:
    """Return the column and the row where the content of a picture begins; (0, 0) without any.

    `crop` moves what lies there to (`margin`, `margin`).
    """
    rows, columns = _content(array)
    if rows is None or columns is None:
        return 0, 0
    return int(columns.start), int(rows.start)


def stack(pages: Sequence[Array], gap: int = 2 * MARGIN) -> Outcome[Array]:
    """Put pages below each other, each cut to the rows that show something, on white.

    Returns:
        An array as wide as the widest page, or ``RESOURCE_LIMIT`` for more than ``MAX_PIXELS``
        pixels. Pages without content take no room.
    """
    cut = [page[rows] for page in pages for rows, _ in (_content(page),) if rows is not None]
    width = max((page.shape[1] for page in cut), default=1)
    height = sum(page.shape[0] for page in cut) + gap * max(0, len(cut) - 1)
    if width * height > MAX_PIXELS:
        return _too_many_pixels(width, height)
    result = np.full((max(1, height), width, 3), WHITE, np.uint8)
    top = 0
    for page in cut:
        result[top : top + page.shape[0], : page.shape[1]] = page
        top += page.shape[0] + gap
    return ok(result)


def fit(prediction: Array, reference: Array, how: Fit) -> tuple[Array, Array]:
    """Bring two pictures to one size, (H, W, 3) uint8 each.

    ``RESIZE``: the prediction takes the reference's size (bicubic, as PIL resizes by default and
    hence HELM does). ``PAD``: both are padded with white, at the right and the bottom, to the
    larger width and the larger height. Where that is more than ``MAX_PIXELS`` (a very wide
    picture beside a very high one), both are first shrunk by the same factor.
    """
    if how is Fit.RESIZE:
        return _resize(prediction, reference.shape[1], reference.shape[0]), reference
    height = max(prediction.shape[0], reference.shape[0])
    width = max(prediction.shape[1], reference.shape[1])
    if height * width > MAX_PIXELS:
        factor = math.sqrt(MAX_PIXELS / (height * width))
        return fit(_shrink(prediction, factor), _shrink(reference, factor), how)
    return (
        _pad(prediction, 0, width - prediction.shape[1], 0, height - prediction.shape[0]),
        _pad(reference, 0, width - reference.shape[1], 0, height - reference.shape[0]),
    )


def _shrink(array: Array, factor: float) -> Array:
    height, width = (max(1, math.floor(side * factor)) for side in array.shape[:2])
    return _resize(array, width, height)


def _resize(array: Array, width: int, height: int) -> Array:
    from PIL import Image  # noqa: PLC0415

    if array.shape[:2] == (height, width):
        return array
    image = Image.fromarray(np.ascontiguousarray(array), "RGB")
    return np.asarray(image.resize((width, height), Image.Resampling.BICUBIC), np.uint8)


def _pad(array: Array, left: int, right: int, top: int, bottom: int) -> Array:
    return np.pad(array, ((top, bottom), (left, right), (0, 0)), constant_values=WHITE)


def _is_visible(array: Array) -> bool:
    return bool((array < VISIBLE).any())


def _content(array: Array) -> tuple[slice | None, slice | None]:
    darkest = np.minimum(np.minimum(array[:, :, 0], array[:, :, 1]), array[:, :, 2])
    visible = darkest < VISIBLE  # (a reduction over the last axis takes 20 times as long)
    rows, columns = np.flatnonzero(np.any(visible, 1)), np.flatnonzero(np.any(visible, 0))
    if not rows.size:
        return None, None
    return slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)


def _to_rgb(image: Image) -> Array:
    from PIL import Image as images  # noqa: N813, PLC0415

    if image.mode in ("I", "F") or image.mode.startswith("I;16"):
        depth = 1 if image.mode == "F" else 257  # 16 bits to 8: 65535 → 255
        grey = np.clip(np.asarray(image, np.float64) / depth, 0, WHITE).round().astype(np.uint8)
        return np.repeat(grey[:, :, None], 3, axis=2)
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        image = images.alpha_composite(images.new("RGBA", rgba.size, "white"), rgba)
    return np.array(image.convert("RGB"), np.uint8)


def _read(data: bytes, use: Callable[[Image], Outcome[T]]) -> Outcome[T]:
    """Open an untrusted picture of at most ``MAX_PIXELS`` and give it to `use`."""
    from PIL import Image as images  # noqa: N813, PLC0415 - the command line starts without it

    too_many = _header_failure(data)
    if too_many:
        return too_many
    try:
        with images.open(io.BytesIO(data), formats=FORMATS) as image:
            if image.width * image.height > MAX_PIXELS:
                return _too_many_pixels(image.width, image.height)
            return use(image)
    except images.DecompressionBombError as error:
        return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, f"picture: {error}")
    except _UNREADABLE as error:
        message = f"no readable picture in {len(data)} bytes: {error}"
        return Failed.of(Stage.RENDER, Kind.EMPTY_RENDER, message)


def _header_failure(data: bytes) -> Failed | None:
    """Refuse a PNG by its header, before PIL looks at it (PIL only warns of mid-sized bombs)."""
    if data[:8] == b"\x89PNG\r\n\x1a\n" and data[12:16] == b"IHDR" and data[16:24]:
        width = int.from_bytes(data[16:20], "big")
        height = int.from_bytes(data[20:24], "big")
        if width * height > MAX_PIXELS:
            return _too_many_pixels(width, height)
    return None


def _pages_failure(pages: Sequence[bytes]) -> Failed | None:
    """Refuse pages that are too many or together too large, by their headers."""
    if len(pages) > MAX_PAGES:
        message = f"pages: {len(pages)}, more than {MAX_PAGES}"
        return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
    pixels = 0
    for page in pages:
        sides = size(page)
        if isinstance(sides, Failed):
            return sides
        pixels += sides.value[0] * sides.value[1]
        if pixels > MAX_PIXELS:
            message = f"pages: more than {MAX_PIXELS // 1_000_000} million pixels together"
            return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
    return None


def _whole(array: Array) -> Outcome[Array]:
    return _too_large(array.shape[1], array.shape[0]) or ok(array)


def _too_large(width: int, height: int) -> Failed | None:
    """Refuse a finished picture by its size."""
    if width > MAX_WIDTH or height > MAX_HEIGHT:
        message = f"picture: {width} × {height} pixels, more than {MAX_WIDTH} × {MAX_HEIGHT}"
        return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
    return _too_many_pixels(width, height) if width * height > MAX_PIXELS else None


def _too_many_pixels(width: int, height: int) -> Failed:
    message = f"picture: {width} × {height} pixels, more than {MAX_PIXELS // 1_000_000} million"
    return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
