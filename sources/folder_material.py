"""A piece of a folder as material: its truth as an answer writes it, its subset by its content."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.protocols import Needs
from benchmark.records import Material, Provenance
from sources.folder_notes import FOLDER_NOTE
from sources.folder_pieces import Piece, Type
from sources.map_material import Wanted, language_of, materials_from
from sources.maps.reader import MAP_BYTES
from sources.own_files import UNDATED, last_change, read_file, walk
from sources.webpage_files import SCRIPTS, STYLES, SiteFiles, sort_files

SOURCE = "folder"
MADE = "read from a folder of the user's"
TEXT_BYTES = 1_000_000
PICTURE_BYTES = 20_000_000
SITE_FILES = 500
SITE_BYTES = 20_000_000
LEAST_NODES = 2

BEGINNINGS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"RIFF")
"""How the pictures begin that are read."""

LATEX = (
    ("plot", re.compile(r"\\begin\{(?:tikzpicture|axis|pgfpicture)\}|\\tikz\b")),
    ("algorithm", re.compile(r"\\begin\{(?:algorithm|algorithmic|algorithm2e|algpseudocode)\*?\}")),
    ("table", re.compile(r"\\begin\{(?:tabular|tabularx|tabulary|longtable|table|tblr)\*?\}")),
)
"""The subsets of LaTeX by what a source holds; anything else is an equation."""
MUSIC = (
    ("lyrics", re.compile(r"\\(?:addlyrics|lyricsto|lyricmode|lyrics)\b")),
    ("chords", re.compile(r"\\(?:chordmode|chords)\b|\\new\s{1,20}ChordNames\b")),
    ("piano", re.compile(r"\\new\s{1,20}(?:PianoStaff|GrandStaff)\b")),
)
"""The subsets of music; several staves or voices are voices, and anything else is a melody."""
QUOTED = re.compile(r'"([^"]*)"')
"""What a graph says: its own words are English in any chart."""
PARTS = re.compile(r"\\new\s{1,20}(?:Staff|Voice)\b")


def materials_of(piece: Piece) -> Iterator[Outcome[Material]]:
    """Yield the material of a piece: one, or one for each sheet of a mind map.

    What cannot be read is a failure of stage fetch, what is not wanted one of stage filter.
    """
    provenance = piece.note.provenance(SOURCE, changed_on(piece), MADE)
    if piece.type is Type.MAP:
        found = _maps(piece, provenance)
    elif piece.type is Type.PICTURE:
        found = iter([_picture(piece, provenance)])
    elif piece.type is Type.SITE:
        found = iter([_site(piece, provenance)])
    else:
        found = iter([_text(piece, provenance)])
    for outcome in found:
        yield _shown(piece, outcome)


def changed_on(piece: Piece) -> dt.date:
    """Return the day (UTC) of the last change of a piece: of a site, that of its newest file."""
    return max((last_change(file) for file, _ in walk(piece.path)), default=UNDATED)


def _shown(piece: Piece, outcome: Outcome[Material]) -> Outcome[Material]:
    """Put the picture of the same name to a piece's material; name what a failure is about."""
    if isinstance(outcome, Failed):
        stage = Stage.FILTER if outcome.stage is Stage.FILTER else Stage.FETCH
        subject = outcome.subject or piece.name
        return outcome.model_copy(update={"stage": stage, "subject": subject})
    if piece.picture is None or "#" in outcome.value.id:
        return outcome
    data = _read_picture(piece.picture, piece.picture.name)
    if isinstance(data, Failed):
        return data.model_copy(update={"subject": piece.name})
    return ok(outcome.value.model_copy(update={"picture": data.value}))


def _maps(piece: Piece, provenance: Provenance) -> Iterator[Outcome[Material]]:
    data = read_file(piece.path, piece.name, MAP_BYTES)
    if isinstance(data, Failed):
        yield data
        return
    wanted = Wanted(least=LEAST_NODES, ident=f"mindmap/{piece.name}")
    for outcome in materials_from(piece.name, data.value, provenance, wanted):
        if isinstance(outcome, Ok) and piece.subset:
            yield ok(outcome.value.model_copy(update={"subset": piece.subset}))
        else:
            yield outcome


def _text(piece: Piece, provenance: Provenance) -> Outcome[Material]:
    data = read_file(piece.path, piece.name, TEXT_BYTES)
    if isinstance(data, Failed):
        return data
    text = _decode(piece.name, data.value)
    if isinstance(text, Failed):
        return text
    code = _without_comments(text.value)
    told_by = {Type.TEX: _latex, Type.LILYPOND: _music, Type.GRAPH: _chart}[piece.type]
    subset = piece.subset or told_by(code)
    return ok(_material(piece, subset, text.value, provenance))


