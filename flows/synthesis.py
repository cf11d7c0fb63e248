"""Material by seed, drawn and written to a folder: pictures, structures, boxes, a manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.outcome import Failed, Ok, Outcome, Stage
from benchmark.records import Answer, Material, digest_bytes
from benchmark.settings import Settings
from flows.progress import current
from renderers import canvas
from scenarios.mindmap import Mindmap
from scenarios.tree_drawing import node_boxes, redraw
from scenarios.tree_styles import Style
from scenarios.trees import Node, from_json
from sources import synthetic_mindmaps
from sources.corpus import Language
from sources.synthetic_mindmaps import make_map

if TYPE_CHECKING:
    from renderers.graphviz import Drawing, GraphvizRenderer

BATCH = 20
"""Pieces of one container."""

MANIFEST = "manifest.jsonl"
PARTS = {"picture": "png", "tree": "json", "graph": "gv", "boxes": "json"}
"""What is written of each map, each into a folder of that name, and how the files' names end."""


@dataclass(frozen=True)
class Recipe:
    """How pieces of one scenario are made and written."""

    version: int
    """Of what makes them."""
    parts: Mapping[str, str]
    """As `PARTS`; there are always ``picture`` and ``graph``, the DOT that was drawn."""
    make: Callable[[Language, int, int], Material]
    """Makes a piece of a language, a seed and a number."""
    answer: Callable[[Material], Answer]
    """Returns what is drawn of a piece."""
    contents: Callable[[Material, Answer, Drawing], dict[str, bytes]]
    """Returns the files of a piece by part, but for those that there always are."""
    options: Mapping[str, int] = field(default_factory=dict)
    """What else decides the files of a piece; the manifest names it among the tools."""


class SynthesisError(RuntimeError):
    """The set could not be written; the text says why and what to do."""


def synthesise(
    folder: Path,
    language: Language,
    count: int,
    seed: int,
    settings: Settings,
    recipe: Recipe | None = None,
) -> tuple[int, int]:
    """Write a set of pieces; the same arguments and container write the same bytes.

    A piece that the folder's manifest tells of, with files that are as it says and made of the same
    graph by the same tools, is not made again: an interrupted set is finished by the same call.
    A folder can hold several sets: what the manifest tells of others stays.

    Args:
        folder: is made if need be.
        language: of the texts.
        count: how many pieces, numbered from 0.
        seed: of the set.
        settings: how many containers work at once.
        recipe: what is made; None: mind maps.

    Returns:
        How many pieces of this set are there and how many could not be drawn; the manifest has a
        line for each, in order of the identifiers, with the failure in place of the files.

    Raises:
        SynthesisError: the engine failed, or the manifest is not one of ours.
        OSError: the folder cannot be written to.
    """
    from renderers.graphviz import GraphvizRenderer

    recipe = recipe or MINDMAPS
    for part in recipe.parts:
        (folder / part).mkdir(parents=True, exist_ok=True)
    materials = [recipe.make(language, seed, number) for number in range(count)]
    with (
        GraphvizRenderer(workers=settings.workers) as renderer,
        ThreadPoolExecutor(settings.workers) as threads,
    ):
        tools = _tools(renderer, recipe)
        lines = _read_manifest(folder)
        if (folder / MANIFEST).exists():
            _rewrite(folder, list(lines.values()))  # without the torn end of an interrupted run
        left = [
            one for one in materials if not _is_made(folder, lines.get(one.id), one, tools, recipe)
        ]
        current().expect(Stage.RENDER, count)
        for _ in range(count - len(left)):
            current().advance(Stage.RENDER, "cached")
        work = [
            threads.submit(_write_batch, folder, renderer, left[start : start + BATCH], recipe)
            for start in range(0, len(left), BATCH)
        ]
        try:
            for future in work:
                fresh = [{**line, "tools": tools} for line in future.result()]
                _note(folder, fresh)
                lines |= {line["id"]: line for line in fresh}
        finally:  # interrupted: what has begun is finished, the rest is left for the next run
            threads.shutdown(wait=True, cancel_futures=True)
    _rewrite(folder, [lines[name] for name in sorted(lines)])
    failed = sum("failure" in lines[material.id] for material in materials)
    return count - failed, failed


def _tools(renderer: GraphvizRenderer, recipe: Recipe) -> dict[str, Any]:
    """Return all that changes a picture besides what is drawn."""
    image = renderer.image_digest()
    if isinstance(image, Failed):
        raise SynthesisError(image.message)
    return {
        "synthesis": recipe.version,
        "renderer": renderer.version,
        "canvas": canvas.VERSION,
        "image": image.value,
        **recipe.options,
    }


