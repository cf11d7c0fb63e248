"""What a body is, told by its first bytes.

Names and content types are not believed: a site that asks for patience or a log-in sends HTML under
the name of a PDF, with status 200.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from enum import StrEnum

HEAD = 16_384
"""Bytes that are looked at."""

TAR_BLOCK = 512
IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*")
ZIPS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
UTF_16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
PROLOGUE = re.compile(r"\s*(?:<\?[^>]*>\s*|<!--(?:[^-]|-(?!->))*-->\s*)*")
HTML_ROOT = re.compile(
    r"<(?:!doctype\s+html|(?:html|head|title|meta|link|body|script|style|iframe|h1|div|p|table|a|br)"
    r"(?=[\s/>]))",
    re.IGNORECASE,
)
XML_DECLARATION = re.compile(r"\s*<\?xml\s")
MARKUP = re.compile(r"<[A-Za-z_!?]")
HTML_DOCUMENT = re.compile(r"<(?:!doctype\s+html|html(?=[\s/>]))", re.IGNORECASE)


class Claim(StrEnum):
    """What a body is said to be; told by its first bytes, never by its name or type alone."""

    JSON = "json"
    XML = "xml"
    HTML = "html"
    TEXT = "text"
    PDF = "pdf"
    ZIP = "zip"
    GZIP = "gzip"
    TAR = "tar"
    IMAGE = "image"


def kinds(body: bytes) -> frozenset[Claim]:
    """Return all that a body may be by its first bytes.

    JSON, XML and HTML documents are text too, but an HTML document is nothing else: it is what
    sites send in the place of a file. JSON means an object or a list. An empty body is empty text.
    """
    binary = _binary(body)
    if binary is not None:
        return frozenset({binary})
    text = _text(body[:HEAD])
    if text is None:
        return frozenset()
    root = text[_prologue_end(text) :]
    if HTML_DOCUMENT.match(root):
        return frozenset({Claim.HTML})
    found = {Claim.TEXT}
    if HTML_ROOT.match(root):
        found.add(Claim.HTML)
    if XML_DECLARATION.match(text) or (found == {Claim.TEXT} and MARKUP.match(root)):
        found.add(Claim.XML)
    elif root.startswith(("{", "[")):
        found.add(Claim.JSON)
    return frozenset(found)


def is_one_of(body: bytes, claims: Collection[Claim]) -> bool:
    """Tell whether a body is what it was said to be; no claims: anything."""
    return not claims or not kinds(body).isdisjoint(claims)


def describe(body: bytes) -> str:
    """Say what a body looks like, for a message."""
    if not body:
        return "nothing"
    found = kinds(body) - {Claim.TEXT} or kinds(body)
    return " or ".join(sorted(found)) or "neither text nor a known kind of file"


def _binary(body: bytes) -> Claim | None:
    if body.startswith(ZIPS):
        return Claim.ZIP
    if body.startswith(b"\x1f\x8b"):
        return Claim.GZIP
    if body.startswith(IMAGES) or _is_webp_or_bmp(body[:12]):
        return Claim.IMAGE
    if body[:HEAD].removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"%PDF-"):
        return Claim.PDF
    return Claim.TAR if _is_tar(body[:TAR_BLOCK]) else None


def _is_webp_or_bmp(head: bytes) -> bool:
    """Look further than the first letters, with which a text may begin as well."""
    if head.startswith(b"RIFF"):
        return head[8:12] == b"WEBP"
    return head.startswith(b"BM") and head[6:10] == b"\0\0\0\0"


def _is_tar(block: bytes) -> bool:
    """Check the checksum of a tar header, which old archives without "ustar" have as well."""
    if len(block) < TAR_BLOCK or not block[0]:
        return False
    field = block[148:156].strip(b" \0")
    if not re.fullmatch(rb"[0-7]{1,7}", field):
        return False
    return sum(block[:148]) + sum(b" " * 8) + sum(block[156:]) == int(field, 8)


def _text(head: bytes) -> str | None:
    encoding = UTF_16.get(head[:2])
    if encoding is not None:
        return head[2 : 2 + (len(head) - 2) // 2 * 2].decode(encoding, errors="replace")
    if CONTROLS.search(head):
        return None
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _prologue_end(text: str) -> int:
    found = PROLOGUE.match(text)
    return found.end() if found else 0
