r"""Trees as DOT: how a mind map is drawn, the same for truth and answer.

Labels are data, never DOT: they are quoted, with backslashes, quotes and ampersands escaped, so
that no text can end its label or use an escape of Graphviz (``\N``, ``&lt;``).
"""

from __future__ import annotations

import unicodedata
from typing import Literal

from scenarios.trees import Node

Layout = Literal["right", "down", "radial"]

FONT = "Noto Sans CJK SC"
"""Has Latin and CJK letters of one design; emoji come from the fallback font."""

LABEL_COLUMNS = 30
"""Widest line of a label; a CJK character takes two columns."""

LABEL_LINES = 20
"""Most lines of a label; what is longer ends in an ellipsis."""

LABEL_CHARACTERS = 2 * LABEL_COLUMNS * LABEL_LINES

_BRANCH_COLOURS = (
    ("#2563a8", "#dbe8f6"),
    ("#b3541e", "#f8e3d6"),
    ("#2f7d4f", "#daefe1"),
    ("#8a3d84", "#f2dff0"),
    ("#a3302f", "#f6dcdb"),
    ("#1f7a85", "#d8eef0"),
    ("#7a6414", "#f2ebcd"),
    ("#4f4aa8", "#e2e1f5"),
)
_ROOT = 'shape=box style="rounded,filled" fillcolor="#26323f" color="#26323f" fontcolor="white"'
_LAYOUTS: dict[Layout, str] = {
    "right": "layout=dot rankdir=LR ranksep=0.55 nodesep=0.14",
    "down": "layout=dot rankdir=TB ranksep=0.5 nodesep=0.2",
    "radial": "layout=twopi ranksep=1.6 overlap=false",
}


def to_dot(tree: Node, layout: Layout = "right") -> str:
    """Return the DOT source that draws a tree; equal trees give equal texts.

    The root is dark, each branch of it has a colour of its own; first-level nodes are filled boxes,
    second-level nodes outlined ones, deeper ones bare labels.
    """
    lines = [
        "digraph mindmap {",
        f'graph [{_LAYOUTS[layout]} ordering=out bgcolor="white" pad=0.2 dpi=96 root=n0]',
        f'node [fontname="{FONT}" fontsize=13 margin="0.14,0.06" height=0.3 width=0.3]',
        "edge [arrowhead=none]",
    ]
    stack: list[tuple[Node, int, int, int]] = [(tree, -1, 0, 0)]
    number = 0
    while stack:
        node, parent, depth, branch = stack.pop()
        lines.append(f'n{number} [{_style(depth, branch)} label="{_label(node.text)}"]')
        if parent >= 0:
            lines.append(f"n{parent} -> n{number} [{_edge(depth, branch, layout)}]")
        for index in reversed(range(len(node.children))):
            own = index if depth == 0 else branch
            stack.append((node.children[index], number, depth + 1, own))
        number += 1
    return "\n".join([*lines, "}"]) + "\n"


def _style(depth: int, branch: int) -> str:
    if depth == 0:
        return f'{_ROOT} fontsize=18 margin="0.25,0.14" penwidth=1.5'
    dark, light = _BRANCH_COLOURS[branch % len(_BRANCH_COLOURS)]
    if depth == 1:
        return f'shape=box style="rounded,filled" fillcolor="{light}" color="{dark}" fontsize=15'
    if depth == 2:
        return f'shape=box style="rounded" color="{dark}"'
    return "shape=box penwidth=0"


def _edge(depth: int, branch: int, layout: Layout) -> str:
    dark = _BRANCH_COLOURS[branch % len(_BRANCH_COLOURS)][0]
    width = {1: "2.2", 2: "1.6"}.get(depth, "1.1")
    ports = {"right": " tailport=e headport=w", "down": " tailport=s headport=n"}.get(layout, "")
    return f'color="{dark}" penwidth={width}{ports}'


def _label(text: str) -> str:
    lines = wrap(text[:LABEL_CHARACTERS])
    if len(lines) > LABEL_LINES or len(text) > LABEL_CHARACTERS:
        lines = lines[:LABEL_LINES]
        lines[-1] = lines[-1][:-1] + "…"
    return "\\n".join(_escape(line) for line in lines)


def _escape(line: str) -> str:
    return line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def wrap(text: str, columns: int = LABEL_COLUMNS) -> list[str]:
    """Break a label into lines of at most `columns`.

    A line breaks at a space or beside a CJK character; a word longer than a line is broken inside.
    """
    lines, line, width = [], "", 0
    for piece in _pieces(text):
        size = sum(_columns(character) for character in piece)
        if line and width + size > columns and piece != " ":
            lines.append(line.rstrip())
            line, width = "", 0
        for character in piece:
            if width + _columns(character) > columns and character != " ":
                lines.append(line.rstrip())
                line, width = "", 0
            if line or character != " ":
                line += character
                width += _columns(character)
    return [*lines, line.rstrip()]


def _pieces(text: str) -> list[str]:
    """Split a label where a line may break; closing punctuation stays with what precedes it."""
    pieces: list[str] = []
    for character in text:
        wide = _columns(character) > 1
        joins = pieces and character != " " and pieces[-1][-1] != " "
        narrow = joins and not wide and _columns(pieces[-1][-1]) == 1
        closing = joins and unicodedata.category(character) in ("Pe", "Pf", "Po", "Mn", "Me", "Sk")
        if narrow or closing:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
