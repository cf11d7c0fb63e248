"""Outlines in plain text: Markdown with headings and lists, or indented lines."""

from __future__ import annotations

import re
from collections.abc import Iterable

from benchmark.outcome import Kind
from sources.maps.drafts import Draft, Unreadable, check, nest
from sources.maps.model import Format, MindMap, Sheet

OUTLINE_CHARACTERS = 2_000_000
"""Longest outline, its notes included."""

TAB = 4
"""Columns of a tab."""

_HEADINGS_FIRST = -100
"""Added to the level of a heading, so that every list item lies below it."""

_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_ITEM = re.compile(r"([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+(.*))?")
_RULE = re.compile(r"[ \t]*([-*_])[ \t]*(?:\1[ \t]*){2,}")
_DOUBLE = re.compile(r" {0,3}=+[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_BOX = re.compile(r"\[([ xX])\][ \t]+(.*)")
_EMPHASIS = re.compile(r"(\*\*|__)(.+)\1")
_LINK = re.compile(r"(!?)\[([^\[\]]*)\]\(([^()\s]*)\)")


class _Reader:
    """Reads the lines of a Markdown file from top to bottom."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.levels: list[tuple[int, Draft]] = []
        self.fence = ""
        self.remarks = False
        """Whether plain text came already."""

    def read(self) -> list[tuple[int, Draft]]:
        """Return the topics with their levels; other text is notes of the topic before it."""
        for index, line in enumerate(self.lines):
            if self.fence or _FENCE.match(line):
                self._read_code(line)
            elif match := _HEADING.fullmatch(line):
                self._add(len(match[1]) + _HEADINGS_FIRST, _without_hashes(match[2] or ""))
            elif _UNDERLINE.fullmatch(line) and self._is_plain(index - 1):
                self._raise_heading(index)
            elif _RULE.fullmatch(line):
                continue
            elif match := _ITEM.fullmatch(line):
                self._add(_width(match[1]) + 1, match[2] or "")
            elif line.strip():
                self._read_plain(index, line)
        return self.levels

    def _add(self, level: int, text: str) -> None:
        self.levels.append((level, _topic(text)))
        check(1, len(self.levels))

    def _read_code(self, line: str) -> None:
        match = _FENCE.match(line)
        if match and (not self.fence or match[1] == self.fence):
            self.fence = "" if self.fence else match[1]
        elif self.levels:
            self.levels[-1][1].notes.append(line)

    def _is_plain(self, index: int) -> bool:
        if index < 0 or (index > 0 and self.lines[index - 1].strip()):
            return False
        line = self.lines[index]
        marked = _HEADING.fullmatch(line) or _ITEM.fullmatch(line) or _RULE.fullmatch(line)
        return bool(line.strip()) and not marked

    def _raise_heading(self, index: int) -> None:
        """Make the line above a heading: it is the last note, or the first line of the file."""
        text = self.lines[index - 1].strip()
        if self.levels:
            if self.levels[-1][1].text == text and self.levels[-1][0] == _HEADINGS_FIRST:
                self.levels.pop()
            elif self.levels[-1][1].notes[-1:] == [text]:
                self.levels[-1][1].notes.pop()
        level = 1 if "=" in self.lines[index] else 2
        self._add(level + _HEADINGS_FIRST, text)

    def _read_plain(self, index: int, line: str) -> None:
        """Take a line as notes, or as the root where list items follow it at the very beginning."""
        if self.levels:
            self.levels[-1][1].notes.append(line.strip())
        elif not self.remarks and self._begins_list(index):
            self._add(_HEADINGS_FIRST, line.strip())
        self.remarks = True

    def _begins_list(self, index: int) -> bool:
        later = next((line for line in self.lines[index + 1 :] if line.strip()), "")
        return _ITEM.fullmatch(later) is not None


def read_outline(text: str) -> MindMap:
    """Read an outline.

    Markdown headings lie above list items; list items nest by their indentation, where a tab is
    four columns. A file without headings and list items is an outline if some of its lines are
    indented: then each line is a topic. Several roots hang from one without text.

    Raises:
        Unreadable: neither of the two, or beyond the limits.
    """
    if len(text) > OUTLINE_CHARACTERS:
        raise Unreadable(
            Kind.RESOURCE_LIMIT, f"the outline has more than {OUTLINE_CHARACTERS} characters"
        )
    lines = _without_front_matter(text.lstrip("\ufeff").splitlines())
    marked = any(
        _HEADING.fullmatch(line) or _ITEM.fullmatch(line) or _DOUBLE.fullmatch(line)
        for line in lines
    )
    levels = _Reader(lines).read() if marked else _indented(lines)
    sheet = Sheet(nest(levels).freeze())
    return MindMap(Format.OUTLINE, (sheet,))


def _indented(lines: list[str]) -> Iterable[tuple[int, Draft]]:
    filled = [line for line in lines if line.strip()]
    widths = [_width(line[: len(line) - len(line.lstrip(" \t"))]) for line in filled]
    if len(set(widths)) < 2:
        raise Unreadable(
            Kind.UNSUPPORTED, "text, but no outline: no headings, list items or indented lines"
        )
    return ((width, _topic(line)) for width, line in zip(widths, filled, strict=True))


def _without_front_matter(lines: list[str]) -> list[str]:
    """Drop the YAML block between two lines ``---`` at the beginning."""
    if lines and lines[0].rstrip() == "---":
        ends = (index for index, line in enumerate(lines[1:], 1) if line.rstrip() == "---")
        return lines[next(ends, -1) + 1 :]
    return lines


def _topic(text: str) -> Draft:
    """Read a label: a task's box is a marker; emphasis and a link around all of it go."""
    draft = Draft(text=text.strip())
    if box := _BOX.fullmatch(draft.text):
        draft.markers.append("task-start" if box[1] == " " else "task-done")
        draft.text = box[2].strip()
    if emphasis := _EMPHASIS.fullmatch(draft.text):
        draft.text = emphasis[2]
    if link := _LINK.fullmatch(draft.text):
        draft.text = link[2]
        if link[1]:
            draft.image = link[3]
        else:
            draft.link = link[3]
    return draft


def _without_hashes(text: str) -> str:
    """Drop the number signs that may close a heading."""
    rest = text.rstrip().rstrip("#")
    return rest if not rest or rest.endswith((" ", "\t")) else text


def _width(lead: str) -> int:
    return len(lead.expandtabs(TAB))
