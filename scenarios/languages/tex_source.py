r"""LaTeX source as text with structure: where its comments, verbatim parts and environments lie.

Nothing here expands macros. That is enough to tell a document from a snippet, to edit only what is
code, and to see what a cut-off answer left open.
"""

from __future__ import annotations

import re
from collections.abc import Callable

TOKEN = re.compile(
    r"""
      (?P<verbatim>\\begin\{(?P<kind>verbatim\*?|Verbatim|lstlisting|minted|comment|filecontents\*?)\}
         .*?\\end\{(?P=kind)\})
    | (?P<verb>\\(?:verb|lstinline)\*?(?P<delimiter>[^a-zA-Z\s*{\[])[^\n]*?(?P=delimiter))
    | (?P<comment>%[^\n]*)
    | (?P<begin>\\begin\s*\{(?P<opened>[^{}\n]*)\})
    | (?P<end>\\end\s*\{(?P<closed>[^{}\n]*)\})
    | (?P<command>\\(?:[a-zA-Z@]+\*?|.|\Z))
    | (?P<dollars>\$\$?)
    | (?P<brace>[{}])
    """,
    re.VERBOSE | re.DOTALL,
)
"""One token of what matters; everything between two tokens is plain text."""

DISPLAYS = (
    "equation",
    "align",
    "gather",
    "multline",
    "flalign",
    "alignat",
    "eqnarray",
    "displaymath",
)
"""Environments that set displayed mathematics; each also has a starred form."""

DISPLAY = rf"(?:{'|'.join(DISPLAYS)})\*?"
"""Pattern of the names of display environments."""

Replacement = str | Callable[[re.Match[str]], str]


def mask(text: str) -> str:
    """Return the text with comments and verbatim parts blanked out, at unchanged positions."""

    def blank(token: re.Match[str]) -> str:
        if token["verbatim"] or token["verb"] or token["comment"]:
            return re.sub(r"[^\n]", " ", token[0])
        return token[0]

    return TOKEN.sub(blank, text)


def without_comments(text: str) -> str:
    """Return the text without comments; verbatim parts keep their percent signs."""
    return TOKEN.sub(lambda token: "" if token["comment"] else token[0], text)


def substitute(pattern: str, replacement: Replacement, text: str) -> str:
    r"""Like ``re.sub``, but only where the text is code: not in comments or verbatim parts.

    A replacement that is a string is taken literally, without ``\1`` or escapes.
    """
    pieces, position = [], 0
    for match in re.finditer(pattern, mask(text)):
        new = replacement if isinstance(replacement, str) else replacement(match)
        pieces += [text[position : match.start()], new]
        position = match.end()
    return "".join(pieces) + text[position:]


def has(pattern: str, text: str) -> bool:
    """Whether a pattern occurs in code, outside comments and verbatim parts."""
    return re.search(pattern, mask(text)) is not None


def is_document(text: str) -> bool:
    """Whether the text names a document class, so that it must be compiled as it is."""
    return has(r"\\document(?:class|style)\b", text)


def body_span(text: str) -> tuple[int, int]:
    r"""Return start and end of what is between ``\begin{document}`` and ``\end{document}``.

    A snippet is all body.
    """
    masked = mask(text)
    begin = re.search(r"\\begin\s*\{document\}", masked)
    end = re.search(r"\\end\s*\{document\}", masked)
    return begin.end() if begin else 0, end.start() if end else len(text)


def body(text: str) -> str:
    r"""Return what is between ``\begin{document}`` and ``\end{document}``; all of a snippet."""
    start, end = body_span(text)
    return text[start:end]


def insert_preamble(text: str, lines: str) -> str:
    r"""Put commands before ``\begin{document}``, on its line, so that line numbers stay true."""
    match = re.search(r"\\begin\s*\{document\}", mask(text))
    if match is None:
        return text
    return text[: match.start()] + lines + text[match.start() :]


def insert_opening(text: str, commands: str) -> str:
    r"""Put commands right after ``\begin{document}``, on its line."""
    match = re.search(r"\\begin\s*\{document\}", mask(text))
    if match is None:
        return text
    return text[: match.end()] + commands + text[match.end() :]


def normalise(text: str) -> str:
    """Return the body for text metrics: no comments, no trailing or repeated white space."""
    lines = (
        re.sub(r"[ \t]+", " ", line).strip() for line in without_comments(body(text)).split("\n")
    )
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
