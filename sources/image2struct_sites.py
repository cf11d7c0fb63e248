"""The web sites of the published sets: from a base64 archive to a truth and its assets."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from pathlib import PurePosixPath

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.archive import Limits, unpack

MOST_CHARACTERS = 150_000_000
"""Of an archive in base64."""

SITE_FILES = 500
SITE_FILE_BYTES = 5_000_000
SITE_BYTES = 20_000_000
"""What the renderer takes of a site; answers come with the assets, so these must fit too."""

ASSETS = frozenset({
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".bmp", ".tiff",
    ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".webm", ".ogg", ".wav", ".pdf",
    ".zip",
})  # fmt: skip
"""Files that nobody can write as text."""

Site = tuple[str, dict[str, bytes]]
"""The truth, as a perfect answer writes it, and the assets by name."""


def read_site(structure: str) -> Outcome[Site]:
    """Unpack a site that a row holds.

    Hidden files and what a site generator left in ``_site`` are no part of it, as for HELM.

    Args:
        structure: a base64 tar.gz of a repository.

    Returns:
        Truth and assets, or a failure of stage FETCH (the archive: truncated, unsafe, too much) or
        FILTER (TOO_LARGE to be rendered, NO_SOURCE without any text, UNSUITABLE where a text is
        not UTF-8).
    """
    if len(structure) > MOST_CHARACTERS:
        message = f"the archive has {len(structure)} characters, more than {MOST_CHARACTERS}"
        return Failed.of(Stage.FETCH, Kind.TOO_LARGE, message)
    try:
        archive = base64.b64decode(structure, validate=True)
    except (binascii.Error, ValueError) as error:
        message = f"the structure is no base64 archive: {error}"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message)
    unpacked = unpack(archive, Limits())
    if isinstance(unpacked, Failed):
        return unpacked
    files = {name: data for name, data in unpacked.value.items() if not _is_aside(name)}
    return _too_large(files) or _divide(files)


def is_asset(name: str) -> bool:
    """Tell whether a file of this name holds what an answer cannot write."""
    return PurePosixPath(name).suffix.lower() in ASSETS


def is_inside(name: str) -> bool:
    """Tell whether a name is a relative path that stays in its folder."""
    path = PurePosixPath(name)
    relative = bool(path.parts) and not path.is_absolute() and ".." not in path.parts
    return relative and "\\" not in name and name.isprintable()


def _is_aside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return parts[0] == "_site" or any(part.startswith(".") for part in parts)


def _too_large(files: Mapping[str, bytes]) -> Failed | None:
    total, largest = sum(map(len, files.values())), max(map(len, files.values()), default=0)
    if len(files) <= SITE_FILES and largest <= SITE_FILE_BYTES and total <= SITE_BYTES:
        return None
    message = f"a site of {len(files)} files, {total} bytes, the largest {largest}, is too much"
    return Failed.of(Stage.FILTER, Kind.TOO_LARGE, message)


def _divide(files: Mapping[str, bytes]) -> Outcome[Site]:
    texts: dict[str, str] = {}
    for name, data in files.items():
        if is_asset(name):
            continue
        try:
            texts[name] = data.decode("utf-8")
        except UnicodeDecodeError:
            message = f"{name} is neither UTF-8 nor a picture or font"
            return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)
    if not texts:
        return Failed.of(Stage.FILTER, Kind.NO_SOURCE, "the archive holds no text files")
    order = sorted(texts, key=lambda name: (not name.startswith("index."), name))
    items = [{"filename": name, "content": texts[name]} for name in order]
    truth = json.dumps(items, ensure_ascii=False, indent=1)
    return ok((truth, {name: files[name] for name in sorted(files) if name not in texts}))
