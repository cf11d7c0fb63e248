"""Any file of a mind-map program, told by its content."""

from __future__ import annotations

import re
from pathlib import PurePath
from xml.etree.ElementTree import Element

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.archive import EMPTY_ZIP, ZIP, Limits, unpack
from sources.maps import freemind, minder, mindmanager, opml, outline, xmind_json, xmind_xml
from sources.maps.drafts import Unreadable
from sources.maps.html_export import read_html
from sources.maps.model import MindMap
from sources.maps.safe_xml import local, parse_xml

MAP_BYTES = 50_000_000
"""Largest file, and largest entry of a zip: attachments are in there too."""

DOCUMENT_BYTES = 5_000_000
"""Largest document with the map itself; one of 1,000 topics has less than a megabyte."""

LIMITS = Limits(files=2_000, file_bytes=MAP_BYTES, total_bytes=100_000_000, ratio=200)
"""What a zip may hold; the pictures and attachments of a map count too."""

OUTLINE_SUFFIXES = (".md", ".markdown", ".txt")
"""Where a file that merely begins with a tag or a bracket is an outline all the same."""

_HTML = re.compile(rb"(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html)\b", re.I | re.S)
_XML = re.compile(rb"<\?xml\b|<!doctype\b|<(?:map|opml|xmap-content|ap:Map)\b", re.I)
_JSON = re.compile(rb"[\[{]\s*[{\"]")
_BYTE_ORDER = (b"\xff\xfe", b"\xfe\xff")


def read(name: str, data: bytes) -> Outcome[MindMap]:
    """Read a file. Its content decides what it is; the suffix only settles doubts about text.

    Args:
        name: the file's name, for the suffix and for messages; never opened.
        data: the file as it was received.

    Returns:
        The map, or one failure of stage parse (of stage fetch where a zip is refused), whose
        message begins with the name: unsafe_input (a document type or entities in XML, names in a
        zip that leave it), resource_limit (counts, sizes, compression ratio), unsupported (no
        format that is read here, encrypted, XMind's warning page alone) or parse_error (damaged,
        no topics, deeper than 64 levels).
    """
    try:
        if len(data) > MAP_BYTES:
            raise Unreadable(Kind.RESOURCE_LIMIT, f"larger than {MAP_BYTES} bytes")
        if not data.strip():
            raise Unreadable(Kind.PARSE_ERROR, "the file is empty")
        if not data.startswith((ZIP, EMPTY_ZIP)):
            return ok(_read_plain(PurePath(name).suffix.lower(), data))
        unpacked = unpack(data, LIMITS)
        if isinstance(unpacked, Failed):
            return unpacked.model_copy(update={"message": _named(name, unpacked.message)})
        return ok(_read_entries(unpacked.value))
    except Unreadable as error:
        return Failed.of(Stage.PARSE, error.kind, _named(name, str(error)))


def _named(name: str, message: str) -> str:
    return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, f"{name}: {message}").message


def _read_entries(files: dict[str, bytes]) -> MindMap:
    """Read the map inside a zip; `content.json` comes first, see ``sources.maps.xmind_xml``."""
    entries = {name.lower(): data for name, data in files.items()}
    for name in ("manifest.json", "meta-inf/manifest.xml"):
        if b"encryption-data" in entries.get(name, b""):
            raise Unreadable(Kind.UNSUPPORTED, "the map is encrypted with a password")
    if "content.json" in entries:
        return xmind_json.read_xmind_json(_decode(entries["content.json"]))
    for name in ("content.xml", "document.xml"):
        if name in entries:
            return _read_xml(entries[name])
    raise Unreadable(
        Kind.UNSUPPORTED, "a zip without a map: no content.json, content.xml or Document.xml"
    )


def _read_plain(suffix: str, data: bytes) -> MindMap:
    start = data[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    told = suffix not in OUTLINE_SUFFIXES
    if _HTML.match(start):
        return read_html(_decode(data))
    if _XML.match(start) or (told and start.startswith(b"<")):
        return _read_xml(data)
    if data.startswith(_BYTE_ORDER) and start[2:4].strip(b"\0") == b"<":
        return _read_xml(data)
    if _JSON.match(start) or (told and start.startswith((b"{", b"["))):
        return _read_json(_decode(data))
    return outline.read_outline(_decode(data))


def _read_xml(data: bytes) -> MindMap:
    _check_size(data)
    root = parse_xml(data)
    name = local(root)
    children = {local(child) for child in root}
    if name == "xmap-content":
        return xmind_xml.read_xmind_xml(root)
    if name == "Map" and "OneTopic" in children:
        return mindmanager.read_mindmanager(root)
    if name == "map" and not (children and children.isdisjoint(freemind.ROOTS)):
        return freemind.read_freemind(root)
    if name == "opml":
        return opml.read_opml(root)
    raise Unreadable(Kind.UNSUPPORTED, f"XML of no format that is read: {_described(root)}")


def _read_json(text: str) -> MindMap:
    value = xmind_json.read_json(text)
    return minder.read_minder(value) if minder.is_minder(value) else xmind_json.from_value(value)


def _described(root: Element) -> str:
    below = next((f" with <{local(child)}>" for child in root), "")
    return f"<{local(root)}>{below}"


def _check_size(data: bytes) -> None:
    if len(data) > DOCUMENT_BYTES:
        raise Unreadable(
            Kind.RESOURCE_LIMIT, f"the map's document is larger than {DOCUMENT_BYTES} bytes"
        )


def _decode(data: bytes) -> str:
    """Decode text, UTF-8 or UTF-16 with its mark; nothing is guessed."""
    _check_size(data)
    try:
        text = data.decode("utf-16" if data.startswith(_BYTE_ORDER) else "utf-8-sig")
    except UnicodeDecodeError:
        raise Unreadable(Kind.UNSUPPORTED, "neither a known format nor text in UTF-8") from None
    if "\0" in text:
        raise Unreadable(Kind.UNSUPPORTED, "neither a known format nor text")
    return text
