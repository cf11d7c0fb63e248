"""Filters on pictures: not blank, and the same each time it is rendered."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from PIL import Image, UnidentifiedImageError

from benchmark.outcome import Failed, Kind
from benchmark.records import Material
from sources.filters import Pixels, refused

MOST_PIXELS = 100_000_000
"""Larger pictures are not compared pixel by pixel."""


@dataclass(frozen=True)
class NotBlank:
    """Refuses pictures that are nearly all of one colour.

    Image2Struct's bounds: 95 % of a web page, 99 % of anything else, since lines of formulas and
    notes are thin.
    """

    most: float = 0.99
    most_of: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType({"webpage": 0.95})
    )
    """Bounds of scenarios that have their own."""

    name: ClassVar[str] = "blank"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "something is on the picture"

    def judge(self, material: Material, picture: Pixels) -> Failed | None:
        """Measure the share of the most frequent colour; BLANK above the bound."""
        share = share_of_one_colour(picture)
        most = self.most_of.get(material.scenario, self.most)
        if share <= most:
            return None
        message = f"{_percent(share)} of the picture is one colour (at most {_percent(most)})"
        return refused(material, Kind.BLANK, message)


def share_of_one_colour(picture: Pixels) -> float:
    """Return the share of the most frequent colour, 0 (a picture without pixels is 1) to 1.

    Args:
        picture: uint8 of shape (height, width, 3).
    """
    pixels = picture.reshape(-1, 3)
    if not len(pixels):
        return 1.0
    # A colour of more than half of the pixels has the most frequent value of every channel, which
    # is quick to find; only a picture without such a colour needs a count of all colours.
    modes = [int(np.bincount(pixels[:, channel], minlength=256).argmax()) for channel in range(3)]
    likely = np.ones(len(pixels), dtype=np.bool_)
    for channel, mode in enumerate(modes):
        likely &= pixels[:, channel] == mode
    share = float(np.count_nonzero(likely)) / len(pixels)
    if share > 0.5:
        return share
    codes = pixels[:, 0].astype(np.uint32)
    for channel in (1, 2):
        codes <<= 8
        codes |= pixels[:, channel]
    return float(np.bincount(codes).max()) / len(pixels)


def unstable(material: Material, first: bytes, second: bytes) -> Failed | None:
    """Compare two renderings of a material; only equal bytes are the same.

    Args:
        material: what was rendered.
        first: PNG.
        second: PNG of the same structure, rendered again.

    Returns:
        None, or a failure of kind UNSTABLE that says how much differs.
    """
    if first == second:
        return None
    return refused(material, Kind.UNSTABLE, f"rendered twice, {_difference(first, second)}")


def _difference(first: bytes, second: bytes) -> str:
    one, other = _decoded(first), _decoded(second)
    if one is None or other is None:
        return f"{len(first):,} and {len(second):,} bytes, of which one cannot be read as a picture"
    if one.shape != other.shape:
        return (
            f"{one.shape[1]} × {one.shape[0]} and then {other.shape[1]} × {other.shape[0]} pixels"
        )
    changed = float((one != other).any(axis=2).mean())
    if changed == 0:
        return "the same pixels in other bytes"
    return f"{_percent(changed)} of the pixels differ (none may)"


def _decoded(png: bytes) -> Pixels | None:
    try:
        with Image.open(io.BytesIO(png)) as image:
            if image.width * image.height > MOST_PIXELS:
                return None
            return np.asarray(image.convert("RGB"))
    except (UnidentifiedImageError, Image.DecompressionBombError, OSError, ValueError, SyntaxError):
        return None


def _percent(share: float) -> str:
    """Write a share so that it cannot be mistaken for its bound: 97 %, 99.7 %, 0.0004 %."""
    percent = 100 * share
    if percent >= 99 or percent < 1:
        return f"{percent:.4f}".rstrip("0").rstrip(".") + " %"
    return f"{percent:.1f}".removesuffix(".0") + " %"
