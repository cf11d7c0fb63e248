"""The pieces that lie in a folder of the user's: files and sites, their kinds, their notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.folder_notes import FOLDER_NOTE, NOTE_BYTES, Note, is_note, read_folder_note, read_note
from sources.own_files import read_file

ENTRIES = 20_000
"""Files and folders that are looked at."""
DEPTH = 16
"""Folders within each other."""

SCENARIOS = ("webpage", "latex", "music", "mindmap", "flowchart")
"""What material is for; a folder of such a name at the top says it of all that lies in it."""


class Type(StrEnum):
    """The kinds of pieces, by the scenario that takes them."""

    SITE = "webpage"
    TEX = "latex"
    LILYPOND = "music"
    MAP = "mindmap"
    GRAPH = "flowchart"
    PICTURE = "picture"


class Role(StrEnum):
    """What a file is to a piece of the same name."""

    NOTE = "note"
    PICTURE = "picture"


SUFFIXES = {
    **dict.fromkeys((".html", ".htm"), Type.SITE),
    **dict.fromkeys((".tex", ".latex", ".ltx"), Type.TEX),
    ".ly": Type.LILYPOND,
    **dict.fromkeys((".xmind", ".mmap", ".xmmap", ".mm", ".opml", ".km"), Type.MAP),
    **dict.fromkeys((".dot", ".gv"), Type.GRAPH),
}
PICTURES = (".png", ".jpg", ".jpeg", ".webp")
OUTLINES = (".md", ".markdown", ".txt", ".json", ".xml", ".html", ".htm")
"""What is a mind map where the folder says so."""
INDEXES = ("index.html", "index.htm", "_config.yml")
"""Files that make a folder one web site."""


@dataclass(frozen=True)
class Piece:
    """A file, or the folder of a site."""

    path: Path
    name: str
    """Its path in the folder, with forward slashes."""
    type: Type
    scenario: str = ""
    """What the folder says; "" where it says nothing."""
    subset: str = ""
    picture: Path | None = None
    """A picture of the same name: what the models are shown."""
    note: Note = field(default_factory=Note)

    @property
    def takes(self) -> str:
        """The scenario that takes the piece."""
        return self.scenario or self.type.value


def find_pieces(root: Path) -> Iterator[Outcome[Piece]]:
    """Yield the pieces of a folder in order of name, and a failure for each file of no use.

    Hidden files and symbolic links are passed over.
    """
    yield from _Search(root).folder(root, (), Note())


class _Search:
    """Walks through folders and keeps count."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._left = ENTRIES

    def folder(self, folder: Path, parts: tuple[str, ...], above: Note) -> Iterator[Outcome[Piece]]:
        name = "/".join(parts)
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            told = f"{name or folder}: {error.strerror or type(error).__name__}"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, told, subject=name)
            return
        self._left -= len(entries)
        if self._left < 0 or len(parts) > DEPTH:
            told = (
                f"more than {ENTRIES} files" if self._left < 0 else f"deeper than {DEPTH} folders"
            )
            yield Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, f"{name}: {told}", subject=name)
            return
        seen = [one for one in entries if not one.name.startswith(".") and not one.is_symlink()]
        note = read_folder_note(folder, name, above)
        if isinstance(note, Failed):
            yield note
        elif any((folder / index) in seen for index in INDEXES):
            yield self._piece(folder, parts, Type.SITE, note.value, {})
        else:
            yield from self._files(seen, parts, note.value)
            for one in seen:
                if one.is_dir():
                    yield from self.folder(one, (*parts, one.name), note.value)

    def _files(
        self, entries: list[Path], parts: tuple[str, ...], note: Note
    ) -> Iterator[Outcome[Piece]]:
        """Yield the pieces that are files; notes and pictures go with the piece of their name."""
        files = [one for one in entries if one.is_file() and one.name != FOLDER_NOTE]
        roles = {one: self._role(one, parts) for one in files}
        pieces = {one.stem for one, role in roles.items() if isinstance(role, Type)}
        beside: dict[tuple[str, Role], Path] = {}
        for one, role in roles.items():
            if isinstance(role, Role):
                beside.setdefault((one.stem, role), one)
        pictures = {one.stem for one, role in roles.items() if role is Role.PICTURE}
        for one, role in roles.items():
            name = (*parts, one.name)
            if isinstance(role, Type):
                yield self._piece(one, name, role, note, beside)
            elif role is Role.PICTURE and one.stem not in pieces:
                yield self._piece(one, name, Type.PICTURE, note, beside)
            elif role is None or (role is Role.NOTE and one.stem not in pieces | pictures):
                yield _of_no_use(one, "/".join(name))

    def _role(self, file: Path, parts: tuple[str, ...]) -> Type | Role | None:
        """Return what a file is by its name, and a JSON file by its content."""
        suffix = file.suffix.lower()
        if suffix == ".json" and _holds_note(file):
            return Role.NOTE
        if suffix in PICTURES:
            return Role.PICTURE
        in_maps = parts[:1] == (Type.MAP.value,)
        return Type.MAP if in_maps and suffix in OUTLINES else SUFFIXES.get(suffix)

    def _piece(
        self,
        path: Path,
        parts: tuple[str, ...],
        type_: Type,
        note: Note,
        beside: dict[tuple[str, Role], Path],
    ) -> Outcome[Piece]:
        name = "/".join(parts) or path.name
        if not _is_utf8(name):
            told = f"{name.encode(errors='backslashreplace').decode()}: its name is not UTF-8"
            return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, told, subject=name)
        scenario, subset = _said(parts[:-1] if path.is_file() else parts)
        if scenario and type_ not in (Type.PICTURE, scenario):
            told = f"{name}: a file for {type_} in a folder for {scenario}"
            return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, told, subject=name)
        own = beside.get((path.stem, Role.NOTE))
        if own is not None:
            read = read_note(own, "/".join((*parts[:-1], own.name)), note)
            if isinstance(read, Failed):
                return read
            note = read.value
        picture = beside.get((path.stem, Role.PICTURE)) if type_ is not Type.PICTURE else None
        return ok(Piece(path, name, type_, scenario, subset, picture, note))


def _said(folders: tuple[str, ...]) -> tuple[str, str]:
    """Return the scenario and the subset that the names of folders say."""
    if not folders or folders[0] not in SCENARIOS:
        return "", ""
    subsets = registry.scenarios.get(folders[0]).subsets
    return folders[0], folders[1] if len(folders) > 1 and folders[1] in subsets else ""


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _holds_note(file: Path) -> bool:
    data = read_file(file, file.name, NOTE_BYTES)
    return not isinstance(data, Failed) and is_note(data.value)


def _of_no_use(file: Path, name: str) -> Failed:
    suffix = file.suffix.lower()
    told = "a file of no kind that is read"
    if suffix in OUTLINES:
        told = "read as a mind map only in a folder of the name mindmap"
    return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, f"{name}: {told}", subject=name)
