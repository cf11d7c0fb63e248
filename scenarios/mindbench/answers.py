"""Answers to questions about a map: a text, a list, boxes, or texts with boxes.

How an answer is written (``write``) and read (``read_items``) is one matter: what ``write`` makes
of items, ``read_items`` gives back, or the question is not asked (``is_readable``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from pydantic import JsonValue

from benchmark.records import whole
from scenarios.tree_boxes import Box, read_box, write_box
from scenarios.trees import normalise_text

NONE = "None"
"""What stands for "there is none", as in the official answers."""

MOST_ITEMS = 1_000

_NUMBER = r"\s{0,9}(\d{1,4}(?:\.0{1,9})?)\s{0,9}"
_BOX = re.compile(rf"<bbox>\s*+\[?{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}\]?\s*+</bbox>")
_BARE_BOX = re.compile(rf"[\[(]?{_NUMBER},{_NUMBER},{_NUMBER},{_NUMBER}[\])]?\.?")
_NOTHING = {"none", "none.", "null", "[]", "无", "无。", "没有", "没有。"}
_YES = {"yes": "Yes", "no": "No", "是": "是", "否": "否", "是的": "是", "不是": "否"}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "`": "`"}
_PREFIX = re.compile(
    r"(?:(?:the |final )?answer|答案|回答)\s{0,3}(?:is|是|为)?\s{0,3}[:：]\s*+", re.I
)
_QUOTE = re.compile("[\"']")
_QUOTED = {sign: re.compile(rf"{sign}((?:[^{sign}\\]|\\.)*+){sign}", re.DOTALL) for sign in "\"'"}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r"}
_BULLET = re.compile(r"\s*+(?:[-*•]|\d{1,3}[.)、])\s++(\S.*)")
_SEPARATORS = " \t\n,;，；、"


class Form(StrEnum):
    """In which form an answer is asked for."""

    TEXT = "text"
    NUMBER = "number"
    YES_NO = "yes_no"
    LIST = "list"
    BOX = "box"
    TEXT_BOX = "text_box"
    LIST_BOX = "list_box"
    ANY = "any"
    """Not said: a question that somebody else wrote."""


@dataclass(frozen=True)
class Item:
    """One thing that an answer names: a text, a box, or a text with its box."""

    text: str | None = None
    box: Box | None = None

    def __str__(self) -> str:
        parts = [] if self.text is None else [self.text]
        if self.box is not None:
            parts.append(f"<bbox>{write_box(self.box)}</bbox>")
        return " ".join(parts)


def write(items: Sequence[Item], form: Form) -> str:
    """Write items as a perfect answer does: none as ``None``, lists as JSON arrays of texts."""
    if not items:
        return NONE
    if form in (Form.LIST, Form.LIST_BOX):
        return json.dumps([str(item) for item in items], ensure_ascii=False)
    return str(items[0])


def is_readable(items: Sequence[Item], form: Form) -> bool:
    """Tell whether items can be written so that they are read back as they are; no empty text."""
    return "" not in [item.text for item in items] and read_items(write(items, form)) == list(items)


def canonical(items: Sequence[Item]) -> str:
    """Return items as one text to compare: the order of a list does not count."""
    if not items:
        return NONE
    texts = sorted(str(item) for item in items)
    return texts[0] if len(texts) == 1 else json.dumps(texts, ensure_ascii=False)


def as_tree(items: Sequence[Item]) -> JsonValue:
    """Return items as the JSON value that ``metrics.answers`` compares."""
    value: list[JsonValue] = []
    for item in items:
        entry: dict[str, JsonValue] = {} if item.text is None else {"text": item.text}
        if item.box is not None:
            entry["box"] = list(item.box)
        value.append(entry)
    return {"items": value}


def read_items(text: str) -> list[Item]:
    """Read the items of an answer.

    Read are: JSON and Python lists of texts, objects with ``text`` and ``box``, ``{"answer": …}``,
    boxes as ``<bbox>1,2,3,4</bbox>`` or four bare numbers, bullet lists, and plain text.
    "Answer:", quotation marks around the whole and a full stop behind a number or a yes are
    dropped. Linear; never raises.
    """
    found = _read(text.strip())[:MOST_ITEMS]
    return [Item(None if item.text is None else whole(item.text), item.box) for item in found]


def _read(text: str) -> list[Item]:
    text = _PREFIX.sub("", text, count=1) if _PREFIX.match(text) else text
    if text.strip("*").strip().lower() in _NOTHING:
        return []
    value = _from_json(text)
    if value is not None:
        return value
    if text.startswith("[") and text.endswith("]"):
        strings = _strings(text)
        if strings:
            return [_from_text(string) for string in strings]
    lines = [line for line in text.split("\n") if line.strip()]
    bullets = [match[1] for match in map(_BULLET.fullmatch, lines) if match]
    if bullets and len(bullets) == len(lines) and len(lines) > 1:
        return [_from_text(_unquote(line)) for line in bullets]
    if len(_BOX.findall(text)) > 1:
        return _several_boxes(text)
    return [_from_text(_unquote(text))]


def _strings(text: str) -> list[str]:
    """Return what stands in quotation marks.

    Where one is not closed, no later one of its sort is: looking on would take quadratic time.
    """
    strings: list[str] = []
    closed, unclosed = 0, set()
    for quote in _QUOTE.finditer(text):
        if quote.start() < closed or quote[0] in unclosed:
            continue
        found = _QUOTED[quote[0]].match(text, quote.start())
        if found is None:
            unclosed.add(quote[0])
        else:
            strings.append(_unescape(found[1]))
            closed = found.end()
    return strings


def _from_json(text: str) -> list[Item] | None:
    """Read a JSON answer; None if it is not JSON, or a lone text or number."""
    if not text.startswith(("[", "{")):
        return None
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict) and len(value) == 1 and "answer" in value:
        value = value["answer"]
        if value is None:
            return []
    box = read_box(value)
    if box is not None:
        return [Item(box=box)]
    entries = value if isinstance(value, list) else [value]
    items = [_from_entry(entry) for entry in entries]
    return [item for item in items if item is not None]


def _from_entry(entry: JsonValue) -> Item | None:
    if isinstance(entry, dict):
        box = next((read_box(entry[key]) for key in ("box", "bbox") if key in entry), None)
        text = next((entry[key] for key in ("text", "name", "label", "node") if key in entry), None)
        known = normalise_text(str(text)) if isinstance(text, str | int | float) else None
        return Item(known, box) if known is not None or box is not None else None
    box = read_box(entry)
    if box is not None:
        return Item(box=box)
    return _from_text(str(entry)) if isinstance(entry, str | int | float) else None


def _from_text(text: str) -> Item:
    """Read one item from a text: a label, a box, or a label with its box."""
    found = _BOX.search(text)
    if found is None:
        bare = _BARE_BOX.fullmatch(text.strip())
        box = None if bare is None else _box(bare)
        return Item(box=box) if box else Item(_tidy(text))
    label = (text[: found.start()] + text[found.end() :]).strip(_SEPARATORS + ":：")
    box = _box(found)
    if box is None:
        return Item(_tidy(text))
    return Item(normalise_text(_unquote(label)) or None, box)


def _several_boxes(text: str) -> list[Item]:
    items, position = [], 0
    for found in _BOX.finditer(text):
        label = text[position : found.start()].strip(_SEPARATORS + ":：[]")
        position = found.end()
        items.append(Item(normalise_text(_unquote(label)) or None, _box(found)))
    return items


def _box(found: re.Match[str]) -> Box | None:
    return read_box([float(number) for number in found.groups()])


def _tidy(text: str) -> str:
    """Return a label, with words and numbers that are meant alike written alike."""
    label = normalise_text(text)
    bare = label.rstrip(".。!！")
    if bare.isascii() and bare.isdigit():
        return bare
    return _YES.get(bare.lower(), label)


def _unquote(text: str) -> str:
    """Drop emphasis and quotation marks around a whole text."""
    text = text.strip()
    if len(text) > 4 and text.startswith("**") and text.endswith("**"):
        text = text[2:-2].strip()
    if len(text) > 2 and _QUOTES.get(text[0]) == text[-1]:
        inner = text[1:-1]
        if text[0] not in inner and text[-1] not in inner:
            return inner.strip()
    return text


def _unescape(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1] or match[2]
        return chr(int(code, 16)) if code else _LETTERS.get(match[3], match[3])

    return _ESCAPE.sub(character, text)
