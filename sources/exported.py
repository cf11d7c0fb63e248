"""What sets that we exported say of each instance besides the published columns.

It comes back from a file that anyone may have changed, so it is foreign: texts are made to fit on a
line, dates and recipes are read or ignored, and permission to pass content on must be plain.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Stage, printable
from benchmark.records import Provenance

MOST_JSON_CHARACTERS = 1_000_000
MOST_LINE_CHARACTERS = 2_000


def plain(value: object) -> object:
    """Return a value as it was before it was written as JSON into a text column."""
    if isinstance(value, str) and len(value) > 1 and value[0] == value[-1] == '"':
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def line_of(value: object) -> str:
    """Return a text on one line, or "" where the value is none."""
    value = plain(value)
    return printable(value.strip())[:MOST_LINE_CHARACTERS] if isinstance(value, str) else ""


def day_of(value: object) -> dt.date | None:
    """Return the day of an ISO date or time, or None where the value is neither."""
    value = plain(value)
    if not isinstance(value, str):
        return None
    try:
        day = dt.date.fromisoformat(value[:10])
    except ValueError:
        return None
    return day if day.year > 1900 else None


def json_of(value: object) -> JsonValue:
    """Return what a text holds as JSON; None where it holds none, or far too much."""
    if not isinstance(value, str) or len(value) > MOST_JSON_CHARACTERS:
        return None
    try:
        loaded: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return None
    return loaded


def restated(default: Provenance, told: Mapping[str, object]) -> Provenance:
    """Return a provenance with what an instance says of itself.

    Args:
        default: that of the published set.
        told: ``licence``, ``author``, ``url``, ``created``, ``publishable`` (a bool), ``recipe``
            (an object); what is missing or odd is left as it is.
    """
    said: dict[str, object] = {
        name: text for name in ("licence", "author", "url") if (text := line_of(told.get(name)))
    }
    recipe, publishable, day = (
        told.get("recipe"),
        told.get("publishable"),
        day_of(told.get("created")),
    )
    if isinstance(recipe, dict) and recipe:
        said["recipe"] = recipe
    if isinstance(publishable, bool):
        said["publishable"] = publishable
    if day is not None:
        said["created"] = day
    return default.model_copy(update=said)


def recipe_only(recipe: JsonValue, subject: str) -> Failed:
    """Return why an instance that was published as a recipe is none."""
    told = json.dumps(recipe, ensure_ascii=False, sort_keys=True)
    message = f"only the recipe is published: {told}"
    return Failed.of(Stage.FILTER, Kind.NO_LICENCE, message, subject=subject)
