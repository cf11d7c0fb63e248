from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from benchmark.selection import evenly


@given(st.lists(st.sampled_from("abc")), st.integers(0, 12))
def test_no_group_has_two_more_than_one_that_has_some_left(groups, limit):
    pieces = list(enumerate(groups))
    chosen = evenly(pieces, lambda piece: piece[1], limit)
    assert len(chosen) == min(limit, len(pieces))
    assert chosen == sorted(chosen)
    counts, whole = Counter(group for _, group in chosen), Counter(groups)
    for one in whole:
        for other in whole:
            if counts[other] < whole[other]:
                assert counts[one] <= counts[other] + 1


def test_without_a_limit_all_are_taken():
    assert evenly(["b", "a", "b"], str, None) == ["b", "a", "b"]
