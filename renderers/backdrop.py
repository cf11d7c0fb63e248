"""What a finished drawing lies on: a coloured, patterned paper, and noise over everything.

A backdrop is a function of its record and of a pixel's place alone, counted from the top left
corner: of two pictures with the same backdrop the smaller one has the top left part of the larger
one's, so pictures that differ in size differ in nothing else that was added. It is made of integers
only, hence the same on every machine.

The drawing is multiplied with its paper, as ink is: what is white shows the paper, what is black
stays black. Noise is Gaussian to the eye: the sum of twelve uniform bytes less its mean
(Irwin and Hall), whose standard deviation is 256 to within a thousandth.

Whoever changes a pixel here raises ``GraphvizRenderer.version``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, JsonValue, StringConstraints, ValidationError

from benchmark.chance import Chance
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Record
from renderers import canvas
from renderers.canvas import Array

Pattern = Literal["plain", "dots", "grid", "lines", "stripes", "gradient", "blobs", "fibres"]

NOISE_TILE = 512
"""Noise repeats after so many pixels in both directions."""

NOISE_DRAWS, NOISE_SCALE = 12, 256
"""Bytes in a sum, and the standard deviation of the sum."""

COMPRESSION = 1
"""Of pictures with noise, which the usual level makes no smaller in more than twice the time."""

_STRIP = 256
"""Rows that are worked on at once."""

_Numbers = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

_BLOB_STEPS = 16
"""Side of the square that holds the blobs, in steps."""

_FIBRES, _FIBRE_HEIGHT = 128, 4
"""Fibres below each other and beside each other before they repeat; pixels of one's height."""

_PERIOD = 2048
"""A gradient runs down and up again in so many pixels."""


class Backdrop(Record):
    """A backdrop, as ``Structure.options["backdrop"]`` holds it in JSON."""

    pattern: Pattern = "plain"
    colour: Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")] = "#ffffff"
    ink: Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")] = "#d8d8d8"
    """Of the pattern; a gradient ends in it."""
    step: int = Field(default=32, ge=4, le=512, description="pixels from one mark to the next")
    noise: int = Field(default=0, ge=0, le=64, description="standard deviation, in grey levels")
    seed: int = Field(default=0, ge=0, le=(1 << 64) - 1)


def read_backdrop(value: JsonValue) -> Outcome[Backdrop | None]:
    """Read the option of a structure; None where it asks for no backdrop.

    Returns:
        The backdrop, or a failure of stage render (``UNSUPPORTED``) for anything else.
    """
    if value is None or value == {}:
        return ok(None)
    try:
        return ok(Backdrop.model_validate(value))
    except ValidationError as error:
        first = error.errors()[0]
        message = f"option backdrop: {'.'.join(map(str, first['loc']))}: {first['msg']}"
        return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)


def encode(array: Array, backdrop: Backdrop) -> bytes:
    """Encode an array (H, W, 3) of uint8 on its backdrop as a PNG."""
    compression = COMPRESSION if backdrop.noise else canvas.COMPRESSION
    return canvas.encode(apply(array, backdrop), compression)


def apply(array: Array, backdrop: Backdrop) -> Array:
    """Lay an array (H, W, 3) of uint8 on its backdrop; returns a new one of the same shape."""
    result = np.empty_like(array)
    for top in range(0, array.shape[0], _STRIP):  # so that a large picture needs little more room
        rows = slice(top, top + _STRIP)
        result[rows] = _apply_to_rows(array[rows], backdrop, top)
    return result


def _apply_to_rows(array: Array, backdrop: Backdrop, top: int) -> Array:
    y = np.arange(top, top + array.shape[0], dtype=np.int64)[:, None]
    x = np.arange(array.shape[1], dtype=np.int64)[None, :]
    if (backdrop.pattern, backdrop.colour) != ("plain", "#ffffff"):
        product = _paper(backdrop, y, x) * array
        array = ((product + 127) // 255).astype(np.uint8)
    if backdrop.noise:
        noise = _noise_tile(backdrop.noise, backdrop.seed)[y % NOISE_TILE, x % NOISE_TILE]
        array = np.clip(array.astype(np.int16) + noise[:, :, None], 0, 255).astype(np.uint8)
    return array


@lru_cache(maxsize=4)
def _noise_tile(deviation: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int16]]:
    drawn = Chance("noise", seed).noise(NOISE_TILE * NOISE_TILE * NOISE_DRAWS)
    sums = np.frombuffer(drawn, np.uint8).reshape(NOISE_DRAWS, NOISE_TILE, NOISE_TILE)
    centred = sums.sum(0, dtype=np.int32) - NOISE_DRAWS * 255 // 2
    scaled = (centred * deviation + NOISE_SCALE // 2) // NOISE_SCALE
    tile: np.ndarray[tuple[int, ...], np.dtype[np.int16]] = scaled.astype(np.int16)
    return tile


def _paper(
    backdrop: Backdrop, y: _Numbers, x: _Numbers
) -> np.ndarray[tuple[int, ...], np.dtype[np.uint16]]:
    """Mix the paper's colour and its ink: share 0 is paper, 255 is ink."""
    colour, ink = (np.array(_rgb(text), np.int64) for text in (backdrop.colour, backdrop.ink))
    levels = np.arange(256, dtype=np.int64)[:, None]
    mixed = ((colour * (255 - levels) + ink * levels + 127) // 255).astype(np.uint16)
    paper: np.ndarray[tuple[int, ...], np.dtype[np.uint16]] = mixed[_shares(backdrop, y, x)]
    return paper


def _rgb(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _shares(backdrop: Backdrop, y: _Numbers, x: _Numbers) -> _Numbers:
    """Return how much of the ink (0 to 255) the pixels of some rows and columns have."""
    step, seed, zero = backdrop.step, backdrop.seed, 0 * (y + x)
    shares: _Numbers = zero
    match backdrop.pattern:
        case "dots":
            shares = zero + 255 * ((y % step - step // 2) ** 2 + (x % step - step // 2) ** 2 < 5)
        case "grid":
            shares = zero + 255 * ((y % step == step - 1) | (x % step == step - 1))
        case "lines":
            shares = zero + 255 * (y % step == step - 1)
        case "stripes":
            shares = zero + 255 * ((x + y) % (2 * step) < step)
        case "gradient":
            place = (y + x // 2) % _PERIOD
            shares = np.minimum(place, _PERIOD - 1 - place) * 255 // (_PERIOD // 2)
        case "blobs":
            shares = _blobs(step, seed)[y % (_BLOB_STEPS * step), x % (_BLOB_STEPS * step)]
        case "fibres":
            strengths = np.frombuffer(Chance("fibres", seed).noise(_FIBRES * _FIBRES), np.uint8)
            place = y // _FIBRE_HEIGHT % _FIBRES * _FIBRES + x // step % _FIBRES
            shares = strengths.astype(np.int64)[place] // 2
    return shares


@lru_cache(maxsize=4)
def _blobs(step: int, seed: int) -> _Numbers:
    """Draw a few soft discs in a square, which is then repeated."""
    side = _BLOB_STEPS * step
    chance = Chance("blobs", seed)
    y, x = np.arange(side, dtype=np.int64)[:, None], np.arange(side, dtype=np.int64)[None, :]
    tile = np.zeros((side, side), np.int64)
    for _ in range(chance.between(3, 7)):
        radius = chance.between(side // 16, side // 5)
        top, left = chance.between(radius, side - radius), chance.between(radius, side - radius)
        inside = radius**2 - (y - top) ** 2 - (x - left) ** 2
        tile = np.maximum(tile, np.maximum(0, inside) * 255 // radius**2)
    return tile
