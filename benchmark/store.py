"""Durable results: content-addressed blobs and append-only journals in a folder or object store.

Layout::

    blobs/ab/abcdef…                 bytes named by their sha256
    */.drafts/                       what is being written (benchmark.drafts)
    journals/<stage>/<part>/<writer>-<n>.jsonl   a line per finished instance: {key, at, outcome}
    snapshots/<name>.json            manifests (benchmark.snapshot)

Nobody writes to a file of another writer, and a file of a journal only grows (see
``benchmark.appending``). So a reader goes on where it stopped, and a line that a killed process
left half written can only be the last one of its file; it is skipped, and the instance is simply
done again.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter

from benchmark import backend
from benchmark.appending import appender
from benchmark.backend import StoreError
from benchmark.outcome import Failed, Outcome, discriminated
from benchmark.records import Digest, digest_bytes

__all__ = ["BlobDamaged", "BlobMissing", "Journal", "Store", "StoreError", "dump", "is_final"]

T = TypeVar("T")

FILES_AT_ONCE = 64
"""Files of a journal that are read at the same time; on an object store each is small."""


class BlobMissing(KeyError):
    """A blob that a record names is not in the store."""

    def __str__(self) -> str:
        return f"blob {self.args[0]} is not in the store; run the stage that makes it again"


class BlobDamaged(ValueError):
    """A blob's content does not match its name."""

    def __str__(self) -> str:
        return f"blob {self.args[0]} is damaged: its content does not match its digest; delete it"


class Store:
    """A folder or an object store with blobs, journals and documents; safe for many writers."""

    def __init__(self, location: str) -> None:
        """Open the store; nothing is asked or made before it is needed.

        Args:
            location: a folder, or an address such as ``s3://bucket/part``.

        Raises:
            StoreError: no store can lie there.
        """
        self.backend, self.fs, self.root = backend.connect(str(location))
        self.location = str(location)

    def path(self, *parts: str) -> str:
        """Return the full path of something in the store."""
        return "/".join((self.root.rstrip("/"), *parts))

    def put(self, data: bytes) -> Digest:
        """Keep bytes under their sha256 and return it; the same bytes are kept once."""
        digest = digest_bytes(data)
        self.backend.keep(self._blob(digest), data)
        return digest

    def get(self, digest: Digest) -> bytes:
        """Return a blob, verified.

        Raises:
            BlobMissing: there is no such blob.
            BlobDamaged: the content does not match the name.
        """
        try:
            data = self.backend.read(self._blob(digest))
        except FileNotFoundError:
            raise BlobMissing(digest) from None
        if digest_bytes(data) != digest:
            raise BlobDamaged(digest)
        return data

    def has(self, digest: Digest) -> bool:
        """Tell whether a blob is there."""
        return self.backend.exists(self._blob(digest))

    def write_document(self, path: str, text: str) -> None:
        """Write a text file at a path inside the store, all or nothing."""
        self.backend.write(self.path(path), text.encode())

    def create_document(self, path: str, text: str) -> None:
        """Do the same, unless there is one (raises FileExistsError), whoever is first."""
        self.backend.create(self.path(path), text.encode())

    def read_document(self, path: str) -> str:
        """Read a text file at a path inside the store (raises FileNotFoundError)."""
        return self.backend.read(self.path(path)).decode()

    def documents(self, folder: str, suffix: str = ".json") -> list[str]:
        """Return the names of the documents in a folder, without the suffix, in order."""
        found = self.backend.files(self.path(folder))
        return sorted(one.name.removesuffix(suffix) for one in found if one.name.endswith(suffix))

    def newest(self, folder: str, suffix: str = ".json") -> str | None:
        """Return the name of the document of a folder that was written last, if there is one.

        Of several that an object store says were written in the same second, the last by name.
        """
        found = [one for one in self.backend.files(self.path(folder)) if one.name.endswith(suffix)]
        last = max(found, key=lambda one: (one.written, one.name), default=None)
        return None if last is None else last.name.removesuffix(suffix)

    def sweep(self) -> None:
        """Remove what processes that were killed have left half written."""
        self.backend.sweep()

    def _blob(self, digest: Digest) -> str:
        return self.path("blobs", digest[:2], digest)


@dataclass(frozen=True)
class Entry(Generic[T]):
    """An outcome, and when and by whom it was journalled.

    Attributes:
        at: seconds since 1970; 0 where that was not kept yet.
        writer: name of the file that it stands in.
    """

    at: float
    writer: str
    outcome: Outcome[T]

    @property
    def rank(self) -> tuple[bool, float, str]:
        """What decides which of two entries of a key counts: the higher."""
        return is_final(self.outcome), self.at, self.writer


