"""Material that is made from other material: the tasks that are derived from maps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed, Outcome, Stage, ok
from benchmark.protocols import Derives, Dresses
from benchmark.records import Material, Record
from flows.road import road_key
from flows.workshop import Workshop
from renderers.graphviz import GraphvizRenderer
from scenarios.tree_drawing import node_boxes
from scenarios.trees import from_json

Locate = Callable[[Material], Outcome[Material]]


class Places(Record):
    """Where the nodes of a map are in its picture, in walking order; see ``tree_boxes``."""

    boxes: tuple[tuple[int, int, int, int], ...]


def deriving() -> list[str]:
    """Return the names of the scenarios whose material is derived."""
    names = registry.scenarios.names()
    return [name for name in names if isinstance(registry.scenarios.get(name), Derives)]


def derive(
    materials: Sequence[Material],
    counts: Mapping[str, int],
    locate: Locate,
    *,
    seed: int = 0,
    limit: int | None = None,
) -> tuple[list[Material], list[Failed]]:
    """Return the material that scenarios derive from other material.

    Args:
        materials: what was collected.
        counts: for each deriving scenario how many pieces of each subset there shall be, at most.
        locate: finds the positions of a piece's nodes where they are not known.
        seed: of all choices.
        limit: at most so many pieces of each scenario, taken evenly from its subsets.

    Returns:
        Pieces scenario by scenario, subset by subset (the maps of a subset take turns), and the
        failures to locate something. What a scenario cannot derive is left out.

    Raises:
        RegistryError: a scenario of `counts` is unknown, or does not derive material.
    """
    derived: list[Material] = []
    lost: list[Failed] = []
    for name in sorted(counts):
        scenario = registry.scenarios.get(name)
        if not isinstance(scenario, Derives):
            raise registry.RegistryError(
                f"scenario {name!r} is not derived from another one; those that are: "
                f"{', '.join(deriving())}"
            )
        own = [material for material in materials if material.scenario == scenario.derives_from]
        finder = locate if scenario.needs_places else ok
        made: list[Material] = []
        for subset in dict.fromkeys(material.subset for material in own):
            pieces = [material for material in own if material.subset == subset]
            found, failures = _take(scenario, pieces, counts[name], finder, len(made), seed)
            made += found
            lost += failures
        derived += made if limit is None else _evenly(made, limit)
    return derived, lost


def located(workshop: Workshop, material: Material) -> Outcome[Material]:
    """Return a map with the boxes of its nodes, found in our own drawing of it.

    Boxes that are known are kept; so is a map that came as a picture, which we did not draw.
    """
    if "boxes" in material.attributes or material.picture is not None:
        return ok(material)
    scenario = registry.scenarios.get(material.scenario)
    content = {"places": material.truth, "style": material.attributes.get("style")}
    key = road_key(workshop, scenario, content)
    if isinstance(key, Failed):
        return key
    journal = workshop.journal(Stage.RENDER, f"places/{scenario.name}", Places)
    known = journal.done(key.value)
    if known is None:
        known = _find_places(workshop, material)
        journal.add(key.value, known)
    if isinstance(known, Failed):
        return known
    boxes: list[JsonValue] = [list(box) for box in known.value.boxes]
    attributes = {**material.attributes, "boxes": boxes}
    return ok(material.model_copy(update={"attributes": attributes}))


def _find_places(workshop: Workshop, material: Material) -> Outcome[Places]:
    scenario = registry.scenarios.get(material.scenario)
    read = scenario.read(material.truth)
    if isinstance(read, Failed):
        return read
    answer = read.value
    if isinstance(scenario, Dresses):
        answer = scenario.dress(answer, material.attributes)
    tree = from_json(answer.tree)
    if isinstance(tree, Failed):
        return tree
    renderer = workshop.renderer(GraphvizRenderer.name)
    assert isinstance(renderer, GraphvizRenderer)  # noqa: S101 - narrows the type
    drawing = renderer.draw(answer.structure)
    if isinstance(drawing, Failed):
        return drawing
    boxes = node_boxes(drawing.value.boxes, tree.value)
    return ok(Places(boxes=tuple((x1, y1, x2, y2) for x1, y1, x2, y2 in boxes)))


def _take(
    scenario: Derives,
    pieces: Sequence[Material],
    count: int,
    locate: Locate,
    turn: int,
    seed: int,
) -> tuple[list[Material], list[Failed]]:
    """Derive so many from pieces in their turns; a piece that offers nothing is passed over."""
    found: list[Material] = []
    lost: list[Failed] = []
    ready: dict[str, Material] = {}
    waiting = list(pieces)
    while waiting and len(found) < count:
        piece = waiting.pop(0)
        if piece.id not in ready:
            outcome = locate(piece)
            if isinstance(outcome, Failed):
                lost.append(outcome)
                continue
            ready[piece.id] = outcome.value
        derived = scenario.derive(ready[piece.id], turn=turn + len(found), seed=seed)
        if derived is not None:
            found.append(derived)
            waiting.append(piece)
    return found, lost


def _evenly(pieces: Sequence[Material], limit: int) -> list[Material]:
    """Return so many pieces, one of each subset before a second of any, in their order."""
    ranks: Counter[str] = Counter()
    ranked = []
    for place, piece in enumerate(pieces):
        ranked.append((ranks[piece.subset], place))
        ranks[piece.subset] += 1
    return [pieces[place] for place in sorted(place for _, place in sorted(ranked)[:limit])]
