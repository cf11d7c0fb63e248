"""Picture files beside a LaTeX source: pdfTeX's kinds are shown, hostile ones typed failures."""

from __future__ import annotations

import io
import struct
import zlib

import pytest
from PIL import Image

from benchmark.outcome import Failed, Kind, Ok, Outcome
from benchmark.records import Picture, Structure
from renderers import canvas
from renderers.sandbox import Limits
from renderers.tex import TexRenderer

LIMITED = (Kind.TIMEOUT, Kind.RESOURCE_LIMIT)
RED = (220, 30, 30)
FIGURE = r"""\begin{figure}
  \begin{subfigure}{4cm}\includegraphics[width=\linewidth]{NAME}\caption{Left}\end{subfigure}
  \begin{minipage}{4cm}\includegraphics[width=\linewidth]{NAME}\end{minipage}
  \caption{Twice the same.}
\end{figure}"""


@pytest.fixture(scope="module")
def renderer():
    with TexRenderer(workers=1, limits=Limits(seconds=8)) as renderer:
        yield renderer


def show(renderer: TexRenderer, name: str, data: bytes) -> Outcome[Picture]:
    text = FIGURE.replace("NAME", name)
    files = {"answer.tex": text.encode(), name: data}
    return renderer.render(Structure(files=files, entry="answer.tex", options={"form": "snippet"}))


def made(kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (60, 40), RED).save(buffer, kind)
    return buffer.getvalue()


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(side: int, colour: int, content: bytes) -> bytes:
    """Return a square PNG of so many 8-bit pixels a side, of a colour type, whatever it holds."""
    header = struct.pack(">IIBBBBB", side, side, 8, colour, 0, 0, 0)
    density = struct.pack(">IIB", 400_000, 400_000, 1)  # for the size that TeX takes it to have
    parts = [
        chunk(b"IHDR", header),
        chunk(b"pHYs", density),
        chunk(b"IDAT", content),
        chunk(b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def packed_zeros(size: int) -> bytes:
    """Return zeros packed by zlib; all megabytes are packed alike, so one is."""
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    check = struct.pack(">I", (size % 65_521) << 16 | 1)  # Adler-32 of so many zeros
    return b"\x78\xda" + block * (size >> 20) + b"\x03\x00" + check


def pdf(content: bytes, more: dict[int, bytes], resources: bytes = b"", packed: bool = False):
    """Return a PDF of one page with a content stream and further objects."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 66] /Contents 4 0 R /Resources << "
        + resources + b" >> >>",
        4: b"<< /Length %d %s>>\nstream\n%s\nendstream"
        % (len(content), b"/Filter /FlateDecode " if packed else b"", content),
        **more,
    }  # fmt: skip
    body, places = b"%PDF-1.5\n", []
    for number in sorted(objects):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, objects[number])
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    ends = (
        b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table),
        b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(body)),
    )
    return body + b"".join(ends)


def form(inner: int | None) -> bytes:
    """Return a form that draws another one ten times."""
    content = b"/F Do " * 10 if inner else b"0 0 9 9 re f "
    uses = b"/Resources << /XObject << /F %d 0 R >> >> " % inner if inner else b""
    head = b"<< /Type /XObject /Subtype /Form /BBox [0 0 99 66] %s/Length %d >>"
    return head % (uses, len(content)) + b"\nstream\n" + content + b"\nendstream"


def laughs() -> bytes:
    """Return a PDF whose page draws 10 forms that draw 10 forms each, twelve times over."""
    forms = {number: form(number + 1 if number < 16 else None) for number in range(5, 17)}
    return pdf(b"/F Do", forms, b"/XObject << /F 5 0 R >>")


@pytest.mark.parametrize(("kind", "name"), [("PNG", "a.png"), ("JPEG", "a.jpg"), ("PDF", "a.pdf")])
def test_pictures_are_shown(renderer, kind, name):
    outcome = show(renderer, name, made(kind))
    assert isinstance(outcome, Ok), outcome
    array = canvas.decode(outcome.value.png).value.astype(int)
    red = (abs(array - RED) < 12).all(axis=2).sum()
    assert red > 0.9 * 2 * (4 / 2.54 * 200) ** 2 * 40 / 60
    assert outcome.value.flags == ()


def test_a_page_without_tricks_is_shown(renderer):
    outcome = show(renderer, "a.pdf", pdf(b"0.8 0 0 rg 0 0 99 66 re f", {}))
    assert isinstance(outcome, Ok), outcome


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.png", b"no picture at all"),
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 100),
        ("a.png", made("PNG")[:-30]),
        ("a.jpg", b"\xff\xd8\xff\xe0" + b"\0" * 100),
        ("a.pdf", b"%PDF-1.5\nnothing"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_a_damaged_picture_is_named(renderer, name, data):
    outcome = show(renderer, name, data)
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind is Kind.MISSING_RESOURCE
    assert f"picture {name} cannot be read" in outcome.message


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("a.eps", b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "a-eps-converted-to.pdf"),
        ("a.svg", b"<svg/>", "Unknown graphics extension"),
    ],
    ids=["eps", "svg"],
)
def test_other_kinds_need_programs_that_are_not_run(renderer, name, data, said):
    outcome = show(renderer, name, data)
    assert isinstance(outcome, Failed), outcome
    assert said in outcome.message


@pytest.mark.parametrize("colour", [0, 6], ids=["grey", "with transparency"])
def test_a_huge_picture_ends_within_the_limits(renderer, colour):
    side = 30_000 if colour == 0 else 15_000  # 900 million bytes
    outcome = show(renderer, "a.png", png(side, colour, packed_zeros(900 << 20)))
    assert isinstance(outcome, Ok) or (outcome.final and outcome.kind in LIMITED), outcome


@pytest.mark.parametrize(
    "data",
    [laughs(), pdf(packed_zeros(1 << 30), {}, packed=True)],
    ids=["forms in forms", "a stream of a gigabyte"],
)
def test_a_page_that_takes_for_ever_ends_at_the_limits(renderer, data):
    assert len(data) < 2_000_000
    outcome = show(renderer, "a.pdf", data)
    assert isinstance(outcome, Failed), outcome
    assert outcome.final
    assert outcome.kind in LIMITED
