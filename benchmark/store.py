"""Durable results: content-addressed blobs and append-only journals under one fsspec path.

Layout::

    blobs/ab/abcdef…                 bytes named by their sha256
    journals/<stage>/<part>/<writer>.jsonl   one line per finished instance: {"key", "outcome"}
    snapshots/<name>.json            manifests (benchmark.snapshot)

A writer never appends to a file that another process has written, so a line that a killed process
left half written can only be the last one of its file; it is skipped when the journal is read, and
the instance is simply done again.
"""

from __future__ import annotations

import json
import os
import secrets
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

import fsspec
from fsspec.implementations.local import LocalFileSystem
from pydantic import TypeAdapter, ValidationError

from benchmark.outcome import Failed, Outcome, discriminated
from benchmark.records import Digest, digest_bytes

T = TypeVar("T")


class BlobMissing(KeyError):
    """A blob that a record names is not in the store."""

    def __str__(self) -> str:
        return f"blob {self.args[0]} is not in the store; run the stage that makes it again"


class BlobDamaged(ValueError):
    """A blob's content does not match its name."""

    def __str__(self) -> str:
        return f"blob {self.args[0]} is damaged: its content does not match its digest; delete it"


class Store:
    """A folder (or any fsspec URL) of blobs, journals and documents; safe for many writers."""

    def __init__(self, location: str) -> None:
        """Open the store; nothing is created before the first write."""
        self.fs, self.root = fsspec.core.url_to_fs(str(location))
        self.location = str(location)

    def path(self, *parts: str) -> str:
        """Return the full path of something in the store."""
        return "/".join((self.root.rstrip("/"), *parts))

    def put(self, data: bytes) -> Digest:
        """Keep bytes under their sha256 and return it; the same bytes are kept once."""
        digest = digest_bytes(data)
        path = self._blob(digest)
        if not self.fs.exists(path):
            self._write(path, data)
        return digest

    def get(self, digest: Digest) -> bytes:
        """Return a blob, verified.

        Raises:
            BlobMissing: there is no such blob.
            BlobDamaged: the content does not match the name.
        """
        try:
            data: bytes = self.fs.cat_file(self._blob(digest))
        except FileNotFoundError:
            raise BlobMissing(digest) from None
        if digest_bytes(data) != digest:
            raise BlobDamaged(digest)
        return data

    def has(self, digest: Digest) -> bool:
        """Tell whether a blob is there."""
        return bool(self.fs.exists(self._blob(digest)))

    def write_document(self, path: str, text: str) -> None:
        """Write a text file at a path inside the store, all or nothing."""
        self._write(self.path(path), text.encode())

    def read_document(self, path: str) -> str:
        """Read a text file at a path inside the store (raises FileNotFoundError)."""
        data: bytes = self.fs.cat_file(self.path(path))
        return data.decode()

    def documents(self, folder: str, suffix: str = ".json") -> list[str]:
        """Return the names of the documents in a folder, without the suffix, in order."""
        base = self.path(folder)
        if not self.fs.exists(base):
            return []
        names = (path.rsplit("/", 1)[-1] for path in self.fs.ls(base, detail=False))
        return sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix))

    def newest(self, folder: str, suffix: str = ".json") -> str | None:
        """Return the name of the document of a folder that was written last, if there is one."""
        names = self.documents(folder, suffix)
        written = {name: self.fs.modified(self.path(folder, name + suffix)) for name in names}
        return max(names, key=lambda name: (written[name], name), default=None)

    def _blob(self, digest: Digest) -> str:
        return self.path("blobs", digest[:2], digest)

    def _write(self, path: str, data: bytes) -> None:
        folder, name = path.rsplit("/", 1)
        self.fs.makedirs(folder, exist_ok=True)
        if not isinstance(self.fs, LocalFileSystem):
            self.fs.pipe_file(path, data)  # object stores put whole objects atomically
            return
        temporary = Path(folder, f".{name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            with temporary.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


class Journal(Generic[T]):
    """What one stage has finished for one part of a run (a model and a scenario, say).

    A key that was journalled twice counts with its last entry, except that a final outcome (a
    value, or a failure that is the model's fault) is never replaced by an infra failure.
    """

    def __init__(self, store: Store, stage: str, part: str, value_type: type[T]) -> None:
        """Open the journal; it is read when it is first asked for a key."""
        self.store = store
        self.folder = store.path("journals", stage, part.replace("/", "__"))
        self._adapter: TypeAdapter[Outcome[T]] = TypeAdapter(discriminated(value_type))
        self._entries: dict[str, Outcome[T]] | None = None
        self._file: IO[bytes] | None = None
        self._lock = threading.Lock()

    def get(self, key: str) -> Outcome[T] | None:
        """Return what is known under a key, an infra failure included, or None."""
        return self._known().get(key)

    def done(self, key: str) -> Outcome[T] | None:
        """Return a final outcome (a value or a failure of the model), or None if there is work."""
        outcome = self.get(key)
        return outcome if outcome is not None and is_final(outcome) else None

    def add(self, key: str, outcome: Outcome[T]) -> None:
        """Append an outcome; it is on disk when this returns."""
        entry = {"key": key, "outcome": dump(outcome)}
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")) + "\n"
        with self._lock:
            known = self._known()
            file = self._file or self._open()
            file.write(line.encode("utf-8", "replace"))
            file.flush()
            if isinstance(self.store.fs, LocalFileSystem):
                os.fsync(file.fileno())
            self._merge(known, key, outcome)

    def refresh(self) -> None:
        """Take in what other processes have written since."""
        with self._lock:
            self._entries = self._all()

    def close(self) -> None:
        """Close the file that this process writes."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _open(self) -> IO[bytes]:
        self.store.fs.makedirs(self.folder, exist_ok=True)
        name = f"{self.folder}/{os.getpid()}-{secrets.token_hex(6)}.jsonl"
        self._file = self.store.fs.open(name, "wb")
        return self._file

    def _known(self) -> dict[str, Outcome[T]]:
        if self._entries is None:
            self._entries = self._all()
        return self._entries

    def _all(self) -> dict[str, Outcome[T]]:
        entries: dict[str, Outcome[T]] = {}
        for key, outcome in self._read():
            self._merge(entries, key, outcome)
        return entries

    @staticmethod
    def _merge(entries: dict[str, Outcome[T]], key: str, outcome: Outcome[T]) -> None:
        known = entries.get(key)
        if known is None or is_final(outcome) or not is_final(known):
            entries[key] = outcome

    def _read(self) -> Iterator[tuple[str, Outcome[T]]]:
        if not self.store.fs.exists(self.folder):
            return
        paths = sorted(self.store.fs.ls(self.folder, detail=False))
        for path in (path for path in paths if path.endswith(".jsonl")):
            data: bytes = self.store.fs.cat_file(path)
            for line in data.split(b"\n")[:-1]:  # what follows the last newline is half written
                entry = self._parse(line)
                if entry is not None:
                    yield entry

    def _parse(self, line: bytes) -> tuple[str, Outcome[T]] | None:
        try:
            entry: dict[str, Any] = json.loads(line)
            return entry["key"], self._adapter.validate_python(entry["outcome"])
        except (json.JSONDecodeError, UnicodeDecodeError, ValidationError, KeyError, TypeError):
            return None  # from an older version or a damaged disk: the instance is done again


def dump(outcome: Outcome[Any]) -> dict[str, Any]:
    """Return the JSON form of an outcome whose value is a record."""
    if isinstance(outcome, Failed):
        return outcome.model_dump(mode="json")
    return {"outcome": "ok", "value": outcome.value.model_dump(mode="json")}


def is_final(outcome: Outcome[T]) -> bool:
    """Tell whether a later run would have nothing to do."""
    return not isinstance(outcome, Failed) or outcome.final
