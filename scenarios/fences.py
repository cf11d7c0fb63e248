"""Fenced code blocks in a model's answer, found in one pass over its lines.

The rules are CommonMark's, made lenient where models are sloppy: a fence may be indented, may end a
line of prose (``Here it is: ```latex``), may close at the end of a line of code (``</html>```), and
may open and close in one line. A block that holds JSON ends only outside of a JSON string, so that
backticks inside a string do not cut it.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_OPENING = re.compile(r"[ \t>]*(`{3,}+(?=[^`]*$)|~{3,}+)[ \t]*(.*)$")
_OPENING_AFTER_PROSE = re.compile(r"[^`]*[^`\s][ \t]*(`{3,}+)[ \t]*([\w.+#-]{0,20})[ \t]*$")
_ONE_LINE = re.compile(r"[ \t>]*(`{3,}+)([^`]++)(`{3,}+)[ \t.,;:!]*$")
_TAG = re.compile(r"\{?\.?([\w+#-]+)")
_JSON_TAGS = frozenset({"json", "json5", "jsonc", "jsonl", ""})
_JSON_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+("?)', re.DOTALL)
_PARTIAL_FENCE = re.compile(r"\n[ \t]*(?:`{1,2}|~{1,2})\Z")
_TAG_CHARACTERS = 40
_JSON_SCANS = 8


class Block(NamedTuple):
    """One fenced block.

    ``tag`` is the first word of the info string in lower case ("" without one); ``start`` and
    ``end`` are the offsets of the whole block, fences included, in the text it was found in.
    """

    text: str
    tag: str
    closed: bool
    start: int
    end: int


class _Line(NamedTuple):
    text: str
    start: int


class _Head(NamedTuple):
    """What an opening fence says; ``code`` is code in its own line."""

    fence: str
    tag: str
    code: str


def find_blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a text in order; linear in its length; never raises.

    An opening fence that nothing closes takes the rest of the text (``closed`` is False).
    """
    lines = _split(text)
    blocks: list[Block] = []
    scans: list[int] = []
    number = 0
    while number < len(lines):
        block, number = _block_at(text, lines, number, scans)
        if block is not None:
            blocks.append(block)
    return blocks


def _split(text: str) -> list[_Line]:
    lines, start = [], 0
    for line in text.split("\n"):
        lines.append(_Line(line, start))
        start += len(line) + 1
    return lines


def _block_at(
    text: str, lines: list[_Line], number: int, scans: list[int]
) -> tuple[Block | None, int]:
    """Return the block that opens in a line, if any, and the number of the next line to look at."""
    line = lines[number]
    if "```" not in line.text and "~~~" not in line.text:
        return None, number + 1
    single = _ONE_LINE.match(line.text)
    if single and len(single[1]) == len(single[3]):
        tag, content = _split_info(single[2])
        end = line.start + len(line.text)
        return Block(content, tag, True, line.start, end), number + 1
    opening = _OPENING.match(line.text) or _OPENING_AFTER_PROSE.match(line.text)
    if opening is None:
        return None, number + 1
    head = _Head(opening[1], *_split_info(opening[2]))
    last = _closing_line(lines, number + 1, head, scans)
    body = [head.code] if head.code else []
    body += [one.text for one in lines[number + 1 : last]]
    if last is None:
        content = _PARTIAL_FENCE.sub("", "\n".join(body))
        return Block(content, head.tag, False, line.start, len(text)), len(lines)
    end = lines[last].start + len(lines[last].text)
    before = lines[last].text.rstrip().rstrip(head.fence[0])
    if before.strip(" \t>"):
        body.append(before)
    return Block("\n".join(body), head.tag, True, line.start, end), last + 1


def _split_info(info: str) -> tuple[str, str]:
    """Split what follows an opening fence into the language tag and code in the same line."""
    match = _TAG.match(info.strip()[:_TAG_CHARACTERS])
    if match is None:
        return "", info.strip()
    rest = info.strip()[match.end() :].strip()
    looks_like_code = (
        any(character in rest for character in "<\\{$;") and "=" not in rest.split()[0]
    )
    if rest[:1] in ("}", "{") or not looks_like_code:
        rest = ""
    return match[1].lower(), rest


def _closing_line(lines: list[_Line], first: int, head: _Head, scans: list[int]) -> int | None:
    """Return the number of the line that closes a block, or None.

    `scans` counts the JSON blocks whose strings never ended: after a few of them the plain rule
    holds, so that the whole stays linear.
    """
    if head.tag in _JSON_TAGS and len(scans) < _JSON_SCANS and _begins_json(lines, first, head):
        number = _closing_of_json(lines, first, head)
        if number is not None:
            return number
        scans.append(first)
    numbers = range(first, len(lines))
    return next((number for number in numbers if _closes(lines[number].text, head.fence)), None)


def _closes(line: str, fence: str) -> bool:
    bare = line.rstrip()
    if not bare.endswith(fence):
        return False
    before = bare.rstrip(fence[0])
    return not before.strip(" \t>") or (fence[0] == "`" and "`" not in before)


def _begins_json(lines: list[_Line], first: int, head: _Head) -> bool:
    code = head.code or "".join(line.text for line in lines[first : first + 3])
    return code.lstrip().startswith(("{", "["))


def _closing_of_json(lines: list[_Line], first: int, head: _Head) -> int | None:
    """Return the first closing line outside of a JSON string, or None if there is none."""
    inside = _open_string(head.code, False)
    for number in range(first, len(lines)):
        line = lines[number].text
        if not inside and _closes(line, head.fence):
            return number
        inside = _open_string(line, inside)
    return None


def _open_string(line: str, inside: bool) -> bool:
    """Return whether a JSON string is still open at the end of a line."""
    open_at_end = False
    for match in _JSON_STRING.finditer('"' + line if inside else line):
        open_at_end = not match[1]
    return open_at_end
