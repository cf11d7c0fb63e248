"""What sources that draw their material by seed have in common: languages take turns."""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from benchmark.outcome import Outcome, ok
from benchmark.records import Material
from sources.corpus import Language

LANGUAGES: tuple[Language, ...] = ("en", "zh")

COUNT = 200
"""Pieces that a source yields; `make` makes any number."""


class BySeed(ABC):
    """A source of 200 pieces, English and Chinese by turns."""

    written: ClassVar[dt.date]
    """The day of this version of what is drawn."""

    def __init__(self, seed: int = 0) -> None:
        """Choose the seed of the set."""
        self.seed = seed

    @abstractmethod
    def make(self, language: Language, number: int) -> Material:
        """Make one piece."""

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield pieces, by turns in each language.

        Args:
            since: nothing is yielded if this version was written before that day.
            limit: at most so many.
        """
        if since is not None and since > self.written:
            return
        for place in range(COUNT if limit is None else min(limit, COUNT)):
            number, turn = divmod(place, len(LANGUAGES))
            yield ok(self.make(LANGUAGES[turn], number))
