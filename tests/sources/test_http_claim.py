"""What a body is by its first bytes."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import pytest
from PIL import Image

from sources import http_claim
from sources.http_claim import Claim


def packed(format_):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=format_) as tar:
        member = tarfile.TarInfo("main.tex")
        member.size = 1
        tar.addfile(member, io.BytesIO(b"x"))
    return buffer.getvalue()


def zipped():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("content.json", "[]")
    return buffer.getvalue()


def image(format_):
    buffer = io.BytesIO()
    Image.new("RGB", (3, 3)).save(buffer, format_)
    return buffer.getvalue()


def old_tar():
    data = bytearray(packed(tarfile.USTAR_FORMAT))
    data[257:265] = bytes(8)
    data[148:156] = b" " * 8
    data[148:156] = b"%06o\0 " % sum(data[:512])
    return bytes(data)


XHTML = '<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE html PUBLIC "x">\n<html>'
BODIES = {
    "object": (b' \n{"a": 1}', {Claim.JSON, Claim.TEXT}),
    "list after a mark": (b"\xef\xbb\xbf[1]", {Claim.JSON, Claim.TEXT}),
    "a word": (b"null", {Claim.TEXT}),
    "feed": (b'<?xml version="1.0"?><feed/>', {Claim.XML, Claim.TEXT}),
    "feed in utf-16": (
        '\ufeff<?xml version="1.0"?><feed/>'.encode("utf-16-le"),
        {Claim.XML, Claim.TEXT},
    ),
    "map after a line": (b'\n<map version="1.0.1">', {Claim.XML, Claim.TEXT}),
    "an XML table": (b"<?xml version='1.0'?><table/>", {Claim.XML, Claim.HTML, Claim.TEXT}),
    "page": (b"<!doctype HTML>\n<p>", {Claim.HTML}),
    "page with a mark and spaces": (b"\xef\xbb\xbf  \r\n<HTML lang=en>", {Claim.HTML}),
    "page after a comment": (b"<!-- hi -- there --><html>", {Claim.HTML}),
    "xhtml": (XHTML.encode(), {Claim.HTML}),
    "a piece of a page": (b"<h1>503 Busy</h1>", {Claim.HTML, Claim.TEXT}),
    "htmlish name": (b"<htmlx>", {Claim.XML, Claim.TEXT}),
    "tex": (b"% caf\xe9\n\\documentclass{article}", {Claim.TEXT}),
    "a text that begins as a bitmap does": (b"BMW makes cars", {Claim.TEXT}),
    "nothing": (b"", {Claim.TEXT}),
    "zeros": (bytes(2000), set()),
    "pdf": (b"%PDF-1.4\n%\xe2\xe3", {Claim.PDF}),
    "pdf after a line": (b"\r\n%PDF-1.4\0", {Claim.PDF}),
    "pdf inside a page": (b"<html>%PDF-1.4", {Claim.HTML}),
    "gzip": (gzip.compress(b"x"), {Claim.GZIP}),
    "zip": (zipped(), {Claim.ZIP}),
    "tar": (packed(tarfile.USTAR_FORMAT), {Claim.TAR}),
    "gnu tar": (packed(tarfile.GNU_FORMAT), {Claim.TAR}),
    "pax tar": (packed(tarfile.PAX_FORMAT), {Claim.TAR}),
    "old tar": (old_tar(), {Claim.TAR}),
    "tar cut in its header": (packed(tarfile.USTAR_FORMAT)[:500], set()),
    **{name: (image(name), {Claim.IMAGE}) for name in ("PNG", "JPEG", "GIF", "WEBP", "BMP")},
}


@pytest.mark.parametrize("name", BODIES)
def test_a_body_is_told_by_its_first_bytes(name):
    body, kinds = BODIES[name]
    assert http_claim.kinds(body) == kinds


def test_no_claims_are_met_by_anything_and_any_of_several_is_enough():
    assert http_claim.is_one_of(bytes(9), [])
    assert http_claim.is_one_of(b"%PDF-1.4", [Claim.GZIP, Claim.PDF])
    assert not http_claim.is_one_of(b"<html>", [Claim.TEXT, Claim.XML])


def test_many_odd_characters_take_no_time():
    for odd in (b"<!--" * 5000, b"<!-- -" * 5000, b"<?" * 9000, b" " * 50_000, b"<!---->" * 9000):
        http_claim.kinds(odd)
