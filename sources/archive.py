"""Safe unpacking of archives that the internet or a model sent, in memory and within limits.

The format is told by magic bytes, never by the name: tar, gzipped tar, one gzipped file, zip
(stored or deflated: for other compressions Python's reader does not limit what a few bytes unpack
to). Only regular files with plain relative names come out. Nothing is written to disk here, so a
name can never become a path by accident; sizes are counted while reading, not believed.
"""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path, PurePosixPath
from typing import IO, Protocol, cast

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import whole

GZIP, ZIP, TAR_MAGIC_OFFSET = b"\x1f\x8b", b"PK\x03\x04", 257
EMPTY_ZIP = b"PK\x05\x06"
CHUNK = 1 << 16
HEADER_BYTES = 100_000
"""Most bytes between two members of a tar: headers, long names, padding, read-ahead."""
GLOBAL_HEADERS = 100
"""Most headers of a tar that hold for all members that follow; the reader copies them for each."""

DAMAGED = (
    *(tarfile.TarError, zlib.error, EOFError, OSError, ValueError),
    *(OverflowError, RecursionError),
)
"""What the reading of a tar that is truncated, damaged or forged raises."""


@dataclass(frozen=True)
class Limits:
    """What an archive may hold; sizes in bytes."""

    files: int = 2_000
    file_bytes: int = 20_000_000
    total_bytes: int = 100_000_000
    ratio: int = 200
    name_characters: int = 240


class Reads(Protocol):
    """A file to read bytes from."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, none at the end."""


class _Refused(Exception):
    """Carries the failure out of the readers."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def unpack(
    data: bytes,
    limits: Limits = Limits(),
    *,
    single_name: str = "main",
    skipped: list[str] | None = None,
) -> Outcome[dict[str, bytes]]:
    """Return the regular files of an archive by their names.

    Args:
        data: the archive as it was received.
        limits: counts and sizes that end the reading.
        single_name: the name for the file in a gzip that holds no tar (arXiv sends such).
        skipped: a list to which the names of a tar's symbolic links are added instead of refusing
            it: repositories hold them rightly. They are left out in any case, never followed.

    Returns:
        The files, or a failure: UNSAFE_INPUT (links, devices, names that leave the folder),
        RESOURCE_LIMIT (counts, sizes, compression ratio), UNSUPPORTED (a zip that is compressed
        otherwise than by deflate) or PARSE_ERROR (truncated, damaged, or not an archive).
    """
    try:
        if data.startswith((ZIP, EMPTY_ZIP)):
            return ok(_read_zip(data, limits))
        plain = _gunzip(data, limits) if data.startswith(GZIP) else data
        if plain[TAR_MAGIC_OFFSET : TAR_MAGIC_OFFSET + 5] == b"ustar":
            return ok(_read_tar(io.BytesIO(plain), limits, skipped))
        if plain is data:
            raise _Refused(Kind.PARSE_ERROR, "not an archive: neither tar, gzip nor zip")
        if len(plain) > limits.file_bytes:
            raise _Refused(Kind.RESOURCE_LIMIT, f"file exceeds {limits.file_bytes} bytes")
        return ok({single_name: plain})
    except _Refused as refused:
        return Failed.of(Stage.FETCH, refused.kind, str(refused))
    except TooMuch as error:
        return Failed.of(Stage.FETCH, Kind.RESOURCE_LIMIT, f"archive {error}")
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        gzip.BadGzipFile,
        zlib.error,
        EOFError,
        NotImplementedError,  # a zip of a later version of the format than Python knows
        RuntimeError,  # an encrypted zip entry
        OSError,
        ValueError,  # a header whose numbers make no sense
        OverflowError,  # or are larger than any file
    ) as error:
        return Failed.of(
            Stage.FETCH, Kind.PARSE_ERROR, f"archive is damaged or truncated: {error or 'no data'}"
        )


class TooMuch(Exception):
    """A stream gives more bytes than are read of it."""


@dataclass(frozen=True)
class Member:
    """A regular file of a streamed tar; it can be read until the next one is asked for."""

    name: str
    size: int
    read: Callable[[], bytes]


def read_tar_stream(path: Path, most: int) -> Iterator[Member]:
    """Yield the regular files of a gzipped tar of any size in their order, in constant memory.

    Args:
        path: the archive.
        most: bytes of the unpacked archive.

    Raises:
        TooMuch: the archive is larger than `most`, or its headers are (see ``_members``).
        one of ``DAMAGED``: it is damaged or forged.
    """
    with gzip.open(path) as file:
        for archive, member in _members(file, most):
            if member.isreg() and not member.issparse():
                yield Member(member.name, member.size, partial(_content, archive, member))


def _members(file: Reads, most: int) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """Yield all members of a tar; each can be read until the next one is asked for.

    A reader of tar takes in long names and other extended headers whole before anyone can look at
    their sizes, so what the stream gives between two members is bounded here. Headers that hold
    for all members are copied for each, and members are kept, so that a few kilobytes could fill
    the memory.

    Raises:
        TooMuch: more bytes than `most`, or headers of over ``HEADER_BYTES`` or ``GLOBAL_HEADERS``.
    """
    stream = _Bounded(file, most)
    with tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r|") as archive:
        while (member := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined] # keeps all that were seen
            stream.allow(archive.offset)
            if len(archive.pax_headers) > GLOBAL_HEADERS:
                raise TooMuch(f"has more than {GLOBAL_HEADERS} headers for all members")
            yield archive, member


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return b"" if file is None else file.read()


class _Bounded:
    """A stream that ends with ``TooMuch`` after the bytes that are allowed."""

    def __init__(self, file: Reads, most: int) -> None:
        self._file = file
        self._most = most
        self._given = 0
        self.allow(0)

    def allow(self, offset: int) -> None:
        """Allow the headers that begin at an offset, to which the reader skips."""
        if offset > self._most:
            raise TooMuch(f"unpacks to more than {self._most} bytes")
        self._allowed = min(self._most, offset + HEADER_BYTES)

    def read(self, size: int, /) -> bytes:
        data = self._file.read(size)
        self._given += len(data)
        if self._given > self._allowed:
            if self._allowed == self._most:
                raise TooMuch(f"unpacks to more than {self._most} bytes")
            raise TooMuch(f"has headers of more than {HEADER_BYTES} bytes")
        return data


def _gunzip(data: bytes, limits: Limits) -> bytes:
    most = min(_most_plain(limits), max(len(data), 4096) * limits.ratio)
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
        return _read(file, most, "archive")


def _most_plain(limits: Limits) -> int:
    """Return the most bytes of a tar within the limits, its headers and padding included."""
    return limits.total_bytes + limits.files * 2048 + tarfile.RECORDSIZE


def _read(file: Reads, most: int, name: str) -> bytes:
    parts, size = [], 0
    while part := file.read(CHUNK):
        size += len(part)
        if size > most:
            raise _Refused(Kind.RESOURCE_LIMIT, f"{name} unpacks to more than {most} bytes")
        parts.append(part)
    return b"".join(parts)


class _Files:
    """Collects files and keeps count."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.found: dict[str, bytes] = {}
        self.entries = 0
        self.total = 0

    def count(self) -> None:
        self.entries += 1
        if self.entries > self.limits.files:
            raise _Refused(Kind.RESOURCE_LIMIT, f"more than {self.limits.files} entries")

    def add(self, name: str, file: Reads) -> None:
        left = min(self.limits.file_bytes, self.limits.total_bytes - self.total)
        data = _read(file, left, name)
        self.total += len(data)
        self.found[name] = data

    def check(self, name: str) -> str:
        path = PurePosixPath(name)
        if (
            not name
            or path.is_absolute()
            or ".." in path.parts
            or "\\" in name
            or any(ord(character) < 32 or ord(character) == 127 for character in name)
        ):
            raise _Refused(Kind.UNSAFE_INPUT, f"entry {name!r} leaves the folder")
        if whole(name) != name:
            raise _Refused(Kind.UNSAFE_INPUT, f"entry {name!r} has a name that is not UTF-8")
        if len(name) > self.limits.name_characters:
            raise _Refused(Kind.RESOURCE_LIMIT, f"entry name of {len(name)} characters")
        clean = str(path)
        if clean in self.found:
            raise _Refused(Kind.UNSAFE_INPUT, f"entry {clean!r} appears twice")
        return clean


