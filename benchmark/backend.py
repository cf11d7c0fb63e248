"""Where a store's bytes lie: a folder, or an object store by way of fsspec.

Both put a file there whole or not at all, and both show what others wrote as soon as it is there:
that is what makes many writers safe. Amazon S3 and what speaks like it do so (a PUT is atomic, and
reads and listings are strongly consistent), and so do Google's and Azure's stores, which are not
tested here. A file system that can do neither (an FTP server, say) is refused.
"""

from __future__ import annotations

import datetime as dt
import os
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import fsspec
from fsspec.implementations.local import LocalFileSystem

from benchmark.drafts import draft, sweep

S3 = frozenset({"s3", "s3a"})
ATOMIC = S3 | {"gs", "gcs", "abfs", "abfss", "az", "memory"}
"""Protocols of object stores that put an object whole or not at all."""

THROTTLED = frozenset({"SlowDown", "ServiceUnavailable", "RequestLimitExceeded", "503"})
"""What an object store says that is asked too much; the client has waited and tried again then."""

CREATIONS = 5
"""How often an object that others make at the same moment is tried."""


class StoreError(OSError):
    """The store cannot be used; the text says what happened and what to do."""


class Found(NamedTuple):
    """A file of a folder."""

    name: str
    size: int
    written: float
    """Seconds since 1970; S3 tells whole seconds."""


class Backend(Protocol):
    """What a store asks of the place where it lies; paths are those of `Store.path`."""

    grows: bool
    """Whether bytes can be appended to a file and be safe at once."""

    def read(self, path: str) -> bytes:
        """Return a file (raises FileNotFoundError)."""
        ...

    def read_from(self, starts: Mapping[str, int]) -> dict[str, bytes]:
        """Return what files hold from a byte on; each must be longer than that."""
        ...

    def write(self, path: str, data: bytes) -> None:
        """Write a file, all or nothing, in the place of the one that may be there."""
        ...

    def create(self, path: str, data: bytes) -> None:
        """Write a file, all or nothing (raises FileExistsError where there is one)."""
        ...

    def keep(self, path: str, data: bytes) -> None:
        """Write a file whose name says what it holds, unless it is there."""
        ...

    def exists(self, path: str) -> bool:
        """Tell whether a file is there."""
        ...

    def files(self, folder: str) -> list[Found]:
        """Return the files of a folder by name; none where there is no folder."""
        ...

    def sweep(self) -> None:
        """Remove what processes that are gone have left half written."""
        ...


class Disk:
    """A folder of this machine, or one that is mounted."""

    grows = True

    def __init__(self, root: str) -> None:
        """Remember the folder; nothing is made yet."""
        self._root = Path(root)

    def read(self, path: str) -> bytes:
        """Return a file (raises FileNotFoundError)."""
        return Path(path).read_bytes()

    def read_from(self, starts: Mapping[str, int]) -> dict[str, bytes]:
        """Return what files hold from a byte on."""
        return {path: _tail(Path(path), start) for path, start in starts.items()}

    def write(self, path: str, data: bytes) -> None:
        """Write a file aside, force it to the disk, and move it to its place."""
        with draft(self._root, Path(path), data) as temporary:
            temporary.replace(path)

    def create(self, path: str, data: bytes) -> None:
        """Do the same, unless the file is there (raises FileExistsError)."""
        with draft(self._root, Path(path), data) as temporary:
            os.link(temporary, path)

    def keep(self, path: str, data: bytes) -> None:
        """Write a file unless it is there, which costs less to ask than to write."""
        if not self.exists(path):
            self.write(path, data)

    def exists(self, path: str) -> bool:
        """Tell whether a file is there."""
        return Path(path).exists()

    def files(self, folder: str) -> list[Found]:
        """Return the files of a folder by name."""
        try:
            with os.scandir(folder) as entries:
                found = [(entry.name, entry.stat()) for entry in entries if entry.is_file()]
        except FileNotFoundError:
            return []
        return sorted(Found(name, status.st_size, status.st_mtime) for name, status in found)

    def sweep(self) -> None:
        """Remove the drafts of processes that are gone."""
        sweep(self._root)


