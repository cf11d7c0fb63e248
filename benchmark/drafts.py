"""Files on their way into a store on a disk: written aside, forced to the disk, moved into place.

A process that is killed while it writes leaves its draft. No reader takes it for a file of the
store, since it has a folder of its own; whoever opens the store next to write throws it away.
"""

from __future__ import annotations

import functools
import hashlib
import os
import secrets
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

FOLDER = ".drafts"
"""In each folder of the store, so that a draft is on the same file system as its place."""

ABANDONED_SECONDS = 24 * 3600
"""After so long the draft of another machine is nobody's: whether its process lives is not known
here."""


@contextmanager
def draft(root: Path, place: Path, data: bytes) -> Iterator[Path]:
    """Have bytes on the disk, to be moved or linked to their place within the block.

    Args:
        root: of the store.
        place: where they are to lie, somewhere below.
        data: the bytes.
    """
    first, *below = place.relative_to(root).parts
    folder = (root / first if below else root) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder / f"{_machine()}.{os.getpid()}.{secrets.token_hex(8)}"
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def sweep(root: Path) -> int:
    """Remove the drafts whose process is gone; returns how many were removed.

    What may not be looked at or removed (a store that is only read) is left.
    """
    folders = [root, *(path for path in _entries(root) if path.is_dir())]
    stale = [path for each in folders for path in _entries(each / FOLDER) if _is_stale(path)]
    removed = 0
    for path in stale:
        with suppress(OSError):
            path.unlink()
            removed += 1
    return removed


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return []


def _is_stale(path: Path) -> bool:
    machine, _, rest = path.name.partition(".")
    pid = rest.partition(".")[0]
    if machine != _machine() or not pid.isdigit():
        try:
            return time.time() - path.stat().st_mtime > ABANDONED_SECONDS
        except FileNotFoundError:
            return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


@functools.cache
def _machine() -> str:
    """Name the place where a process's number means something: containers may share a host's."""
    try:
        numbers = os.readlink("/proc/self/ns/pid")  # noqa: PTH115 - not the path of a file
    except OSError:
        numbers = ""
    return hashlib.sha256(f"{socket.gethostname()} {numbers}".encode()).hexdigest()[:12]
