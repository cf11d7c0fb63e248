r"""What is done to every LaTeX text before its first rendering, as in Image2Struct.

Numbers, labels, references and citations depend on a document that the picture does not show; so
they are taken out of answers and truths alike. Each function returns the new text and what was
done, or the text unchanged and None.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scenarios.languages.tex_packages import STANDARD
from scenarios.languages.tex_source import (
    DISPLAYS,
    has,
    insert_opening,
    is_document,
    mask,
    substitute,
)

NUMBERED = rf"(?:{'|'.join(name for name in DISPLAYS if name != 'displaymath')})"

_KEYS = r"\s*\{[^{}]*\}"
_REFERENCE = rf"\\(?:eq|page|auto|c|C|name|v)?ref\*?{_KEYS}"
_CITATION = rf"\\(?:no)?[Cc]ite[a-zA-Z]*\*?(?:\s*\[[^\[\]]*\]){{0,2}}{_KEYS}"
_POINTERS = (
    rf"(?m:^[ \t]*\\label{_KEYS}[ \t]*\n)",
    rf"[ \t]*\\label{_KEYS}",
    rf"~?\(\s*{_REFERENCE}\s*\)",
    rf"~?{_REFERENCE}",
    rf"~?{_CITATION}",
)

_PREAMBLE_LINE = re.compile(
    r"\\(?:usepackage|RequirePackage)\s*(?P<options>\[[^\[\]]*\])?\s*\{(?P<names>[^{}]*)\}"
    r"|\\(?:usetikzlibrary|usepgfplotslibrary)\s*\{[^{}]*\}"
)

PLAIN_PAGES = r"\makeatletter\let\ps@plain\ps@empty\makeatother\pagestyle{empty}"
"""Empty headers and footers, also where a class asks for the plain style (title pages)."""

Cleaned = tuple[str, str | None]


class Snippet(NamedTuple):
    """A snippet without the package commands that it came with."""

    body: str
    preamble: str


def use_document_class(text: str) -> Cleaned:
    r"""Rewrite LaTeX 2.09's ``\documentstyle`` to ``\documentclass``.

    Its options that name style files (``epsfig``) would have to become packages; they stay class
    options, which LaTeX ignores when unknown.
    """
    new = substitute(r"\\documentstyle\b", r"\documentclass", text)
    return new, "documentstyle rewritten to documentclass" if new != text else None


def supply_document_class(text: str) -> Cleaned:
    r"""Supply a class to a text that has ``\begin{document}`` but none."""
    if is_document(text) or not has(r"\\begin\s*\{document\}", text):
        return text, None
    return r"\documentclass{article}" + text, "document class article supplied"


def star_environments(text: str) -> Cleaned:
    r"""Take the numbers off displayed equations by using the starred environments.

    A document that does not load amsmath has no ``equation*``; LaTeX's own ``displaymath`` looks
    the same.
    """
    bare = is_document(text) and not has(r"amsmath|mathtools|physics|amsart|IEEEtran", text)

    def unnumbered(match: re.Match[str]) -> str:
        plain = bare and match["name"] == "equation"
        return f"{match['head']}{{{'displaymath' if plain else match['name'] + '*'}}}"

    new = substitute(rf"(?P<head>\\(?:begin|end)\s*)\{{(?P<name>{NUMBERED})\}}", unnumbered, text)
    return new, "equation numbering removed" if new != text else None


def drop_pointers(text: str) -> Cleaned:
    """Take out labels, references and citations; they would print as question marks."""
    new = text
    for pattern in _POINTERS:
        new = substitute(pattern, "", new)
    return new, "labels, references and citations removed" if new != text else None


def suppress_page_numbers(text: str) -> Cleaned:
    """Empty the headers and footers of a document that does not choose a page style itself."""
    if not is_document(text) or has(r"\\pagestyle\b|\{standalone\}|\{beamer\}", text):
        return text, None
    new = insert_opening(text, PLAIN_PAGES)
    return new, "page numbers suppressed" if new != text else None


def split_snippet(text: str) -> Snippet:
    r"""Take ``\usepackage``, ``\usetikzlibrary`` and the like out of a snippet's text.

    They are errors after ``\begin{document}``, where a snippet is put. Packages of the standard
    preamble are dropped; loading them again with options would be an error.
    """
    lines = [_without_standard(match) for match in _PREAMBLE_LINE.finditer(mask(text))]
    body = substitute(_PREAMBLE_LINE.pattern, "", text)
    return Snippet(body, "\n".join(line for line in lines if line))


def _without_standard(match: re.Match[str]) -> str:
    if match["names"] is None:
        return match[0]
    listed = [name.strip() for name in match["names"].split(",")]
    kept = [name for name in listed if name and name not in STANDARD]
    return match[0].replace(match["names"], ",".join(kept)) if kept else ""