def _latex(code: str) -> str:
    return next((name for name, sign in LATEX if sign.search(code)), "equation")


def _music(code: str) -> str:
    several = "voices" if len(PARTS.findall(code)) > 1 else "melody"
    return next((name for name, sign in MUSIC if sign.search(code)), several)


def _chart(code: str) -> str:
    return language_of(" ".join(QUOTED.findall(code)))


def _site(piece: Piece, provenance: Provenance) -> Outcome[Material]:
    files = _site_files(piece)
    sorted_files = files if isinstance(files, Failed) else sort_files(files.value)
    if isinstance(sorted_files, Failed):
        told = f"{piece.name}: {sorted_files.message}"
        return sorted_files.model_copy(update={"message": told})
    site = sorted_files.value
    made = _material(piece, piece.subset or _language(site), site.truth, provenance)
    return ok(made.model_copy(update={"assets": dict(site.assets)}))


def _site_files(piece: Piece) -> Outcome[dict[str, bytes]]:
    """Read the files of a site: those of its folder, or a page that lies alone."""
    files: dict[str, bytes] = {}
    left = SITE_BYTES
    for file, name in walk(piece.path):
        if file.name == FOLDER_NOTE:
            continue
        data = read_file(file, name, left)
        if isinstance(data, Failed):
            return data
        left -= len(data.value)
        if left < 0 or len(files) >= SITE_FILES:
            told = f"more than {SITE_FILES} files or {SITE_BYTES} bytes"
            return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, told)
        files[name if piece.path.is_dir() else "index.html"] = data.value
    return ok(files)


def _language(site: SiteFiles) -> str:
    """Return the language that most of a site is written in."""
    sizes = {"html": 0, "css": 0, "javascript": 0}
    for name, text in site.texts.items():
        suffix = Path(name).suffix.lower()
        language = "css" if suffix in STYLES else "javascript" if suffix in SCRIPTS else "html"
        sizes[language] += len(text)
    return max(sizes, key=lambda language: sizes[language])


def _picture(piece: Piece, provenance: Provenance) -> Outcome[Material]:
    """Return material without a truth; the folder must say what the picture shows."""
    if not piece.scenario:
        told = f"{piece.name}: a picture alone needs a folder that names a scenario and a subset"
        return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, told)
    scenario = registry.scenarios.get(piece.scenario)
    if not piece.subset:
        told = (
            f"{piece.name}: a picture alone needs a folder {piece.scenario}/SUBSET, SUBSET one of"
        )
        return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, f"{told} {', '.join(scenario.subsets)}")
    data = _read_picture(piece.path, piece.name)
    if isinstance(data, Failed):
        return data
    images = tuple(
        name for name in scenario.metrics if registry.metrics.get(name).needs is Needs.IMAGES
    )
    made = _material(piece, piece.subset, None, provenance)
    return ok(made.model_copy(update={"picture": data.value, "metrics": images}))


def _read_picture(path: Path, name: str) -> Outcome[bytes]:
    data = read_file(path, name, PICTURE_BYTES)
    if isinstance(data, Failed):
        return data
    if len(data.value) > PICTURE_BYTES:
        told = f"{name}: a picture of more than {PICTURE_BYTES} bytes"
        return Failed.of(Stage.FETCH, Kind.TOO_LARGE, told)
    if not data.value.startswith(BEGINNINGS):
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, f"{name}: no PNG, JPEG or WebP")
    return data


def _material(piece: Piece, subset: str, truth: str | None, provenance: Provenance) -> Material:
    attributes: dict[str, JsonValue] = {"file": piece.name}
    if truth is not None:
        attributes["lines"] = len(truth.splitlines())
    return Material(
        id=f"{piece.takes}/{piece.name}",
        scenario=piece.takes,
        subset=subset,
        truth=truth,
        provenance=provenance,
        attributes=attributes,
    )


def _decode(name: str, data: bytes) -> Outcome[str]:
    if len(data) > TEXT_BYTES:
        told = f"{name}: more than {TEXT_BYTES} bytes"
        return Failed.of(Stage.FETCH, Kind.TOO_LARGE, told)
    try:
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, f"{name}: not UTF-8")
    if not text.strip() or "\0" in text:
        told = "no text" if "\0" in text else "empty"
        return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, f"{name}: {told}")
    return ok(text)


def _without_comments(text: str) -> str:
    """Drop what follows a percent sign, which begins a comment in LaTeX and in LilyPond."""
    return "\n".join(re.split(r"(?<!\\)%", line, maxsplit=1)[0] for line in text.splitlines())
