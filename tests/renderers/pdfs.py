"""Small PDF files, written byte by byte so that any of their numbers can be absurd."""

from __future__ import annotations


def pdf(
    pages: int = 1, box: tuple[float, float] = (200, 100), content: bytes = b"20 20 60 40 re f"
) -> bytes:
    """A PDF whose pages all show the same."""
    kids = b" ".join(b"%d 0 R" % (4 + n) for n in range(pages))
    stream = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content)
    page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents 3 0 R >>" % box
    tree = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages)
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", tree, stream, *[page] * pages]
    written, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count, begin = len(objects) + 1, len(written)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, begin)
    return written + b"xref\n0 %d\n0000000000 65535 f \n" % count + table + trailer


def locked_pdf() -> bytes:
    """A PDF with an encryption that nobody knows the password of."""
    lock = b"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -1340 /O <%s> /U <%s> >> "
    lock %= (b"5a" * 32, b"a5" * 32)
    identity = b"/ID [<00112233445566778899aabbccddeeff> <00112233445566778899aabbccddeeff>] "
    return pdf().replace(b"/Root", lock + identity + b"/Root")
