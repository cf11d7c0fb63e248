"""The page of a work at IMSLP: its files with their rights, read from its wikitext."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sources.score_header import PUBLIC_DOMAIN, spdx

MOST_FILES = 200
MOST_CHARACTERS = 20_000
"""Of one entry."""
MOST_TEXT = 2_000_000
"""Characters of a page that are read; the longest have a few hundred thousand."""
_ENTRY = "{{#fte:imslpfile"
_FIELD = re.compile(r"\|\s{0,20}([A-Za-z][A-Za-z ]{1,40}?)\s{0,5}(\d{0,3})\s{0,20}=")
_ELSEWHERE = re.compile(r"non-?\s?PD[- ](US|CA|EU)", re.I)


@dataclass(frozen=True)
class FileEntry:
    """A file of a work, as the people who offer it describe it."""

    name: str
    description: str
    pages: int | None
    copyright: str
    publisher: str
    editor: str

    @property
    def is_excluded(self) -> bool:
        """Whether it is not free in a country that IMSLP names (CA, EU, US)."""
        return bool(_ELSEWHERE.search(self.copyright))

    @property
    def licence(self) -> str | None:
        """The licence as SPDX identifier or LicenseRef; None if none is known."""
        return spdx(self.copyright)

    @property
    def may_pass_on(self) -> bool:
        """Whether everybody may pass a cut of it on."""
        licence = self.licence or ""
        free = licence == PUBLIC_DOMAIN or licence.startswith(("CC0", "CC-BY"))
        return free and "-NC" not in licence and "-ND" not in licence


def read_entries(wikitext: str) -> list[FileEntry]:
    """Return the files of a work's page; what several files share is said of each."""
    entries: list[FileEntry] = []
    wikitext = wikitext[:MOST_TEXT]
    place = wikitext.find(_ENTRY)
    while place >= 0 and len(entries) < MOST_FILES:
        end = _end(wikitext, place)
        entries += _read_entry(wikitext[place + len(_ENTRY) : end])
        place = wikitext.find(_ENTRY, end)
    return entries[:MOST_FILES]


def _end(text: str, begin: int) -> int:
    """Return where the braces that open at a place are closed."""
    depth, place = 0, begin
    while place < len(text):
        pair = text[place : place + 2]
        if pair in ("{{", "}}"):
            depth += 1 if pair == "{{" else -1
            place += 2
            if depth == 0:
                return place - 2
        else:
            place += 1
    return len(text)


def _read_entry(block: str) -> list[FileEntry]:
    block = block[:MOST_CHARACTERS]
    starts = list(_fields(block))
    fields: dict[tuple[str, str], str] = {}
    for at, found in enumerate(starts):
        stop = starts[at + 1].start() if at + 1 < len(starts) else len(block)
        fields[found[1].strip().lower(), found[2]] = block[found.end() : stop].strip()

    def shared(name: str) -> str:
        return fields.get((name, ""), "")

    entries = []
    for (name, number), value in fields.items():
        if name == "file name" and value:
            count = fields.get(("page count", number), "")
            entries.append(
                FileEntry(
                    name=value.replace("_", " "),
                    description=fields.get(("file description", number), ""),
                    pages=int(count) if count.isdecimal() and len(count) < 6 else None,
                    copyright=shared("copyright"),
                    publisher=shared("publisher information"),
                    editor=shared("editor"),
                )
            )
    return entries


def _fields(block: str) -> Iterator[re.Match[str]]:
    """Yield the beginnings of the entry's own fields, not those of a template or link within it."""
    braces = brackets = place = 0
    for found in _FIELD.finditer(block):
        between = block[place : found.start()]
        braces += between.count("{{") - between.count("}}")
        brackets += between.count("[[") - between.count("]]")
        place = found.start()
        if braces <= 0 and brackets <= 0:
            yield found
