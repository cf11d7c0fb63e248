"""Foreign text in a form that every file and every browser can hold."""

from __future__ import annotations

import re

_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def printable(text: str) -> str:
    """Return text with line breaks as newlines and a replacement character for what has no form.

    That is control characters other than tabs and newlines, and halves of surrogate pairs, which
    no UTF-8 file can hold.
    """
    return _UNPRINTABLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
