"""How a journal's lines get into the store, so that each is safe the moment it is written.

On a disk a writer appends to a file of its own and forces each line out. An object cannot be
appended to, so there a writer puts its object again, longer by the new lines, until it is full and
the next one begins: nothing has to be gathered up or deleted later, and a writer that is killed
leaves what a reader can read. To a reader both are files that only grow.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from benchmark.backend import Backend

FULL = 256 * 1024
"""Bytes at which a writer begins its next object: each line sends its object's bytes again."""


@dataclass
class _Piece:
    """Lines of one caller, on their way."""

    data: bytes
    settled: bool = False
    error: OSError | None = None


class Appender(ABC):
    """Appends lines as one writer; safe for threads.

    One write is under way at a time; callers that come meanwhile are written together by the next.
    So a store that takes its time for each write holds nobody up for longer than two of them.
    """

    def __init__(self, folder: str) -> None:
        """Take a name that no other writer has; nothing is made before the first line."""
        self._folder = folder
        self.name = f"{os.getpid()}-{secrets.token_hex(6)}"
        self._count = 0
        self._turn = threading.Lock()
        self._arriving = threading.Lock()
        self._waiting: list[_Piece] = []

    def append(self, data: bytes) -> None:
        """Write whole lines; they are safe when this returns.

        Raises:
            OSError: they are not; what had been written before is.
        """
        piece = _Piece(data)
        with self._arriving:
            self._waiting.append(piece)
        with self._turn:
            if not piece.settled:
                self._settle()
        if piece.error is not None:
            raise piece.error

    def owns(self, name: str) -> bool:
        """Tell whether a file is this writer's, by its name."""
        return name.startswith(self.name)

    def close(self) -> None:
        """Write no more to the present file."""
        with self._turn:
            self._leave()

    def _settle(self) -> None:
        with self._arriving:
            group, self._waiting = self._waiting, []
        with contextlib.ExitStack() as interrupted:
            interrupted.callback(self._put_back, group)
            try:
                self._write(b"".join(piece.data for piece in group))
            except OSError as error:
                self._leave()  # half a line may be its last: nothing is appended to that
                for piece in group:
                    piece.error = error
            interrupted.pop_all()
        for piece in group:
            piece.settled = True

    def _put_back(self, group: list[_Piece]) -> None:
        """Leave to the next turn what an interrupt kept from being written."""
        with self._arriving:
            self._waiting[:0] = group

    def _next_path(self) -> str:
        self._count += 1
        return f"{self._folder}/{self.name}-{self._count:05}.jsonl"

    @abstractmethod
    def _write(self, data: bytes) -> None:
        """Make the present file longer."""

    @abstractmethod
    def _leave(self) -> None:
        """Have the next write begin a new file."""


class FileAppender(Appender):
    """Appends to a file on a disk."""

    _file: IO[bytes] | None = None

    def _write(self, data: bytes) -> None:
        if self._file is None:
            path = Path(self._next_path())
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb")
        self._file.write(data)
        self._file.flush()
        os.fsync(self._file.fileno())

    def _leave(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            with contextlib.suppress(OSError):  # the disk is full still
                file.close()


class ObjectAppender(Appender):
    """Puts objects that grow until they are full."""

    def __init__(self, backend: Backend, folder: str) -> None:
        """Take a name; nothing is put before the first line."""
        super().__init__(folder)
        self._backend = backend
        self._path = ""
        self._content = b""

    def _write(self, data: bytes) -> None:
        if not self._path:
            self._path = self._next_path()
        self._content += data
        self._backend.write(self._path, self._content)
        if len(self._content) >= FULL:
            self._leave()

    def _leave(self) -> None:
        self._path, self._content = "", b""


def appender(backend: Backend, folder: str) -> Appender:
    """Return a new writer of a folder."""
    return FileAppender(folder) if backend.grows else ObjectAppender(backend, folder)
