"""XML of strangers: no document type, no entities, nothing fetched, depth and size limited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError, TreeBuilder

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser

from benchmark.outcome import Kind
from sources.maps.drafts import Unreadable

XML_DEPTH = 256
"""Most nested elements: XMind 8 takes three for each of 64 levels; the rest is for notes."""

XML_ELEMENTS = 200_000
"""Most elements of a document, styles and marker tables included."""

_LINES = frozenset(
    {"p", "div", "br", "li", "tr", "pre", "ul", "ol", "table", "h1", "h2", "h3", "h4", "h5", "h6"}
)
_SPACES = re.compile(r"\s+")
_UNSEEN = frozenset({"head", "style", "script"})


class _Builder(TreeBuilder):
    """Builds elements and stops at the limits, while the document is being read."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.count = 0

    def start(self, tag: str, attrs: dict[str, str], /) -> Element:
        """Open an element."""
        self.depth += 1
        self.count += 1
        if self.depth > XML_DEPTH:
            raise Unreadable(
                Kind.PARSE_ERROR, f"the XML is nested deeper than {XML_DEPTH} elements"
            )
        if self.count > XML_ELEMENTS:
            raise Unreadable(Kind.RESOURCE_LIMIT, f"the XML has more than {XML_ELEMENTS} elements")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> Element:
        """Close an element."""
        self.depth -= 1
        return super().end(tag)


def parse_xml(data: bytes) -> Element:
    """Parse a document; white space before it is allowed, since some programs write it.

    Raises:
        Unreadable: unsafe_input for any document type or entity, parse_error for what is no XML
            or nested deeper than 256 elements, resource_limit for more than 200,000 elements.
    """
    parser = DefusedXMLParser(target=_Builder(), forbid_dtd=True)
    try:
        parser.feed(data.lstrip(b" \t\r\n"))
        root = parser.close()
    except DefusedXmlException as error:
        name = type(error).__name__
        raise Unreadable(
            Kind.UNSAFE_INPUT, f"the XML declares a document type or entities ({name})"
        ) from None
    except ParseError as error:
        raise Unreadable(Kind.PARSE_ERROR, f"the XML is damaged: {error}") from None
    except (LookupError, ValueError) as error:  # an encoding that Python or expat lacks
        raise Unreadable(Kind.UNSUPPORTED, f"the XML's encoding: {error}") from None
    if not isinstance(root, Element):
        raise Unreadable(Kind.PARSE_ERROR, "the XML holds no element")
    return root


def local(element: Element) -> str:
    """Return an element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """Return an attribute by its name without namespace; "" where it is absent."""
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def inside(element: Element, *names: str) -> Iterator[Element]:
    """Yield the elements that a path of local names leads to, in order."""
    found = [element]
    for name in names:
        found = [child for one in found for child in one if local(child) == name]
    yield from found


def words(element: Element) -> str:
    """Return the text of an (X)HTML element, one line for each block or item, without blanks."""
    parts: list[str] = []
    stack: list[tuple[Element | str, bool]] = [(element, False)]
    while stack:
        item, raw = stack.pop()
        if isinstance(item, str):
            parts.append(item if raw else _SPACES.sub(" ", item))
            continue
        name = local(item)
        if name in _UNSEEN:
            continue
        raw = raw or name == "pre"
        if name in _LINES:
            parts.append("\n")
            stack.append(("" if name == "br" else "\n", True))
        for child in reversed(item):
            stack += [(child.tail or "", raw), (child, raw)]
        stack.append((item.text or "", raw))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)
