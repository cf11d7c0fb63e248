"""Trees as indented text: Markdown lists and headings, drawn trees, Mermaid mind maps."""

from __future__ import annotations

import re

from benchmark.outcome import Failed, Kind, Outcome, Stage
from scenarios.trees import Node, from_levels

TAB = 4
_HEADING_LEVELS = 100
_LINE = re.compile(
    r"""
      (?P<hashes>\#{1,6}+)[ \t]++(?P<heading>\S[^\n]*+)
    | (?P<lead>[ \t]*+)(?:[-*+•‣◦]|\d{1,3}[.)])[ \t]++(?P<item>\S[^\n]*+)
    | (?P<drawn>[ \t│|]*+[├└╰]─*+[ \t]?)(?P<branch>\S[^\n]*+)
    | (?P<indent>[ \t]*+)(?P<plain>\S[^\n]*+)
    """,
    re.VERBOSE,
)
_MERMAID_SHAPE = re.compile(
    r"[\w-]{0,50}(?:\(\(|\[|\(|\{\{|\)\)|\))(.*?)(?:\)\)|\]|\)|\}\}|\(\(|\()"
)
_EMPHASIS = re.compile(r"(\*\*|__)(.+)\1")
_MARKED_SHARE = 0.5


def read_outline(text: str) -> Outcome[Node]:
    """Read an indented outline.

    Markdown headings lie above list items, list items are nested by their indentation (a tab
    counts as four spaces), lines of ``├──`` trees by the column of their text, Mermaid's
    ``mindmap`` by indentation. Text in which most lines bear no such mark is prose.

    Returns:
        The tree, or a failure of stage parse and kind parse_error.
    """
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    mermaid = bool(lines) and lines[0].strip() == "mindmap"
    matches = [match for match in map(_LINE.match, lines[1:] if mermaid else lines) if match]
    marked = sum(1 for match in matches if match["plain"] is None or match["indent"])
    if not mermaid and (marked == 0 or marked + 1 < _MARKED_SHARE * len(matches)):
        return _failed("the answer holds neither JSON nor an outline")
    if not mermaid:
        matches = _without_remarks(matches)
    return from_levels([_level(match, mermaid=mermaid) for match in matches])


def _without_remarks(matches: list[re.Match[str]]) -> list[re.Match[str]]:
    """Drop unindented plain lines, except the first line where it is a root, not a remark."""
    first, rest = matches[:1], matches[1:]
    if first and (first[0]["plain"] or "").endswith((":", "：")):
        first = []
    return first + [match for match in rest if match["plain"] is None or match["indent"]]


def _level(match: re.Match[str], *, mermaid: bool) -> tuple[int, str]:
    if match["heading"] is not None:
        return len(match["hashes"]) - _HEADING_LEVELS, _plain(match["heading"].rstrip("# "))
    if match["item"] is not None:
        return _width(match["lead"]) + 1, _plain(match["item"])
    if match["branch"] is not None:
        return _width(match["drawn"]) + 1, _plain(match["branch"])
    shape = _MERMAID_SHAPE.fullmatch(match["plain"]) if mermaid else None
    return _width(match["indent"]), _plain(shape[1] if shape else match["plain"])


def _width(lead: str) -> int:
    return len(lead.expandtabs(TAB))


def _plain(text: str) -> str:
    """Drop emphasis around a whole label."""
    emphasis = _EMPHASIS.fullmatch(text.strip())
    return emphasis[2] if emphasis else text.strip()


def _failed(message: str) -> Failed:
    return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message)
