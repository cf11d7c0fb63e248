"""A checked set of relative files: nothing reaches a sandbox, or comes back, under another name.

Paths are as untrusted as contents. They are checked as if the files were going to be written on any
common file system, so that a snapshot can be exported anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Structure

NAME_BYTES = 255
PATH_BYTES = 1024
DEPTH = 32

_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\..*)?", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})


@dataclass(frozen=True)
class Caps:
    """How much a bundle may hold."""

    files: int = 500
    file_bytes: int = 5_000_000
    total_bytes: int = 20_000_000


CAPS = Caps()


@dataclass(frozen=True)
class Bundle:
    """Files whose paths and sizes have been checked; the paths are NFC and have no ``.`` parts."""

    files: Mapping[str, bytes]
    entry: str = ""

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(map(len, self.files.values()))


def check(files: Mapping[str, bytes], caps: Caps = CAPS) -> Outcome[Bundle]:
    """Check the paths and sizes of files that a model wrote or the internet sent.

    Args:
        files: contents by path, with forward slashes.
        caps: the largest number of files, size of one and size of all.

    Returns:
        The bundle under normalised paths, or a failure that names the path: ``UNSAFE_INPUT`` for a
        path that leaves the folder, is not portable or collides with another (also when they
        differ by case only); ``RESOURCE_LIMIT`` for too many files or bytes.
    """
    if len(files) > caps.files:
        return _too_much(f"{len(files)} files, more than {caps.files}")
    checked: dict[str, bytes] = {}
    total = 0
    for path, data in files.items():
        fault = path_fault(path)
        if fault:
            return _unsafe(path, fault)
        if len(data) > caps.file_bytes:
            return _too_much(f"{path!r} has {len(data)} bytes, more than {caps.file_bytes}")
        total += len(data)
        name = normalise(path)
        if name in checked:
            return _unsafe(path, "names the same file as another path")
        checked[name] = data
    if total > caps.total_bytes:
        return _too_much(f"the files have {total} bytes together, more than {caps.total_bytes}")
    clash = _collision(checked)
    return _unsafe(*clash) if clash else ok(Bundle(checked))


def check_structure(structure: Structure, caps: Caps = CAPS) -> Outcome[Bundle]:
    """Check a structure's files as ``check`` does, and that its entry is one of them."""
    checked = check(structure.files, caps)
    if isinstance(checked, Failed):
        return checked
    entry = normalise(structure.entry)
    if path_fault(structure.entry) or entry not in checked.value.files:
        return _unsafe(structure.entry, "is named as the entry but is not among the files")
    return ok(Bundle(checked.value.files, entry))


def normalise(path: str) -> str:
    """Return a path in Unicode's NFC form and without ``.`` and empty parts."""
    parts = unicodedata.normalize("NFC", path).split("/")
    return "/".join(part for part in parts if part not in ("", "."))


def path_fault(path: str) -> str:
    """Say what is wrong with a path, or return an empty string."""
    if any(unicodedata.category(character) in _CONTROL for character in path):
        return "holds a control character"  # and lone surrogates, which no encoding takes
    parts = path.split("/")
    faults = {
        "is not relative": path.startswith("/") or _DRIVE.match(path),
        "holds a backslash": "\\" in path,
        "names no file": not normalise(path) or parts[-1] in ("", "."),
        f"is longer than {PATH_BYTES} bytes": len(normalise(path).encode()) > PATH_BYTES,
        f"has more than {DEPTH} parts": len(parts) > DEPTH,
    }
    found = [fault for fault, is_so in faults.items() if is_so]
    found += (fault for fault in map(_part_fault, parts) if fault)
    return found[0] if found else ""


def _part_fault(part: str) -> str:
    if part in ("", "."):
        return ""
    faults = {
        "leaves the folder": part == "..",
        "has a part that begins or ends with a space or ends with a dot": (
            part.endswith((".", " ")) or part.startswith(" ")
        ),
        "is the name of a device": _DEVICE.fullmatch(part),
        "holds a colon": ":" in part,
        f"has a part longer than {NAME_BYTES} bytes": (
            len(unicodedata.normalize("NFC", part).encode()) > NAME_BYTES
        ),
    }
    return next((fault for fault, is_so in faults.items() if is_so), "")


def _collision(paths: Iterable[str]) -> tuple[str, str] | None:
    """Find a path that is a file and a folder at once, or differs from another by case only."""
    spelled: dict[str, tuple[str, bool]] = {}
    for path in paths:
        parts = path.split("/")
        for length in range(1, len(parts) + 1):
            prefix, is_file = "/".join(parts[:length]), length == len(parts)
            folded = unicodedata.normalize("NFC", prefix.casefold())
            known, known_is_file = spelled.setdefault(folded, (prefix, is_file))
            if known != prefix:
                return path, f"differs from {known!r} by case only"
            if known_is_file != is_file:
                return path, f"{prefix!r} is both a file and a folder"
    return None


def _unsafe(path: str, fault: str) -> Failed:
    shown = path if len(path) <= NAME_BYTES else f"{path[:NAME_BYTES]}…"
    return Failed.of(Stage.RENDER, Kind.UNSAFE_INPUT, f"path {shown!r}: {fault}")


def _too_much(what: str) -> Failed:
    return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, f"input: {what}")
