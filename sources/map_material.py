"""Mind maps as material: the bytes of a map file of any format that is read, and their name."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance
from sources.maps.model import Extra, Sheet, to_json
from sources.maps.reader import read

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_CJK_SHARE = 0.2
"""Least share of Chinese characters among the letters of a Chinese map: a word of English has
several letters where Chinese has one or two characters."""


@dataclass(frozen=True)
class Wanted:
    """What becomes material, and how it is called."""

    extras: Collection[Extra] = ()
    """Topics beside the tree that become nodes, see ``sources.maps.model.to_json``."""
    least: int = 1
    """Nodes that a map must have."""
    ident: str = ""
    """The id of the material, or what it begins with where a file has several sheets; by default
    made of the format and the file's name."""


def materials_from(
    name: str, data: bytes, provenance: Provenance, wanted: Wanted = Wanted()
) -> Iterator[Outcome[Material]]:
    """Read a map file that is at hand as bytes.

    Args:
        name: the file's name, for the suffix and for messages; never opened.
        data: the file as it was received.
        provenance: where the map comes from; its recipe, if there is one, is completed by the
            number of the sheet.
        wanted: what becomes material.

    Yields:
        For each sheet a material of scenario `mindmap`: its subset is the language ("zh" or "en"),
        its truth the canonical JSON, its attributes are `format`, `language`, `file`, `sheet`
        (title) and `nodes` (of the truth). For a file that cannot be read, and each sheet without
        any text, one failure whose message begins with the name, as ``sources.maps.reader.read``
        gives it; for each sheet with too few nodes one of stage filter.
    """
    outcome = read(name, data)
    if isinstance(outcome, Failed):
        yield outcome
        return
    sheets = outcome.value.sheets
    form = outcome.value.format
    ident = wanted.ident or f"mindmap/{form}/{name}"
    for number, sheet in enumerate(sheets, start=1):
        mark = f"#{number}" if len(sheets) > 1 else ""
        draft = Material(
            id=ident + mark,
            scenario="mindmap",
            subset="",
            truth=None,
            provenance=_of_sheet(provenance, number) if mark else provenance,
            attributes={"format": form, "file": name, "sheet": sheet.title},
        )
        yield _completed(draft, sheet, f"{name}{mark}", wanted)


def _of_sheet(provenance: Provenance, number: int) -> Provenance:
    """Return the provenance with the sheet added to how its content is fetched again."""
    if not provenance.recipe:
        return provenance
    return provenance.model_copy(update={"recipe": {**provenance.recipe, "sheet": number}})


def _completed(draft: Material, sheet: Sheet, label: str, wanted: Wanted) -> Outcome[Material]:
    tree = to_json(sheet, wanted.extras)
    texts = "".join(topic.text for topic in sheet.topics())
    if tree == {"text": tree["text"]} and not sheet.root.text.strip():
        told = f"{label}: no topic of the map has text"
        return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, told, subject=draft.id)
    nodes = _count(tree)
    if nodes < wanted.least:
        told = f"{label}: nodes: {nodes}; a map has at least {wanted.least}"
        return Failed.of(Stage.FILTER, Kind.UNSUITABLE, told, subject=draft.id)
    language = language_of(texts)
    attributes = {**draft.attributes, "language": language, "nodes": nodes}
    truth = json.dumps(tree, ensure_ascii=False)
    return ok(
        draft.model_copy(update={"subset": language, "truth": truth, "attributes": attributes})
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


def language_of(text: str) -> str:
    """Return ``zh`` where enough of the letters are Chinese, else ``en``."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_CJK.findall(text)) >= _CJK_SHARE * letters else "en"
