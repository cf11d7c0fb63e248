"""Where the nodes of a graph lie: Graphviz's own layout, read back and normalised.

``gvpr`` reads the layout where it was made, in the sandbox, and prints numbers and names, each name
with its length in bytes, so nothing that a graph may name can be taken for something else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

Box = tuple[int, int, int, int]
"""Left, top, right, bottom of a node, each 0 to `SCALE`, from the top left corner."""

SCALE = 999
POINTS = 72
"""Points in an inch: positions are in points, sizes of nodes in inches."""

RESOLUTION = 96
"""Pixels in an inch, unless Graphviz shrinks a picture that is too large for it."""

_PAD_POINTS = 4.0
"""What Graphviz leaves around a graph that says nothing of it."""

PROGRAM = """\
BEG_G {
  string pad = hasAttr($G, "pad") ? aget($G, "pad") : "";
  printf("graph %s;%s;\\n", aget($G, "bb"), pad);
}
N {
  printf("node %s;%s;%s;", aget($, "pos"), aget($, "width"), aget($, "height"));
  printf("%d:%s\\n", length($.name), $.name);
}
"""
"""For gvpr, on a graph that was laid out (``-Tdot``): a line for it and one for each node."""

_NUMBER = rb"[-+]?[0-9]{1,20}(?:[.][0-9]{0,20})?(?:e[-+]?[0-9]{1,2})?"
_GRAPH = re.compile(
    rb"graph (%b),(%b),(%b),(%b);(?:(%b)(?:,(%b))?)?!?;\n" % (*[_NUMBER] * 6,), re.ASCII
)
_NODE = re.compile(rb"node (%b),(%b)[^;\n]{0,60};(%b);(%b);([0-9]{1,7}):" % (*[_NUMBER] * 4,))


@dataclass(frozen=True)
class Area:
    """A rectangle in points; y grows upwards, as in Graphviz."""

    left: float
    bottom: float
    right: float
    top: float


@dataclass(frozen=True)
class Layout:
    """A graph that was laid out: its own rectangle, the pad around it, those of its nodes."""

    frame: Area
    """The attribute ``bb``."""
    pad: tuple[float, float]
    """Left and right of the frame, and above and below it, in points."""
    nodes: Mapping[str, Area]
    """By the names of the nodes, in the order of the file."""

    def boxes(self, frame: Area | None = None) -> dict[str, Box]:
        """Return the node boxes by name, as MindBench normalises them.

        A coordinate v becomes ``floor(999 · (v - origin) / size)``, where origin is the frame's
        left or upper edge, size its width or height, and y is turned to grow downwards; the sides
        of a node are ``pos ± width/2`` and ``pos ± height/2``, with 72 points in an inch. That is
        what the published set does to the last unit (frame ``bb``, no pad, truncated and not
        rounded: 243 nodes of 12 published graphs agree). What the output's five digits put outside
        of the frame is held inside of it.

        Args:
            frame: in place of the graph's own, for instance the part that a picture shows.
        """
        area = frame or self.frame
        return {name: _normalise(node, area) for name, node in self.nodes.items()}

    def seen(self, size: tuple[int, int], corner: tuple[int, int], shown: tuple[int, int]) -> Area:
        """Return the rectangle in points that a part of the layout's picture shows.

        Args:
            size: width and height in pixels of the whole picture, pad included.
            corner: column and row of the whole picture's pixel that is the upper left one of the
                part; negative where the part has a margin of its own.
            shown: width and height in pixels of the part.
        """
        across = _points_a_pixel(self.frame.right - self.frame.left + 2 * self.pad[0], size[0])
        down = _points_a_pixel(self.frame.top - self.frame.bottom + 2 * self.pad[1], size[1])
        left = self.frame.left - self.pad[0] + corner[0] * across
        top = self.frame.top + self.pad[1] - corner[1] * down
        return Area(left, top - shown[1] * down, left + shown[0] * across, top)


def read_layout(printed: bytes) -> Layout | None:
    """Read what `PROGRAM` printed of a file; None unless it is the whole of at least one graph.

    Of several graphs the first is read, the one that is drawn.
    """
    head = _GRAPH.match(printed)
    if not head:
        return None
    frame = Area(*(float(head[i]) for i in (1, 2, 3, 4)))
    across = float(head[5]) * POINTS if head[5] else _PAD_POINTS
    down = float(head[6]) * POINTS if head[6] else across
    if not (frame.right > frame.left and frame.top > frame.bottom):
        return None
    return Layout(frame, (across, down), dict(_nodes(printed, head.end())))


def _nodes(printed: bytes, start: int) -> Iterator[tuple[str, Area]]:
    while found := _NODE.match(printed, start):
        x, y, width, height = (float(found[i]) for i in (1, 2, 3, 4))
        across, down = width * POINTS / 2, height * POINTS / 2
        start = found.end() + int(found[5])
        name = printed[found.end() : start].decode("utf-8", "replace")
        yield name, Area(x - across, y - down, x + across, y + down)
        start += 1  # the line's end


def _points_a_pixel(points: float, pixels: int) -> float:
    """Return the scale of a side; its length in pixels is rounded, which the scale is not."""
    usual = POINTS / RESOLUTION
    return usual if abs(points / usual - pixels) <= 1 else points / pixels


def _normalise(node: Area, frame: Area) -> Box:
    width, height = frame.right - frame.left, frame.top - frame.bottom
    return (
        _unit((node.left - frame.left) / width),
        _unit((frame.top - node.top) / height),
        _unit((node.right - frame.left) / width),
        _unit((frame.top - node.bottom) / height),
    )


def _unit(share: float) -> int:
    return min(SCALE, max(0, math.floor(SCALE * share)))
