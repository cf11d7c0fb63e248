"""Mind maps by seed, drawn and written to a folder: pictures, trees, graphs, boxes, a manifest."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.outcome import Failed, Ok, Outcome, Stage
from benchmark.records import Answer, Material, digest_bytes
from benchmark.settings import Settings
from flows.progress import current
from scenarios.mindmap import Mindmap
from scenarios.tree_drawing import node_boxes, redraw
from scenarios.tree_styles import Style
from scenarios.trees import Node, from_json
from sources.corpus import Language
from sources.synthetic_mindmaps import VERSION, make_map

if TYPE_CHECKING:
    from renderers.graphviz import Drawing, GraphvizRenderer

BATCH = 20
"""Maps of one container."""

MANIFEST = "manifest.jsonl"
PARTS = {"picture": "png", "tree": "json", "graph": "gv", "boxes": "json"}
"""What is written of each map, each into a folder of that name, and how the files' names end."""


class SynthesisError(RuntimeError):
    """The set could not be written; the text says why and what to do."""


def synthesise(
    folder: Path, language: Language, count: int, seed: int, settings: Settings
) -> tuple[int, int]:
    """Write a set of maps; the same arguments and container write the same bytes.

    Args:
        folder: is made; may hold an earlier set, whose files of the same names are replaced.
        language: of the maps' text.
        count: how many maps, numbered from 0.
        seed: of the set.
        settings: how many containers work at once.

    Returns:
        How many maps were written and how many could not be drawn; the manifest has a line for
        each, in order, with the failure in place of the files.

    Raises:
        SynthesisError: the engine or the disk failed.
    """
    from renderers.graphviz import GraphvizRenderer

    for part in PARTS:
        (folder / part).mkdir(parents=True, exist_ok=True)
    current().expect(Stage.RENDER, count)
    batches = [range(start, min(start + BATCH, count)) for start in range(0, count, BATCH)]
    lines: list[dict[str, Any]] = []
    with (
        GraphvizRenderer(workers=settings.workers) as renderer,
        ThreadPoolExecutor(settings.workers) as threads,
    ):
        tools = {"version": VERSION, "image": _image(renderer)}
        work = [
            threads.submit(_write_batch, folder, renderer, [make_map(language, seed, n) for n in b])
            for b in batches
        ]
        try:
            for future in work:
                lines += future.result()
        except BaseException:
            threads.shutdown(wait=True, cancel_futures=True)
            raise
    text = "".join(json.dumps({**line, **tools}, ensure_ascii=False) + "\n" for line in lines)
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    failed = sum("failure" in line for line in lines)
    return len(lines) - failed, failed


def answer_of(material: Material) -> tuple[Answer, Node]:
    """Return what is drawn of a synthetic map, in its style, and its tree."""
    read = Mindmap().read(material.truth)
    tree = from_json(json.loads(material.truth))
    if isinstance(read, Failed) or isinstance(tree, Failed):
        raise ValueError(f"{material.id}: the truth is no tree")
    style = Style.model_validate(material.attributes["style"])
    return redraw(read.value, style), tree.value


def _image(renderer: GraphvizRenderer) -> str:
    image = renderer.image_digest()
    if isinstance(image, Failed):
        raise SynthesisError(image.message)
    return image.value


def _write_batch(
    folder: Path, renderer: GraphvizRenderer, materials: Sequence[Material]
) -> list[dict[str, Any]]:
    answers = [answer_of(material) for material in materials]
    drawn = renderer.draw_many([answer.structure for answer, _ in answers])
    return list(_written(folder, materials, answers, drawn))


def _written(
    folder: Path,
    materials: Sequence[Material],
    answers: Sequence[tuple[Answer, Node]],
    drawn: Sequence[Outcome[Drawing]],
) -> Iterator[dict[str, Any]]:
    for material, (answer, tree), outcome in zip(materials, answers, drawn, strict=True):
        line: dict[str, Any] = {"id": material.id, **material.attributes}
        if isinstance(outcome, Ok):
            current().advance(Stage.RENDER, "done")
            yield line | _write_map(folder, material, answer, tree, outcome.value)
        elif outcome.final:
            current().advance(Stage.RENDER, "failed")
            yield line | {"failure": outcome.model_dump(mode="json")}
        else:
            raise SynthesisError(f"{outcome.message}. Run again when that is mended")


def _write_map(
    folder: Path, material: Material, answer: Answer, tree: Node, drawing: Drawing
) -> dict[str, Any]:
    name = "-".join(material.id.split("/")[1:])
    contents = {
        "picture": drawing.picture.png,
        "tree": material.truth.encode() + b"\n",
        "graph": answer.structure.text.encode(),
        "boxes": json.dumps(node_boxes(drawing.boxes, tree)).encode() + b"\n",
    }
    paths = {part: f"{part}/{name}.{ending}" for part, ending in PARTS.items()}
    for part, path in paths.items():
        (folder / path).write_bytes(contents[part])
    return {
        "width": drawing.picture.width,
        "height": drawing.picture.height,
        **paths,
        "digests": {part: digest_bytes(content) for part, content in contents.items()},
    }
