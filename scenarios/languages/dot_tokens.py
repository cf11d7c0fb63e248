"""DOT as a list of tokens: one pass, no recursion, total on any text.

The lexical rules are those of the DOT language (graphviz.org/doc/info/lang.html). Curly quotes
around a name are no DOT, but a token of their own here, because models write them.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple


class TokenKind(StrEnum):
    """What a token is."""

    NAME = "name"
    NUMERAL = "numeral"
    QUOTED = "quoted"
    CURLY = "curly"
    HTML = "html"
    ARROW = "arrow"
    LINE = "line"
    SIGN = "sign"
    OTHER = "other"


class Token(NamedTuple):
    """A token and where it stands; ``closed`` is False for one that the end of the text cuts."""

    kind: TokenKind
    text: str
    start: int
    closed: bool = True

    @property
    def end(self) -> int:
        """Offset after the token."""
        return self.start + len(self.text)


ID_KINDS = frozenset({TokenKind.NAME, TokenKind.NUMERAL, TokenKind.QUOTED, TokenKind.HTML})
"""Kinds that DOT accepts as an identifier."""

_TOKEN = re.compile(
    r"""
      (?P<space>\s++|//[^\n]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)|(?:(?<=\n)|\A)\#[^\n]*+)
    | (?P<quoted>"(?:[^"\\]++|\\.)*+(?:"|\\?\Z))
    | (?P<curly>[“”„][^“”„"\n]*+[“”]|‘[^‘’"\n]*+’)
    | (?P<arrow>->)
    | (?P<line>--)
    | (?P<numeral>-?(?:\.\d++|\d++(?:\.\d*+)?))
    | (?P<name>[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*+)
    | (?P<html><)
    | (?P<sign>[{}\[\];,=:+])
    | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ANGLE = re.compile(r"<!--(?:[^-]++|-(?!->))*+(?:-->|\Z)|[<>]")


def tokenize(text: str) -> list[Token]:
    """Return the tokens of DOT text without white space and comments; linear; never raises."""
    tokens = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:  # every character matches some alternative
            position += 1
            continue
        position = match.end()
        if match.lastgroup == "space":
            continue
        token = Token(TokenKind(match.lastgroup), match[0], match.start())
        if token.kind is TokenKind.HTML:
            position, closed = _html_end(text, match.start())
            token = Token(token.kind, text[match.start() : position], match.start(), closed)
        elif token.kind is TokenKind.QUOTED:
            token = token._replace(closed=_is_closed(token.text))
        tokens.append(token)
    return tokens


def _html_end(text: str, start: int) -> tuple[int, bool]:
    """Return where an HTML-like string ends, and whether it is closed."""
    depth = 0
    for match in _ANGLE.finditer(text, start):
        if match[0] == "<":
            depth += 1
        elif match[0] == ">":
            depth -= 1
            if depth == 0:
                return match.end(), True
    return len(text), False


def _is_closed(quoted: str) -> bool:
    if len(quoted) == 1 or not quoted.endswith('"'):
        return False
    inside = quoted[1:-1]
    return (len(inside) - len(inside.rstrip("\\"))) % 2 == 0
