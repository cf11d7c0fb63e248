"""How EMS cuts two pictures into patches: size, padding, greys, background and weights.

A ``Signature`` is what the transport problem needs to know; it is made in two ways that differ in
how background is recognised: ``plain`` in integers on colours, ``as_helm`` by comparing floats on
greys, exactly as HELM's released code does it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from metrics.colour import modal_colour
from metrics.pictures import RGB, frozen

SIDE = 8
"""Side of a patch in pixels."""

MAX_PATCHES = 100
"""Pictures with more patches are resized (Pillow's bicubic filter) to at most this many."""

MODAL_SHARE = 0.5
"""Above this share of the modal colour, patches that are blank in both pictures are left out."""

INK, BACKGROUND = 1000, 1
"""Weights of what is not background and of what is, for pixels and patches alike."""

LUMA = np.array([[0.299], [0.587], [0.114]])
"""ITU-R 601 weights of red, green and blue in a grey."""

T = TypeVar("T", bound=np.generic)
Greys = npt.NDArray[np.float64]
Weights = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Signature:
    """Patches of a prediction and a reference, position by position.

    Attributes:
        greys: of both pictures, each float64 (N, 64) in [0, 1].
        pixels: weights of both pictures' pixels, each int64 (N, 64), 1 or 1000.
        masses: weights of the patches, int64 (N,), the same for both pictures.
        positions: rows and columns as shares of the picture's, float64 (N, 2) in [0, 1).
        step: cost of moving a patch across the whole picture.
    """

    greys: tuple[Greys, Greys]
    pixels: tuple[Weights, Weights]
    masses: Weights
    positions: npt.NDArray[np.float64]
    step: float


def patch_grid(width: int, height: int) -> tuple[int, int] | None:
    """Return the size in pixels that pictures are resized to, None if they keep theirs.

    The width is the smallest number of whole patches that keeps the aspect at 100 patches, the
    height the largest number of patches that then fits. Pictures wider than about 100:1, for which
    HELM finds a height of 0 and raises, become 100 patches wide and one high.
    """
    if _patches(width, height) <= MAX_PATCHES:
        return None
    columns = min(MAX_PATCHES, _columns(width, height))
    return columns * SIDE, (MAX_PATCHES // columns) * SIDE


def too_wide_for_helm(width: int, height: int) -> bool:
    """Return whether HELM's code computes a height of 0 and raises."""
    return _patches(width, height) > MAX_PATCHES and _columns(width, height) > MAX_PATCHES


def _patches(width: int, height: int) -> int:
    return math.ceil(width / SIDE) * math.ceil(height / SIDE)


def _columns(width: int, height: int) -> int:
    return math.ceil((width / SIDE) / math.sqrt(_patches(width, height) / MAX_PATCHES))


def resized(image: RGB) -> RGB:
    """Return the picture at the size at which it is cut into patches."""
    size = patch_grid(image.shape[1], image.shape[0])
    if size is None:
        return image
    from metrics.ems_resize import bicubic

    return bicubic(frozen(image), *size)


def plain(prediction: RGB, reference: RGB) -> Signature:
    """Cut two resized pictures of one size; background is what has the reference's modal colour.

    A pixel is background when its RGB triple equals the modal colour's, a patch when all of its
    pixels are; greys are computed from integers. So the result is the same on every processor.
    """
    modal = modal_colour(reference)
    images = [_padded(image, modal) for image in (prediction, reference)]
    background = [_cut(_equals(image, modal)) for image in images]
    greys = [_cut(image.astype(np.int64) @ np.array([299, 587, 114])) / 255_000 for image in images]
    pixels = [np.where(mask, BACKGROUND, INK) for mask in background]
    blank = [np.asarray(mask.all(axis=1), np.bool_) for mask in background]
    share = np.mean(_equals(reference, modal))
    drop = blank[0] & blank[1] & (share > MODAL_SHARE)
    return _signature(greys, pixels, blank, drop, grid=_grid(images[0]), step=_step(prediction))


def as_helm(prediction: RGB, reference: RGB) -> Signature:
    """Cut as ``plain``, but recognise background as HELM's released code does.

    Greys come out of a matrix product in 64-bit floats and are compared with ``==``: in 64 bits for
    a patch's weight, in 32 bits for a pixel's weight and for leaving patches out. The product's
    last bit, and with it the score, depends on the processor's instruction set. Rows are padded
    with the modal colour's red and columns with its green, whatever the channel.
    """
    modal = modal_colour(reference)
    modal_grey = float(np.matmul(modal, LUMA)[0] / 255.0)
    images = [_padded_as_helm(image, modal) for image in (prediction, reference)]
    exact = [_cut(np.matmul(image / np.float32(255.0), LUMA)[:, :, 0]) for image in images]
    single = [greys.astype(np.float32) for greys in exact]
    background = [greys == np.float32(modal_grey) for greys in single]
    pixels = [np.where(mask, BACKGROUND, INK) for mask in background]
    blank = [np.asarray((greys == modal_grey).all(axis=1), np.bool_) for greys in exact]
    share = np.mean(_equals(reference, modal))
    drop = background[0].all(axis=1) & background[1].all(axis=1) & (share > MODAL_SHARE)
    greys = [levels.astype(np.float64) for levels in single]
    return _signature(greys, pixels, blank, drop, grid=_grid(images[0]), step=_step(prediction))


def _signature(
    greys: list[Greys],
    pixels: list[Weights],
    blank: list[npt.NDArray[np.bool_]],
    drop: npt.NDArray[np.bool_],
    *,
    grid: tuple[int, int],
    step: float,
) -> Signature:
    first, second = (np.where(mask, BACKGROUND, INK).astype(np.int64) for mask in blank)
    # max(first / sum(first), second / sum(second)) in integers, up to a common factor
    masses = np.maximum(first * second.sum(), second * first.sum())
    places = np.indices(grid).reshape(2, -1).T / np.array(grid)
    keep = ~drop
    return Signature(
        greys=(greys[0][keep], greys[1][keep]),
        pixels=(pixels[0][keep].astype(np.int64), pixels[1][keep].astype(np.int64)),
        masses=masses[keep],
        positions=places[keep],
        step=step,
    )


def _grid(padded: npt.NDArray[np.generic]) -> tuple[int, int]:
    return padded.shape[0] // SIDE, padded.shape[1] // SIDE


def _step(image: RGB) -> float:
    return float(SIDE / (image.shape[0] + image.shape[1]))


def _equals(image: RGB, colour: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    return np.asarray((image == colour).all(axis=2), np.bool_)


def _cut(plane: npt.NDArray[T]) -> npt.NDArray[T]:
    """Cut (H, W), both multiples of 8, into patches (N, 64), row by row."""
    rows, columns = plane.shape[0] // SIDE, plane.shape[1] // SIDE
    blocks = plane.reshape(rows, SIDE, columns, SIDE).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(blocks.reshape(rows * columns, SIDE * SIDE))


def _missing(image: RGB) -> tuple[int, int]:
    return -image.shape[0] % SIDE, -image.shape[1] % SIDE


def _padded(image: RGB, colour: npt.NDArray[np.uint8]) -> RGB:
    below, right = _missing(image)
    if not below and not right:
        return image
    canvas = np.empty((image.shape[0] + below, image.shape[1] + right, 3), np.uint8)
    canvas[:] = colour
    canvas[: image.shape[0], : image.shape[1]] = image
    return canvas


def _padded_as_helm(image: RGB, modal: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    below, right = _missing(image)
    red, green = float(modal[0]), float(modal[1])
    tall = np.pad(image.astype(np.float32), ((0, below), (0, 0), (0, 0)), constant_values=red)
    return np.pad(tall, ((0, 0), (0, right), (0, 0)), constant_values=green)
