"""The text that a reader of a material would see, without its mark-up.

For filters on what is said, not on how it is written: the words of a page without its code, of a
formula without its commands, titles and lyrics of a score without its notes, the nodes of a tree.
Foreign material never makes this fail; every step is linear in the length of the text, of which
``MOST_CHARACTERS`` are read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from lxml import etree, html

from benchmark.records import Material
from sources.filters import files_of

MOST_CHARACTERS = 2_000_000
"""Of each file; what comes after is not read."""
MOST_TEXTS = 200_000
"""Strings of one JSON value."""

SEEN_ATTRIBUTES = ("alt", "title", "placeholder", "aria-label", "label", "value", "content")
UNSEEN_ELEMENTS = frozenset({"script", "style", "template", "noscript"})

HTML_SUFFIXES = frozenset({".htm", ".html", ".md", ".markdown", ".svg", ".xhtml", ".php", ""})
"""Markdown may hold HTML and is otherwise text, as which HTML's reader takes it."""
STRINGS_SUFFIXES = frozenset({".js", ".mjs", ".ts", ".css", ".scss", ".sass", ".less"})

_TAG = re.compile(r"<[^<>]*+>?")
_STRING = re.compile(
    r'"((?:[^"\\\n]|\\.)*+)"?|\'((?:[^\'\\\n]|\\.)*+)\'?|`((?:[^`\\]|\\.)*+)`?', re.DOTALL
)
"""Also one that is not closed: to look for its end again and again would take for ever."""
_TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*+")
_TEX_ACCENT = re.compile(r"\\[\"'`^~=.]\{?([A-Za-z])\}?")
_TEX_COMMAND = re.compile(r"\\(?:[A-Za-z@]++\*?|.)", re.DOTALL)
_TEX_MARK = re.compile(r"[{}$&#_^~]")
_WRAPPED = re.compile(r"(?<=\S)[ \t]*+\n(?!\s*?\n)")
"""The end of a line inside of a paragraph, which is a space."""
_LY_COMMENT = re.compile(r"%\{(?:[^%]|%(?!\}))*+(?:%\}|\Z)|%[^\n]*+")
_LY_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"?', re.DOTALL)
_LY_WORDS = re.compile(r"\\(?:lyricmode|lyrics|addlyrics|lyricsto|markup)\b")
_LY_HYPHEN = re.compile(r"\s*--\s*")


def readable(material: Material) -> str:
    """Return what a reader sees of a material, and of what its picture was drawn from.

    Returns:
        One text; empty where only a picture is known.
    """
    parts = [
        part for name, text in files_of(material) for part in _read(material.scenario, name, text)
    ]
    if material.drawn_from is not None:
        parts += _read(material.drawn_from.scenario, "", material.drawn_from.text)
    return "\n".join(part for part in parts if part.strip())


def _read(scenario: str, name: str, text: str) -> Iterator[str]:
    reader = READERS.get(scenario, read_texts)
    if scenario == "webpage" and PurePosixPath(name).suffix.lower() in STRINGS_SUFFIXES:
        reader = read_strings
    yield from reader(text[:MOST_CHARACTERS])


def read_html(text: str) -> Iterator[str]:
    """Yield texts and described pictures of a page, a block after the other."""
    parser = html.HTMLParser(
        encoding="utf-8", remove_comments=True, no_network=True, huge_tree=True
    )
    try:
        root = html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError):
        return  # a page without any content has no root
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        yield _TAG.sub(
            "\n", text
        )  # the parser gives up on what is nested too deep, browsers do not
        return
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        if element.tag not in UNSEEN_ELEMENTS and element.text:
            yield element.text
        for attribute in SEEN_ATTRIBUTES:
            if value := element.get(attribute):
                yield value
        if element.tag == "script" and element.text:
            yield from read_strings(element.text)
        if element.tail:
            yield element.tail


def read_strings(text: str) -> Iterator[str]:
    """Yield the string literals of a script or style sheet, which may come to be seen."""
    for found in _STRING.finditer(text):
        yield found[1] or found[2] or found[3] or ""


def read_tex(text: str) -> Iterator[str]:
    """Yield LaTeX without comments, commands and marks."""
    text = _TEX_ACCENT.sub(r"\1", _TEX_COMMENT.sub("", text))
    text = _TEX_MARK.sub(" ", _TEX_COMMAND.sub(" ", text))
    yield _WRAPPED.sub(" ", text)


def read_lilypond(text: str) -> Iterator[str]:
    """Yield strings (titles, names, marks), lyrics with their syllables joined, and markup."""
    text = _LY_COMMENT.sub("", text)
    for found in _LY_STRING.finditer(text):
        yield found[1]
    end = 0
    for found in _LY_WORDS.finditer(text):
        if found.start() < end:
            continue
        start = text.find("{", found.end(), found.end() + 200)
        if start < 0:
            continue
        end = _closed(text, start)
        words = _LY_HYPHEN.sub("", _LY_STRING.sub(" ", text[start + 1 : end]))
        yield _TEX_MARK.sub(" ", _TEX_COMMAND.sub(" ", words))


def _closed(text: str, start: int) -> int:
    """Return where the brace that opens at `start` is closed, or the end of the text."""
    depth = 0
    for found in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return found.start()
    return len(text)


def read_texts(text: str) -> Iterator[str]:
    """Yield the strings of a JSON value, or a text that is none as it is."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        yield text
        return
    stack, count = [value], 0
    while stack and count < MOST_TEXTS:
        value = stack.pop()
        if isinstance(value, str):
            count += 1
            yield value
        elif isinstance(value, dict):
            stack.extend(reversed(list(value.values())))
        elif isinstance(value, list):
            stack.extend(reversed(value))


READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "webpage": read_html,
    "latex": read_tex,
    "music": read_lilypond,
}
"""How the truth of a scenario is read; that of all others is a tree, a list or plain text."""
