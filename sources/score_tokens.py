r"""LilyPond source as tokens, in one pass: enough of its lexer to follow music, nothing runs.

Scheme is one token, whatever it holds; a comment is part of the gap before the next token. Lyrics
have a lexer of their own (``sources.score_lyrics``), which reads the text between two tokens anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

MOST_CHARACTERS = 500_000
MOST_TOKENS = 150_000


class Unreadable(Exception):
    """Source that is not understood; the text says what and where."""


class Kind(StrEnum):
    """What a token is."""

    COMMAND = "command"
    STRING = "string"
    SCHEME = "scheme"
    NUMBER = "number"
    WORD = "word"
    SIGN = "sign"


@dataclass(frozen=True)
class Token:
    """A token, its place in the source and whether anything stands between it and the last."""

    kind: Kind
    text: str
    start: int
    line: int
    gap: str
    """Blanks before it; a comment counts as a line break."""

    @property
    def end(self) -> int:
        """Where the next begins at the earliest."""
        return self.start + len(self.text)


# a string that is not closed runs to the end: otherwise each quote in it would be read to the end
_GAP = re.compile(r"(?:\s+|%\{(?:[^%]|%(?!\}))*(?:%\}|\Z)|%[^\n]*)+")
_PLAIN = re.compile(
    r"""
    (?P<command> \\(?:[^\W\d_]+(?:[-_][^\W\d_]+)*|\d{1,3}|[\\<>!()\[\]+~=]) )
  | (?P<string> "(?:[^"\\]|\\.)*+(?:"|\\?\Z) )
  | (?P<number> \d{1,9}(?:\.\d{1,9})? )
  | (?P<word> [^\W\d_]+(?:[-_][^\W\d_]+)* )
  | (?P<sign> << | >> | [-^_][-.>^+|!_] | . )
    """,
    re.X | re.S,
)
_DATUM = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[^\s(){}";]+', re.S)
_SCHEME = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|;[^\n]*|\#\\.|\#\{|\#\}|[()]|[^"();#]+|.', re.S)


def tokenize(source: str) -> list[Token]:
    """Return the tokens of source.

    Raises:
        Unreadable: it is too long, or Scheme in it does not end.
    """
    if len(source) > MOST_CHARACTERS:
        raise Unreadable(f"{len(source)} characters")
    tokens = []
    for token in _read(source):
        tokens.append(token)
        if len(tokens) > MOST_TOKENS:
            raise Unreadable(f"more than {MOST_TOKENS} tokens")
    return tokens


def _read(source: str) -> Iterator[Token]:
    place, line = 0, 1
    while place < len(source):
        gap = _GAP.match(source, place)
        blank = ""
        if gap:
            blank = "\n" if "\n" in gap[0] or "%" in gap[0] else " "
            line += gap[0].count("\n")
            place = gap.end()
            if place >= len(source):
                return
        if source[place] in "#$":
            end = _scheme_end(source, place, line)
            kind, text = Kind.SCHEME, source[place:end]
        else:
            found = _PLAIN.match(source, place)
            if found is None:  # every character is at least a sign
                raise Unreadable(f"line {line}")
            kind, text = Kind(str(found.lastgroup)), found[0]
        yield Token(kind, text, place, line, blank)
        line += text.count("\n")
        place += len(text)


def _scheme_end(source: str, place: int, line: int) -> int:
    """Return where an expression of Scheme ends that begins with # or $."""
    place += 1
    while source[place : place + 1] in (" ", "\t") and place < len(source):
        place += 1
    while source[place : place + 1] in ("'", "`", ",", "@") and source[place : place + 1]:
        place += 1
    if source.startswith("#(", place):
        place += 1
    if not source.startswith("(", place) and not source.startswith("#{", place):
        datum = _DATUM.match(source, place)
        if datum is None:
            raise Unreadable(f"line {line}: Scheme that is none")
        return datum.end()
    depth = 0
    while place < len(source):
        found = _SCHEME.match(source, place)
        if found is None:
            break
        part, place = found[0], found.end()
        depth += part in ("(", "#{")
        depth -= part in (")", "#}")
        if depth == 0:
            return place
    raise Unreadable(f"line {line}: Scheme that does not end")


def matching(tokens: list[Token], begin: int) -> int:
    """Return the index of the brace that closes the one at `begin`.

    Raises:
        Unreadable: there is none.
    """
    depth = 0
    for index in range(begin, len(tokens)):
        text = tokens[index].text
        depth += text == "{"
        depth -= text == "}"
        if depth == 0:
            return index
    raise Unreadable(f"line {tokens[begin].line}: a brace that is not closed")
