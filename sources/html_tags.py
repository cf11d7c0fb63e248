"""The start tags of a page with their attributes, as the HTML standard's tokenizer reads them.

No tree is built: what a page says of itself stands in tags. libxml2, behind lxml, compares each
attribute with all others of its tag, so that one tag of a few megabytes would keep it busy for
hours; here the time grows with the length of the page only.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

RAW = ("script", "style", "title", "textarea", "iframe", "xmp", "noembed", "noframes")
"""Elements whose content is text up to their own end tag."""
DECLARED_WITHIN = 1024
"""Bytes in which a page names its encoding."""

_NAME = re.compile(r"<([a-zA-Z][^\s/>]{0,200})[^\s/>]*+")
_ATTRIBUTE = re.compile(
    r"""[\s/]*+(=?[^\s/>=]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>]*+)))?+"""
)
_CHARSET = re.compile(rb"""charset\s{0,9}=\s{0,9}["']?([a-zA-Z0-9_-]{1,40})""", re.IGNORECASE)


@dataclass(frozen=True)
class Tag:
    """A start tag."""

    name: str
    """In lower case."""
    attributes: Mapping[str, str]
    """Names in lower case, values with their references resolved; of two equal names the first."""
    text: str
    """What follows up to the next tag; all of the content of scripts and titles."""

    def get(self, name: str) -> str:
        """Return the value of an attribute; "" where it is absent."""
        return self.attributes.get(name, "")


def decode(body: bytes) -> str:
    """Decode a page: as it declares itself, else as UTF-8 if it is that, else as Latin-1."""
    declared = _CHARSET.search(body[:DECLARED_WITHIN])
    if declared is not None and not body.startswith(codecs.BOM_UTF8):
        try:
            return body.decode(declared[1].decode("ascii"), "replace")
        except (LookupError, ValueError):  # no encoding of that name, or none of texts
            pass
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        return body.decode("latin-1")


def read_tags(text: str) -> Iterator[Tag]:
    """Yield the start tags of a page in order; comments and end tags are passed over."""
    place = 0
    while (start := text.find("<", place)) >= 0:
        name = _NAME.match(text, start)
        if name is None:
            place = _after_other(text, start)
            continue
        attributes, place = _read_attributes(text, name.end())
        tag = name[1].lower()
        begin, place = place, _text_end(text, place, tag)
        yield Tag(tag, attributes, text[begin:place])


def _after_other(text: str, start: int) -> int:
    """Return the place after a comment, an end tag or a declaration, or after a mere sign."""
    if text.startswith("<!--", start):
        end = text.find("-->", start + 2)
        return len(text) if end < 0 else end + 3
    if text.startswith(("</", "<!", "<?"), start):
        end = text.find(">", start)
        return len(text) if end < 0 else end + 1
    return start + 1


def _read_attributes(text: str, place: int) -> tuple[dict[str, str], int]:
    """Read the attributes of a tag; return them, and the place after the tag."""
    found: dict[str, str] = {}
    while (match := _ATTRIBUTE.match(text, place)) is not None:
        place = match.end()
        name, *values = match.groups()
        if not name:
            break
        value = next((one for one in values if one is not None), "")
        found.setdefault(name.lower(), html.unescape(value))
    return found, place + 1 if text.startswith(">", place) else place


def _text_end(text: str, place: int, tag: str) -> int:
    """Return where the text after a start tag ends."""
    if tag not in RAW:
        end = text.find("<", place)
        return len(text) if end < 0 else end
    closing = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(text, place)
    return len(text) if closing is None else closing.start()