def _read_tar(file: Reads, limits: Limits, skipped: list[str] | None) -> dict[str, bytes]:
    files = _Files(limits)
    for archive, member in _members(file, _most_plain(limits)):
        files.count()
        if member.isdir():
            continue
        if member.issym() and skipped is not None:
            skipped.append(_readable(member.name))
            continue
        if not member.isreg() or member.issparse():
            raise _Refused(Kind.UNSAFE_INPUT, f"entry {member.name!r} is a link or a special file")
        name = files.check(_readable(member.name))
        content = archive.extractfile(member)
        if content is not None:
            files.add(name, content)
    return files.found


def _readable(name: str) -> str:
    """Return a name as text that can be written: bytes that are not UTF-8 are read as Latin-1."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return name.encode("utf-8", "surrogateescape").decode("latin-1")
    return name


def _read_zip(data: bytes, limits: Limits) -> dict[str, bytes]:
    files = _Files(limits)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for entry in archive.infolist():
            files.count()
            mode = entry.external_attr >> 16
            if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_IFMT(mode) == 0):
                raise _Refused(
                    Kind.UNSAFE_INPUT, f"entry {entry.filename!r} is a link or a special file"
                )
            # some mind-map tools write "/content.xml"; the slash means the archive's own root
            name = files.check(entry.filename.removeprefix("/"))
            if entry.is_dir():
                continue
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _Refused(
                    Kind.UNSUPPORTED, f"{name}: zip compression method {entry.compress_type}"
                )
            with archive.open(entry) as content:
                most = max(entry.compress_size, 4096) * limits.ratio
                if entry.file_size > most:
                    raise _Refused(
                        Kind.RESOURCE_LIMIT, f"{name} is compressed more than {limits.ratio} times"
                    )
                files.add(name, content)
    return files.found
