"""Material that is made from other material: the tasks that are derived from maps."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from math import lcm

from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Derives, Dresses
from benchmark.records import Material, Record, digest_bytes, digest_json
from benchmark.selection import evenly
from benchmark.snapshot import Rejected
from flows.road import dressing, road_key, with_assets
from flows.workshop import Workshop
from renderers.graphviz import GraphvizRenderer
from scenarios import graph_drawing
from scenarios.flowchart import Flowchart
from scenarios.tree_drawing import node_boxes
from scenarios.trees import from_json

Locate = Callable[[Material], Outcome[Material]]

TRIES = 50
"""After so many turns that only repeat questions a piece is taken to offer no others."""


class Places(Record):
    """Where nodes are in a picture: a map's in walking order, a flowchart's in its graph's."""

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
) -> tuple[list[Material], list[Rejected]]:
    """Return the material that scenarios derive from other material.

    Args:
        materials: what was collected.
        counts: for each deriving scenario how many pieces of each subset there shall be, at most.
        locate: finds the positions of a piece's nodes where they are not known.
        seed: of all choices.
        limit: at most so many pieces of each scenario, taken evenly from its subsets.

    Returns:
        Pieces scenario by scenario, subset by subset (the maps of a subset take turns), and for
        each scenario the pieces whose nodes could not be found. No two pieces ask the same of one
        map; where there are fewer questions than asked for, all that were found are returned.

    Raises:
        RegistryError: a scenario of `counts` is unknown, or does not derive material.
    """
    derived: list[Material] = []
    lost: list[Rejected] = []
    for name in sorted(counts):
        scenario = registry.scenarios.get(name)
        if not isinstance(scenario, Derives):
            raise registry.RegistryError(
                f"scenario {name!r} is not derived from another one; those that are: "
                f"{', '.join(deriving())}"
            )
        own = [
            material
            for material in materials
            if material.scenario == scenario.derives_from and material.truth is not None
        ]
        finder = locate if scenario.needs_places else ok
        made: list[Material] = []
        for subset in dict.fromkeys(material.subset for material in own):
            pieces = [material for material in own if material.subset == subset]
            found, failures = _take(scenario, pieces, counts[name], finder, len(made), seed)
            made += found
            lost += [
                Rejected(id=place, scenario=name, failure=failure)
                for place, failure in failures.items()
            ]
        derived += evenly(made, lambda piece: piece.subset, limit)
    return derived, lost


def located(workshop: Workshop, material: Material) -> Outcome[Material]:
    """Return a map or flowchart with the boxes of its nodes, found in our own drawing of it.

    Boxes that are known are kept; so is a map that came as a picture, which we did not draw.
    """
    if "boxes" in material.attributes or material.picture is not None:
        return ok(material)
    key = places_key(workshop, material)
    if isinstance(key, Failed):
        return key
    journal = workshop.journal(Stage.RENDER, f"places/{material.scenario}", Places)
    known = journal.done(key.value)
    if known is None:
        known = _find_places(workshop, material)
        journal.add(key.value, known)
    if isinstance(known, Failed):
        return known
    boxes: list[JsonValue] = [list(box) for box in known.value.boxes]
    attributes = {**material.attributes, "boxes": boxes}
    return ok(material.model_copy(update={"attributes": attributes}))


def places_key(workshop: Workshop, material: Material) -> Outcome[str]:
    """Return the key of the places: all that decides how the map is drawn."""
    scenario = registry.scenarios.get(material.scenario)
    assets = {path: digest_bytes(data) for path, data in material.assets.items()}
    content = {"places": material.truth, "assets": assets}
    return road_key(workshop, scenario, content | dressing(scenario, material.attributes))


def _find_places(workshop: Workshop, material: Material) -> Outcome[Places]:
    scenario = registry.scenarios.get(material.scenario)
    renderer = None if scenario.renderer is None else workshop.renderer(scenario.renderer)
    if not isinstance(renderer, GraphvizRenderer):
        message = f"{scenario.name} is not drawn by {GraphvizRenderer.name}: no places are known"
        return Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
    read = scenario.read(material.known_truth())
    if isinstance(read, Failed):
        return read
    answer = read.value
    if isinstance(scenario, Dresses):
        answer = scenario.dress(answer, material.attributes)
    drawing = renderer.draw(with_assets(answer, material.assets).structure)
    if isinstance(drawing, Failed):
        return drawing
    if scenario.name == Flowchart.name:
        boxes = graph_drawing.node_boxes(drawing.value.boxes, answer)
    else:
        tree = from_json(answer.tree)
        if isinstance(tree, Failed):
            return tree
        boxes = node_boxes(drawing.value.boxes, tree.value)
    return ok(Places(boxes=tuple((x1, y1, x2, y2) for x1, y1, x2, y2 in boxes)))


def _take(
    scenario: Derives,
    pieces: Sequence[Material],
    count: int,
    locate: Locate,
    turn: int,
    seed: int,
) -> tuple[list[Material], dict[str, Failed]]:
    """Derive so many from pieces in their turns; a piece that offers nothing new is passed over.

    Kinds of questions follow the number of the turn, and so do pieces: they would meet in the same
    pairs over and over. So once all pairs were met that such a march meets, a turn is left out.
    """
    found: list[Material] = []
    lost: dict[str, Failed] = {}
    ready: dict[str, Material] = {}
    asked: set[tuple[str, str]] = set()
    cycle = scenario.cycle
    marched = 0
    waiting = deque(pieces)
    while waiting and len(found) < count:
        piece = waiting.popleft()
        if piece.id not in ready:
            outcome = locate(piece)
            if isinstance(outcome, Failed):
                lost[piece.id] = outcome
                continue
            ready[piece.id] = outcome.value
        new = _something_new(scenario, ready[piece.id], turn, seed, asked)
        if new is None:
            continue
        derived, turn = new
        found.append(derived)
        waiting.append(piece)
        marched += 1
        if marched >= lcm(len(waiting), cycle):
            turn, marched = turn + 1, 0
    return found, lost


def _something_new(
    scenario: Derives, piece: Material, turn: int, seed: int, asked: set[tuple[str, str]]
) -> tuple[Material, int] | None:
    """Derive what was not asked yet, at a turn or a later one; return it and the turn after it.

    None where the piece offers nothing in a whole cycle of kinds, or only what was asked.
    """
    empty = 0
    for number in range(turn, turn + TRIES):
        derived = scenario.derive(piece, turn=number, seed=seed)
        if derived is None:
            empty += 1
            if empty == scenario.cycle:
                return None
            continue
        empty = 0
        question = piece.id, _essence(derived)
        if question not in asked:
            asked.add(question)
            return derived, number + 1
    return None


def _essence(derived: Material) -> str:
    """Return what makes a question another one: its kind and its answer, however it is written."""
    read = registry.scenarios.get(derived.scenario).read(derived.known_truth())
    answer = derived.truth if isinstance(read, Failed) else read.value.tree
    return digest_json([derived.attributes.get("kind"), answer])