class ObjectStore:
    """A bucket, or a part of one."""

    grows = False

    def __init__(self, fs: fsspec.AbstractFileSystem, place: str) -> None:
        """Remember the place, e.g. ``s3://bucket/part``; nothing is asked yet."""
        self._fs = fs
        self._place = place

    def read(self, path: str) -> bytes:
        """Return an object (raises FileNotFoundError)."""
        with self._told():
            data: bytes = self._fs.cat_file(path)
        return data

    def read_from(self, starts: Mapping[str, int]) -> dict[str, bytes]:
        """Return what objects hold from a byte on, several at the same time."""
        paths = list(starts)
        with self._told():
            found = self._fs.cat_ranges(paths, list(starts.values()), [None] * len(paths))
            for one in found:
                if isinstance(one, Exception):  # the client returns them, whatever it is told
                    raise one
        return dict(zip(paths, found, strict=True))

    def write(self, path: str, data: bytes) -> None:
        """Put an object."""
        with self._told():
            self._fs.pipe_file(path, data)

    def create(self, path: str, data: bytes) -> None:
        """Put an object if there is none (raises FileExistsError): the store itself decides.

        Of two that come at the same moment Amazon refuses both at times (409), and says that they
        are to ask again.
        """
        for left in reversed(range(CREATIONS)):
            try:
                with self._told():
                    self._fs.pipe_file(path, data, mode="create")
            except OSError as error:
                code = _code(error)
                if code == "PreconditionFailed":
                    raise FileExistsError(path) from error
                if code != "ConditionalRequestConflict" or not left:
                    raise
                time.sleep(secrets.randbelow(1000) / 1000)
            else:
                return

    def keep(self, path: str, data: bytes) -> None:
        """Put an object: the same again changes nothing, and to ask first costs more."""
        self.write(path, data)

    def exists(self, path: str) -> bool:
        """Tell whether an object is there."""
        with self._told():
            return bool(self._fs.exists(path))

    def files(self, folder: str) -> list[Found]:
        """Return the objects of a folder by name."""
        try:
            with self._told():
                entries = self._fs.ls(folder, detail=True)
        except FileNotFoundError:
            return []
        return sorted(_found(entry) for entry in entries if entry["type"] == "file")

    def sweep(self) -> None:
        """Do nothing: an object is put whole or not at all."""

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn what the client raises into one line with the next step."""
        try:
            yield
        except FileExistsError:
            raise
        except FileNotFoundError as error:
            if _code(error) != "NoSuchBucket":
                raise
            raise StoreError(
                f"there is no bucket for {self._place}; make it, or mend RERENDER_STORE"
            ) from error
        except _client_errors() as error:
            raise StoreError(f"{self._place}: {_advice(error)}") from error


def connect(location: str) -> tuple[Backend, Any, str]:
    """Return the backend of a location, fsspec's file system, and the path in it.

    Raises:
        StoreError: it is neither a folder nor in an object store that we can reach.
    """
    protocol = location.partition("://")[0] if "://" in location else "file"
    if protocol not in ATOMIC | {"file", "local"}:
        known = ", ".join(f"{name}://" for name in sorted(ATOMIC - {"memory"}))
        raise StoreError(
            f"a store of {protocol}:// is not safe for many writers: "
            f"set RERENDER_STORE to a folder, or to one of {known}"
        )
    options: dict[str, Any] = {}
    if protocol in ATOMIC - {"memory"}:
        options["use_listings_cache"] = False  # it would hide what others write
    if protocol in S3:
        options["max_concurrency"] = 1  # else every read asks for the size first
    try:
        fs, root = fsspec.core.url_to_fs(location, **options)
    except ImportError as error:
        raise StoreError(f"{protocol}:// needs another package: {error}") from error
    if isinstance(fs, LocalFileSystem):
        return Disk(root), fs, root
    return ObjectStore(fs, f"{protocol}://{root}"), fs, root


def _tail(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read()


def _found(entry: Mapping[str, Any]) -> Found:
    told = (entry.get(field) for field in ("LastModified", "last_modified", "mtime", "created"))
    moment = next((each for each in told if each is not None), 0.0)
    written = moment.timestamp() if isinstance(moment, dt.datetime) else float(moment)
    return Found(entry["name"].rsplit("/", 1)[-1], int(entry["size"]), written)


def _client_errors() -> tuple[type[Exception], ...]:
    """Return what fsspec's clients raise when something is wrong with the store or the way to it.

    s3fs turns what the server answers into an OSError; what never reached one is botocore's.
    """
    import aiohttp  # noqa: PLC0415 - heavy
    import botocore.exceptions  # noqa: PLC0415 - heavy

    return (OSError, botocore.exceptions.BotoCoreError, aiohttp.ClientError)


def _code(error: BaseException | None) -> str:
    """Return the name that S3 gives an error, if the error came from there."""
    while error is not None:
        answer = getattr(error, "response", None)
        if isinstance(answer, Mapping):
            return str(answer.get("Error", {}).get("Code", ""))
        error = error.__cause__
    return ""


def _advice(error: Exception) -> str:
    from botocore.exceptions import (  # noqa: PLC0415 - heavy
        ConnectionError as Unconnected,
    )
    from botocore.exceptions import (  # noqa: PLC0415 - heavy
        HTTPClientError,
        NoCredentialsError,
        PartialCredentialsError,
    )

    reason = " ".join(str(error).split())[:200]
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return "no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
    if isinstance(error, PermissionError):
        return f"refused ({reason}); the keys must be allowed to list, get and put objects there"
    if _code(error) in THROTTLED:
        return f"too many requests ({reason}); run again, with a smaller RERENDER_WORKERS"
    if isinstance(error, HTTPClientError | Unconnected | TimeoutError):
        return f"no answer ({reason}); is AWS_ENDPOINT_URL right, and the server up?"
    return f"{reason}; mend that and run the same command again"
