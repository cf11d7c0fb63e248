r"""What a LilyPond file says of itself: the fields of its ``\header`` blocks, read, never run.

Of a piece of Mutopia these say who wrote and who typeset it, under which licence, and when it was
published (``footer = "Mutopia-2015/12/23-1796"``).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from sources.score_tokens import Kind, Token, matching

_FOOTER = re.compile(r"Mutopia-(\d{4})/(\d{1,2})/(\d{1,2})-(\d{1,6})")
_CC = re.compile(r"(?:creative\s{0,5}commons|\bcc)\b", re.I)
_CC_ADDRESS = re.compile(r"creativecommons\.org/licenses/(by[a-z-]{0,12})/(\d\.\d)", re.I)
_VERSION = re.compile(r"\b([1-4]\.[05])\b")
_PUBLIC_DOMAIN = re.compile(r"public\s{0,3}domain", re.I)
_RESERVED = re.compile(r"©|\(c\)|\bcopyright(?:ed)?\b|\ball rights reserved\b", re.I)
_FREE = re.compile(r"public\s{0,3}domain|(?:out of|no|not in|expired)\s{1,3}copyright", re.I)
_NON_COMMERCIAL = re.compile(r"non-?\s?commercial|\bby-nc\b|\bnc\b", re.I)
PUBLIC_DOMAIN = "LicenseRef-PublicDomain"


def read_fields(tokens: Sequence[Token]) -> dict[str, str]:
    r"""Return the fields of all ``\header`` blocks; a later one wins, as in LilyPond.

    A field that is a markup has the strings and words of it as its value.
    """
    listed = list(tokens)
    fields: dict[str, str] = {}
    index = 0
    while index < len(listed) - 1:
        if listed[index].text == r"\header" and listed[index + 1].text == "{":
            end = matching(listed, index + 1)
            _read_block(listed[index + 2 : end], fields)
            index = end
        index += 1
    return fields


def _read_block(block: list[Token], fields: dict[str, str]) -> None:
    starts = [
        at
        for at in range(len(block) - 1)
        if block[at].kind is Kind.WORD and block[at + 1].text == "="
    ]
    for at, following in zip(starts, [*starts[1:], len(block)], strict=True):
        value = block[at + 2 : following]
        texts = [_plain(token) for token in value if token.kind in (Kind.STRING, Kind.WORD)]
        text = " ".join(" ".join(texts).split())
        if not text and value and value[0].kind is Kind.COMMAND:
            text = fields.get(value[0].text[1:], "")
        if text:
            fields[block[at].text] = text


def _plain(token: Token) -> str:
    return token.text[1:-1].replace('\\"', '"') if token.kind is Kind.STRING else token.text


def published(fields: dict[str, str]) -> dt.date | None:
    """Return the day of publication that the footer names, or None."""
    for name in ("footer", "id", "tagline", "copyright"):
        found = _FOOTER.search(fields.get(name, ""))
        if found:
            try:
                return dt.date(int(found[1]), int(found[2]), int(found[3]))
            except ValueError:
                return None
    return None


def licence(fields: dict[str, str]) -> str | None:
    """Return the licence as SPDX identifier or LicenseRef; None if none is known.

    The field ``license`` wins over ``copyright``, where older pieces and today's imprint have it.
    """
    everything = " ".join(fields.values())
    for text in (fields.get("license"), fields.get("licence"), fields.get("copyright")):
        found = spdx(text, everything) if text else None
        if found:
            return found
    return None


def spdx(text: str, everything: str = "") -> str | None:
    """Return the licence that a text names, None for none that is known.

    Args:
        text: such as "Creative Commons Attribution-ShareAlike 3.0".
        everything: where the address of the licence may stand, which tells a version.
    """
    if re.search(r"\bcc-?0\b|cc0|zero", text, re.I):
        return "CC0-1.0"
    if _CC.search(text) and re.search(r"attribution|\bby\b", text, re.I):
        parts = ["CC-BY"]
        parts += ["NC"] if _NON_COMMERCIAL.search(text) else []
        parts += ["ND"] if re.search(r"no-?\s?deriv", text, re.I) else []
        parts += ["SA"] if re.search(r"share-?\s?alike|\bsa\b|by-sa", text, re.I) else []
        version = _VERSION.search(text) or _address_version(everything, "-".join(parts))
        name = "-".join(parts)
        return f"{name}-{version[1]}" if version else f"LicenseRef-{name}"
    if _PUBLIC_DOMAIN.search(text):
        return PUBLIC_DOMAIN
    return None


def _address_version(text: str, name: str) -> re.Match[str] | None:
    """Find the version in the address of the licence that the imprint links to."""
    found = _CC_ADDRESS.search(text)
    if found is None or f"cc-{found[1]}".upper() != name:
        return None
    return _VERSION.search(found[2])


def may_pass_on(fields: dict[str, str], spdx: str) -> bool:
    """Tell whether everybody may pass an excerpt on.

    Not where the licence forbids commerce or changes, and not where the edition that was copied
    from has rights of its own: its entry in ``source`` names a copyright or such a licence.
    """
    edition = " ".join(fields.get(name, "") for name in ("source", "sourcenote", "moreInfo"))
    reserved = bool(_RESERVED.search(edition)) and not _FREE.search(edition)
    return not ("-NC" in spdx or "-ND" in spdx or reserved or _NON_COMMERCIAL.search(edition))
