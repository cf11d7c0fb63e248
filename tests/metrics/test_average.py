"""The mean of several means and its interval."""

from __future__ import annotations

import math

import pytest

from metrics.average import average_interval


def test_parts_weigh_the_same_whatever_their_size():
    found = average_interval([[(1.0, "a"), (0.0, "b")], [(1.0, "a")]])
    assert found.mean == pytest.approx(0.75)
    assert (found.n, found.clusters) == (3, 2)


def test_documents_are_drawn_for_all_parts_together():
    # In both parts a document is good or bad as a whole: the average varies as one part does,
    # not less, as it would if the parts were drawn apart.
    part = [(float(number % 2), number) for number in range(40)]
    joint = average_interval([part, part])
    apart = average_interval([part, [(value, -1 - source) for value, source in part]])
    assert joint.high - joint.low > 1.2 * (apart.high - apart.low)
    assert joint == average_interval([part, part]), "the same seed gives the same bounds"


def test_a_draw_without_some_part_is_drawn_again():
    found = average_interval([[(1.0, "a"), (0.0, "b")], [(0.5, "c")]])
    assert 0.25 <= found.low <= 0.5 <= found.high <= 0.75


def test_what_cannot_be_told_is_missing():
    assert average_interval([]).mean is None
    assert average_interval([[(1.0, "a")], []]).mean is None
    alone = average_interval([[(1.0, "a")], [(0.0, "a")]])
    assert (alone.mean, alone.low) == (0.5, None)
    with pytest.raises(ValueError, match="finite"):
        average_interval([[(math.nan, "a"), (1.0, "b")]])
