"""Material that is made from other material: the tasks that are derived from maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmark import registry
from benchmark.protocols import Derives
from benchmark.records import Material


def deriving() -> list[str]:
    """Return the names of the scenarios whose material is derived."""
    names = registry.scenarios.names()
    return [name for name in names if isinstance(registry.scenarios.get(name), Derives)]


def derive(
    materials: Sequence[Material],
    counts: Mapping[str, int],
    *,
    seed: int = 0,
    limit: int | None = None,
) -> list[Material]:
    """Return the material that scenarios derive from other material.

    Args:
        materials: what was collected.
        counts: for each deriving scenario how many pieces of each subset there shall be, at most.
        seed: of all choices.
        limit: at most so many pieces of each scenario, taken evenly from its subsets.

    Returns:
        Pieces scenario by scenario, subset by subset; the maps of a subset take turns. What a
        scenario cannot derive (positions of a map that are not known) is left out.
    """
    derived: list[Material] = []
    for name in sorted(counts):
        scenario = registry.scenarios.get(name)
        if not isinstance(scenario, Derives):
            raise registry.RegistryError(
                f"scenario {name!r} is not derived from another one; those that are: "
                f"{', '.join(deriving())}"
            )
        own = [material for material in materials if material.scenario == scenario.derives_from]
        made: list[Material] = []
        for subset in dict.fromkeys(material.subset for material in own):
            pieces = [material for material in own if material.subset == subset]
            made += _take(scenario, pieces, counts[name], len(made), seed)
        derived += made if limit is None else _evenly(made, limit)
    return derived


def _take(
    scenario: Derives, pieces: Sequence[Material], count: int, turn: int, seed: int
) -> list[Material]:
    """Derive so many from pieces in their turns; a piece that offers nothing is passed over."""
    found: list[Material] = []
    waiting = list(pieces)
    while waiting and len(found) < count:
        piece = waiting.pop(0)
        derived = scenario.derive(piece, turn=turn + len(found), seed=seed)
        if derived is not None:
            found.append(derived)
            waiting.append(piece)
    return found


def _evenly(pieces: Sequence[Material], limit: int) -> list[Material]:
    """Return so many pieces, one of each subset before a second of any, in their order."""
    ranks: Counter[str] = Counter()
    ranked = []
    for place, piece in enumerate(pieces):
        ranked.append((ranks[piece.subset], place))
        ranks[piece.subset] += 1
    return [pieces[place] for place in sorted(place for _, place in sorted(ranked)[:limit])]
