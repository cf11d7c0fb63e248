r"""Trees as DOT: a mind map in a style, the same for truth and answer.

Labels are data, never DOT: they are quoted, with backslashes, quotes and ampersands escaped, so
that no text can end its label or use an escape of Graphviz (``\N``, ``&lt;``).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from pydantic import JsonValue

from benchmark.records import Answer, Structure
from scenarios.tree_styles import Direction, Hue, Level, Style
from scenarios.trees import Node

T = TypeVar("T")

DEFAULT = Style()

LABEL_COLUMNS = DEFAULT.columns
"""Widest line of a label, unless its style has another."""

LABEL_LINES = 20
"""Most lines of a label; what is longer ends in an ellipsis."""

_PORTS: dict[Direction, str] = {
    "LR": "tailport=e headport=w",
    "RL": "tailport=w headport=e",
    "TB": "tailport=s headport=n",
    "BT": "tailport=n headport=s",
}
_POINTS = 72


def to_dot(tree: Node, style: Style = DEFAULT) -> str:
    """Return the DOT source that draws a tree; equal trees and styles give equal texts.

    Nodes are named n0, n1, … in the order of ``Node.walk``.
    """
    lines = [
        "digraph mindmap {",
        f'graph [{_layout(style)} ordering=out bgcolor="white" pad=0.2 dpi=96 root=n0]',
        f'node [fontname="{style.font}" fontsize={style.font_size} '
        f'margin="{_pair(style.margin)}" height=0.3 width=0.3]',
        f"edge [{_edges(style)}]",
    ]
    for number, parent, depth, branch, node in _walk(tree):
        hue = style.root if depth == 0 else _hue(style, number, depth, branch)
        label = write_label(node.text, style.columns)
        looks = _node(_at(style.levels, depth), hue)
        lines.append(f'n{number} [{looks} label="{label}"]')
        if depth:
            lines.append(f"n{parent} -> n{number} [{_edge(style, depth, hue)}]")
    return "\n".join([*lines, "}"]) + "\n"


def redraw(answer: Answer, style: Style) -> Answer:
    """Return an answer whose tree is drawn in another style, with the same text, tree and notes.

    Args:
        answer: with a tree in canonical JSON, as the mind map scenario reads it.
        style: for instance that of the instance's attributes, ``Style.model_validate(value)``.

    Raises:
        ValueError: the answer has no tree.
    """
    options = dict(answer.structure.options)
    options.pop("backdrop", None)
    if style.backdrop:
        options["backdrop"] = style.backdrop
    entry = answer.structure.entry
    files = {**answer.structure.files, entry: to_dot(_tree(answer.tree), style).encode()}
    structure = Structure(files=files, entry=entry, options=options)
    return answer.model_copy(update={"structure": structure})


def node_boxes(boxes: Mapping[str, tuple[int, int, int, int]], tree: Node) -> list[list[int]]:
    """Return the boxes of a drawing in the order of ``Node.walk``.

    Args:
        boxes: left, top, right, bottom by the names of `to_dot`, each 0 to 999.
        tree: that was drawn.

    Raises:
        KeyError: the drawing is of a smaller tree.
    """
    return [list(boxes[f"n{number}"]) for number, _ in enumerate(tree.walk())]


def _tree(value: JsonValue) -> Node:
    """Undo ``to_json``, without the normalisation that reading an answer includes."""
    order: list[dict[str, JsonValue]] = []
    stack = [value]
    while stack:
        item = stack.pop()
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            raise ValueError("the answer has no tree in canonical JSON")
        order.append(item)
        stack += _below(item)
    done: dict[int, Node] = {}
    for item in reversed(order):
        done[id(item)] = Node(str(item["text"]), tuple(done[id(one)] for one in _below(item)))
    return done[id(value)]


def _below(item: dict[str, JsonValue]) -> list[JsonValue]:
    children = item.get("children", [])
    return children if isinstance(children, list) else []


def _walk(tree: Node) -> Iterator[tuple[int, int, int, int, Node]]:
    """Yield number, the parent's number, depth, number of the branch and node, parents first."""
    stack: list[tuple[Node, int, int, int]] = [(tree, -1, 0, 0)]
    number = 0
    while stack:
        node, parent, depth, branch = stack.pop()
        yield number, parent, depth, branch, node
        for index in reversed(range(len(node.children))):
            own = index if depth == 0 else branch
            stack.append((node.children[index], number, depth + 1, own))
        number += 1


def _layout(style: Style) -> str:
    rank, node = f"{style.rank_gap:g}", f"{style.node_gap:g}"
    apart = f'overlap=false sep="+{style.node_gap * _POINTS:.0f}"'
    layout = {
        "dot": f"layout=dot rankdir={style.direction} ranksep={rank} nodesep={node}",
        "neato": f"layout=neato {apart}",
        "twopi": f"layout=twopi ranksep={rank} {apart}",
        "circo": f"layout=circo mindist={rank}",
        "sfdp": f"layout=sfdp K={rank} {apart}",
    }[style.engine]
    splines = style.edges.splines
    return layout if splines == "default" else f"{layout} splines={splines}"


def _edges(style: Style) -> str:
    edges = style.edges
    texts = [f"arrowhead={edges.arrow}"]
    if edges.arrow_size != 1:
        texts.append(f"arrowsize={edges.arrow_size:g}")
    if edges.line != "solid":
        texts.append(f"style={edges.line}")
    return " ".join(texts)


def _hue(style: Style, number: int, depth: int, branch: int) -> Hue:
    turn = {"branch": branch, "level": depth - 1, "node": number - 1}[style.hue_by]
    return style.hues[turn % len(style.hues)]


def _node(level: Level, hue: Hue) -> str:
    looks = [f"shape={level.shape}"]
    marks = {"rounded": level.rounded, "filled": level.fill != "none"}
    marks[level.line] = level.line != "solid"
    if any(marks.values()):
        looks.append(f'style="{",".join(mark for mark, holds in marks.items() if holds)}"')
    if level.fill != "none":
        looks.append(f'fillcolor="{hue.dark if level.fill == "dark" else hue.light}"')
    if level.outline:
        looks.append(f'color="{hue.dark}"')
    if level.fill == "dark":
        looks.append('fontcolor="white"')
    elif level.coloured_text:
        looks.append(f'fontcolor="{hue.dark}"')
    if level.font_size is not None:
        looks.append(f"fontsize={level.font_size}")
    if level.margin is not None:
        looks.append(f'margin="{_pair(level.margin)}"')
    pen = level.pen if level.outline else 0
    if pen is not None:
        looks.append(f"penwidth={pen:g}")
    if level.outlines > 1:
        looks.append(f"peripheries={level.outlines}")
    return " ".join(looks)


def _edge(style: Style, depth: int, hue: Hue) -> str:
    width = f"{_at(style.edges.widths, depth - 1):g}"
    ports = f" {_PORTS[style.direction]}" if style.engine == "dot" and style.edges.ports else ""
    return f'color="{style.edges.colour or hue.dark}" penwidth={width}{ports}'


def _at(values: Sequence[T], index: int) -> T:
    """Return a value, or the last one past the end."""
    return values[min(index, len(values) - 1)]


def _pair(values: tuple[float, float]) -> str:
    return f"{values[0]:g},{values[1]:g}"


def write_label(text: str, columns: int) -> str:
    """Return a text as it stands between the quotes of a DOT label, in lines of at most `columns`.

    What is longer than `LABEL_LINES` lines ends in an ellipsis.
    """
    most = 2 * columns * LABEL_LINES
    lines = wrap(text[:most], columns)
    if len(lines) > LABEL_LINES or len(text) > most:
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
