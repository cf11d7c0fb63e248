r"""LilyPond source as text: what is code, which version it declares, what a cut left open.

Nothing here understands music. Comments and strings are blanked out first, so that a brace in
either is never counted.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

_BLANKED = re.compile(
    r'%\{(?:[^%]++|%(?!\}))*+(?:%\}|\Z)|%[^\n]*+|"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)', re.DOTALL
)
_NOT_BLANK = re.compile(r"[^\n]")
_VERSION = re.compile(r"\\version\s*+\Z")
_NUMBERS = re.compile(r'"\s*+(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?')
_BRACKET = re.compile(r"\\[<>!]|[-^_][->^+._!]|<<|>>|[<>{}]|#\{|#\}")
_WORD_AT_END = re.compile(r"\S++\Z")
_COMMAND_AT_END = re.compile(r"[-^_]?\\[a-zA-Z]++\s*+\Z")
_CLOSER = {"{": "}", "<<": ">>", "<": ">", "#{": "#}"}
_SCORE = re.compile(r"\\(?:score|midi|layout|paper)(?![a-zA-Z])|[{}]")
_STARTS = re.compile(r"\s*+(?:\\|\{|<|#\(|%|[a-zA-Z]+\s*+=)")

Version = tuple[int, int, int]


class Declared(NamedTuple):
    r"""A ``\version`` statement: the numbers and where the quoted string lies."""

    version: Version
    start: int
    end: int


class Bracket(NamedTuple):
    """An open bracket and where it stands."""

    token: str
    start: int


def mask(text: str) -> str:
    """Return the text with comments and strings blanked out, at unchanged positions."""
    return _BLANKED.sub(lambda part: _NOT_BLANK.sub(" ", part[0]), text)


def find_versions(text: str) -> list[Declared]:
    r"""Return every ``\version`` statement in code, in order."""
    found = []
    end = 0
    for part in _BLANKED.finditer(text):
        numbers = _NUMBERS.match(part[0])
        if numbers and _VERSION.search(text, max(end, part.start() - 200), part.start()):
            version = (int(numbers[1]), int(numbers[2]), int(numbers[3] or 0))
            found.append(Declared(version, part.start(), part.end()))
        end = part.end()
    return found


def trim_prose(text: str) -> str:
    """Drop lines of prose before and after bare code; what could be code stays."""
    masked = mask(text)
    lines = text.split("\n")
    masked_lines = masked.split("\n")
    first = next((n for n, line in enumerate(lines) if _STARTS.match(line)), 0)
    closing = (n for n in reversed(range(len(lines))) if any(c in masked_lines[n] for c in "}>"))
    last = next(closing, len(lines) - 1)
    tail = lines[last + 1 :]
    if any(_STARTS.match(line) or "=" in line for line in tail):
        return "\n".join(lines[first:])
    return "\n".join(lines[first : last + 1])


def open_brackets(text: str) -> list[Bracket] | None:
    """Return the brackets that are open at the end, outermost first; None if they do not match."""
    stack: list[Bracket] = []
    for match in _BRACKET.finditer(mask(text)):
        token = match[0]
        if token in _CLOSER:
            stack.append(Bracket(token, match.start()))
        elif token in _CLOSER.values() and (not stack or _CLOSER[stack.pop().token] != token):
            return None
    return stack


def close_cut_off(text: str) -> str | None:
    """Return a cut-off score with its last, partial word dropped and all brackets closed.

    An unfinished chord is dropped. None where the brackets do not match, so that closing would be
    a guess.
    """
    kept = _drop_partial(text)
    brackets = open_brackets(kept)
    if brackets is None:
        return None
    while brackets and _CLOSER[brackets[-1].token] == ">":
        kept = kept[: brackets.pop().start]
    closers = " ".join(_CLOSER[bracket.token] for bracket in reversed(brackets))
    return f"{kept.rstrip()}\n{closers}\n"


def _drop_partial(text: str) -> str:
    """Drop an unfinished comment or string, else the last word, which may be cut."""
    parts = deque(_BLANKED.finditer(text), maxlen=1)
    last = parts[0] if parts else None
    if last is not None and last.end() == len(text):
        if last[0].startswith("%"):
            return text[: last.start()]
        if len(last[0]) > 1 and last[0].endswith('"'):
            return text
        return _drop_word(text[: last.start()], _COMMAND_AT_END)
    if text[-1:].isspace() or text.endswith(("}", ">>")):
        return text
    return _drop_word(text, _WORD_AT_END)


def _drop_word(text: str, word: re.Pattern[str]) -> str:
    """Drop a word of at most 200 characters at the end."""
    match = word.search(text[-200:])
    return text[: len(text) - len(match[0])] if match else text


def add_layout(text: str) -> str | None:
    r"""Put ``\layout { }`` into scores that only ask for MIDI, where nothing else is printed.

    None where the text does not consist of such scores alone.
    """
    scores = list(_scores(mask(text)))
    if not scores or any(score.layout or score.midi is None for score in scores):
        return None
    pieces, position = [], 0
    for score in scores:
        pieces += [text[position : score.midi], "\\layout { } "]
        position = score.midi or 0
    return "".join(pieces) + text[position:]


class _Score(NamedTuple):
    midi: int | None
    layout: bool


def _scores(masked: str) -> Iterator[_Score]:
    r"""Yield what the ``\score`` blocks contain, in order."""
    depth, opened_at, pending = 0, None, False
    midi: int | None = None
    layout = False
    for token in _SCORE.finditer(masked):
        word = token[0]
        if word == "\\score":
            pending = opened_at is None
        elif word == "{":
            depth += 1
            if pending:
                opened_at, pending, midi, layout = depth, False, None, False
        elif word == "}":
            if depth == opened_at:
                yield _Score(midi, layout)
                opened_at = None
            depth -= 1
        elif word == "\\midi" and opened_at is not None and midi is None:
            midi = token.start()
        elif word in ("\\layout", "\\paper"):  # before 2.4 a score's layout was called paper
            layout = True
