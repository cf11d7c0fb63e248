"""Which of many pieces are taken where only some are wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

T = TypeVar("T")


def evenly(pieces: Sequence[T], group: Callable[[T], Hashable], limit: int | None) -> list[T]:
    """Return at most `limit` pieces, one of each group before a second of any, in their order.

    >>> evenly(["a1", "a2", "a3", "b1"], lambda piece: piece[0], 2)
    ['a1', 'b1']
    """
    ranks: Counter[Hashable] = Counter()
    ranked = []
    for place, piece in enumerate(pieces):
        ranked.append((ranks[group(piece)], place))
        ranks[group(piece)] += 1
    return [pieces[place] for place in sorted(place for _, place in sorted(ranked)[:limit])]