class Journal(Generic[T]):
    """What one stage has finished for one part of a run (a model and a scenario, say).

    A key that was journalled twice counts with its latest entry, except that a final outcome (a
    value, or a failure that is the model's fault) is never replaced by an infra failure. Which is
    the latest, entries say themselves, so it does not matter in which order files are read.
    """

    def __init__(self, store: Store, stage: str, part: str, value_type: type[T]) -> None:
        """Open the journal; it is read when it is first asked for a key."""
        self.store = store
        self.folder = store.path("journals", stage, part.replace("/", "__"))
        self._adapter: TypeAdapter[Outcome[T]] = TypeAdapter(discriminated(value_type))
        self._entries: dict[str, Entry[T]] = {}
        self._read: dict[str, int] = {}
        self._begun = False
        self._appender = appender(store.backend, self.folder)
        self._lock = threading.RLock()

    def get(self, key: str) -> Outcome[T] | None:
        """Return what is known under a key, an infra failure included, or None."""
        entry = self._known().get(key)
        return None if entry is None else entry.outcome

    def written(self, key: str) -> float | None:
        """Return when that was journalled, in seconds since 1970; None: nothing is known."""
        entry = self._known().get(key)
        return None if entry is None else entry.at

    def done(self, key: str) -> Outcome[T] | None:
        """Return a final outcome (a value or a failure of the model), or None if there is work."""
        outcome = self.get(key)
        return outcome if outcome is not None and is_final(outcome) else None

    def add(self, key: str, outcome: Outcome[T]) -> None:
        """Append an outcome; it is on disk when this returns."""
        self.add_all({key: outcome})

    def add_all(self, outcomes: Mapping[str, Outcome[T]]) -> None:
        """Append outcomes by key in one go; they are on disk when this returns.

        Raises:
            OSError: they are not, so they are not known either (disk full, store out of reach).
        """
        if not outcomes:
            return
        known = self._known()
        now = time.time()
        entries: dict[str, Entry[T]] = {}
        for key, outcome in outcomes.items():
            before = known.get(key)  # another machine's clock may be ahead of ours
            at = now if before is None else max(now, math.nextafter(before.at, math.inf))
            entries[key] = Entry(at, self._appender.name, outcome)
        self._appender.append(b"".join(map(_line, entries, entries.values())))
        with self._lock:
            for key, entry in entries.items():
                self._merge(key, entry)

    def refresh(self) -> None:
        """Read what others have written since; costs one listing where there is nothing new."""
        with self._lock:
            grown = {
                f"{self.folder}/{one.name}": self._read.get(one.name, 0)
                for one in self.store.backend.files(self.folder)
                if one.name.endswith(".jsonl")
                and not self._appender.owns(one.name)
                and one.size > self._read.get(one.name, 0)
            }
            paths = list(grown)
            for first in range(0, len(paths), FILES_AT_ONCE):
                starts = {path: grown[path] for path in paths[first : first + FILES_AT_ONCE]}
                for path, data in self.store.backend.read_from(starts).items():
                    self._take(path.rsplit("/", 1)[-1], data)
            self._begun = True  # a store that did not answer has not been read

    def close(self) -> None:
        """Close the file that this process writes."""
        self._appender.close()

    def _known(self) -> dict[str, Entry[T]]:
        with self._lock:
            if not self._begun:
                self.refresh()
            return self._entries

    def _take(self, name: str, data: bytes) -> None:
        """Take in what a file has grown by, up to its last whole line."""
        whole = data[: data.rfind(b"\n") + 1]  # what follows may be half written still
        self._read[name] = self._read.get(name, 0) + len(whole)
        for key, entry in self._parse(whole, name):
            self._merge(key, entry)

    def _merge(self, key: str, entry: Entry[T]) -> None:
        known = self._entries.get(key)
        if known is None or entry.rank >= known.rank:
            self._entries[key] = entry

    def _parse(self, lines: bytes, name: str) -> Iterator[tuple[str, Entry[T]]]:
        writer = name.rpartition("-")[0]
        for line in lines.splitlines():
            try:
                fields: dict[str, Any] = json.loads(line)
                outcome = self._adapter.validate_python(fields["outcome"])
                yield str(fields["key"]), Entry(float(fields.get("at", 0)), writer, outcome)
            except (ValueError, KeyError, TypeError, AttributeError):
                continue  # from an older version or a damaged disk: the instance is done again


def _line(key: str, entry: Entry[Any]) -> bytes:
    fields = {"key": key, "at": entry.at, "outcome": dump(entry.outcome)}
    text = json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"
    return text.encode("utf-8", "replace")


def dump(outcome: Outcome[Any]) -> dict[str, Any]:
    """Return the JSON form of an outcome whose value is a record."""
    if isinstance(outcome, Failed):
        return outcome.model_dump(mode="json")
    return {"outcome": "ok", "value": outcome.value.model_dump(mode="json")}


def is_final(outcome: Outcome[T]) -> bool:
    """Tell whether a later run would have nothing to do."""
    return not isinstance(outcome, Failed) or outcome.final
