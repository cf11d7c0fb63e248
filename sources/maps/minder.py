"""JSON of editors for the browser: KityMinder's form and its kin, and the canonical form.

KityMinder (Baidu Naotu, Zhixi) writes ``{"root": {"data": {"text": "…"}, "children": [node, …]}}``;
Zhixi writes ``children`` also as ``{"normal": […], "summary": […]}`` and puts several maps into
``{"contents": [{"root": …}, …]}``. The canonical form is ``sources.maps.model.to_json``'s.
"""

from __future__ import annotations

from pydantic import JsonValue

from sources.maps.drafts import Draft, Place, check_sheets, grow
from sources.maps.model import Format, MindMap, Sheet
from sources.maps.xmind_json import Object, objects

_GROUPS: dict[str, Place] = {"normal": "children", "summary": "summaries"}


def is_minder(value: JsonValue) -> bool:
    """Tell whether a JSON value has one of these forms."""
    return bool(_roots(value))


def read_minder(value: JsonValue) -> MindMap:
    """Read a JSON value.

    Raises:
        Unreadable: no map in it, or beyond the limits.
    """
    roots = check_sheets(_roots(value))
    sheets = tuple(Sheet(grow(root, _read_topic).freeze()) for root in roots)
    return MindMap(Format.MINDER, sheets)


def _roots(value: JsonValue) -> list[Object]:
    if not isinstance(value, dict):
        return []
    if _is_topic(value):
        return [value]
    holders = [value, *objects(value.get("contents"))]
    roots = [one.get("root") for one in holders]
    return [root for root in roots if isinstance(root, dict) and _is_topic(root)]


def _is_topic(value: Object) -> bool:
    """Tell whether an object is a topic: it has a text and, below it, nothing but topics."""
    data = value.get("data")
    told = isinstance(data, dict) and isinstance(data.get("text"), str)
    canonical = isinstance(value.get("text"), str) and value.keys() <= {"text", "children"}
    return told or canonical


def _read_topic(value: Object) -> tuple[Draft, list[tuple[Place, Object]]]:
    data = value.get("data")
    data = data if isinstance(data, dict) else value
    draft = Draft(
        text=_text(data, "text"),
        id=_text(data, "id"),
        notes=[_text(data, "note")],
        link=_text(data, "hyperlink"),
        image=_text(data, "image"),
    )
    below = value.get("children")
    groups = below if isinstance(below, dict) else {"normal": below}
    return draft, [
        (place, one) for name, place in _GROUPS.items() for one in objects(groups.get(name))
    ]


def _text(value: Object, key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""
