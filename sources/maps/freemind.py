"""FreeMind's `.mm`, as FreeMind, Freeplane and the exports of other programs write it."""

from __future__ import annotations

from typing import Literal
from xml.etree.ElementTree import Element

from benchmark.outcome import Kind
from sources.maps.drafts import Draft, Place, Unreadable, grow, spot
from sources.maps.model import Boundary, Format, MindMap, Relationship, Sheet
from sources.maps.safe_xml import attribute, inside, local, words

ROOTS = ("node", "x-coggle-rootnode")
"""The elements below `map`: the central node, and the further roots of Coggle's maps."""


def read_freemind(root: Element) -> MindMap:
    """Read the root element (`map`).

    Raises:
        Unreadable: no node, or beyond the limits.
    """
    roots = [child for child in root if local(child) in ROOTS]
    if not roots:
        raise Unreadable(Kind.PARSE_ERROR, "FreeMind's XML holds no node")
    lines: list[Relationship] = []

    def read(node: Element) -> tuple[Draft, list[tuple[Place, Element]]]:
        draft, below = _read_node(node)
        lines.extend(
            Relationship(draft.id, one.get("DESTINATION", ""), one.get("MIDDLE_LABEL", ""))
            for one in inside(node, "arrowlink")
        )
        if node is roots[0]:
            below += [("floating", one) for one in roots[1:]]
        return draft, below

    sheet = Sheet(grow(roots[0], read).freeze(), relationships=tuple(lines))
    return MindMap(Format.FREEMIND, (sheet,))


def _read_node(node: Element) -> tuple[Draft, list[tuple[Place, Element]]]:
    contents = {one.get("TYPE", "").upper(): one for one in inside(node, "richcontent")}
    label = words(contents["NODE"]) if "NODE" in contents else ""
    notes = [words(contents[name]) for name in ("DETAILS", "NOTE") if name in contents]
    draft = Draft(
        text=label or node.get("TEXT", ""),
        id=node.get("ID", ""),
        notes=notes,
        markers=[one.get("BUILTIN", "") for one in inside(node, "icon")],
        link=node.get("LINK", ""),
        image=_image(contents["NODE"]) if "NODE" in contents else "",
        position=_position(node),
        side=_side(node),
    )
    draft.boundaries = [Boundary() for _ in inside(node, "cloud")]
    return draft, _below(node, draft)


def _below(node: Element, draft: Draft) -> list[tuple[Place, Element]]:
    """Return the nodes below by their place: Freeplane marks floating ones and summaries.

    A summary covers the nodes before it, from the node that is marked as the first of its group;
    that mark sits on a node of its own without text, which is not a topic.
    """
    below: list[tuple[Place, Element]] = []
    first = count = 0
    for child in inside(node, "node"):
        marks = {one.get("NAME", "") for one in inside(child, "hook")}
        if "SummaryNode" in marks:
            below.append(("summaries", child))
            if count > first:
                draft.spans[child.get("ID", "")] = (first, count - 1)
            first = count
        elif "FirstGroupNode" in marks:
            first = count
        elif "FreeNode" in marks:
            below.append(("floating", child))
        else:
            below.append(("children", child))
            count += 1
    return below


def _image(content: Element) -> str:
    return next((attribute(one, "src") for one in content.iter() if local(one) == "img"), "")


def _position(node: Element) -> tuple[float, float] | None:
    """Return the place of a root of Coggle; FreeMind itself keeps none."""
    if local(node) != "x-coggle-rootnode":
        return None
    return spot(node.get("X_COGGLE_POSX"), node.get("X_COGGLE_POSY"))


def _side(node: Element) -> Literal["", "left", "right"]:
    match node.get("POSITION"):
        case "left":
            return "left"
        case "right":
            return "right"
        case _:
            return ""
