"""JSON graphs as arrays in a canonical order: the shape in which graph metrics compare them.

A graph is ``{"nodes": [{"id", "text", "type"}, …], "edges": [{"source", "target", "label",
"directed"}, …]}``; any other JSON value is a graph without nodes. Ids only join edges to nodes,
order says nothing, groups are not compared, and runs of white space in texts are one space.

So that neither ids nor order can change a score, the nodes are put in an order that depends on the
graph alone: by text and type, then by the texts around them (colour refinement, Weisfeiler and
Leman 1968), then by trying which of the nodes that still look alike makes the smallest picture of
the graph when it is taken first. Graphs that are equal but for ids and order so become equal
values. The search is bounded by `STEPS`, not by time; only a large graph of very many nodes that
look alike exceeds that, and then what is left of its order is that of writing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

STEPS = 400_000
"""Most visits of neighbours in the search for an order: about half a second."""

OUT, IN, BOTH = 0, 1, 2
"""How an edge lies, seen from one of its ends: going out, coming in, without direction."""

Edge = tuple[int, int, bool, str]
"""Source, target, whether it is directed, label; without direction the smaller end is first."""

Sign = tuple[int, tuple[tuple[int, int, int], ...]]
"""A colour with the sorted (way, label, colour) of what lies around it."""


@dataclass(frozen=True)
class Chart:
    """A graph in canonical order; equal charts are equal graphs."""

    texts: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    edges: tuple[Edge, ...] = ()
    """Sorted; an edge occurs as often as it was written."""

    @property
    def size(self) -> int:
        """The number of nodes and edges."""
        return len(self.texts) + len(self.edges)

    def links(self) -> dict[tuple[int, int], tuple[list[str], list[str], list[str]]]:
        """Return the sorted labels between two nodes, by both orders of the two.

        The lists hold the labels of edges that go from the first to the second, of those that come
        back, and of those without direction. A loop goes out only.
        """
        found: dict[tuple[int, int], tuple[list[str], list[str], list[str]]] = {}
        for source, target, directed, label in self.edges:
            for one, other, way in _views(source, target, directed):
                found.setdefault((one, other), ([], [], []))[way].append(label)
        return found


def read_chart(value: Any) -> Chart:  # noqa: ANN401 - any JSON value
    """Return the canonical chart of a JSON value; edges without two known ends are left out."""
    nodes, edges = _nodes(value), []
    numbers = {name: number for number, (name, _, _) in enumerate(nodes)}
    for item in _items(value, "edges"):
        source, target = (_number(numbers, item.get(end)) for end in ("source", "target"))
        if source is None or target is None:
            continue
        edges.append((source, target, item.get("directed") is not False, _text(item.get("label"))))
    ranks = _order([(text, kind) for _, text, kind in nodes], edges)
    order = sorted(range(len(nodes)), key=ranks.__getitem__)
    return Chart(
        tuple(nodes[number][1] for number in order),
        tuple(nodes[number][2] for number in order),
        tuple(sorted(_moved(edge, ranks) for edge in edges)),
    )


def _number(numbers: dict[str, int], name: Any) -> int | None:  # noqa: ANN401
    return numbers.get(name) if isinstance(name, str) else None


def _nodes(value: Any) -> list[tuple[str, str, str]]:  # noqa: ANN401
    """Return id, text and type of each node; of several with one id, the first."""
    found: dict[str, tuple[str, str, str]] = {}
    for item in _items(value, "nodes"):
        name = item.get("id")
        if isinstance(name, str):
            found.setdefault(name, (name, _text(item.get("text")), _text(item.get("type"))))
    return list(found.values())


def _items(value: Any, key: str) -> list[dict[str, Any]]:  # noqa: ANN401
    items = value.get(key) if isinstance(value, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _text(value: Any) -> str:  # noqa: ANN401
    return " ".join(value.split()) if isinstance(value, str) else ""


def _moved(edge: Edge, ranks: list[int]) -> Edge:
    source, target, directed, label = edge
    ends = ranks[source], ranks[target]
    if not directed:
        ends = min(ends), max(ends)
    return *ends, directed, label


def _views(source: int, target: int, directed: bool) -> list[tuple[int, int, int]]:
    """Return how an edge looks from its ends: from where, to where, which way."""
    if source == target:
        return [(source, target, OUT if directed else BOTH)]
    if directed:
        return [(source, target, OUT), (target, source, IN)]
    return [(source, target, BOTH), (target, source, BOTH)]


def _order(names: list[tuple[str, str]], edges: list[Edge]) -> list[int]:
    """Return the place of each node in the canonical order."""
    labels = _ranks([label for *_, label in edges])
    around: list[list[tuple[int, int, int]]] = [[] for _ in names]
    for (source, target, directed, _), label in zip(edges, labels, strict=True):
        for one, other, way in _views(source, target, directed):
            around[one].append((way, label, other))
    search = _Search(around)
    colours = search.refine(_ranks(names))
    while (twins := _twins(colours)) and search.left > 0:
        colours = min(
            (search.refine(_first(colours, twin)) for twin in twins[: search.affordable]),
            key=search.signs,
        )
    return _ranks(list(zip(colours, range(len(names)), strict=True)))


class _Search:
    """Colour refinement within a number of steps."""

    def __init__(self, around: list[list[tuple[int, int, int]]]) -> None:
        self._around = around
        self._cost = len(around) + sum(map(len, around)) or 1
        self.left = STEPS

    @property
    def affordable(self) -> int:
        """How many refinements the steps that are left allow, at least one."""
        return max(1, self.left // (2 * self._cost))

    def refine(self, colours: list[int]) -> list[int]:
        """Split colours by what lies around nodes until nothing is split any more."""
        count = len(set(colours))
        while count < len(colours) and self.left > 0:
            self.left -= self._cost
            fresh = _ranks(self._signs(colours))
            now = len(set(fresh))
            if now == count:
                break
            colours, count = fresh, now
        return colours

    def signs(self, colours: list[int]) -> list[Sign]:
        """Return what a colouring makes of the graph, the same whatever the nodes' order."""
        self.left -= self._cost
        return sorted(self._signs(colours))

    def _signs(self, colours: list[int]) -> list[Sign]:
        return [
            (colour, tuple(sorted((way, label, colours[other]) for way, label, other in links)))
            for colour, links in zip(colours, self._around, strict=True)
        ]


def _twins(colours: list[int]) -> list[int]:
    """Return the nodes of the first colour that several nodes have; none if all differ."""
    counts = Counter(colours)
    shared = min((colour for colour, count in counts.items() if count > 1), default=None)
    return [number for number, colour in enumerate(colours) if colour == shared]


def _first(colours: list[int], chosen: int) -> list[int]:
    """Return the colouring in which a node comes before all others of its colour."""
    return [2 * colour - (number == chosen) for number, colour in enumerate(colours)]


def _ranks(values: list[Any]) -> list[int]:
    places = {value: place for place, value in enumerate(sorted(set(values)))}
    return [places[value] for value in values]
