"""Mind maps on disk as material: a file, or a folder of files of any format that is read.

The source ``mindmap-files`` reads what ``RERENDER_MINDMAP_FOLDER`` names.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance
from benchmark.settings import Settings
from sources.maps.model import Extra, Format, Sheet, to_json
from sources.maps.reader import MAP_BYTES, read

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_LETTER = re.compile(r"[^\W\d_]")
_CJK_SHARE = 0.2
"""Least share of Chinese characters among the letters of a Chinese map: a word of English has
several letters where Chinese has one or two characters."""


class MindmapFiles:
    """The source `mindmap-files`: maps of your own, from files of mind-map programs."""

    name = "mindmap-files"
    scenarios = ("mindmap",)
    about = (
        "Mind maps from files that the user has; author and licence are not known here. The date "
        "of a map is that of its file's last change."
    )

    def __init__(self, path: Path | None = None) -> None:
        """Choose the file or folder; None: the one of the settings."""
        self._path = path

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield the sheets of every file, in order of path; what cannot be read is a failure.

        Args:
            since: leave out files that were last changed before this day (in UTC).
            limit: at most so many maps.
        """
        path = self._path or Settings().mindmap_folder
        if path is None or not path.exists():
            told = "RERENDER_MINDMAP_FOLDER is not set" if path is None else f"{path} is not there"
            message = f"{told}; set it to a file or folder of mind maps"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)
            return
        left = limit
        for file, name in _files(path):
            changed = _last_change(file)
            if since is not None and changed < since:
                continue
            for outcome in _read_file(file, name, _provenance(changed), ()):
                if left is not None and left <= 0:
                    return
                if isinstance(outcome, Failed):
                    yield outcome.model_copy(update={"stage": Stage.FETCH})
                else:
                    left = None if left is None else left - 1
                    yield outcome


def _provenance(changed: dt.date) -> Provenance:
    return Provenance(
        source=MindmapFiles.name,
        author="unknown",
        licence="LicenseRef-unknown",
        created=changed,
        made="read from a file of the user's; the date is that of its last change",
    )


def _last_change(file: Path) -> dt.date:
    """Return the day (UTC) of a file's last change; that of the epoch where none makes sense."""
    try:
        return dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC).date()
    except (OSError, OverflowError, ValueError):
        return dt.date(1970, 1, 1)


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
        For each sheet a material of scenario `mindmap`: its subset is the language ("zh" or "en"),
        its truth the canonical JSON, its attributes are `format`, `language`, `file`, `sheet`
        (title) and `nodes` (of the truth). For each file that cannot be read, and each sheet
        without any text, one failure whose message begins with the path.
    """
    for file, name in _files(path):
        yield from _read_file(file, name, provenance, extras)


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a file, or the files of a folder and of those in it, each with its name there."""
    if not path.is_dir():
        yield path, path.name
        return
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path)
        if not any(part.startswith(".") for part in name.parts) and _may_be_read(file):
            yield file, name.as_posix()


def _may_be_read(file: Path) -> bool:
    try:
        return file.is_file() and not file.is_symlink()
    except OSError:
        return True  # and the opening says what is wrong


def _read_file(
    file: Path, name: str, provenance: Provenance, extras: Collection[Extra]
) -> Iterator[Outcome[Material]]:
    try:
        name.encode()
    except UnicodeEncodeError:
        told = f"{name.encode(errors='backslashreplace').decode()}: its name is not UTF-8"
        yield Failed.of(Stage.FETCH, Kind.UNSUPPORTED, told)
        return
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
    language = _language(texts)
    return ok(
        Material(
            id=f"mindmap/{form}/{label}",
            scenario="mindmap",
            subset=language,
            truth=truth,
            provenance=provenance,
            attributes={
                "format": form,
                "language": language,
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
