"""The files of a web site as an answer writes them: names, entry page, canonical text."""

from __future__ import annotations

import json
import posixpath
import re
import unicodedata
from collections.abc import Iterable, Mapping

from benchmark.outcome import Failed, Kind, Stage

PICTURES = frozenset({
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".ico", ".bmp",
    ".woff", ".woff2", ".ttf", ".otf", ".eot", ".mp3", ".mp4", ".webm", ".ogg", ".wav", ".pdf",
    ".zip",
})  # fmt: skip
"""Suffixes of files that nobody can write as text; they come with an instance as assets."""

INDEXES = ("index.html", "index.htm", "index.md", "index.markdown", "readme.md")
"""What a web server or Jekyll shows first, in order of preference."""

_PAGES = (".html", ".htm", ".xhtml")
_MARKDOWN = (".md", ".markdown")
_DRIVE = re.compile(r"[A-Za-z]:")
_NAME_CHARACTERS = 500


def is_picture(name: str) -> bool:
    """Tell whether a file of this name holds bytes that an answer cannot write."""
    return posixpath.splitext(name.lower())[1] in PICTURES


def name_fault(name: str) -> str:
    """Say why a file name leaves the site's folder or names nothing in it; "" if it is fine."""
    if name.startswith("/") or _DRIVE.match(name) or "\\" in name:
        return "is not relative to the site's folder"
    if ".." in name.split("/"):
        return "leaves the site's folder"
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
        return "holds a control character"
    if len(name) > _NAME_CHARACTERS:
        return "is too long"
    if not tidy_name(name) or name.endswith(("/", "/.")):
        return "names no file"
    return ""


def tidy_name(name: str) -> str:
    """Return a name without ``.`` and empty parts."""
    return "/".join(part for part in name.split("/") if part not in ("", "."))


def find_entry(names: Iterable[str]) -> str | None:
    """Return the file that the site starts from, or None where that is unclear.

    An index in the top folder (HTML before Markdown before a read-me, as Jekyll takes it), else the
    only HTML file of the top folder, else the only one at all, else the only Markdown file outside
    of Jekyll's own folders.
    """
    known = sorted(names)
    lowered = {name.lower(): name for name in known}
    for index in INDEXES:
        if index in lowered:
            return lowered[index]
    shown = [name for name in known if not any(part[0] in "_." for part in name.split("/"))]
    for suffixes in (_PAGES, _MARKDOWN):
        pages = [name for name in shown if name.lower().endswith(suffixes)]
        top = [name for name in pages if "/" not in name]
        only = top if len(top) == 1 else pages
        if len(only) == 1:
            return only[0]
        if pages:
            return None
    return None


def no_entry(names: Iterable[str]) -> Failed:
    """Return the failure of a site that has no page to start from, or several."""
    pages = sorted(name for name in names if name.lower().endswith((*_PAGES, *_MARKDOWN)))
    if pages:
        what = f"several pages ({', '.join(pages[:5])}) and no index.html"
    else:
        what = "no HTML or Markdown file"
    return Failed.of(Stage.PARSE, Kind.MISSING_RESOURCE, f"no entry page: {what}")


def in_order(names: Iterable[str]) -> list[str]:
    """Return file names in canonical order: the index of the top folder first, then by name."""
    return sorted(names, key=lambda name: (not name.startswith("index."), name))


def write(files: Mapping[str, str | bytes]) -> str:
    """Write the text files of a site as a perfect answer does: a JSON list, the index first.

    Args:
        files: contents by name; pictures and fonts are left out, they are assets.

    Raises:
        UnicodeDecodeError: a file that is no picture is not UTF-8 either.
    """
    items = [
        {"filename": name, "content": _as_text(files[name])}
        for name in in_order(files)
        if not is_picture(name)
    ]
    return json.dumps(items, ensure_ascii=False, indent=1)


def as_one_text(files: Mapping[str, bytes]) -> str:
    """Return a site as one plain text, for text metrics: each file below a line with its name."""
    return "\n".join(
        f"=== {name} ===\n{files[name].decode('utf-8', 'replace').rstrip()}\n"
        for name in in_order(files)
        if not is_picture(name)
    )


def _as_text(content: str | bytes) -> str:
    return content if isinstance(content, str) else content.decode("utf-8")
