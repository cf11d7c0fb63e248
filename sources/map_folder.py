"""Mind maps on disk as material: a file, or a folder of files of any format that is read."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance
from sources.maps.model import Extra, Format, Sheet, to_json
from sources.maps.reader import MAP_BYTES, read

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_CJK_SHARE = 0.2
"""Least share of Chinese characters among the letters of a Chinese map: a word of English has
several letters where Chinese has one or two characters."""


def materials_of(
    path: Path, provenance: Provenance, *, extras: Collection[Extra] = ()
) -> Iterator[Outcome[Material]]:
    """Read a file, or every file of a folder and of the folders in it, in order of path.

    Args:
        path: a file, whatever its name; or a folder, in which hidden files and links are passed
            over.
        provenance: where the maps come from; the same for all that one call yields.
        extras: topics beside the tree that become nodes, see ``sources.maps.model.to_json``.

    Yields:
        For each sheet a material of scenario `mindmap`: its subset is the format, its truth the
        canonical JSON, its attributes are `format`, `language` ("zh" or "en"), `file`, `sheet`
        (title) and `nodes` (of the truth). For each file that cannot be read, and each sheet
        without any text, one failure whose message begins with the path.
    """
    if not path.is_dir():
        yield from _read_file(path, path.name, provenance, extras)
        return
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path)
        hidden = any(part.startswith(".") for part in name.parts)
        if not hidden and not file.is_symlink() and file.is_file():
            yield from _read_file(file, name.as_posix(), provenance, extras)


def _read_file(
    file: Path, name: str, provenance: Provenance, extras: Collection[Extra]
) -> Iterator[Outcome[Material]]:
    try:
        with file.open("rb") as opened:
            data = opened.read(MAP_BYTES + 1)
    except OSError as error:
        told = f"{name}: {error.strerror or type(error).__name__}"
        yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, told)
        return
    outcome = read(name, data)
    if isinstance(outcome, Failed):
        yield outcome
        return
    sheets = outcome.value.sheets
    for number, sheet in enumerate(sheets, start=1):
        label = f"{name}#{number}" if len(sheets) > 1 else name
        yield _material(label, name, outcome.value.format, sheet, provenance, extras)


def _material(
    label: str,
    name: str,
    form: Format,
    sheet: Sheet,
    provenance: Provenance,
    extras: Collection[Extra],
) -> Outcome[Material]:
    tree = to_json(sheet, extras)
    truth = json.dumps(tree, ensure_ascii=False)
    texts = "".join(topic.text for topic in sheet.topics())
    if tree == {"text": tree["text"]} and not sheet.root.text.strip():
        return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, f"{label}: no topic of the map has text")
    return ok(
        Material(
            id=f"mindmap/{form}/{label}",
            scenario="mindmap",
            subset=form,
            truth=truth,
            provenance=provenance,
            attributes={
                "format": form,
                "language": _language(texts),
                "file": name,
                "sheet": sheet.title,
                "nodes": _count(tree),
            },
        )
    )


def _count(tree: JsonValue) -> int:
    """Return the number of nodes of a tree in canonical JSON."""
    count, stack = 0, [tree]
    while stack:
        node = stack.pop()
        count += 1
        below = node.get("children") if isinstance(node, dict) else None
        stack.extend(below if isinstance(below, list) else [])
    return count


def _language(text: str) -> str:
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_CJK.findall(text)) >= _CJK_SHARE * letters else "en"
