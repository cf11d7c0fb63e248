"""What the user says of material: ``material.toml`` of a folder, ``NAME.json`` of a piece.

The nearest word counts: that of a piece before that of its folder, that before the one of the
folder above.
"""

from __future__ import annotations

import datetime as dt
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Provenance
from sources.licences import spdx
from sources.own_files import read_file

FOLDER_NOTE = "material.toml"
NOTE_BYTES = 100_000


class Note(BaseModel):
    """Who made a piece, when, under which licence; nothing of it must be said."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    author: str | None = Field(default=None, max_length=200)
    licence: str | None = Field(default=None, max_length=200)
    created: dt.date | None = None
    url: str | None = Field(default=None, max_length=2_000)
    publishable: bool | None = None
    """Whether a published snapshot may hold the piece; no, unless it is said here."""

    def over(self, above: Note) -> Note:
        """Return this note, completed by one of less weight."""
        own = {name: value for name, value in self if value is not None}
        return above.model_copy(update=own)

    def provenance(self, source: str, changed: dt.date, made: str) -> Provenance:
        """Return the provenance of a piece; the day of its last change if none is said."""
        told = "said by the user" if self.created else "that of the last change"
        return Provenance(
            source=source,
            author=self.author or "unknown",
            licence=spdx(self.licence),
            created=self.created or changed,
            url=self.url,
            publishable=bool(self.publishable),
            made=f"{made}; the date is {told}",
        )


def is_note(data: bytes) -> bool:
    """Tell whether JSON is a note: an object with no other keys than a note has."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return False
    fields = Note.model_fields.keys()
    return isinstance(value, dict) and value.keys() <= fields


def read_folder_note(folder: Path, name: str, above: Note) -> Outcome[Note]:
    """Read the ``material.toml`` of a folder, if it has one, over the note of the folder above."""
    file = folder / FOLDER_NOTE
    if file.is_symlink() or not file.is_file():
        return ok(above)
    label = f"{name}/{FOLDER_NOTE}" if name else FOLDER_NOTE
    return _read(file, label, tomllib.loads, above)


def read_note(file: Path, name: str, above: Note) -> Outcome[Note]:
    """Read the ``NAME.json`` of a piece over the note of its folder."""
    return _read(file, name, json.loads, above)


def _read(file: Path, name: str, parse: Callable[[str], Any], above: Note) -> Outcome[Note]:
    data = read_file(file, name, NOTE_BYTES)
    if isinstance(data, Failed):
        return data
    if len(data.value) > NOTE_BYTES:
        return _faulty(name, f"more than {NOTE_BYTES} bytes")
    try:
        note = Note.model_validate(parse(data.value.decode("utf-8-sig")))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return _faulty(name, f"{where}: {first['msg']}" if where else first["msg"])
    except (ValueError, RecursionError) as error:
        return _faulty(name, str(error))
    return ok(note.over(above))


def _faulty(name: str, message: str) -> Failed:
    told = f"{name}: {message}"
    return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, told, subject=name)
