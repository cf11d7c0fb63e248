"""XMind from 2018 on (Zen, 2020, …): `content.json`, a list of sheets."""

from __future__ import annotations

import json
import re

from pydantic import JsonValue

from benchmark.outcome import Kind
from benchmark.records import whole
from sources.maps.drafts import Draft, Place, Span, Unreadable, check_sheets, grow, spot
from sources.maps.model import Boundary, Format, MindMap, Relationship, Sheet

Object = dict[str, JsonValue]

_PLACES: dict[str, Place] = {
    "attached": "children",
    "detached": "floating",
    "callout": "callouts",
    "summary": "summaries",
}
_RANGE = re.compile(r"\((\d{1,6}),(\d{1,6})\)")


def read_json(text: str) -> JsonValue:
    """Read JSON of strangers.

    Raises:
        Unreadable: it is none, or is nested too deeply to read.
    """
    try:
        value: JsonValue = json.loads(text)
    except RecursionError:
        raise Unreadable(Kind.PARSE_ERROR, "the JSON is nested too deeply") from None
    except ValueError as error:
        raise Unreadable(Kind.PARSE_ERROR, f"the JSON is damaged: {error}") from None
    return value


def read_xmind_json(text: str) -> MindMap:
    """Read the text of a `content.json`.

    Raises:
        Unreadable: no JSON, no sheet in it, or beyond the limits.
    """
    return from_value(read_json(text))


def from_value(value: JsonValue) -> MindMap:
    """Read what a `content.json` holds.

    Raises:
        Unreadable: no sheet in it, or beyond the limits.
    """
    found = [one for one in objects(value) if isinstance(one.get("rootTopic"), dict)]
    if not found:
        raise Unreadable(Kind.UNSUPPORTED, "JSON, but not XMind's: no sheet with a rootTopic")
    return MindMap(Format.XMIND, tuple(map(_sheet, check_sheets(found))))


def span(text: str) -> Span:
    """Read a range such as ``(0,2)``; anything else ("master", none) is not limited."""
    match = _RANGE.fullmatch(text)
    return (int(match[1]), int(match[2])) if match else (None, None)


def objects(value: JsonValue) -> list[Object]:
    """Return the objects of a list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _sheet(value: Object) -> Sheet:
    relationships = [
        Relationship(_text(one, "end1Id"), _text(one, "end2Id"), _text(one, "title"))
        for one in objects(value.get("relationships"))
    ]
    root = grow(_object(value, "rootTopic"), _read_topic).freeze()
    return Sheet(root, _text(value, "title"), tuple(relationships))


def _read_topic(value: Object) -> tuple[Draft, list[tuple[Place, Object]]]:
    labels, position = value.get("labels"), _object(value, "position")
    draft = Draft(
        text=_text(value, "title"),
        id=_text(value, "id"),
        notes=[_text(_object(_object(value, "notes"), "plain"), "content")],
        markers=[_text(one, "markerId") for one in objects(value.get("markers"))],
        labels=[one for one in labels if isinstance(one, str)] if isinstance(labels, list) else [],
        link=_text(value, "href"),
        image=_text(_object(value, "image"), "src"),
        position=spot(position.get("x"), position.get("y")),
    )
    draft.boundaries = [
        Boundary(_text(one, "title"), *span(_text(one, "range")))
        for one in objects(value.get("boundaries"))
    ]
    draft.spans = {
        _text(one, "topicId"): span(_text(one, "range")) for one in objects(value.get("summaries"))
    }
    groups = _object(value, "children")
    return draft, [
        (place, one) for name, place in _PLACES.items() for one in objects(groups.get(name))
    ]


def _object(value: Object, key: str) -> Object:
    found = value.get(key)
    return found if isinstance(found, dict) else {}


def _text(value: Object, key: str) -> str:
    found = value.get(key)
    return whole(found) if isinstance(found, str) else ""
