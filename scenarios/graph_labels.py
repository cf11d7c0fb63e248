r"""What a reader of the picture sees of a label: text without markup, escapes and ports.

All functions are linear in their text and take any text. What they return is not normalised yet;
``scenarios.trees.normalise_text`` does that (it decodes entities and joins lines).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_RECORD = re.compile(r"\\.|[{}|]|<[^<>]*+>|[^\\{}|<]++|.", re.DOTALL)
_MARKUP = re.compile(r"<!--(?:[^-]++|-(?!->))*+(?:-->|\Z)|</?([A-Za-z][\w-]{0,30})?[^<>]*+>?")
_INLINE = frozenset({"b", "i", "u", "o", "s", "sub", "sup", "font"})
_TAG = re.compile(
    r"</?(?:br|b|i|u|s|em|strong|span|div|p|sub|sup|small|big|code|font|center|del|ins|mark|ul|ol"
    r"|li|h[1-6]|hr|img|a)(?:[\s/][^<>]*+)?>",
    re.IGNORECASE,
)
_BREAK = re.compile(r"<(?:br|/p|/div|/li|hr)\b", re.IGNORECASE)
_ICON = re.compile(r"\bfa[bklrst]?:fa-[\w-]++")
_HASH_ENTITY = re.compile(r"#(\w{1,31});")
_EMPHASIS = re.compile(r"\*\*|__|\*|(?<!\w)_(?=\w)|(?<=\w)_(?!\w)")

_LINE_BREAKS = {"n": "\n", "l": "\n", "r": "\n"}


def unquote(quoted: str) -> str:
    r"""Return what stands in a quoted DOT string: ``\"`` is a quote, ``\`` ends no line.

    All other escapes stay; they are the label's.
    """
    kept = {'"': '"', "\n": ""}
    return _ESCAPE.sub(lambda found: kept.get(found[1], found[0]), quoted[1:-1])


def plain_text(label: str, names: Mapping[str, str]) -> str:
    r"""Resolve the escapes of a DOT label: line ends (``\n \l \r``), names (``\N \G …``).

    Args:
        label: as ``unquote`` returns it.
        names: what a letter behind a backslash stands for.
    """
    return _ESCAPE.sub(lambda found: {**_LINE_BREAKS, **names}.get(found[1], found[1]), label)


def record_text(label: str, names: Mapping[str, str]) -> str:
    """Return the text of a DOT record: its fields in order, without ports and braces."""
    pieces = []
    for found in _RECORD.finditer(label):
        piece = found[0]
        if piece[0] == "\\" and len(piece) == 2:
            pieces.append({**_LINE_BREAKS, **names}.get(piece[1], piece[1]))
        elif piece in ("{", "}", "|") or (piece[0] == "<" and len(piece) > 1):
            pieces.append(" ")
        else:
            pieces.append(piece)
    return "".join(pieces)


def html_text(label: str) -> str:
    """Return the text of an HTML-like DOT label; cells and lines are set apart by a space."""
    return _MARKUP.sub(lambda tag: "" if (tag[1] or "").lower() in _INLINE else " ", label)


def mermaid_text(label: str) -> str:
    r"""Return the text of a Mermaid label.

    Tags of text (``<br/>``, ``<b>``), icons (``fa:fa-car``) and the marks of Markdown strings go;
    ``#quot;`` becomes ``&quot;``; a written ``\n`` is a line end.
    """
    text = label.strip()
    if len(text) >= 2 and text[0] == text[-1] == "`":
        text = _EMPHASIS.sub("", text[1:-1])
    text = _TAG.sub(lambda tag: "\n" if _BREAK.match(tag[0]) else "", text)
    text = _ICON.sub("", text.replace("\\n", "\n"))
    return _HASH_ENTITY.sub(_entity, text)


def _entity(found: re.Match[str]) -> str:
    name = found[1]
    return f"&#{name};" if name.isdecimal() else f"&{name};"
