"""Duplicates: the same text again, or a picture that is nearly the same as another.

Two roads. ``SameText`` compares truths after white space is normalised: exact, before anything is
rendered. ``NearDuplicates`` compares difference hashes of pictures (dHash, 16 × 16 = 256 bits,
of the ``imagehash`` package): pictures are nearly the same when their sides have nearly the same
ratio and few bits differ.

The bound was measured on the bundled pictures (69) and on 150 lines of random terms, which are as
alike as formulas are: saved as JPEG, scaled to 80 %, or with 1 % of the picture changed, a picture
keeps all but 18 of 256 bits; made 8 % darker, all but 32 (90 % of them: 25); two different formulas
of one shape differ in 50 at least, two random lines in 37, two web pages in 74. Shorter hashes (8 ×
8, as Image2Struct's) confuse different lines, and pHash changes by a third when one word does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from benchmark.outcome import Failed, Kind, Outcome, ok
from benchmark.records import Digest, Material, digest_bytes, digest_json
from sources.filters import Pixels, refused

SIDE = 16
"""Bits of a hash in one direction."""
WORDS = SIDE * SIDE // 64
"""Numbers of 64 bits in a hash."""

_HASH = re.compile(r"([1-9][0-9]{0,8})x([1-9][0-9]{0,8}):([0-9a-f]{64})")
_PART = 1 << 14
"""Rows that an index grows by."""


def perceptual_hash(picture: Pixels) -> str:
    """Return the hash of a picture with its size, e.g. ``1920x1080:`` and 64 hexadecimal digits.

    It says what a picture looks like, never which one it is: it is no key.

    Args:
        picture: uint8 of shape (height, width, 3), with pixels.
    """
    import imagehash  # noqa: PLC0415 - brings scipy and wavelets
    from PIL import Image  # noqa: PLC0415

    height, width = picture.shape[:2]
    return f"{width}x{height}:{imagehash.dhash(Image.fromarray(picture), hash_size=SIDE)}"


def is_perceptual_hash(text: str) -> bool:
    """Tell whether a text is one of ``perceptual_hash``."""
    return _HASH.fullmatch(text) is not None


def text_key(scenario: str, truth: str, assets: Mapping[str, Digest]) -> Digest:
    """Return what two materials with the same text have in common.

    Args:
        scenario: registered name.
        truth: all white space in it counts as one space.
        assets: digests by name.
    """
    return digest_json([scenario, " ".join(truth.split()), dict(assets)])


@dataclass
class NearDuplicates:
    """Refuses a picture that is nearly the same as one that was admitted or is known.

    Material that was derived from other material (questions about one map) shares its picture on
    purpose and is not judged.
    """

    known: InitVar[Iterable[tuple[str, str]]] = ()
    """Ids and hashes of earlier snapshots; an instance is no duplicate of itself in one."""
    most_bits: int = 24
    """Of 256, in which pictures that count as the same may differ."""
    most_ratio: float = 1.1
    """Of the ratios of two pictures' sides."""
    index: _Index = field(init=False, repr=False)

    name: ClassVar[str] = "near-duplicate"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "unlike all other pictures, also of earlier snapshots"

    def __post_init__(self, known: Iterable[tuple[str, str]]) -> None:
        self.index = _Index()
        for name, hashed in known:
            self.index.add(name, hashed)

    def judge(self, material: Material, picture: Pixels) -> Failed | None:
        """Compare with all that is known; DUPLICATE when one is near, else remember it."""
        return self.judge_hash(material, perceptual_hash(picture))

    def judge_hash(self, material: Material, hashed: str) -> Failed | None:
        """As `judge`, for a picture whose hash is known.

        Raises:
            ValueError: it is none of ``perceptual_hash``.
        """
        if material.drawn_from is not None:
            return None
        near = self.index.nearest(material.id, hashed, self.most_bits, self.most_ratio)
        if near is None:
            self.index.add(material.id, hashed)
            return None
        name, bits = near
        message = f"looks like {name}: {bits} of {SIDE * SIDE} bits differ (more than "
        return refused(material, Kind.DUPLICATE, f"{message}{self.most_bits} for another picture)")


