"""JSON as models write it: nearly right, cut off, or with LaTeX in it.

The text is put in order token by token (``tidy``), read by the standard library with hooks that
notice duplicate keys and oversized numbers, and only if that fails by json_repair.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any

import json_repair
from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag, Record
from scenarios.json_tokens import JSON_DEPTH, Tidy, tidy

NUMBER_DIGITS = 100
REPAIR_CHARACTERS = 400_000
_START = re.compile(r"[\[{]\s*+(?:[\"'“{\[\]}]|\Z)")
_LONE = re.compile(
    r"(\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2})|\\ud[89a-f][0-9a-f]{2}", re.IGNORECASE
)


class Json(Record):
    """A JSON value read from an answer: an object or an array, with what was repaired."""

    value: JsonValue
    repairs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


class _OversizedNumberError(ValueError):
    """A number that no structure needs (more than 100 digits, or not finite)."""


class _Keys:
    """The hooks of one reading."""

    def __init__(self) -> None:
        self.duplicates: list[str] = []

    def pairs(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """Build an object; of duplicate keys arrays are joined, else the last value stays."""
        result: dict[str, Any] = {}
        for key, value in pairs:
            if key not in result:
                result[key] = value
                continue
            self.duplicates.append(key)
            known = result[key]
            both = isinstance(known, list) and isinstance(value, list)
            result[key] = known + value if both else value
        return result

    @staticmethod
    def integer(digits: str) -> int:
        if len(digits) > NUMBER_DIGITS:
            raise _OversizedNumberError(f"a number of {len(digits)} digits")
        return int(digits)

    @staticmethod
    def real(text: str) -> float:
        value = float(text)
        if len(text) > NUMBER_DIGITS or not math.isfinite(value):
            raise _OversizedNumberError("a number that is not finite")
        return value


def read_json(text: str) -> Outcome[Json]:
    """Read the first JSON object or array in a text.

    Repaired and recorded: a byte-order mark and prose around the value, raw line breaks in
    strings, backslashes that are no JSON escape or that damage a LaTeX command, trailing commas,
    lone surrogates (replaced by U+FFFD), quotes of other kinds. A cut-off value is closed and
    flagged ``truncated``. Duplicate keys are flagged: arrays are joined, of other values the last
    stays.

    Returns:
        The value, or a failure of stage parse and kind parse_error: no JSON, nesting deeper than
        150 levels, a number of more than 100 digits. Linear; never raises.
    """
    text = text.removeprefix("\ufeff")
    start = _find_start(text)
    if start is None:
        return _failed("the answer holds no JSON object or array")
    tidied = tidy(text, start)
    if tidied is None:
        return _failed(f"the JSON is nested deeper than {JSON_DEPTH} levels")
    keys = _Keys()
    try:
        value = _loads(tidied.text, keys)
    except _OversizedNumberError as error:
        return _failed(f"the JSON holds {error}")
    except (ValueError, RecursionError) as error:
        return _repair(text[start:], str(error))
    return ok(Json(value=value, repairs=_repairs(text, start, tidied), flags=_flags(tidied, keys)))


def _find_start(text: str) -> int | None:
    bare = len(text) - len(text.lstrip())
    if text[bare : bare + 1] in ("{", "["):
        return bare
    match = _START.search(text) or re.search(r"[\[{]", text)
    return match.start() if match else None


def _loads(text: str, keys: _Keys) -> Any:  # noqa: ANN401 - any JSON value
    return json.loads(
        text,
        strict=False,
        object_pairs_hook=keys.pairs,
        parse_int=keys.integer,
        parse_float=keys.real,
        parse_constant=keys.real,
    )


def _repairs(text: str, start: int, tidied: Tidy) -> tuple[str, ...]:
    repairs = list(tidied.repairs)
    if text[:start].strip() or text[tidied.end :].strip():
        repairs.insert(0, "text around the JSON dropped")
    return tuple(repairs)


def _flags(tidied: Tidy, keys: _Keys) -> tuple[Flag, ...]:
    flags = []
    if tidied.cut_off:
        flags.append(
            Flag(kind=Kind.TRUNCATED, message="the JSON was cut off; read as far as it goes")
        )
    if tidied.damaged:
        flags.append(
            Flag(
                kind=Kind.PARSE_ERROR,
                message="escape_damage: single backslashes before LaTeX commands were doubled",
            )
        )
    if keys.duplicates:
        names = ", ".join(sorted(set(keys.duplicates))[:5])
        flags.append(
            Flag(
                kind=Kind.PARSE_ERROR,
                message=f"duplicate_keys: {names}; arrays joined, of other values the last kept",
            )
        )
    return tuple(flags)


def _repair(text: str, reason: str) -> Outcome[Json]:
    """Read with json_repair what the standard library refuses."""
    if len(text) > REPAIR_CHARACTERS:
        return _failed(f"the JSON is not valid ({reason}) and too long to repair")
    try:
        value = json_repair.loads(text)
        dumped = json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        return _failed(f"the JSON is not valid and cannot be repaired: {reason}; {error}")
    if not isinstance(value, dict | list) or not value:
        return _failed(f"the JSON is not valid: {reason}")
    repairs = ["JSON repaired by json_repair"]
    if _depth(value) > JSON_DEPTH:
        return _failed(f"the JSON is nested deeper than {JSON_DEPTH} levels")
    clean = _LONE.sub(lambda pair: pair[1] or "\\ufffd", dumped)
    if clean != dumped:
        repairs.append("lone surrogates replaced")
    return ok(Json(value=json.loads(clean), repairs=tuple(repairs)))


def _depth(value: Any) -> int:  # noqa: ANN401 - any JSON value
    """Return the nesting depth of a JSON value, without recursion."""
    deepest, stack = 0, [(value, 1)]
    while stack:
        item, level = stack.pop()
        deepest = max(deepest, level)
        children = item.values() if isinstance(item, dict) else item
        if isinstance(item, dict | list):
            stack.extend((child, level + 1) for child in children)
    return deepest


def _failed(message: str) -> Failed:
    return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message)
