"""Repairs of DOT that cannot change what was meant, because the text is no DOT without them.

Each function looks at the tokens of one graph and returns edits; nothing is applied here.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scenarios.languages.dot_tokens import ID_KINDS, Token, TokenKind

_UNQUOTED = re.compile(
    r"[^\]\n\"{}]{1,500}?(?=\s{0,50}(?:\]|\n|[,;]\s{0,50}[A-Za-z_]\w{0,50}\s{0,50}=))"
)
_KEYWORDS = frozenset({"node", "edge", "graph", "digraph", "subgraph", "strict"})


class Edit(NamedTuple):
    """Replace the text from ``start`` to ``end``."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: list[Edit]) -> str:
    """Return the text with all edits made; they must not overlap."""
    pieces, position = [], 0
    for edit in sorted(edits):
        pieces += [text[position : edit.start], edit.text]
        position = edit.end
    return "".join(pieces) + text[position:]


def straighten_quotes(tokens: list[Token]) -> list[Edit]:
    """Replace curly quotes around names by straight ones."""
    return [
        Edit(token.start, token.end, f'"{token.text[1:-1]}"')
        for token in tokens
        if token.kind is TokenKind.CURLY
    ]


def fit_header(tokens: list[Token]) -> tuple[list[Edit], str]:
    """Change ``graph`` to ``digraph`` or back where every edge operator is the other one's.

    Returns no edit where the operators are mixed: then the direction is not known.
    """
    header = next((one for one in tokens if one.text.lower() in ("graph", "digraph")), None)
    operators = {one.kind for one in tokens if one.kind in (TokenKind.ARROW, TokenKind.LINE)}
    if header is None or len(operators) != 1:
        return [], ""
    fitting = "digraph" if operators == {TokenKind.ARROW} else "graph"
    if header.text.lower() == fitting:
        return [], ""
    operator = "->" if fitting == "digraph" else "--"
    repair = f"{header.text} read as {fitting}: all edges are written with {operator}"
    return [Edit(header.start, header.end, fitting)], repair


def quote_values(text: str, tokens: list[Token]) -> list[Edit]:
    """Quote attribute values of several words or signs, as in ``[label=y: (2, 2), shape=box]``."""
    edits: list[Edit] = []
    depth = 0
    for number, token in enumerate(tokens):
        depth += {"[": 1, "]": -1}.get(token.text, 0) if token.kind is TokenKind.SIGN else 0
        if depth <= 0 or token.text != "=" or (edits and token.start < edits[-1].end):
            continue
        if _is_whole_value(tokens, number + 1):
            continue
        start = len(text) if number + 1 == len(tokens) else tokens[number + 1].start
        value = _UNQUOTED.match(text, start)
        if value and value[0].strip() and "\\" not in value[0]:
            edits.append(Edit(start, value.end(), f'"{value[0]}"'))
    return edits


def _is_whole_value(tokens: list[Token], number: int) -> bool:
    """Whether one identifier stands here and what follows may follow an attribute's value."""
    following = tokens[number : number + 3]
    if not following or following[0].kind not in ID_KINDS:
        return False
    if len(following) == 1 or following[1].text in (",", ";", "]", "+"):
        return True
    pair = [token.text for token in following[1:]]
    return following[1].kind in ID_KINDS and pair[1:] == ["="]


class Hyphenated(NamedTuple):
    """A name with hyphens that DOT splits: where it stands, and whether only one reading exists."""

    name: str
    start: int
    end: int
    clear: bool


def find_hyphenated(tokens: list[Token]) -> list[Hyphenated]:
    """Find unquoted names such as ``step-1``, which DOT reads as two names without any error.

    One is clear when it begins with a letter and its first part is no name by itself elsewhere.
    """
    runs = []
    number = 0
    while number < len(tokens):
        stop = _run_end(tokens, number)
        if stop > number + 1:
            runs.append((number, stop))
        number = stop
    inside = {number for run in runs for number in range(*run)}
    alone = {one.text for number, one in enumerate(tokens) if number not in inside}
    found = []
    for first, stop in runs:
        name = "".join(token.text for token in tokens[first:stop])
        clear = tokens[first].kind is TokenKind.NAME and tokens[first].text not in alone
        found.append(Hyphenated(name, tokens[first].start, tokens[stop - 1].end, clear))
    return found


def _run_end(tokens: list[Token], number: int) -> int:
    """Return the number after the tokens that are written together with hyphens between them."""
    if tokens[number].kind not in (TokenKind.NAME, TokenKind.NUMERAL):
        return number + 1
    if tokens[number].text.lower() in _KEYWORDS:
        return number + 1
    stop = number + 1
    while stop < len(tokens) and tokens[stop].start == tokens[stop - 1].end:
        token = tokens[stop]
        hyphen = token.text.startswith("-") and token.kind in (TokenKind.NUMERAL, TokenKind.OTHER)
        word = token.kind in (TokenKind.NAME, TokenKind.NUMERAL) and stop > number + 1
        if not (hyphen or word):
            break
        stop += 1
    while tokens[stop - 1].text == "-":
        stop -= 1
    return stop