class _Index:
    """Hashes as rows of numbers, compared all at once; grows by doubling."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._bits: NDArray[np.uint64] = np.empty((WORDS, _PART), dtype=np.uint64)
        self._ratios: NDArray[np.float64] = np.empty(_PART, dtype=np.float64)

    def add(self, name: str, hashed: str) -> None:
        """Add a hash.

        Raises:
            ValueError: it is none of ``perceptual_hash``.
        """
        words, ratio = _parse(hashed)
        count = len(self._names)
        if count == len(self._ratios):
            self._bits = np.concatenate([self._bits, np.empty_like(self._bits)], axis=1)
            self._ratios = np.concatenate([self._ratios, np.empty_like(self._ratios)])
        self._bits[:, count] = words
        self._ratios[count] = ratio
        self._names.append(name)

    def nearest(
        self, name: str, hashed: str, most_bits: int, most_ratio: float
    ) -> tuple[str, int] | None:
        """Return name and distance of the nearest other within the bounds, the first of equals."""
        words, ratio = _parse(hashed)
        count = len(self._names)
        # most are told apart by a quarter of the bits
        distances = np.bitwise_count(self._bits[0, :count] ^ words[0])
        rows = np.flatnonzero(distances <= most_bits)
        total = distances[rows].astype(np.int64)
        for word in range(1, WORDS):
            total += np.bitwise_count(self._bits[word, rows] ^ words[word])
        ratios = self._ratios[rows] / ratio
        near = (total <= most_bits) & (ratios <= most_ratio) & (ratios >= 1 / most_ratio)
        found = [
            (int(total[at]), int(rows[at]))
            for at in np.flatnonzero(near)
            if self._names[rows[at]] != name
        ]
        if not found:
            return None
        bits, row = min(found)
        return self._names[row], bits


def _parse(hashed: str) -> tuple[NDArray[np.uint64], float]:
    found = _HASH.fullmatch(hashed)
    if found is None:
        raise ValueError(f"no hash of a picture: {hashed[:40]!r}")
    words = np.frombuffer(bytes.fromhex(found[3]), dtype=">u8").astype(np.uint64)
    return words, int(found[1]) / int(found[2])


@dataclass
class SameText:
    """Refuses a truth that is another's but for white space.

    Of the same scenario, and with the same assets under the same names: one page may show other
    pictures. Derived material is not judged, as its answers are often equal.
    """

    known: InitVar[Iterable[tuple[str, Digest]]] = ()
    """Ids and ``text_key`` of earlier snapshots; an instance is no duplicate of itself in one."""
    admitted: dict[Digest, str] = field(default_factory=dict)

    name: ClassVar[str] = "same-text"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "not the same text as another, also of earlier snapshots"

    def __post_init__(self, known: Iterable[tuple[str, Digest]]) -> None:
        for name, digest in known:
            self.admitted.setdefault(digest, name)

    def judge(self, material: Material) -> Outcome[Material]:
        """Look the truth up; DUPLICATE when it is known under another id, else remember it."""
        if material.truth is None or material.drawn_from is not None:
            return ok(material)
        assets = {name: digest_bytes(data) for name, data in material.assets.items()}
        key = text_key(material.scenario, material.truth, assets)
        return self.judge_key(material, key) or ok(material)

    def judge_key(self, material: Material, key: Digest) -> Failed | None:
        """As `judge`, for a truth whose ``text_key`` is known."""
        if material.drawn_from is not None:
            return None
        first = self.admitted.setdefault(key, material.id)
        if first == material.id:
            return None
        return refused(material, Kind.DUPLICATE, f"the same text as {first} (0 may be equal)")
