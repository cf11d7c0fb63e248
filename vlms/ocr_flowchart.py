"""Flowcharts as a chain: every line that was read is a step, from the top to the bottom.

What belongs into one box, which way the arrows go and what labels an arrow is not looked for, so
whoever does not beat this has not understood more of a flowchart than its words.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vlms.reader import Line


def write(picture: NDArray[np.uint8], lines: list[Line]) -> str | None:  # noqa: ARG001 - as all writers
    """Return DOT in a code block, or None where no text was read."""
    if not lines:
        return None
    nodes = [f'    n{n} [label="{_escape(line.text)}"]' for n, line in enumerate(lines)]
    edges = [f"    n{one} -> n{other}" for one, other in pairwise(range(len(lines)))]
    return "\n".join(["```dot", "digraph {", "    node [shape=box]", *nodes, *edges, "}", "```\n"])


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
