"""A site in JSON, as answers hold it: a list of ``{"filename": …, "content": …}``."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Flag

_NAMES = ("filename", "path", "file", "file_name", "filepath", "name")
_CONTENTS = ("content", "contents", "code", "text", "body")
_NAMED_AT_MOST = 6


class Items(NamedTuple):
    """Pairs of file name and content in the order of the answer, with what was repaired."""

    pairs: list[tuple[str, str]]
    repairs: tuple[str, ...]
    flags: tuple[Flag, ...] = ()


def read_items(value: JsonValue, *, cut_off: bool) -> Items | Failed:
    """Read file names and contents from a JSON value.

    Also accepted, and recorded as a repair: ``{"files": […]}``, one item without a list, an object
    of contents by file name, other usual keys (``path``, ``code``). The last item of a list that
    was cut off may be incomplete; it is left out and flagged.

    Returns:
        The items, or a ``parse_error`` that names each item which is none.
    """
    items, repairs = _as_list(value)
    if not items:
        return _failed("the answer is JSON, but not a list of files")
    pairs, faults = [], []
    for number, item in enumerate(items, start=1):
        pair, fault = _pair(item)
        if pair is None:
            faults.append((number, fault))
        else:
            pairs.append(pair)
            repairs.extend(key for key in _renamed(item) if key not in repairs)
    flags: tuple[Flag, ...] = ()
    if cut_off and pairs and [number for number, _ in faults] == [len(items)]:
        message = f"the last file was cut off before its content (item {len(items)})"
        flags, faults = (Flag(kind=Kind.TRUNCATED, message=message),), []
    if faults:
        return _failed("; ".join(f"item {n} {fault}" for n, fault in faults[:_NAMED_AT_MOST]))
    return Items(pairs, tuple(repairs), flags)


def _as_list(value: JsonValue) -> tuple[list[JsonValue], list[str]]:
    """Return the items of any form that is accepted, and how it differs from a plain list."""
    if isinstance(value, list):
        return value, []
    if not isinstance(value, dict):
        return [], []
    if isinstance(value.get("files"), list | dict):
        items, repairs = _as_list(value["files"])
        return items, ["list of files taken from its wrapper", *repairs]
    if any(isinstance(value.get(key), str) for key in _NAMES) and any(
        key in value for key in _CONTENTS
    ):
        return [value], ["one file read as a list of one"]
    if value and all("." in key and isinstance(text, str) for key, text in value.items()):
        by_name: list[JsonValue] = [
            {"filename": name, "content": text} for name, text in value.items()
        ]
        return by_name, ["object of contents by file name read as a list"]
    return [], []


def _pair(item: JsonValue) -> tuple[tuple[str, str] | None, str]:
    if not isinstance(item, dict):
        return None, f"is not an object ({_shown(item)})"
    name = next((item[key] for key in _NAMES if key in item), None)
    if not isinstance(name, str) or not name.strip():
        return None, "has no file name"
    key = next((key for key in _CONTENTS if key in item), None)
    if key is None:
        return None, f"({name}) has no content"
    content = item[key]
    if not isinstance(content, str):
        return None, f"({name}) has content that is not a string"
    return (name.strip(), content), ""


def _renamed(item: JsonValue) -> list[str]:
    """Name the keys of an item that stand for ``filename`` and ``content``."""
    if not isinstance(item, dict):
        return []
    used = [next(key for key in keys if key in item) for keys in (_NAMES, _CONTENTS)]
    wanted = (_NAMES[0], _CONTENTS[0])
    return [f"{key} read as {want}" for key, want in zip(used, wanted, strict=True) if key != want]


def _shown(item: JsonValue) -> str:
    text = repr(item)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _failed(message: str) -> Failed:
    return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message)