def _read_manifest(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the manifest's lines by identifier; of several with the same one, the last.

    Raises:
        SynthesisError: a line is not one that we write.
    """
    path = folder / MANIFEST
    lines: dict[str, dict[str, Any]] = {}
    if not path.exists():
        return lines
    texts = path.read_bytes().split(b"\n")
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text) if text.strip() else None
        except (ValueError, RecursionError):
            if number == len(texts):
                continue  # the end of an interrupted run
            line = text
        if line is None:
            continue
        if not (isinstance(line, dict) and isinstance(line.get("id"), str) and "tools" in line):
            raise SynthesisError(
                f"{path}, line {number}: not a line of a set's manifest. Mend or remove it, or "
                f"name another folder"
            )
        lines[line["id"]] = line
    return lines


def _is_made(
    folder: Path,
    line: dict[str, Any] | None,
    material: Material,
    tools: dict[str, Any],
    recipe: Recipe,
) -> bool:
    """Tell whether a piece is there as these tools make it, or cannot be drawn, as is known."""
    if line is None or line["tools"] != tools:
        return False
    graph = digest_bytes(recipe.answer(material).structure.text.encode())
    if "failure" in line:
        return line.get("graph_digest") == graph
    digests = line.get("digests")
    return (
        isinstance(digests, dict)
        and digests.get("graph") == graph
        and _is_whole(folder, line, recipe)
    )


def _is_whole(folder: Path, line: dict[str, Any], recipe: Recipe) -> bool:
    paths = {part: line.get(part) for part in recipe.parts}
    return all(
        isinstance(path, str)
        and (folder / path).is_file()
        and digest_bytes((folder / path).read_bytes()) == line["digests"].get(part)
        for part, path in paths.items()
    )


def _rewrite(folder: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Put lines in the place of the manifest, at once."""
    fresh = folder / f".{MANIFEST}"
    fresh.write_text(_text(lines), encoding="utf-8", newline="\n")
    fresh.replace(folder / MANIFEST)


def _text(lines: Sequence[dict[str, Any]]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _note(folder: Path, lines: Sequence[dict[str, Any]]) -> None:
    """Add lines to the manifest."""
    with (folder / MANIFEST).open("a", encoding="utf-8", newline="\n") as manifest:
        manifest.write(_text(lines))


def answer_of(material: Material) -> tuple[Answer, Node]:
    """Return what is drawn of a synthetic map, in its style, and its tree."""
    read = Mindmap().read(material.known_truth())
    tree = from_json(json.loads(material.known_truth()))
    if isinstance(read, Failed) or isinstance(tree, Failed):
        raise ValueError(f"{material.id}: the truth is no tree")
    style = Style.model_validate(material.attributes["style"])
    return redraw(read.value, style), tree.value


def _map_answer(material: Material) -> Answer:
    return answer_of(material)[0]


def _map_contents(material: Material, answer: Answer, drawing: Drawing) -> dict[str, bytes]:  # noqa: ARG001 - as recipes have it
    boxes = node_boxes(drawing.boxes, answer_of(material)[1])
    return {
        "tree": material.known_truth().encode() + b"\n",
        "boxes": json.dumps(boxes).encode() + b"\n",
    }


MINDMAPS = Recipe(
    version=synthetic_mindmaps.VERSION,
    parts=PARTS,
    make=make_map,
    answer=_map_answer,
    contents=_map_contents,
)


def _write_batch(
    folder: Path, renderer: GraphvizRenderer, materials: Sequence[Material], recipe: Recipe
) -> list[dict[str, Any]]:
    answers = [recipe.answer(material) for material in materials]
    drawn = renderer.draw_many([answer.structure for answer in answers])
    return list(_written(folder, materials, answers, drawn, recipe))


def _written(
    folder: Path,
    materials: Sequence[Material],
    answers: Sequence[Answer],
    drawn: Sequence[Outcome[Drawing]],
    recipe: Recipe,
) -> Iterator[dict[str, Any]]:
    for material, answer, outcome in zip(materials, answers, drawn, strict=True):
        line: dict[str, Any] = {"id": material.id, **material.attributes}
        if isinstance(outcome, Ok):
            current().advance(Stage.RENDER, "done")
            yield line | _write_piece(folder, material, answer, outcome.value, recipe)
        elif outcome.final:
            current().advance(Stage.RENDER, "failed")
            graph = digest_bytes(answer.structure.text.encode())
            yield line | {"failure": outcome.model_dump(mode="json"), "graph_digest": graph}
        else:
            raise SynthesisError(f"{outcome.message}. Run again when that is mended")


def _write_piece(
    folder: Path, material: Material, answer: Answer, drawing: Drawing, recipe: Recipe
) -> dict[str, Any]:
    name = "-".join(material.id.split("/")[1:])
    contents = {
        "picture": drawing.picture.png,
        "graph": answer.structure.text.encode(),
        **recipe.contents(material, answer, drawing),
    }
    paths = {part: f"{part}/{name}.{ending}" for part, ending in recipe.parts.items()}
    for part, path in paths.items():
        (folder / path).write_bytes(contents[part])
    return {
        "width": drawing.picture.width,
        "height": drawing.picture.height,
        **paths,
        "digests": {part: digest_bytes(contents[part]) for part in paths},
    }
