"""The official MindBench files, in a folder or in a downloaded archive of their layout.

Layout (as its README says): ``<set>_test.jsonl`` and ``<set>_test_easy.jsonl`` for the crawled
sets, ``synth_test_<task>.jsonl`` for the synthetic ones, pictures at the relative paths that the
lines name; the synthetic pictures may still lie in ``synth_test.tar.gz``. Names in lines and
archives are hostile: they are looked up, never written to.
"""

from __future__ import annotations

import json
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok

MOST_PICTURE_BYTES = 50_000_000
MOST_LINE_CHARACTERS = 2_000_000
MOST_ARCHIVE_BYTES = 20_000_000_000
"""Bytes of all files in an archive together that are passed over in search of pictures."""

ARCHIVE = "synth_test.tar.gz"


@dataclass(frozen=True)
class Line:
    """One question of a file."""

    number: int
    image: str
    question: str
    answer: str


def read_lines(path: Path) -> Iterator[Outcome[Line]]:
    """Yield the lines of a question file, from 1; what is not in the official form is a failure."""
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                yield _line(path.name, number, text)


def _line(name: str, number: int, text: str) -> Outcome[Line]:
    if len(text) > MOST_LINE_CHARACTERS:
        message = f"{name}, line {number}: longer than {MOST_LINE_CHARACTERS} characters"
        return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, message)
    try:
        entry = json.loads(text)
        turns = [turn["value"] for turn in entry["conversations"]]
        image, question, answer = entry["image"][0], turns[1], turns[2]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError) as error:
        reason = f"{name}, line {number}: not a MindBench question ({type(error).__name__})"
        return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, reason)
    if not all(isinstance(value, str) and value for value in (image, question, answer)):
        reason = f"{name}, line {number}: image, question or answer is missing"
        return Failed.of(Stage.FETCH, Kind.PARSE_ERROR, reason)
    return ok(Line(number, image, question, answer))


def read_pictures(folder: Path, names: set[str]) -> dict[str, Outcome[bytes]]:
    """Return pictures by the names that lines give them: from the folder, else from the archive."""
    found = {name: _from_folder(folder, name) for name in names}
    missing = {name for name, outcome in found.items() if isinstance(outcome, Failed)}
    archive = folder / ARCHIVE
    if missing and archive.is_file():
        found |= _from_archive(archive, missing)
    return found


def _from_folder(folder: Path, name: str) -> Outcome[bytes]:
    parts = PurePosixPath(name).parts
    if not parts or parts[0] == "/" or ".." in parts:
        return Failed.of(Stage.FETCH, Kind.UNSAFE_INPUT, f"{name!r} is not a path in the data set")
    path = folder.joinpath(*parts)
    if not path.is_file():
        message = f"the picture {name!r} is not in the data set"
        return Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)
    if path.stat().st_size > MOST_PICTURE_BYTES:
        return _too_large(name)
    return ok(path.read_bytes())


def _from_archive(archive: Path, names: set[str]) -> dict[str, Outcome[bytes]]:
    """Read members in their order, once; the archive may have a folder of its own around all."""
    wanted = {PurePosixPath(name).parts: name for name in names}
    longest = {len(parts) for parts in wanted}
    found: dict[str, Outcome[bytes]] = {}
    passed = 0
    try:
        with tarfile.open(archive, "r|gz") as members:
            for member in members:
                passed += member.size
                if passed > MOST_ARCHIVE_BYTES or len(found) == len(wanted):
                    break
                parts = PurePosixPath(member.name).parts
                name = next((wanted[p] for n in longest if (p := parts[-n:]) in wanted), None)
                if name is None or not member.isfile():
                    continue
                if member.size > MOST_PICTURE_BYTES:
                    found[name] = _too_large(name)
                    continue
                file = members.extractfile(member)
                if file is not None:
                    found[name] = ok(file.read())
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        damaged = Failed.of(Stage.FETCH, Kind.PARSE_ERROR, f"{archive.name} is damaged: {error}")
        found |= dict.fromkeys(names - set(found), damaged)
    return found


def _too_large(name: str) -> Failed:
    message = f"the picture {name!r} is larger than {MOST_PICTURE_BYTES} bytes"
    return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, message)
