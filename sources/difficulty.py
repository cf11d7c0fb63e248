r"""Difficulty: easy, medium or hard, by what can be counted in a structure.

The published Image2Struct sets have a column ``difficulty`` with these three words; how it was
set is not published. Here it follows from measures that anybody can repeat, so that equal
structures have equal difficulty, in whatever snapshot they are: each measure has two bounds, and
the hardest measure decides. The bounds were chosen on real files and the bundled material so that
each third is populated (docs/sources.md shows the counts). A changed bound is a new ``VERSION``.

What a measure counts:

* web page: lines and tokens of all files (a token is a word or a mark), and assets;
* LaTeX: tokens (a command is one) and nesting of groups and environments;
* music: notes and rests, and staves;
* mind map: nodes and depth (of the whole map, also where the question is about a part);
* flowchart: edges.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from benchmark.records import Material
from sources.filters import count_lines, files_of

VERSION = "1"

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")

_TOKEN = re.compile(r"\w+|[^\w\s]")
_TEX_COMMENT = re.compile(r"(?<!\\)%[^\n]*+")
_TEX_TOKEN = re.compile(r"\\(?:[A-Za-z@]++\*?|.)|[A-Za-z]+|[0-9]+|[^\sA-Za-z0-9\\]", re.DOTALL)
_TEX_NESTING = re.compile(r"\\(?:begin|end|left|right)(?![A-Za-z])|\\.|[{}]", re.DOTALL)
_LY_IGNORED = re.compile(
    r'(%\{(?:[^%]|%(?!\}))*+(?:%\}|\Z)|%[^\n]*+|"(?:[^"\\]|\\.)*+"?|'
    r"\\(?:lyricmode|lyrics|addlyrics|header|markup|paper|layout|midi)\b[^{}]{0,200})",
    re.DOTALL,
)
_LY_WORD = re.compile(r"[{}]|\\?[A-Za-z]+")
_LY_NAMES = re.compile(
    r"(?:[a-h](?:isis|eses|is|es|s|ss|iss|ess|f|ff|x|sharp|flat|-sharp|-flat)?|"
    r"(?:do|re|mi|fa|sol|la|si)(?:d|b|dd|bb|s|ss)?|[rR])"
)
_LY_STAFF = re.compile(r"\\(?:new|context)\s+(?:Drum|Tab|Rhythmic|Vaticana|Mensural)?Staff\b")

_FLOW_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*+"?|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|(?://|%%)[^\n]*+|([-.=]++>?)', re.DOTALL
)


@dataclass(frozen=True)
class Bounds:
    """The most that is easy, and the most that is medium."""

    easy: int
    medium: int

    def level(self, count: int) -> int:
        """Return 0, 1 or 2."""
        return (count > self.easy) + (count > self.medium)


RULES: Mapping[str, Mapping[str, Bounds]] = MappingProxyType(
    {
        "webpage": {
            "lines": Bounds(80, 300),
            "tokens": Bounds(1_200, 4_000),
            "assets": Bounds(1, 5),
        },
        "latex": {"tokens": Bounds(160, 320), "nesting": Bounds(3, 5)},
        "music": {"notes": Bounds(45, 80), "staves": Bounds(1, 2)},
        "mindmap": {"nodes": Bounds(15, 35), "depth": Bounds(4, 5)},
        "flowchart": {"edges": Bounds(10, 24)},
    }
)
"""Bounds of each measure, by the scenario that reads the structure."""


def difficulty(material: Material) -> Level | None:
    """Return how hard a material is; None where nothing can be counted (only a picture).

    A published ``difficulty`` (attribute of that name) stays as it is.
    """
    published = material.attributes.get("difficulty")
    for level in LEVELS:
        if published == level:
            return level
    counts = measures(material)
    if counts is None:
        return None
    rules = RULES[_structure(material)[0]]
    return LEVELS[max(rules[name].level(count) for name, count in counts.items())]


def measures(material: Material) -> dict[str, int] | None:
    """Return what is counted in a material, by name; None where there is no rule or no truth."""
    scenario, text = _structure(material)
    counter = COUNTERS.get(scenario)
    return None if counter is None or text is None else counter(material, text)


def _structure(material: Material) -> tuple[str, str | None]:
    drawn = material.drawn_from
    if drawn is not None:
        return drawn.scenario, drawn.text
    return material.scenario, material.truth


def count_webpage(material: Material, text: str) -> dict[str, int]:  # noqa: ARG001
    """Count lines and tokens of all files, and assets."""
    texts = [content for _, content in files_of(material)]
    return {
        "lines": sum(map(count_lines, texts)),
        "tokens": sum(sum(1 for _ in _TOKEN.finditer(content)) for content in texts),
        "assets": len(material.assets),
    }


def count_latex(material: Material, text: str) -> dict[str, int]:  # noqa: ARG001
    """Count tokens outside of comments, and the deepest nesting of groups and environments."""
    text = _TEX_COMMENT.sub("", text)
    depth = deepest = 0
    for found in _TEX_NESTING.finditer(text):
        if found[0] in ("{", r"\begin", r"\left"):
            depth += 1
        elif found[0] in ("}", r"\end", r"\right"):
            depth -= 1
        deepest = max(deepest, depth)
    return {"tokens": sum(1 for _ in _TEX_TOKEN.finditer(text)), "nesting": deepest}


def count_music(material: Material, text: str) -> dict[str, int]:  # noqa: ARG001
    """Count notes and rests (each in a chord), and staves, at least one."""
    staves = sum(1 for _ in _LY_STAFF.finditer(text))
    notes, depth, skipped = 0, 0, None
    for place, part in enumerate(_LY_IGNORED.split(text)):
        if place % 2:
            if part.startswith("\\") and skipped is None:
                skipped = depth
            continue
        for found in _LY_WORD.finditer(part):
            if found[0] == "{":
                depth += 1
            elif found[0] == "}":
                depth -= 1
                skipped = None if skipped is not None and depth <= skipped else skipped
            elif skipped is None and _LY_NAMES.fullmatch(found[0]):
                notes += 1
    return {"notes": notes, "staves": max(1, staves)}


def count_mindmap(material: Material, text: str) -> dict[str, int]:  # noqa: ARG001
    """Count nodes and the depth of the tree (a lone root is 1); a text that is no tree is 1."""
    try:
        root = json.loads(text)
    except (ValueError, RecursionError):
        return {"nodes": 1, "depth": 1}
    nodes = deepest = 0
    stack = [(root, 1)]
    while stack:
        node, depth = stack.pop()
        if isinstance(node, list):
            stack.extend((child, depth) for child in node)
        elif isinstance(node, dict):
            nodes, deepest = nodes + 1, max(deepest, depth)
            children = node.get("children")
            if isinstance(children, list):
                stack.extend((child, depth + 1) for child in children)
    return {"nodes": max(1, nodes), "depth": max(1, deepest)}


def count_flowchart(material: Material, text: str) -> dict[str, int]:  # noqa: ARG001
    """Count arrows outside of quoted texts and comments, in DOT or Mermaid, at least one."""
    runs = (found[1] or "" for found in _FLOW_TOKEN.finditer(text))
    arrows = sum(
        run[:1] in ("-", "=") and (run[-1:] == ">" or run.startswith("--")) for run in runs
    )
    return {"edges": max(1, arrows)}


COUNTERS: Mapping[str, Callable[[Material, str], dict[str, int]]] = MappingProxyType(
    {
        "webpage": count_webpage,
        "latex": count_latex,
        "music": count_music,
        "mindmap": count_mindmap,
        "flowchart": count_flowchart,
    }
)
