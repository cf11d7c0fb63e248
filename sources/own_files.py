"""The files of the user's own folders: which are read, how much of each, and when they changed."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok

UNDATED = dt.date(1970, 1, 1)
"""The day of what has no date that makes sense: the oldest that a file system knows."""


def walk(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield a file, or the files of a folder and of those in it, each with its name there.

    Args:
        path: a file, whatever its name; or a folder, in which hidden files and links are passed
            over. The order is that of the paths.
    """
    if not path.is_dir():
        yield path, path.name
        return
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path)
        if not any(part.startswith(".") for part in name.parts) and _may_be_read(file):
            yield file, name.as_posix()


def read_file(file: Path, name: str, most: int) -> Outcome[bytes]:
    """Read a file, at most one byte more than `most`, so that the reader sees that it is too long.

    Returns:
        Its bytes, or a failure of stage fetch that begins with the name: unsupported (a name that
        is not UTF-8) or missing_resource (the system's own words).
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        told = f"{name.encode(errors='backslashreplace').decode()}: its name is not UTF-8"
        return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, told)
    try:
        with file.open("rb") as opened:
            return ok(opened.read(most + 1))
    except OSError as error:
        told = f"{name}: {error.strerror or type(error).__name__}"
        return Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, told)


def last_change(file: Path) -> dt.date:
    """Return the day (UTC) of a file's last change; ``UNDATED`` where none makes sense."""
    try:
        return dt.datetime.fromtimestamp(file.stat().st_mtime, dt.UTC).date()
    except (OSError, OverflowError, ValueError):
        return UNDATED


def _may_be_read(file: Path) -> bool:
    try:
        return file.is_file() and not file.is_symlink()
    except OSError:
        return True  # and the opening says what is wrong
