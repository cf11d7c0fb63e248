"""The texts that an answer to an extraction question names, and those of FlowCE's labels.

The prompt asks for a JSON array. FlowCE's own labels are one line each, their texts joined by
commas, which the texts hold as well ("Issue, Inefficiency,Seek to …"); ``read_texts`` takes a label
and an answer by the same road, so the truth of a snapshot is the label as it was published.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from pydantic import JsonValue

from benchmark.outcome import Ok
from benchmark.records import Flag, Record, whole
from scenarios.json_reading import read_json

MOST_TEXTS = 1_000
"""More than any flowchart holds; what an answer names beyond is not read."""

_DEEPEST = 8
_JSON = re.compile(r"\A[\[{]\s*+[\"'“\[{\]}]|(?<![^\s:：])\[\s*+\"")
"""A JSON value at the beginning, or an array of texts behind some prose."""
_BULLET = re.compile(r"\s*+(?:[-*•·]|\(?\d{1,3}[.)、])\s++(\S.*)")
_LEAD_IN = re.compile(
    r"\s*+(?:(?:(?:the |final )?(?:answer|texts?)|答案|文字)(?: is| are|是|为)?"
    r"|(?:the |all |here (?:is|are) )[^:：\n\"“”]{0,80}\b"
    r"(?:is|are|says?|reads?|texts?|content|list|box(?:es)?|(?:flow)?chart|picture|image))"
    r"\s?[:：]\s*+",
    re.IGNORECASE,
)
_EMPHASIS = re.compile(r"(\*\*|__|\*|_)(?=\S)([^*_\n]++)(?<=\S)\1")
_BARE_ARRAY = re.compile(r"\[([^\[\]\n]*+)\]")
"""An array without quotation marks, where commas stand in it."""
_TIGHT_COMMA = re.compile(r",(?!\s)(?!(?<=\d,)\d{3}(?!\d))")
"""A comma without white space behind it that does not group the digits of a number."""
_LOOSE_COMMA = re.compile(r",\s++|[，、]\s*+")
_PROSE = re.compile(r"(?:the|in|there|all|it)\b|图|文字|该", re.IGNORECASE)
_QUOTED = re.compile(r'"([^"\n]++)"|“([^“”\n]++)”')
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}
_NOTHING = {"none", "none.", "null", "无", "无。", "没有", "没有。"}


class Texts(Record):
    """The texts that an answer names, with what was repaired to read them."""

    texts: tuple[str, ...]
    repairs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


def read_texts(text: str) -> Texts:
    """Return the texts that an answer names, in its order, each as often as it is named.

    JSON arrays of texts are read as they are (also arrays of arrays, and the values of objects).
    Otherwise each line names one text; where there are bullets or numbers, only their lines do.
    Quotation marks and marks of emphasis around a text are left out, and so is what introduces the
    texts ("The texts in the chart are:"). A single line is

    * a sentence ('The text is "Start" and "End".'): the texts in double quotation marks; or
    * split as FlowCE's labels are joined: at commas without a space behind them (not within 1,326);
      where there is none, at commas with a space, if every piece begins like a text of its
      own, with a capital letter, a digit or a sign.

    "None" names no text. Linear; never raises.
    """
    text = text.strip()
    start = _JSON.search(text)
    if start is not None:
        read = read_json(text[start.start() :])
        if isinstance(read, Ok):
            found = _limited(list(_leaves(read.value.value)))
            return Texts(texts=found, repairs=read.value.repairs, flags=read.value.flags)
    return Texts(texts=_limited(_read_lines(text)))


def write_texts(texts: Sequence[str]) -> str:
    """Write texts as a perfect answer does: a JSON array."""
    return json.dumps(list(texts), ensure_ascii=False)


def _limited(texts: list[str]) -> tuple[str, ...]:
    return tuple(whole(text) for text in texts[:MOST_TEXTS])


def _read_lines(text: str) -> list[str]:
    lead_in = _LEAD_IN.match(text)
    text = text[lead_in.end() :] if lead_in else text
    if text.lower() in _NOTHING:
        return []
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    bullets = [match[1] for match in map(_BULLET.fullmatch, lines) if match]
    if len(lines) > 1:
        return [_unquote(line) for line in bullets or lines]
    line = _unquote((bullets or lines or [""])[0])
    array = _BARE_ARRAY.fullmatch(line)
    line = array[1] if array and "," in array[1] else line
    quoted = [first or second for first, second in _QUOTED.findall(line)]
    return quoted if quoted and _PROSE.match(line) else _split(line)


def _leaves(value: JsonValue, depth: int = 0) -> Iterator[str]:
    if isinstance(value, dict | list) and depth < _DEEPEST:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _leaves(inner, depth + 1)
    elif isinstance(value, str) and value.strip():
        yield value.strip()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)


def _split(line: str) -> list[str]:
    """Split a line as FlowCE's labels are joined."""
    pieces = [piece.strip() for piece in _TIGHT_COMMA.split(line)]
    if len(pieces) == 1:
        loose = [piece.strip() for piece in _LOOSE_COMMA.split(line)]
        if all(piece and not piece[0].islower() for piece in loose):
            pieces = loose
    return [unquoted for piece in pieces if (unquoted := _unquote(piece))]


def _unquote(text: str) -> str:
    """Drop quotation marks and marks of emphasis around a whole text."""
    text = text.strip()
    if emphasis := _EMPHASIS.fullmatch(text):
        text = emphasis[2]
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        inner = text[1:-1]
        if text[0] not in inner and text[-1] not in inner:
            return inner.strip()
    return text
