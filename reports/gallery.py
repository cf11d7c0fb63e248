"""The pictures of an HTML report: each as a file at full size, and a thumbnail for the overview."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from benchmark.records import Digest
from benchmark.store import BlobDamaged, BlobMissing

THUMBNAIL = (640, 480)
"""Largest width and height of a thumbnail, in pixels: sharp at half that size on dense screens."""
QUALITY = 80


@dataclass(frozen=True)
class Shown:
    """A picture in the report; paths are relative to the report's folder."""

    full: str
    thumbnail: str
    width: int
    height: int


@dataclass(frozen=True)
class Unavailable:
    """A picture that cannot be shown, and why."""

    reason: str


def hang(
    digests: Iterable[Digest], load: Callable[[Digest], bytes], folder: Path
) -> dict[Digest, Shown | Unavailable]:
    """Write pictures and thumbnails below a folder, each once; several are shrunk at a time.

    Args:
        digests: names of pictures (PNG); repeated ones are done once.
        load: returns a picture's bytes; raises ``BlobMissing`` or ``BlobDamaged``.
        folder: where ``pictures/`` and ``thumbnails/`` are made.

    Returns:
        For each picture where it is, or why it cannot be shown.
    """
    distinct = list(dict.fromkeys(digests))
    for name in ("pictures", "thumbnails"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        hung = pool.map(lambda digest: _hang(digest, load, folder), distinct)
        return dict(zip(distinct, hung, strict=True))


def _hang(digest: Digest, load: Callable[[Digest], bytes], folder: Path) -> Shown | Unavailable:
    try:
        data = load(digest)
    except (BlobMissing, BlobDamaged) as error:
        return Unavailable(str(error))
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
            width, height = picture.size
            small = picture.convert("RGB")
    except (OSError, Image.DecompressionBombError) as error:
        return Unavailable(f"the picture cannot be opened: {error}")
    small.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS, reducing_gap=2.0)
    full, thumbnail = f"pictures/{digest[:20]}.png", f"thumbnails/{digest[:20]}.webp"
    (folder / full).write_bytes(data)
    small.save(folder / thumbnail, "WEBP", quality=QUALITY, method=2)
    return Shown(full, thumbnail, width, height)
