"""Seeded draws that are the same everywhere: on every platform, Python and hash seed, for ever.

Python's ``random`` keeps only ``random()`` itself stable between releases, and numpy's generators
may change what a bit stream is made into. Material that is reproducible by seed to the byte needs
more, so draws are made here of SHAKE-256's output and integers alone: no floating point, no state
outside the object, no order of a set or dict.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")

_BLOCK = 1 << 12


class Chance:
    """A stream of draws; equal seeds give equal streams.

    The stream is SHAKE-256 of the parts of the seed, each written as text with its length, followed
    by the number of the block; a draw below n takes eight bytes as a big-endian integer and draws
    again where the remainder would favour small numbers.
    """

    def __init__(self, *seed: str | int) -> None:
        """Begin the stream of a seed.

        Args:
            seed: any texts and integers, told apart by their order and their lengths: streams of
                ``("a", 1)`` and ``("a", 2)`` have nothing in common.
        """
        parts = (str(part).encode() for part in seed)
        self._seed = b"".join(b"%d:%s," % (len(part), part) for part in parts)
        self._block = 0
        self._bytes = b""
        self._used = 0

    def below(self, bound: int) -> int:
        """Draw an integer from 0 to `bound` - 1, each equally likely.

        Raises:
            ValueError: there is no such integer, or `bound` is above 2**64.
        """
        if not 0 < bound <= 1 << 64:
            raise ValueError(f"no integer can be drawn below {bound}")
        fair = (1 << 64) // bound * bound
        while True:
            value = int.from_bytes(self._take(8), "big")
            if value < fair:
                return value % bound

    def between(self, least: int, most: int) -> int:
        """Draw an integer from `least` to `most`, both included."""
        return least + self.below(most - least + 1)

    def happens(self, percent: int) -> bool:
        """Draw whether something happens that does so `percent` times in a hundred."""
        return self.below(100) < percent

    def choice(self, options: Sequence[T]) -> T:
        """Draw one of the options, each equally likely."""
        return options[self.below(len(options))]

    def weighted(self, options: Sequence[tuple[T, int]]) -> T:
        """Draw one of the options, each with a weight (a positive integer).

        Raises:
            ValueError: there are no options.
        """
        number = self.below(sum(weight for _, weight in options))
        place = 0
        while number >= options[place][1]:
            number -= options[place][1]
            place += 1
        return options[place][0]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in a drawn order, each order equally likely (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def noise(self, count: int) -> bytes:
        """Draw `count` bytes at once; a stream of their own, apart from the other draws."""
        return hashlib.shake_256(self._seed + b"noise").digest(count)

    def _take(self, count: int) -> bytes:
        if self._used + count > len(self._bytes):
            number = self._block.to_bytes(8, "big")
            self._bytes = hashlib.shake_256(self._seed + number).digest(_BLOCK)
            self._block += 1
            self._used = 0
        self._used += count
        return self._bytes[self._used - count : self._used]
