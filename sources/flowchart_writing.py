"""Plans written as DOT in random looks: shapes by type, colours, fonts, directions, lanes.

Shapes vary as far as types stay recognisable: a terminal is round, a step is a box, a decision is a
diamond, input and output are parallelograms, and what forks or joins is none of these.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from pydantic import JsonValue

from benchmark.chance import Chance
from sources.corpus import Language
from sources.flowchart_plans import Plan, Step, StepType
from sources.synthetic_styles import FONTS, random_scheme

SHAPES: dict[StepType, tuple[tuple[str, int], ...]] = {
    "terminal": (("ellipse", 6), ("oval", 3), ("egg", 1)),
    "process": (("box", 6), ("rect", 2), ("rounded", 4)),
    "decision": (("diamond", 1),),
    "input_output": (("parallelogram", 1),),
    "other": (("hexagon", 4), ("octagon", 2), ("trapezium", 2), ("house", 1)),
}
_DIRECTIONS = (("TB", 52), ("LR", 32), ("BT", 6), ("RL", 10))
_UPRIGHT = (("TB", 86), ("LR", 7), ("BT", 7))
_MANY = 14
"""Steps above which a chart mostly stands upright: lying, it would be a thin line."""
_SPLINES = (("spline", 46), ("ortho", 16), ("polyline", 18), ("curved", 12), ("line", 8))
_UNLABELLED = ("ortho", "curved")
"""Edges of which Graphviz draws no ``label``, only an ``xlabel``."""
_ARROWS = (("normal", 8), ("vee", 4), ("open", 3), ("empty", 2))
_PREFIXES = ("n", "s", "node", "step_", "v")
_GREYS = ("#000000", "#333333", "#5a5a5a", "#777777")
_CLOSING = ("Pe", "Pf", "Po", "Sm")
_WORD = re.compile(r"[^ ]+")

Looks = dict[StepType, str]


def write_dot(chance: Chance, plan: Plan, language: Language) -> tuple[str, dict[str, JsonValue]]:
    """Return the DOT of a plan, and what was drawn of its looks: direction and splines.

    Nodes are written in the order of the steps.
    """
    direction = chance.weighted(_UPRIGHT if len(plan.steps) > _MANY else _DIRECTIONS)
    splines = chance.weighted(_SPLINES)
    columns = chance.between(10, 16) if direction in ("LR", "RL") else chance.between(12, 24)
    names = _names(chance, len(plan.steps))
    lines = [
        "digraph flowchart {",
        f"    graph [{_graph(chance, direction, splines)}]",
        *_defaults(chance, language),
    ]
    looks = _looks(chance)
    own_label = "xlabel" if splines in _UNLABELLED else "label"
    nodes = [
        f'{name} [label="{_label(step.text, columns)}", {looks[step.type]}]'
        for name, step in zip(names, plan.steps, strict=True)
    ]
    lines += _in_lanes(chance, plan.steps, names, nodes, columns)
    for source, target, label in plan.arrows:
        marks = f' [{own_label}="{_label(label, columns)}"]' if label else ""
        lines.append(f"    {names[source]} -> {names[target]}{marks}")
    return "\n".join([*lines, "}"]) + "\n", {"direction": direction, "splines": splines}


def _names(chance: Chance, count: int) -> list[str]:
    """Return the names of the nodes: letters for a small chart at times, else numbers."""
    if count <= 26 and chance.happens(30):
        return [chr(ord("a") + number) for number in range(count)]
    prefix, first = chance.choice(_PREFIXES), chance.below(2)
    return [f"{prefix}{number + first}" for number in range(count)]


def _graph(chance: Chance, direction: str, splines: str) -> str:
    gaps = chance.between(30, 70) / 100, chance.between(35, 80) / 100
    if splines in _UNLABELLED:
        gaps = gaps[0] + 0.3, gaps[1] + 0.2  # room for labels beside the lines
    marks = [f"rankdir={direction}", f"nodesep={gaps[0]:.2f}", f"ranksep={gaps[1]:.2f}"]
    marks += [f"splines={splines}"] if splines != "spline" else []
    return ", ".join(marks)


def _defaults(chance: Chance, language: Language) -> list[str]:
    font, size = chance.weighted(FONTS[language]), chance.between(11, 15)
    pen, colour = chance.between(4, 8) / 4, chance.choice(_GREYS)
    arrow, arrow_size = chance.weighted(_ARROWS), chance.between(3, 5) / 4
    line = chance.weighted((("solid", 12), ("dashed", 1)))
    return [
        f'    node [fontname="{font}", fontsize={size}, penwidth={pen:g}]',
        f'    edge [fontname="{font}", fontsize={size - chance.below(3)}, color="{colour}", '
        f"arrowhead={arrow}, arrowsize={arrow_size:g}, penwidth={pen:g}"
        + (f", style={line}]" if line != "solid" else "]"),
    ]


def _looks(chance: Chance) -> Looks:
    """Draw for each type its shape and colours, in DOT."""
    scheme = random_scheme(chance)
    hues = scheme["hues"]
    colouring = chance.weighted((("none", 35), ("one", 20), ("type", 45)))
    fills: dict[StepType, str] = {}
    for place, kind in enumerate(SHAPES):
        hue = hues[place % len(hues)] if colouring == "type" else hues[0]  # type: ignore[index,arg-type]
        strength = chance.weighted((("light", 7), ("dark", 2), ("outline", 2)))
        fills[kind] = "" if colouring == "none" else _colours(hue, strength)
    return {kind: _look(chance.weighted(SHAPES[kind]), fills[kind]) for kind in SHAPES}


def _colours(hue: JsonValue, strength: str) -> str:
    dark, light = str(hue["dark"]), str(hue["light"])  # type: ignore[index,call-overload]
    if strength == "outline":
        return f'color="{dark}"'
    if strength == "dark":
        return f'style=filled, fillcolor="{dark}", color="{dark}", fontcolor="white"'
    return f'style=filled, fillcolor="{light}", color="{dark}"'


def _look(shape: str, colours: str) -> str:
    if shape == "rounded":
        if "style=filled" in colours:
            return "shape=box, " + colours.replace("style=filled", 'style="rounded,filled"')
        return "shape=box, style=rounded" + (f", {colours}" if colours else "")
    return f"shape={shape}" + (f", {colours}" if colours else "")


def _in_lanes(
    chance: Chance, steps: tuple[Step, ...], names: list[str], nodes: list[str], columns: int
) -> list[str]:
    """Return the lines of the nodes, and of the frames around those that lie in lanes."""
    lines = [f"    {node}" for node in nodes]
    lanes = list(dict.fromkeys(step.lane for step in steps if step.lane is not None))
    if not lanes:
        return lines
    frame = chance.weighted(
        (
            ("color=gray50", 4),
            ("style=dashed, color=gray40", 2),
            ('style=filled, color="#f2f2f2"', 3),
            ("style=rounded, color=gray50", 2),
        )
    )
    for number, lane in enumerate(lanes):
        inside = [name for name, step in zip(names, steps, strict=True) if step.lane == lane]
        lines += [
            f"    subgraph cluster_{number} {{",
            f'        graph [label="{_label(lane, columns)}", {frame}]',
            f"        {'; '.join(inside)}",
            "    }",
        ]
    return lines


def _label(text: str, columns: int) -> str:
    return "\\n".join(_escape(line) for line in wrap(text, columns))


def _escape(line: str) -> str:
    return line.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def wrap(text: str, columns: int) -> list[str]:
    """Break a text into lines of about `columns`, at spaces and between Chinese characters.

    Broken so, a text is what it was when the lines are joined as ``scenarios.trees`` joins them.
    """
    lines = [""]
    for word in _WORD.findall(text):
        for number, piece in enumerate(_pieces(word)):
            gap = " " if lines[-1] and number == 0 else ""
            if lines[-1] and _width(lines[-1] + gap + piece) > columns:
                lines.append(piece)
            else:
                lines[-1] += gap + piece
    return lines


def _pieces(word: str) -> list[str]:
    """Split a word between Chinese characters; punctuation stays with what precedes it."""
    pieces = [word[0]]
    for before, character in pairwise(word):
        parts = _is_wide(before) and _is_wide(character)
        if parts and unicodedata.category(character) not in _CLOSING:
            pieces.append(character)
        else:
            pieces[-1] += character
    return pieces


def _width(text: str) -> int:
    return sum(2 if _is_wide(character) else 1 for character in text)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"
