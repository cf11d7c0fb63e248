"""Reasoning that a model wrote into its answer, and wrappers around the answer itself.

Tags inside a fenced block belong to the answer and stay (an HTML page may well show them).
"""

from __future__ import annotations

import re
from bisect import bisect_right

from scenarios.fences import Block, find_blocks

_TAG = re.compile(
    r"<(/?)(think|thinking|thought|reasoning|reflection)\s{0,8}>|◁(/?)think▷", re.IGNORECASE
)
_WRAPPERS = (("<answer>", "</answer>"), ("<|begin_of_box|>", "<|end_of_box|>"))
_PROSE_BEFORE = 200


def strip_reasoning(text: str) -> str | None:
    """Return the answer without reasoning, or None where the reasoning never ends.

    Recognised: tagged reasoning before the answer (also after a short line of prose), several such
    passages in a row, and a closing tag alone (its opening tag was part of the provider's prompt).
    Linear in the length of the text; never raises.
    """
    tags = list(_TAG.finditer(text))
    position = _skip_leading(text, tags)
    if position is None:
        return None
    rest = text[position:]
    return _strip_wrapper(_skip_orphan(rest))


def _is_closing(tag: re.Match[str]) -> bool:
    return "/" in (tag[1] or tag[3] or "")


def _skip_leading(text: str, tags: list[re.Match[str]]) -> int | None:
    """Return where the text goes on after all reasoning at its beginning; None if it never ends."""
    position, number = 0, 0
    while number < len(tags):
        tag = tags[number]
        before = text[position : tag.start()]
        if _is_closing(tag) or not _is_prelude(before, first=position == 0):
            return position
        number += 1
        while number < len(tags) and not _is_closing(tags[number]):
            number += 1
        if number == len(tags):
            return None
        position = tags[number].end()
        number += 1
    return position


def _is_prelude(before: str, *, first: bool) -> bool:
    """Whether what stands before an opening tag is nothing, or a short remark above it."""
    if not before.strip():
        return True
    remark = len(before) <= _PROSE_BEFORE and not any(sign in before for sign in "<\\{`~$")
    return first and remark and before.rstrip(" \t").endswith("\n")


def _skip_orphan(text: str) -> str:
    """Drop what precedes a closing tag that stands alone at the start or the end of a line."""
    blocks: list[Block] | None = None
    cut = 0
    for tag in _TAG.finditer(text):
        if not _is_closing(tag):
            break
        blocks = find_blocks(text) if blocks is None else blocks
        if _is_fenced(tag.start(), blocks):
            break
        before = text.rfind("\n", 0, tag.start()) + 1
        after = text.find("\n", tag.end())
        line_end = len(text) if after < 0 else after
        starts_line = not text[before : tag.start()].strip()
        ends_line = not text[tag.end() : line_end].strip()
        if starts_line or ends_line:
            cut = tag.end()
    return text[cut:]


def _is_fenced(position: int, blocks: list[Block]) -> bool:
    number = bisect_right(blocks, position, key=lambda block: block.start) - 1
    return number >= 0 and blocks[number].closed and position < blocks[number].end


def _strip_wrapper(text: str) -> str:
    bare = text.strip()
    for opening, closing in _WRAPPERS:
        if bare.startswith(opening):
            return bare.removeprefix(opening).removesuffix(closing)
    return text
