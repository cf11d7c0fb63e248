"""Material that is made from other material: its draws, and what it keeps of the other."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from benchmark.chance import Chance
from benchmark.records import Material, Subject
from scenarios.mindbench.phrasing import language_of


def seeded(name: str, material: Material, turn: int, seed: int) -> Chance:
    """Return the draws of one piece; equal arguments give equal ones."""
    return Chance(name, material.id, material.known_truth(), turn, seed)


def derived_material(
    name: str,
    material: Material,
    turn: int,
    seed: int,
    *,
    truth: str,
    asked: Mapping[str, JsonValue],
    metrics: tuple[str, ...] | None = None,
) -> Material:
    """Return a piece of a scenario: the picture and provenance of another piece, another truth.

    Args:
        name: of the scenario that derives.
        material: the other piece, whose truth is known.
        turn: of the question.
        seed: of all choices.
        truth: the answer.
        asked: attributes that say what is asked; the others are kept, but for the boxes.
        metrics: as ``Material.metrics``.
    """
    kept = {key: value for key, value in material.attributes.items() if key != "boxes"}
    origin = material.provenance
    made = f"question {turn} (seed {seed}) about {material.id}"
    stem = material.id.removeprefix(f"{material.scenario}/").replace("/", "-")
    return Material(
        id=f"{name}/{stem}-{turn}",
        scenario=name,
        subset=language_of(material.subset),
        truth=truth,
        drawn_from=Subject(scenario=material.scenario, text=material.known_truth()),
        picture=material.picture,
        assets=material.assets,
        provenance=origin.model_copy(update={"made": "; ".join(filter(None, (origin.made, made)))}),
        attributes={**kept, "document": _document(material), **asked},
        metrics=metrics,
    )


def _document(material: Material) -> str:
    named = material.attributes.get("document")
    return named if isinstance(named, str) and named else material.provenance.url or material.id
