"""Draws are the same for ever: the values here were written down once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmark.chance import Chance


def draws(*seed) -> list:
    chance = Chance(*seed)
    return [
        *(chance.below(1000) for _ in range(4)),
        chance.between(-5, 5),
        chance.happens(50),
        chance.choice("abcdefgh"),
        chance.weighted((("x", 1), ("y", 9))),
        "".join(chance.shuffled("abcdef")),
        chance.noise(4).hex(),
    ]


EXPECTED = {
    ("mindmap", 1, "en", 0, 0): [687, 164, 101, 950, -2, True, "f", "y", "fadceb", "35896619"],
    (): [977, 196, 982, 689, -5, True, "h", "y", "abcfed", "275eaafc"],
}


@pytest.mark.parametrize("seed", EXPECTED)
def test_known_draws(seed):
    assert draws(*seed) == EXPECTED[seed]


@pytest.mark.parametrize("hash_seed", ["0", "1", "4242"])
def test_the_hash_seed_changes_nothing(hash_seed):
    program = "from tests.benchmark.test_chance import draws; print(draws('a', 1))"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": hash_seed, "PATH": ""}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert told.stdout.strip() == str(draws("a", 1))


def test_seeds_are_told_apart_by_their_parts():
    seeds = [("a", 1), ("a", 2), ("a1",), ("a", "1", ""), (1, "a"), ("", "a", 1)]
    assert len({str(draws(*seed)) for seed in seeds}) == len(seeds)


def test_draws_are_even():
    chance = Chance("even")
    counts = Counter(chance.below(6) for _ in range(12_000))
    assert set(counts) == set(range(6))
    assert all(abs(count - 2000) < 200 for count in counts.values())
    weights = Counter(chance.weighted((("x", 1), ("y", 3))) for _ in range(8000))
    assert abs(weights["x"] - 2000) < 200
    orders = Counter("".join(chance.shuffled("abc")) for _ in range(6000))
    assert len(orders) == 6
    assert all(abs(count - 1000) < 150 for count in orders.values())


@pytest.mark.parametrize("bound", [0, -1, (1 << 64) + 1])
def test_impossible_bounds_are_refused(bound):
    with pytest.raises(ValueError, match="below"):
        Chance("x").below(bound)


def test_the_largest_bound_is_drawn_below():
    assert 0 <= Chance("x").below(1 << 64) < 1 << 64
    assert Chance("x").below(1) == 0
