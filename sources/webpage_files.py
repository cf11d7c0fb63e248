"""The files of a web site as material: what an answer would write, and what comes with it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok

PAGES = frozenset({".html", ".htm", ".xhtml"})
MARKDOWN = frozenset({".md", ".markdown", ".mkd", ".mkdn", ".mkdown"})
STYLES = frozenset({".css", ".scss", ".sass", ".less"})
SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"})
DATA = frozenset({".json", ".yml", ".yaml", ".toml", ".xml", ".csv", ".tsv", ".txt", ".vtt",
                  ".webmanifest", ".liquid"})  # fmt: skip
TEXTS = PAGES | MARKDOWN | STYLES | SCRIPTS | DATA
"""What a site is written in."""

PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".ico", ".bmp"})
FILMS = frozenset({".mp4", ".webm", ".mov", ".avi", ".flv", ".wmv", ".mkv"})
FONTS = frozenset({".woff", ".woff2", ".ttf", ".otf", ".eot"})
SOUNDS = frozenset({".mp3", ".ogg", ".wav"})
ASSETS = PICTURES | FILMS | FONTS | SOUNDS
"""What nobody can write down from a picture; given to the models, as in Image2Struct."""

ABOUT = frozenset({
    "readme", "license", "licence", "unlicense", "copying", "notice", "authors", "contributing",
    "code_of_conduct", "changelog", "history", "security", "issue_template",
    "pull_request_template", "package", "package-lock", "tsconfig", "composer", "yarn", "robots",
    "sitemap", "humans", "todo",
})  # fmt: skip
"""Names, without suffix, of files of the top folder that are about a repository or for machines;
left out unless they are pages, or Jekyll makes pages of them."""

INDEXES = ("index.html", "index.htm", "index.md", "index.markdown", "readme.md")
"""What GitHub Pages shows first, in order of preference."""

FOLDERS = ("", "docs")
"""The folders of a repository that GitHub Pages can be told to publish, in order of preference."""

_FRONT_MATTER = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n")


@dataclass(frozen=True)
class SiteFiles:
    """The files of a site, by their paths in the folder that is published."""

    entry: str
    texts: Mapping[str, str]
    assets: Mapping[str, bytes]
    left_out: tuple[str, ...] = ()
    """Files without a part in the page: hidden ones, and those of kinds no page shows."""
    folder: str = ""
    """The folder of the repository that is published: the top one or ``docs``."""
    changes: tuple[str, ...] = ()
    """What was changed in the author's files."""

    def with_text(self, name: str, text: str, change: str) -> SiteFiles:
        """Return the site with the text of one file replaced, and the change noted."""
        texts = {**self.texts, name: text}
        return replace(self, texts=texts, changes=(*self.changes, change))

    @property
    def truth(self) -> str:
        """The texts as a perfect answer lists them: the entry page first, then by name."""
        names = sorted(self.texts, key=lambda name: (name != self.entry, name))
        items = [{"filename": name, "content": self.texts[name]} for name in names]
        return json.dumps(items, ensure_ascii=False, indent=1)


def sort_files(files: Mapping[str, bytes]) -> Outcome[SiteFiles]:
    """Sort the files of a repository into texts, assets and what is left out.

    Args:
        files: contents by path; what a page shows and what it does not is told by the suffix.

    Returns:
        The site, or a failure of stage filter: UNSUITABLE (no index page, or a text that is not
        UTF-8, as which GitHub Pages sends it).
    """
    found = _published(files)
    if found is None:
        return unsuitable("no index page in its top folder or in docs")
    folder, entry = found
    texts: dict[str, str] = {}
    assets: dict[str, bytes] = {}
    left_out = []
    for path, data in sorted(files.items()):
        name = path.removeprefix(f"{folder}/") if folder else path
        outside = folder != "" and name == path
        if outside or (name != entry and not _belongs(name, data)):
            left_out.append(path)
        elif _suffix(name) in ASSETS:
            assets[name] = data
        else:
            try:
                texts[name] = data.decode("utf-8")
            except UnicodeDecodeError:
                return unsuitable(f"{path} is not UTF-8")
    return ok(SiteFiles(entry, texts, assets, tuple(left_out), folder))


def has_front_matter(data: bytes) -> bool:
    """Tell whether a file begins with front matter, which makes Jekyll read it."""
    return _FRONT_MATTER.match(data) is not None


def unsuitable(message: str, kind: Kind = Kind.UNSUITABLE) -> Failed:
    """Return the failure of a site that is not wanted."""
    return Failed.of(Stage.FILTER, kind, message)


def shown_before(site: SiteFiles, names: Collection[str]) -> str:
    """Return the first of other files of the repository that would be shown instead, if any."""
    own = f"{site.folder}/{site.entry}".lstrip("/").lower()
    known = {own: own} | {name.lower(): name for name in names}
    found = _first_index(known)
    return "" if found is None or found[1] == own else found[1]


def _published(files: Mapping[str, bytes]) -> tuple[str, str] | None:
    """Find the folder that is published and the page in it that is shown first."""
    found = _first_index({path.lower(): path for path in files})
    if found is None:
        return None
    folder, path = found
    return folder, path.removeprefix(f"{folder}/") if folder else path


def _first_index(named: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the index page that comes first, and its folder, of paths by their lower case."""
    for folder in FOLDERS:
        for index in INDEXES:
            path = f"{folder}/{index}".lstrip("/")
            if path in named:
                return folder, named[path]
    return None


def _belongs(name: str, data: bytes) -> bool:
    """Tell whether a file has a part in the page."""
    parts = name.split("/")
    if any(part.startswith(".") for part in parts):
        return False
    if len(parts) == 1 and _is_about(name) and not has_front_matter(data):
        return False
    return _suffix(name) in TEXTS | ASSETS


def _is_about(name: str) -> bool:
    plain = _suffix(name) not in PAGES | SCRIPTS | STYLES
    return plain and name.lower().partition(".")[0] in ABOUT


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
