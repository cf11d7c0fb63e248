"""What sites have answered, kept on disk so that nobody is asked twice for the same.

An answer is one file: a line with the sha256 of the rest, a line of JSON about the answer, and the
body. It is written beside its place and then moved there, so that several processes may share a
folder. A file that is damaged, or is not the answer to the question its name stands for, is as good
as none.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

FORMAT = "rerender http 1"
ABOUT_BYTES = 200_000
"""Most bytes of the two lines before the body."""
LEFT_BEHIND = 86_400
"""Seconds after which a file that is being written is nobody's any more."""
LEFT_OUT = frozenset({"set-cookie", "set-cookie2", "www-authenticate", "proxy-authenticate"})


class Keep(StrEnum):
    """How long an answer is used again without asking the site."""

    FOR_EVER = "for ever"
    """The address names one content (a commit, a version)."""
    TODAY = "today"
    """Until midnight (UTC), then asked for anew (what changes once a day)."""
    CHECKED = "checked"
    """Asked each time whether it changed (ETag, Last-Modified); kept if the answer is 304."""
    NOT = "not"


@dataclass(frozen=True)
class Kept:
    """An answer on disk."""

    key: str
    """What it answers: a sha256 of the question."""
    url: str
    """Where it came from in the end."""
    headers: Mapping[str, str]
    fetched: dt.datetime
    """When the site sent it (UTC)."""
    checked: dt.datetime
    """When the site last said that it holds (UTC)."""
    body: bytes

    def holds(self, keep: Keep, now: dt.datetime) -> bool:
        """Tell whether it may be used without asking."""
        if keep is Keep.FOR_EVER:
            return True
        today = now.astimezone(dt.UTC).date()
        return keep is Keep.TODAY and self.checked.astimezone(dt.UTC).date() == today

    def conditions(self) -> dict[str, str]:
        """Return the headers that ask whether it changed; none if the site gave no mark."""
        marks = {"etag": "If-None-Match", "last-modified": "If-Modified-Since"}
        return {ask: self.headers[name] for name, ask in marks.items() if name in self.headers}


_ABOUT: TypeAdapter[dict[str, str]] = TypeAdapter(dict[str, str])


def key_of(method: str, url: str, headers: Mapping[str, str], mirrors: Mapping[str, str]) -> str:
    """Return the name of a question: a sha256 of all that may change its answer.

    Args:
        method: GET.
        url: with its parameters.
        headers: those that choose between answers (Accept), never tokens.
        mirrors: who is asked in the place of the site, so that a stand-in's answers stay its own.
    """
    chosen = sorted((name.lower(), value) for name, value in headers.items())
    question = json.dumps([FORMAT, method, url, chosen, sorted(mirrors.items())])
    return hashlib.sha256(question.encode()).hexdigest()


class Cache:
    """A folder of answers; safe for several threads and processes."""

    def __init__(self, folder: Path) -> None:
        """Take the folder; nothing is created before the first write."""
        self._folder = folder
        self._partial = folder / "partial"
        self._swept = False

    def read(self, key: str, most: int) -> Kept | None:
        """Return the answer to a question, or None: none, damaged, or larger than `most` bytes."""
        path = self._path(key)
        try:
            if path.stat().st_size > most + ABOUT_BYTES:
                return None
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        kept = _unpacked(data)
        return kept if kept is not None and kept.key == key and len(kept.body) <= most else None

    def write(self, kept: Kept) -> None:
        """Keep an answer in the place of an earlier one (raises OSError)."""
        path = self._path(kept.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        self._partial.mkdir(exist_ok=True)
        self._sweep()
        temporary = self._partial / f"{kept.key}.{os.getpid()}.{secrets.token_hex(4)}"
        try:
            temporary.write_bytes(_packed(kept))
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)

    def _sweep(self) -> None:
        """Remove, once, what processes that were killed have left half written."""
        if self._swept:
            return
        self._swept = True
        for path in self._partial.iterdir():
            with suppress(FileNotFoundError):  # another process sweeps or has just finished
                if path.stat().st_mtime < time.time() - LEFT_BEHIND:
                    path.unlink()

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / key


def _packed(kept: Kept) -> bytes:
    headers = {name: value for name, value in kept.headers.items() if name not in LEFT_OUT}
    about = {
        "key": kept.key,
        "url": kept.url,
        "fetched": kept.fetched.isoformat(),
        "checked": kept.checked.isoformat(),
        "headers": json.dumps(headers),
    }
    rest = json.dumps(about).encode() + b"\n" + kept.body
    return f"{FORMAT} {hashlib.sha256(rest).hexdigest()}\n".encode() + rest


def _unpacked(data: bytes) -> Kept | None:
    first, _, rest = data.partition(b"\n")
    if first != f"{FORMAT} {hashlib.sha256(rest).hexdigest()}".encode():
        return None
    line, _, body = rest.partition(b"\n")
    try:
        about = _ABOUT.validate_json(line)
        return Kept(
            key=about["key"],
            url=about["url"],
            headers=_ABOUT.validate_json(about["headers"]),
            fetched=dt.datetime.fromisoformat(about["fetched"]),
            checked=dt.datetime.fromisoformat(about["checked"]),
            body=body,
        )
    except (ValidationError, KeyError, ValueError):
        return None
