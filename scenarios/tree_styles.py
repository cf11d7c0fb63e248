"""How a mind map is drawn: every choice in one record, which truth and answer share.

A style is kept in JSON with an instance (``attributes["style"]``), colours and all, so that a
snapshot's maps are drawn alike for ever. ``Style()`` is how maps are drawn that say nothing.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, StringConstraints

from benchmark.records import Record

Engine = Literal["dot", "neato", "twopi", "circo", "sfdp"]
"""Graphviz's layout programs that suit trees."""

Direction = Literal["LR", "RL", "TB", "BT"]
"""Where a tree grows to: right, left, down, up."""

Shape = Literal[
    "box", "ellipse", "diamond", "parallelogram", "trapezium", "invtrapezium", "triangle",
    "invtriangle", "house", "invhouse", "pentagon", "hexagon", "septagon", "octagon", "egg",
    "cylinder", "note", "tab", "folder", "box3d", "component", "cds", "underline", "plain",
]  # fmt: skip

Font = Literal[
    "Noto Sans CJK SC", "Noto Sans CJK SC Bold", "Noto Serif CJK SC", "Noto Serif CJK SC Bold",
    "Noto Sans Mono CJK SC", "Noto Sans CJK TC", "Noto Serif CJK TC", "DejaVu Sans",
    "DejaVu Sans Bold", "DejaVu Serif", "DejaVu Serif Bold", "DejaVu Sans Mono", "Liberation Sans",
    "Liberation Sans Bold", "Liberation Sans Italic", "Liberation Serif", "Liberation Serif Bold",
    "Liberation Serif Italic", "Liberation Mono",
]  # fmt: skip
"""Fonts that the container has; the first group has CJK letters, and emoji come from another."""

Line = Literal["solid", "dashed", "dotted", "bold"]

Arrow = Literal[
    "none", "normal", "vee", "empty", "open", "halfopen", "dot", "odot", "inv", "invdot", "invodot",
    "diamond", "ediamond", "box", "obox", "crow", "tee", "curve",
]  # fmt: skip

Splines = Literal["default", "line", "polyline", "curved", "ortho"]
"""How an edge runs; what is usual is the engine's own choice."""

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9a-f]{6}$")]

Gap = Annotated[float, Field(ge=0.02, le=4)]


class Hue(Record):
    """A colour in two strengths: for outlines and edges, and for areas under dark text."""

    dark: Colour
    light: Colour


class Level(Record):
    """How the nodes of one depth look."""

    shape: Shape = "box"
    rounded: bool = False
    line: Line = "solid"
    fill: Literal["none", "light", "dark"] = "none"
    """A dark area has white text."""
    outline: bool = True
    coloured_text: bool = False
    font_size: int | None = Field(default=None, ge=8, le=60, description="points; None: Style's")
    margin: tuple[Gap, Gap] | None = None
    """Inches around the label, across and down; None: Style's."""
    pen: float | None = Field(default=None, ge=0.5, le=8, description="width of the outline")
    outlines: int = Field(default=1, ge=1, le=3)


class Edges(Record):
    """How the edges look."""

    line: Line | Literal["tapered"] = "solid"
    arrow: Arrow = "none"
    arrow_size: float = Field(default=1, ge=0.5, le=2)
    splines: Splines = "default"
    widths: tuple[float, ...] = Field(default=(2.2, 1.6, 1.1), min_length=1)
    """By the depth of the lower node, from 1; the last one holds for all below."""
    colour: Colour | None = None
    """None: the hue of the lower node."""
    ports: bool = True
    """Under dot, edges leave and meet nodes in the middle of the sides that face each other."""


LEVELS = (
    Level(rounded=True, fill="dark", font_size=18, margin=(0.25, 0.14), pen=1.5),
    Level(rounded=True, fill="light", font_size=15),
    Level(rounded=True),
    Level(outline=False),
)
"""The root is dark, first-level nodes are filled, second-level ones outlined, deeper ones bare."""

ROOT = Hue(dark="#26323f", light="#dfe3e8")

HUES = tuple(
    Hue(dark=dark, light=light)
    for dark, light in (
        ("#2563a8", "#dbe8f6"),
        ("#b3541e", "#f8e3d6"),
        ("#2f7d4f", "#daefe1"),
        ("#8a3d84", "#f2dff0"),
        ("#a3302f", "#f6dcdb"),
        ("#1f7a85", "#d8eef0"),
        ("#7a6414", "#f2ebcd"),
        ("#4f4aa8", "#e2e1f5"),
    )
)


class Style(Record):
    """All that decides how a tree is drawn, besides the tree."""

    engine: Engine = "dot"
    direction: Direction = "LR"
    """Only under dot."""
    levels: tuple[Level, ...] = Field(default=LEVELS, min_length=1)
    """From the root on; the last one holds for all below."""
    root: Hue = ROOT
    hues: tuple[Hue, ...] = Field(default=HUES, min_length=1)
    hue_by: Literal["branch", "level", "node"] = "branch"
    """What has a hue of its own, in turn: each branch of the root, each level, each node."""
    font: Font = "Noto Sans CJK SC"
    """Has Latin and CJK letters of one design; emoji come from the fallback font."""
    font_size: int = Field(default=13, ge=8, le=60, description="points")
    margin: tuple[Gap, Gap] = (0.14, 0.06)
    edges: Edges = Edges()
    rank_gap: Gap = 0.55
    """Inches from one level to the next: between levels (dot), circles (twopi), nodes (circo)."""
    node_gap: Gap = 0.14
    """Inches from one node to its neighbour, at least."""
    columns: int = Field(default=30, ge=6, le=80)
    """Widest line of a label; a CJK character takes two columns."""
    backdrop: dict[str, JsonValue] = Field(default_factory=dict)
    """What the picture lies on: an option of the renderer (``renderers.backdrop``)."""
