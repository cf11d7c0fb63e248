"""The official MindBench files, in a folder or in a downloaded archive of their layout.

Layout (as its README says): ``<set>_test.jsonl`` and ``<set>_test_easy.jsonl`` for the crawled
sets, ``synth_test_<task>.jsonl`` for the synthetic ones, pictures at the relative paths that the
lines name; the synthetic pictures may still lie in ``synth_test.tar.gz``. All that may lie in the
folder itself or in one folder of it. Lines of sets that we exported have one key more,
``rerender``, a JSON text about the line, and ``recipes.jsonl`` holds what was published as a recipe
only. Names in lines and archives are hostile: they are looked up,
never written to, and never lead out of the folder, by links neither.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from sources.archive import DAMAGED, Member, TooMuch, read_tar_stream

MOST_PICTURE_BYTES = 50_000_000
MOST_LINE_CHARACTERS = 2_000_000
MOST_ARCHIVE_BYTES = 20_000_000_000
"""Bytes of an unpacked archive that are passed over in search of pictures."""

ARCHIVE = "synth_test.tar.gz"
QUESTIONS = "*_test*.jsonl"
RECIPES = "recipes.jsonl"
ABOUT = "rerender"
"""The key of what our own exports say of a line."""

T = TypeVar("T")


@dataclass(frozen=True)
class Line:
    """One question of a file."""

    number: int
    image: str
    question: str
    answer: str
    about: Mapping[str, JsonValue] = field(default_factory=dict)
    """What a set that we exported says of the line; foreign like all the rest."""


def find_file(folder: Path, name: str) -> Path | None:
    """Return a file of the data set: in the folder, else in a folder of it."""
    return next((path for place in _places(folder) if (path := place / name).is_file()), None)


def _places(folder: Path) -> list[Path]:
    """Return where files may lie: the folder, then those in it that hold files of the data set."""
    below = {path.parent for name in (QUESTIONS, ARCHIVE) for path in folder.glob(f"*/{name}")}
    return [folder, *sorted(below)]


def read_lines(path: Path) -> Iterator[Outcome[Line]]:
    """Yield the lines of a question file, from 1; what is not in the official form is a failure."""
    number = 0
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while text := file.readline(MOST_LINE_CHARACTERS + 1):
            number += 1
            if len(text) > MOST_LINE_CHARACTERS:
                while text and not text.endswith("\n"):
                    text = file.readline(MOST_LINE_CHARACTERS)
                message = f"{path.name}, line {number}: over {MOST_LINE_CHARACTERS} characters"
                yield Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, message)
            elif text.strip():
                yield _line(path.name, number, text)


def _line(name: str, number: int, text: str) -> Outcome[Line]:
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
    return ok(Line(number, image, question, answer, read_about(entry)))


def read_about(entry: Mapping[str, object]) -> dict[str, JsonValue]:
    """Return what a line says of itself besides the official keys; nothing if it says nothing."""
    text = entry.get(ABOUT)
    try:
        about = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        about = None
    return about if isinstance(about, dict) else {}


def read_recipes(folder: Path) -> Iterator[dict[str, JsonValue]]:
    """Yield what is said of instances that were published as recipes only."""
    path = find_file(folder, RECIPES)
    if path is None:
        return
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        while (text := file.readline(MOST_LINE_CHARACTERS)).endswith("\n"):
            try:
                entry = json.loads(text)
            except (ValueError, RecursionError):
                continue
            about = read_about(entry) if isinstance(entry, dict) else {}
            if about:
                yield about


def find_pictures(folder: Path, names: set[str]) -> set[str]:
    """Return those of the names that ``read_pictures`` would give a picture for."""
    places = _places(folder)
    found = {name for name in names if isinstance(_from_places(places, name, _measure), Ok)}
    missing = names - found
    archive = find_file(folder, ARCHIVE)
    if missing and archive is not None:
        members, _ = _from_archive(archive, missing, _measure_member)
        found |= {name for name, outcome in members.items() if isinstance(outcome, Ok)}
    return found


def read_pictures(folder: Path, names: set[str]) -> dict[str, Outcome[bytes]]:
    """Return pictures by the names that lines give them: from the folder, else from the archive.

    The archive is read through once, whatever the number of pictures.
    """
    places = _places(folder)
    found = {name: _from_places(places, name, _read) for name in names}
    missing = {
        name
        for name, outcome in found.items()
        if isinstance(outcome, Failed) and outcome.kind is Kind.MISSING_RESOURCE
    }
    archive = find_file(folder, ARCHIVE)
    if missing and archive is not None:
        members, failure = _from_archive(archive, missing, _read_member)
        found |= members
        if failure is not None:
            found |= dict.fromkeys(missing - set(members), failure)
    return found


def _from_places(
    places: list[Path], name: str, use: Callable[[str, Path], Outcome[T]]
) -> Outcome[T]:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts:
        return _unsafe(name)
    outcome: Outcome[T] = _missing(name)
    for place in places:
        outcome = _from_folder(place, places[0], path, use)
        if isinstance(outcome, Ok) or outcome.kind is not Kind.MISSING_RESOURCE:
            break
    return outcome


def _from_folder(
    place: Path, folder: Path, name: PurePosixPath, use: Callable[[str, Path], Outcome[T]]
) -> Outcome[T]:
    try:
        path = place.joinpath(name).resolve(strict=True)
        if not path.is_relative_to(folder.resolve()):
            return _unsafe(str(name))
        return use(str(name), path) if path.is_file() else _missing(str(name))
    except (OSError, ValueError, RuntimeError):  # too long, not a name at all, links in a circle
        return _missing(str(name))


def _measure(name: str, path: Path) -> Outcome[int]:
    size = path.stat().st_size
    return ok(size) if size <= MOST_PICTURE_BYTES else _too_large(name)


def _read(name: str, path: Path) -> Outcome[bytes]:
    with path.open("rb") as file:
        data = file.read(MOST_PICTURE_BYTES + 1)
    return ok(data) if len(data) <= MOST_PICTURE_BYTES else _too_large(name)


def _measure_member(name: str, member: Member) -> Outcome[int]:
    return ok(member.size) if member.size <= MOST_PICTURE_BYTES else _too_large(name)


def _read_member(name: str, member: Member) -> Outcome[bytes]:
    return ok(member.read()) if member.size <= MOST_PICTURE_BYTES else _too_large(name)


def _from_archive(
    archive: Path, names: set[str], use: Callable[[str, Member], Outcome[T]]
) -> tuple[dict[str, Outcome[T]], Failed | None]:
    """Take members in their order, once; the archive may have a folder of its own around all.

    Returns:
        What was found, and why the reading ended before the end of the archive, if it did.
    """
    wanted = {PurePosixPath(name).parts: name for name in names}
    longest = {len(parts) for parts in wanted}
    found: dict[str, Outcome[T]] = {}
    try:
        for member in read_tar_stream(archive, MOST_ARCHIVE_BYTES):
            parts = PurePosixPath(member.name).parts
            name = next((wanted[p] for n in longest if (p := parts[-n:]) in wanted), None)
            if name is not None and name not in found:
                found[name] = use(name, member)
                if len(found) == len(wanted):
                    break
    except TooMuch as error:
        message = f"{archive.name} {error}"
        return found, Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, message)
    except DAMAGED as error:
        message = f"{archive.name} is damaged: {error or type(error).__name__}"
        return found, Failed.of(Stage.FETCH, Kind.PARSE_ERROR, message)
    return found, None


def _unsafe(name: str) -> Failed:
    return Failed.of(Stage.FETCH, Kind.UNSAFE_INPUT, f"{name!r} is not a path in the data set")


def _missing(name: str) -> Failed:
    message = f"the picture {name!r} is not in the data set"
    return Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)


def _too_large(name: str) -> Failed:
    message = f"the picture {name!r} is larger than {MOST_PICTURE_BYTES} bytes"
    return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, message)
