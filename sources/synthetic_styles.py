"""Random drawing styles, in the JSON that ``scenarios.tree_styles.Style`` reads.

What varies is what the paper varies: layout engine and direction, shapes, outlines, fonts, colours,
edges and their heads, gaps, and what the picture lies on. Colours come in schemes made of hues.
"""

from __future__ import annotations

from pydantic import JsonValue

from benchmark.chance import Chance
from sources.corpus import Language

Json = dict[str, JsonValue]

CIRCO_NODES = 20
"""Most nodes for circo: its circles of circles grow by the square of the tree."""

_ENGINES = (("dot", 54), ("neato", 15), ("twopi", 13), ("sfdp", 13))
_DIRECTIONS = (("LR", 4), ("RL", 2), ("TB", 2), ("BT", 2))

_SHAPES = (
    ("box", 34), ("ellipse", 14), ("underline", 6), ("plain", 4), ("hexagon", 4), ("octagon", 4),
    ("parallelogram", 4), ("trapezium", 2), ("invtrapezium", 2), ("house", 3), ("invhouse", 3),
    ("septagon", 2), ("pentagon", 2), ("egg", 3), ("cylinder", 2), ("note", 3), ("tab", 3),
    ("folder", 3), ("box3d", 3), ("component", 3), ("cds", 3),
)  # fmt: skip
_POINTED = (("diamond", 2), ("triangle", 2), ("invtriangle", 2))
"""Shapes that are much larger than their label; only around narrow ones."""
_NARROW = 14

FONTS: dict[Language, tuple[tuple[str, int], ...]] = {
    "en": (
        ("Noto Sans CJK SC", 2), ("Noto Serif CJK SC", 1), ("DejaVu Sans", 2), ("DejaVu Serif", 2),
        ("DejaVu Sans Bold", 1), ("DejaVu Sans Mono", 1), ("DejaVu Serif Bold", 1),
        ("Liberation Sans", 2), ("Liberation Sans Bold", 1), ("Liberation Sans Italic", 1),
        ("Liberation Serif", 2), ("Liberation Serif Bold", 1), ("Liberation Serif Italic", 1),
        ("Liberation Mono", 1),
    ),
    "zh": (
        ("Noto Sans CJK SC", 3), ("Noto Serif CJK SC", 3), ("Noto Sans CJK SC Bold", 2),
        ("Noto Serif CJK SC Bold", 2), ("Noto Sans Mono CJK SC", 1), ("Noto Sans CJK TC", 1),
        ("Noto Serif CJK TC", 1),
    ),
}  # fmt: skip
_LINES = (("solid", 60), ("dashed", 12), ("dotted", 10), ("bold", 10), ("tapered", 8))
_ARROWS = (
    ("none", 40), ("normal", 18), ("vee", 6), ("empty", 4), ("open", 4), ("halfopen", 2),
    ("dot", 5), ("odot", 3), ("inv", 2), ("invdot", 2), ("invodot", 2), ("diamond", 4),
    ("ediamond", 2), ("box", 2), ("obox", 2), ("crow", 2), ("tee", 2), ("curve", 2),
)  # fmt: skip
_SPLINES = (("default", 10), ("line", 3), ("polyline", 2), ("curved", 3), ("ortho", 3))
_PATTERNS = (
    ("plain", 6), ("dots", 3), ("grid", 3), ("lines", 2), ("stripes", 3), ("gradient", 4),
    ("blobs", 4), ("fibres", 2),
)  # fmt: skip
_BACKDROP_PERCENT, _NOISE_PERCENT = 45, 40
_GREYS = ("#202020", "#5a5a5a", "#8c8c8c")

_READABLE = 100
"""Most luminance, 0 to 255, of what white text stands on, and of text and lines on white."""


def random_style(chance: Chance, language: Language, nodes: int) -> Json:
    """Draw a style for a tree of so many nodes."""
    engine = chance.weighted(_ENGINES + ((("circo", 15),) if nodes <= CIRCO_NODES else ()))
    direction = chance.weighted(_DIRECTIONS)
    upright = engine == "dot" and direction in ("TB", "BT")
    columns = chance.between(9, 18) if upright or engine != "dot" else chance.between(12, 34)
    size = chance.between(11, 16)
    rank_gap = {
        "dot": chance.between(35, 100), "twopi": chance.between(100, 200),
        "circo": chance.between(20, 50),
    }.get(engine, chance.between(30, 90))  # fmt: skip
    return {
        "engine": engine,
        "direction": direction,
        "levels": _levels(chance, columns, size),
        **random_scheme(chance),
        "hue_by": chance.weighted((("branch", 5), ("level", 3), ("node", 2))),
        "font": chance.weighted(FONTS[language]),
        "font_size": size,
        "margin": [chance.between(8, 25) / 100, chance.between(4, 14) / 100],
        "edges": _edges(chance, engine),
        "rank_gap": rank_gap / 100,
        "node_gap": chance.between(10, 35) / 100,
        "columns": columns,
        "backdrop": _backdrop(chance),
    }


