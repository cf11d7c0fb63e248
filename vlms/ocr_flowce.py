"""What a flowchart says: the lines that were read, those of one box put together.

A line continues the one above it if it begins close below it and both overlap for most of the
narrower one's width. What a question asks for is not looked at: all texts are named, so questions
about a few boxes cost the score of every other text.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vlms.reader import Line

GAP = 0.6
"""Share of a line's height that may lie between it and the line that continues it."""
OVERLAP = 0.5
"""Share of the narrower line's width that both must have in common."""


def write_texts(picture: NDArray[np.uint8], lines: list[Line]) -> str | None:  # noqa: ARG001
    """Return a JSON array of all texts, or None where no text was read."""
    return json.dumps(_texts(lines), ensure_ascii=False) if lines else None


def write_words(picture: NDArray[np.uint8], lines: list[Line]) -> str | None:  # noqa: ARG001
    """Return all texts as sentences without a word of its own, or None where no text was read."""
    return ". ".join(_texts(lines)) if lines else None


def _texts(lines: list[Line]) -> list[str]:
    blocks: list[list[Line]] = []
    for line in lines:
        above = next((block for block in blocks if _continues(block[-1], line)), None)
        if above is None:
            blocks.append([line])
        else:
            above.append(line)
    return [" ".join(line.text for line in block) for block in blocks]


def _continues(above: Line, line: Line) -> bool:
    gap = line.top - above.bottom
    common = min(above.right, line.right) - max(above.left, line.left)
    close = -above.height / 2 <= gap <= GAP * min(above.height, line.height)
    return close and common >= OVERLAP * min(above.width, line.width)
