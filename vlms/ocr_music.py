"""Sheet music as empty staves: as many systems, staves and bars as the picture shows, as wide.

Staff lines are rows that are dark over most of the width; five of them at equal distances are a
staff. Staves that are joined at their left end by a line belong to one system. A bar line is a
column that is dark from the first to the last line of a staff, and hardly beyond.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vlms.reader import Line

DARK = 200
"""Grey values below this are ink (of 255): a thin line between two rows is pale in both."""
LINES = 5
LONG = 0.55
"""Share of the longest dark row that a staff line has at least."""
WIDE = 0.3
"""Share of the picture's width that a staff line covers at least."""
SPACE_MM = 1.757
"""Distance of two staff lines on paper at LilyPond's usual size (a staff of 20 points)."""
UNEVEN = 0.3
"""Greatest difference of two gaps of one staff, as a share of the gap."""


@dataclass(frozen=True)
class Staff:
    """Rows of the first and last line, and the columns between which the lines run."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def space(self) -> float:
        """Distance of two lines in pixels."""
        return (self.bottom - self.top) / (LINES - 1)


def write(picture: NDArray[np.uint8], lines: list[Line]) -> str | None:  # noqa: ARG001 - a writer
    """Return a LilyPond score of empty staves, or None if there are none in the picture."""
    ink = picture.mean(axis=2) < DARK
    systems = group(ink, staves(ink))
    if not systems:
        return None
    first = max((system[0] for system in systems), key=lambda staff: staff.right - staff.left)
    width = (first.right - first.left) / first.space * SPACE_MM
    bars = [max(1, count_bars(ink, system[0])) for system in systems]
    music = " \\break ".join(" ".join(["s1 |"] * count) for count in bars)
    parts = "\n".join([rf"    \new Staff {{ {music} }}"] * max(len(system) for system in systems))
    together = rf"\new PianoStaff <<{chr(10)}{parts}{chr(10)}  >>"
    score = together if max(len(system) for system in systems) > 1 else parts.strip()
    return "\n".join(
        [
            r'\version "2.24.0"',
            rf"\paper {{ indent = 0 tagline = ##f line-width = {width:.1f}\mm",
            "  ragged-right = ##f ragged-last = ##f }",
            rf"\score {{{chr(10)}  {score}",
            r"  \layout { \context { \Staff \remove Time_signature_engraver } }",
            "}",
        ]
    )


def staves(ink: NDArray[np.bool_]) -> list[Staff]:
    """Find the staves in a picture of ink (H, W), from top to bottom."""
    import numpy as np

    lines = staff_lines(ink)
    found: list[Staff] = []
    start = 0
    while start + LINES <= len(lines):
        five = lines[start : start + LINES]
        gaps = [below - above for above, below in pairwise(five)]
        if min(gaps) > 2 and max(gaps) - min(gaps) <= max(1, UNEVEN * min(gaps)):
            inside = np.flatnonzero(ink[five].all(axis=0))
            if len(inside):
                found.append(Staff(five[0], five[-1], int(inside[0]), int(inside[-1])))
            start += LINES
        else:
            start += 1
    return found


def staff_lines(ink: NDArray[np.bool_]) -> list[int]:
    """Return the middle rows of long horizontal lines."""
    dark = ink.sum(axis=1)
    least = max(LONG * int(dark.max(initial=0)), WIDE * ink.shape[1])
    middles: list[int] = []
    first = None
    for row, long in enumerate([*(dark >= least), False]):
        if long and first is None:
            first = row
        elif not long and first is not None:
            middles.append((first + row - 1) // 2)
            first = None
    return middles


def group(ink: NDArray[np.bool_], found: list[Staff]) -> list[list[Staff]]:
    """Group staves into systems."""
    systems: list[list[Staff]] = []
    for staff in found:
        if systems and joined(ink, systems[-1][-1], staff):
            systems[-1].append(staff)
        else:
            systems.append([staff])
    return systems


def joined(ink: NDArray[np.bool_], above: Staff, below: Staff) -> bool:
    """Tell whether a line joins two staves near their left ends."""
    reach = round(2 * above.space)
    left = max(0, min(above.left, below.left) - reach)
    between = ink[above.bottom : below.top + 1, left : max(above.left, below.left) + reach]
    return bool(between.size) and bool((between.mean(axis=0) > 0.95).any())


def count_bars(ink: NDArray[np.bool_], staff: Staff) -> int:
    """Count the bar lines of a staff; double bars count once, the line at its start not at all."""
    space = max(1, round(staff.space))
    within = ink[staff.top : staff.bottom + 1].all(axis=0)
    above = ink[max(0, staff.top - space) : max(1, staff.top - 1)].mean(axis=0) < 0.5
    columns = (within & above).nonzero()[0]
    columns = columns[columns > staff.left + 2 * space]
    if not len(columns):
        return 0
    return 1 + int((columns[1:] - columns[:-1] > 1.5 * space).sum())
