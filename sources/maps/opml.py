"""OPML 1.0 and 2.0: outlines, as outliners and mind-map programs export them."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from benchmark.outcome import Kind
from sources.maps.drafts import Draft, Place, Unreadable, grow
from sources.maps.model import Format, MindMap, Sheet
from sources.maps.safe_xml import inside

_LINKS = ("url", "htmlUrl", "xmlUrl")


def read_opml(root: Element) -> MindMap:
    """Read the root element (`opml`).

    One outline in the body is the root. Several hang from a root that bears the head's title.

    Raises:
        Unreadable: no outline, or beyond the limits.
    """
    body = next(inside(root, "body"), None)
    outlines = [] if body is None else list(inside(body, "outline"))
    if body is None or not outlines:
        raise Unreadable(Kind.PARSE_ERROR, "the OPML holds no outline")
    title = next((one.text or "" for one in inside(root, "head", "title")), "")

    def read(element: Element) -> tuple[Draft, list[tuple[Place, Element]]]:
        draft = Draft(text=title) if element is body else _outline(element)
        return draft, [("children", one) for one in inside(element, "outline")]

    sheet = Sheet(grow(outlines[0] if len(outlines) == 1 else body, read).freeze(), title)
    return MindMap(Format.OPML, (sheet,))


def _outline(element: Element) -> Draft:
    return Draft(
        text=element.get("text", "") or element.get("title", ""),
        notes=[element.get("_note", "")],
        link=next(filter(None, (element.get(name, "") for name in _LINKS)), ""),
    )
