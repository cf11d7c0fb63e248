"""Whether an archive came to its end: one that broke off is asked for again the next day.

A site that ends an answer by closing the connection, or a proxy in between, can cut a body off
without anybody noticing. Kept for ever, it would be damaged for ever.
"""

from __future__ import annotations

import zlib

from sources.http_body import GZIP_WINDOW

GZIP = b"\x1f\x8b"
ZIP, ZIP_END = b"PK\x03\x04", b"PK\x05\x06"
ZIP_TAIL = 22 + 0xFFFF
"""Bytes in which the end record of a zip begins: the record and the longest comment."""
CHUNK = 1 << 16
MOST_UNPACKED = 500_000_000
"""Bytes that are unpacked to look for the end; what unpacks to more is taken for whole."""


def is_whole(body: bytes) -> bool:
    """Tell whether a gzip or zip is complete; anything else is taken for whole.

    Of a gzip all members must unpack to their checksums (padding after them is fine); a zip must
    have its end record.
    """
    if body.startswith(ZIP):
        return ZIP_END in body[-ZIP_TAIL:]
    return not body.startswith(GZIP) or _unpacks(memoryview(body))


def _unpacks(body: memoryview) -> bool:
    member, unpacked, at = zlib.decompressobj(GZIP_WINDOW), 0, 0
    while at < len(body) and unpacked < MOST_UNPACKED:
        rest: bytes | memoryview = body[at : at + CHUNK]
        at = min(at + CHUNK, len(body))
        while rest and unpacked < MOST_UNPACKED:
            try:
                unpacked += len(member.decompress(rest, CHUNK))
            except zlib.error:
                return False
            rest = member.unconsumed_tail
            if member.eof:
                at -= len(member.unused_data)
                if body[at : at + len(GZIP)] != GZIP:
                    return True
                member, rest = zlib.decompressobj(GZIP_WINDOW), b""
    return unpacked >= MOST_UNPACKED
