"""MindManager: `Document.xml` of an `.mmap`, which other programs also write without the zip."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from benchmark.outcome import Kind
from sources.maps.drafts import Draft, Place, Unreadable, grow, spot
from sources.maps.model import Boundary, Format, MindMap, Relationship, Sheet
from sources.maps.safe_xml import inside, words


def read_mindmanager(root: Element) -> MindMap:
    """Read the root element (`ap:Map`).

    Raises:
        Unreadable: no central topic, or beyond the limits.
    """
    central = next(inside(root, "OneTopic", "Topic"), None)
    if central is None:
        raise Unreadable(Kind.PARSE_ERROR, "MindManager's XML holds no central topic")
    beside = {id(one) for one in inside(central, "FloatingTopics", "Topic")}

    def read(topic: Element) -> tuple[Draft, list[tuple[Place, Element]]]:
        draft = _topic(topic)
        if id(topic) in beside:
            offset = next(inside(topic, "Offset"), None)
            draft.position = None if offset is None else spot(offset.get("CX"), offset.get("CY"))
        place: Place = "floating" if topic is central else "callouts"
        below: list[tuple[Place, Element]] = [
            *(("children", one) for one in inside(topic, "SubTopics", "Topic")),
            *((place, one) for one in inside(topic, "FloatingTopics", "Topic")),
        ]
        return draft, below

    lines = [_relationship(one) for one in inside(root, "Relationships", "Relationship")]
    relationships = tuple(line for line in lines if line)
    sheet = Sheet(grow(central, read).freeze(), relationships=relationships)
    return MindMap(Format.MMAP, (sheet,))


def _topic(topic: Element) -> Draft:
    return Draft(
        text=_get(topic, "PlainText", "Text"),
        id=topic.get("OId", ""),
        boundaries=[Boundary() for _ in inside(topic, "OneBoundary", "Boundary")],
        notes=[_notes(one) for one in inside(topic, "NotesGroup", "NotesXhtmlData")],
        markers=[_icon(one) for one in inside(topic, "IconsGroup", "Icons", "Icon")],
        labels=[one.get("TextLabelName", "") for one in inside(topic, "TextLabels", "TextLabel")],
        link=_get(topic, "Url", "Hyperlink"),
        image=next(
            (one.text or "" for one in inside(topic, "OneImage", "Image", "ImageData", "Uri")), ""
        ),
    )


def _get(topic: Element, attribute: str, *path: str) -> str:
    return next((one.get(attribute, "") for one in inside(topic, *path)), "")


def _notes(element: Element) -> str:
    return words(element) or element.get("PreviewPlainText", "")


def _icon(element: Element) -> str:
    return element.get("IconType", "") or element.get("IconSignature", "")


def _relationship(element: Element) -> Relationship | None:
    ends = [
        one.get("OIdRef", "")
        for one in inside(element, "ConnectionGroup", "Connection", "ObjectReference")
    ]
    return Relationship(ends[0], ends[1]) if len(ends) == 2 else None
