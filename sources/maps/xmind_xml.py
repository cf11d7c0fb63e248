"""XMind up to 8: `content.xml`, and the warning page that newer files carry under that name."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from benchmark.outcome import Kind
from sources.maps.drafts import Draft, Place, Unreadable, check_sheets, grow, spot
from sources.maps.model import Boundary, Format, MindMap, Relationship, Sheet
from sources.maps.safe_xml import attribute, inside, local
from sources.maps.xmind_json import span

_PLACES: dict[str, Place] = {
    "attached": "children",
    "detached": "floating",
    "callout": "callouts",
    "summary": "summaries",
}
_WARNING = {"Warning", "警告", "Attention"}
"""Lines of the central topic of the page that tells old programs to update."""


def read_xmind_xml(root: Element) -> MindMap:
    """Read the root element of a `content.xml`.

    Raises:
        Unreadable: the warning page of a newer file, no sheet, or beyond the limits.
    """
    roots = [(sheet, topic) for sheet in inside(root, "sheet") for topic in _first(sheet, "topic")]
    sheets = tuple(_sheet(sheet, topic) for sheet, topic in check_sheets(roots))
    if set(sheets[0].root.text.split()) >= _WARNING:
        raise Unreadable(
            Kind.UNSUPPORTED,
            "only XMind's page that asks for a newer version: the map's content.json is missing",
        )
    return MindMap(Format.XMIND8, sheets)


def _sheet(sheet: Element, topic: Element) -> Sheet:
    relationships = [
        Relationship(one.get("end1", ""), one.get("end2", ""), _title(one))
        for one in inside(sheet, "relationships", "relationship")
    ]
    return Sheet(grow(topic, _read_topic).freeze(), _title(sheet), tuple(relationships))


def _read_topic(topic: Element) -> tuple[Draft, list[tuple[Place, Element]]]:
    draft = Draft(
        text=_title(topic),
        id=topic.get("id", ""),
        notes=[one.text or "" for one in inside(topic, "notes", "plain")],
        markers=[one.get("marker-id", "") for one in inside(topic, "marker-refs", "marker-ref")],
        labels=[one.text or "" for one in inside(topic, "labels", "label")],
        link=attribute(topic, "href"),
        image=next((attribute(one, "src") for one in inside(topic, "img")), ""),
        position=next(map(_position, inside(topic, "position")), None),
    )
    draft.boundaries = [
        Boundary(_title(one), *span(one.get("range", "")))
        for one in inside(topic, "boundaries", "boundary")
    ]
    draft.spans = {
        one.get("topic-id", ""): span(one.get("range", ""))
        for one in inside(topic, "summaries", "summary")
    }
    below: list[tuple[Place, Element]] = [
        (_PLACES[group.get("type", "")], one)
        for group in inside(topic, "children", "topics")
        if group.get("type") in _PLACES
        for one in inside(group, "topic")
    ]
    return draft, below


def _first(element: Element, name: str) -> list[Element]:
    return [child for child in element if local(child) == name][:1]


def _title(element: Element) -> str:
    return next((one.text or "" for one in inside(element, "title")), "")


def _position(element: Element) -> tuple[float, float] | None:
    return spot(attribute(element, "x"), attribute(element, "y"))
