"""Reading a body within a limit, before and after its content encoding is undone."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import httpx

GZIP_WINDOW = 16 + zlib.MAX_WBITS


class BodyTooLarge(Exception):
    """More bytes than asked for; the text says how many were announced or read."""


class BodyUnreadable(Exception):
    """The content encoding cannot be undone; the text says why."""


def read(response: httpx.Response, most: int) -> bytes:
    """Return the body as it was before it was encoded for the way.

    Only gzip is asked for and undone, piece by piece, so that a few bytes that unpack to very many
    are noticed while they are unpacked.

    Raises:
        BodyTooLarge: the body, encoded or not, has more than `most` bytes.
        BodyUnreadable: another encoding, or a damaged or unfinished one.
        httpx.TransportError: the connection ended too early or took too long.
    """
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and len(announced) < 19 and int(announced) > most:
        raise BodyTooLarge(f"{int(announced):,} bytes announced")
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding in {"", "identity"}:
        return _joined(response.iter_raw(), most)
    if encoding in {"gzip", "x-gzip"}:
        return _joined(_gunzipped(_counted(response.iter_raw(), most), most), most)
    raise BodyUnreadable(f"in an encoding that was not asked for: {encoding!r}")


def _joined(pieces: Iterator[bytes], most: int) -> bytes:
    return b"".join(_counted(pieces, most))


def _counted(pieces: Iterator[bytes], most: int) -> Iterator[bytes]:
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > most:
            raise BodyTooLarge(f"more than {most:,} bytes")
        yield piece


def _gunzipped(pieces: Iterator[bytes], most: int) -> Iterator[bytes]:
    """Unpack gzip of one or several members, at most one byte more than `most` at once."""
    member, finished = zlib.decompressobj(GZIP_WINDOW), True
    for piece in pieces:
        rest = piece
        while rest:
            if finished:
                rest = rest.lstrip(b"\0")  # padding between and after members
                if not rest:
                    break
                member = zlib.decompressobj(GZIP_WINDOW)
            try:
                yield member.decompress(rest, most + 1)
            except zlib.error as error:
                raise BodyUnreadable(f"damaged gzip: {error}") from None
            finished = member.eof
            rest = member.unused_data if finished else member.unconsumed_tail
    if not finished:
        raise BodyUnreadable("gzip that ends too early")
