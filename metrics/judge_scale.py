"""The scales that judges give points on: those of FlowCE's manual protocol.

FlowCE (arXiv 2406.10057, appendix D) has people give 0 to 5 points for reasoning and localization
and 1 to 10 for summarization, and has a model do the same (appendix B). What a number of points
stands for is the protocol's; the words are ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Whole points from `low` to `high`, and what some of them stand for."""

    low: int
    high: int
    levels: Mapping[int, str]
    """Points to their meaning, best first; points between two levels are allowed."""

    def place(self, share: float) -> int:
        """Return the points nearest to a share of the way from worst to best, halves upwards.

        >>> FIVE.place(0.5), TEN.place(0.0), TEN.place(1.0)
        (3, 1, 10)
        """
        return self.low + int(share * (self.high - self.low) + 0.5)


FIVE = Scale(
    0,
    5,
    {
        5: "right in every respect; states nothing that is false",
        4: "right in the main; small slips that leave the main content untouched",
        3: "some of what it states is false, yet on the whole it is of use",
        2: "serious errors; parts of the content are wrong",
        1: "badly flawed; most of the content is wrong",
        0: "wrong throughout, or no answer to the question at all",
    },
)
"""Reasoning and localization."""

TEN = Scale(
    1,
    10,
    {
        10: "right in every respect; states nothing that is false",
        8: "right in the main; small slips that leave the main content untouched",
        6: "some of what it states is false, yet on the whole it is of use",
        4: "serious errors; parts of the content are wrong",
        2: "badly wrong; most of the content is wrong",
        1: "wrong throughout, or no answer to the question at all",
    },
)
"""Summarization."""