def _levels(chance: Chance, columns: int, size: int) -> list[JsonValue]:
    """Draw one to four levels, larger text first; the root is always an area of its own."""
    levels: list[JsonValue] = []
    for depth in range(chance.between(1, 4)):
        shape = chance.weighted(_SHAPES + (_POINTED if columns <= _NARROW else ()))
        area = shape not in ("underline", "plain")
        fill = chance.weighted((("none", 3), ("light", 5), ("dark", 4 if depth < 2 else 1)))
        level: Json = {
            "shape": shape,
            "rounded": shape == "box" and chance.happens(45),
            "line": chance.weighted((("solid", 8), ("dashed", 1), ("dotted", 1))),
            "fill": fill if area else "none",
            "outline": shape != "plain" and chance.happens(85),
            "coloured_text": chance.happens(30),
            "font_size": size + max(0, chance.between(3, 8) - 2 * depth),
            "pen": chance.between(2, 8) / 2,
            "outlines": chance.weighted(((1, 8), (2, 1))) if area else 1,
        }
        levels.append(level)
    return levels


def _edges(chance: Chance, engine: str) -> Json:
    first = chance.between(2, 8)
    thinner = chance.between(0, 2)
    splines = chance.weighted(_SPLINES) if engine == "dot" else "default"
    return {
        "line": chance.weighted(_LINES),
        "arrow": chance.weighted(_ARROWS),
        "arrow_size": chance.between(2, 6) / 4,
        "splines": splines,
        "widths": [max(2, first - thinner * depth) / 2 for depth in range(3)],
        "colour": chance.choice(_GREYS) if chance.happens(35) else None,
        "ports": chance.happens(60) and splines != "ortho",  # Graphviz leads both across nodes
    }


def _backdrop(chance: Chance) -> Json:
    backdrop: Json = {}
    if chance.happens(_BACKDROP_PERCENT):
        angle = chance.below(360)
        backdrop = {
            "pattern": chance.weighted(_PATTERNS),
            "colour": _text(_mixed(_rgb(angle, 60, 90), chance.between(6, 16))),
            "ink": _text(_mixed(_rgb((angle + 40) % 360, 60, 85), chance.between(22, 34))),
            "step": chance.between(12, 48),
            "seed": chance.below(1 << 32),
        }
    if chance.happens(_NOISE_PERCENT):
        backdrop |= {"noise": chance.between(2, 20), "seed": chance.below(1 << 32)}
    return backdrop


def random_scheme(chance: Chance) -> Json:
    """Draw a colour scheme: the root's hue and those that the others take in turn."""
    kind = chance.weighted((("wheel", 5), ("neighbours", 3), ("opposites", 2), ("one", 2)))
    start, count = chance.below(360), chance.between(4, 9)
    saturation, value = chance.between(45, 90), chance.between(45, 75)
    angles = {
        "wheel": [start + 360 * n // count for n in range(count)],
        "neighbours": [start + 90 * n // count for n in range(count)],
        "opposites": [start, start + 180],
        "one": [start],
    }[kind]
    paleness = chance.between(12, 26)
    root = _hue(start + 180, saturation // chance.between(1, 4), 40, paleness)
    return {
        "root": root,
        "hues": [_hue(angle, saturation, value, paleness) for angle in angles],
    }


def _hue(angle: int, saturation: int, value: int, paleness: int) -> Json:
    dark = _rgb(angle % 360, saturation, value)
    while _luminance(dark) > _READABLE:
        value -= 3
        dark = _rgb(angle % 360, saturation, value)
    return {"dark": _text(dark), "light": _text(_mixed(dark, paleness))}


def _luminance(colour: tuple[int, int, int]) -> int:
    return (299 * colour[0] + 587 * colour[1] + 114 * colour[2]) // 1000


def _rgb(angle: int, saturation: int, value: int) -> tuple[int, int, int]:
    """Convert HSV (degrees, per cent, per cent) to RGB, in integers."""
    top = 255 * value // 100
    bottom = top * (100 - saturation) // 100
    sector, part = divmod(angle % 360, 60)
    rising = bottom + (top - bottom) * part // 60
    falling = top - (top - bottom) * part // 60
    return (
        (top, rising, bottom), (falling, top, bottom), (bottom, top, rising),
        (bottom, falling, top), (rising, bottom, top), (top, bottom, falling),
    )[sector]  # fmt: skip


def _mixed(colour: tuple[int, int, int], percent: int) -> tuple[int, int, int]:
    """Mix so much of a colour into white."""
    red, green, blue = (255 - (255 - part) * percent // 100 for part in colour)
    return red, green, blue


def _text(colour: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
