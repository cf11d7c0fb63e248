r"""Pieces in several files made one: ``\include`` of a neighbour is replaced by what is in it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.score_file import FOR_SOUND, LIBRARY

MOST_FILES = 40
MOST_DEPTH = 6
MOST_CHARACTERS = 400_000

_PART = re.compile(
    r'(?P<comment>%\{.*?(?:%\}|\Z)|%[^\n]*)|(?P<string>"(?:[^"\\]|\\.)*+(?:"|\\?\Z))'
    r'|\\include\s{1,20}"(?P<name>[^"\n]{1,200})"',
    re.S,
)
_VERSION = re.compile(r'\\version\s{0,20}"[^"]{0,20}"')


class _Stopped(Exception):
    def __init__(self, failure: Failed) -> None:
        self.failure = failure


def join(path: str, text: str, read: Callable[[str], Outcome[str]]) -> Outcome[tuple[str, int]]:
    """Return a piece as one text, and of how many files it was made.

    Args:
        path: of the main file, with forward slashes.
        text: its content.
        read: gets a file by its path.

    Returns:
        The text, or a failure: NO_SOURCE (a file is missing), UNSUITABLE (a circle, too many
        files), TOO_LARGE, or what `read` failed with if that is ours.
    """
    joiner = _Joiner(read)
    try:
        whole = joiner.expand(path, text, ())
    except _Stopped as stopped:
        return stopped.failure
    return ok((whole, joiner.files + 1))


class _Joiner:
    def __init__(self, read: Callable[[str], Outcome[str]]) -> None:
        self.read = read
        self.files = 0
        self.characters = 0

    def expand(self, path: str, text: str, above: tuple[str, ...]) -> str:
        if path in above or len(above) >= MOST_DEPTH:
            raise _failed(Kind.UNSUITABLE, f"files that include each other: {path}")
        self.characters += len(text)
        if self.characters > MOST_CHARACTERS:
            raise _failed(Kind.TOO_LARGE, f"more than {MOST_CHARACTERS} characters with its parts")

        def replace(found: re.Match[str]) -> str:
            name = found["name"]
            if name is None or name in LIBRARY or name in FOR_SOUND:
                return found[0]
            part = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if part.startswith(("..", "/")):
                raise _failed(Kind.UNSAFE_INPUT, f"it includes {name!r}")
            inner = self.expand(part, self._get(part), (*above, path))
            return f"\n{_VERSION.sub('', inner)}\n"  # the main file's version holds for all

        return _PART.sub(replace, text)

    def _get(self, part: str) -> str:
        self.files += 1
        if self.files > MOST_FILES:
            raise _failed(Kind.UNSUITABLE, f"more than {MOST_FILES} files")
        got = self.read(part)
        if isinstance(got, Failed):
            if not got.final:
                raise _Stopped(got)
            raise _failed(Kind.NO_SOURCE, f"it needs {part}, which could not be had: {got.message}")
        return got.value


def _failed(kind: Kind, message: str) -> _Stopped:
    return _Stopped(Failed.of(Stage.FETCH, kind, message))
