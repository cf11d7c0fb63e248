"""Pictures made to fit what a provider accepts, by one rule that is written down.

A picture that is within the limits is sent untouched. One that is not is shrunk with Lanczos
resampling, its shape kept, first to the limits on side and pixels, then step by step (each step
aims 5 % below the limit on bytes) until its PNG in base64 fits. It stays a PNG: a second, lossy
compression would change what the model sees in a way that depends on the content.
"""

from __future__ import annotations

import io
import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

MARGIN = 0.95
SMALLEST_SIDE = 8


@dataclass(frozen=True)
class Limits:
    """What a provider accepts for one picture; None where it sets no limit."""

    base64_bytes: int
    side: int | None = None
    pixels: int | None = None

    def describe(self) -> str:
        """Return the limits in words, for a note."""
        parts = [f"{self.base64_bytes} bytes of base64"]
        if self.side is not None:
            parts.append(f"{self.side} pixels on a side")
        if self.pixels is not None:
            parts.append(f"{self.pixels} pixels")
        return ", ".join(parts)

    def as_settings(self) -> dict[str, int | None]:
        """Return the limits as JSON, for the key: they decide what the model sees."""
        return asdict(self)


@dataclass(frozen=True)
class Fitted:
    """A picture as it is sent."""

    png: bytes
    note: str = ""


class ImageTooLarge(ValueError):
    """A picture that cannot be made to fit; the text says why."""


def base64_size(data: bytes) -> int:
    """Return the length in bytes of data in base64, padding included."""
    return 4 * math.ceil(len(data) / 3)


def fit(png: bytes, limits: Limits) -> Fitted:
    """Shrink a PNG until it is within the limits; say so in the note if it was changed.

    Raises:
        ImageTooLarge: the limits cannot be met by any picture of at least 8 pixels on a side.
    """
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        width, height = image.size
        scale = _scale_to_sides(width, height, limits)
        if scale >= 1 and base64_size(png) <= limits.base64_bytes:
            return Fitted(png)
        whole = image.convert("RGB")
    data = png
    scale = scale if scale < 1 else _scale_to_bytes(png, limits)
    size = width, height
    while size == (width, height) or base64_size(data) > limits.base64_bytes:
        size = math.floor(width * scale), math.floor(height * scale)
        if min(size) < min(SMALLEST_SIDE, width, height):
            raise ImageTooLarge(f"no picture of this shape fits {limits.describe()}")
        data = _png(whole.resize(size, Image.Resampling.LANCZOS))
        scale *= _scale_to_bytes(data, limits)
    note = f"image resized from {width}x{height} to {size[0]}x{size[1]} for provider limit of "
    return Fitted(data, note + limits.describe())


def _scale_to_sides(width: int, height: int, limits: Limits) -> float:
    scale = 1.0
    if limits.side is not None:
        scale = min(scale, limits.side / width, limits.side / height)
    if limits.pixels is not None:
        scale = min(scale, math.sqrt(limits.pixels / (width * height)))
    return scale


def _scale_to_bytes(data: bytes, limits: Limits) -> float:
    """Return a factor below 1 that should bring the bytes under the limit (bytes ~ area)."""
    return min(MARGIN, MARGIN * math.sqrt(limits.base64_bytes / base64_size(data)))


def _png(image: Image) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "PNG", optimize=True)
    return buffer.getvalue()
