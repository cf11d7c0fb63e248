"""Image2Struct's rules for repositories: enough to be seen, little enough to be written.

The bounds are those of its public configuration. They are counted over the files that have a part
in the page; the bytes are ours, since a library on one line is not one line to write.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from benchmark.outcome import Failed
from sources.webpage_files import FILMS, MARKDOWN, PAGES, PICTURES, STYLES, SiteFiles, unsuitable

CODE = PAGES | MARKDOWN | {".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"}
SHOWN = PICTURES | FILMS
"""The assets that are counted; fonts and sounds are not, as in Image2Struct."""


@dataclass(frozen=True)
class Bounds:
    """What a site may hold."""

    least_code_lines: int = 10
    code_files: int = 5
    code_lines: int = 1_000
    style_lines: int = 2_000
    assets: int = 5
    text_bytes: int = 200_000


@dataclass(frozen=True)
class Measures:
    """What a site holds."""

    code_files: int
    code_lines: int
    style_lines: int
    assets: int
    text_bytes: int


def measure(site: SiteFiles) -> Measures:
    """Count files and lines of pages and scripts, lines of style sheets, pictures and films."""
    code = [text for name, text in site.texts.items() if _suffix(name) in CODE]
    styles = [text for name, text in site.texts.items() if _suffix(name) in STYLES]
    return Measures(
        code_files=len(code),
        code_lines=_lines(code),
        style_lines=_lines(styles),
        assets=sum(_suffix(name) in SHOWN for name in site.assets),
        text_bytes=sum(len(text.encode()) for text in site.texts.values()),
    )


def check_bounds(site: SiteFiles, bounds: Bounds = Bounds()) -> Failed | None:
    """Hold a site against the bounds.

    Returns:
        UNSUITABLE with every number that breaks its bound, or None for a site within them.
    """
    found = measure(site)
    broken = []
    if found.code_lines < bounds.least_code_lines:
        broken.append(f"{found.code_lines} lines of code, fewer than {bounds.least_code_lines}")
    most = {
        "code files": (found.code_files, bounds.code_files),
        "lines of code": (found.code_lines, bounds.code_lines),
        "lines of style": (found.style_lines, bounds.style_lines),
        "pictures and films": (found.assets, bounds.assets),
        "bytes of text": (found.text_bytes, bounds.text_bytes),
    }
    broken += [f"{has} {what}, more than {may}" for what, (has, may) in most.items() if has > may]
    if _is_only_readme(site):
        broken.append("nothing but a read-me")
    return unsuitable("; ".join(broken)) if broken else None


def _is_only_readme(site: SiteFiles) -> bool:
    code = [name for name in site.texts if _suffix(name) in CODE]
    return [name.lower() for name in code] == ["readme.md"]


def _lines(texts: Iterable[str]) -> int:
    """Count lines as Image2Struct does: the last one counts without its line feed too."""
    return sum(text.count("\n") + (not text.endswith("\n") and text != "") for text in texts)


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower()
