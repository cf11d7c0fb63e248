"""`rerender stats` on a frozen snapshot."""

import datetime as dt
import json

import pytest

from benchmark.records import Instance, Provenance
from benchmark.snapshot import Snapshot, freeze
from benchmark.store import Store
from tests.flows.test_cli import rerender


def instance(number: int, scenario: str, language: str, **attributes) -> Instance:
    return Instance(
        id=f"{scenario}/{number}",
        scenario=scenario,
        subset=language,
        image=f"{number:064d}",
        truth="1" * 64,
        provenance=Provenance(
            source="mindbench", author="x", licence="CC-BY-NC-4.0", created=dt.date(2024, 7, 17)
        ),
        attributes={"width": 100, "height": 10 * number, **attributes},
    )


@pytest.fixture
def store(tmp_path):
    instances = (
        instance(1, "mindmap", "en", set="XMind", nodes=40, depth=4),
        instance(2, "mindmap", "en", set="XMind", nodes=100, depth=7),
        instance(3, "mindmap", "zh", set="Zhixi", nodes=60, depth=5),
        instance(3, "mindmap-vqa", "zh", set="Zhixi", nodes=60, depth=5, kind="theme"),
        instance(4, "mindmap-vqa", "en", set="Synthetic", kind="level"),
        instance(5, "latex", "en", difficulty="hard"),
    )
    for name, chosen in (("maps", instances), ("none", instances[-1:])):
        snapshot = Snapshot(
            name=name, created=dt.date(2024, 7, 17), licences={}, tools={}, instances=chosen
        )
        freeze(Store(str(tmp_path)), snapshot)
    return tmp_path


def test_the_numbers_of_both_tables(store):
    told = json.loads(rerender("stats", "maps", "--json", store=store).stdout)
    maps = [(row["source"], row["language"], row["test"], row["easy"]) for row in told["maps"]]
    assert maps == [
        ("XMind", "en", 2, 1), ("Zhixi", "zh", 1, 1), ("Synthetic", "en", 1, 0),
        ("total", "en+zh", 4, 2),
    ]  # fmt: skip
    tasks = {(row["task"], row["kind"]): row["test"] for row in told["tasks"]}
    assert tasks == {
        ("mindmap", "all"): 3, ("mindmap-vqa", "all"): 2, ("mindmap-vqa", "theme"): 1,
        ("mindmap-vqa", "level"): 1,
    }  # fmt: skip
    xmind, zhixi = told["structure"]
    assert (xmind["nodes"], xmind["depth"], xmind["longest_side"]) == (70.0, 5.5, 100.0)
    assert (zhixi["maps"], zhixi["nodes"]) == (1, 60.0)


def test_the_tables_are_printed(store):
    told = rerender("stats", "maps", store=store)
    assert told.returncode == 0, told.stderr
    for word in ("test*", "XMind", "mindmap-vqa", "5.5"):
        assert word in told.stdout


def test_any_snapshot_says_how_much_how_hard_and_how_old(store):
    told = json.loads(rerender("stats", "none", "--json", store=store).stdout)
    (row,) = told["material"]
    age = (dt.datetime.now(dt.UTC).date() - dt.date(2024, 7, 17)).days
    assert row.pop("days") in (age, age + 1)
    assert row == {
        "source": "mindbench", "scenario": "latex", "instances": 1,
        "easy": 0, "medium": 0, "hard": 1, "oldest": "2024-07-17", "newest": "2024-07-17",
    }  # fmt: skip
    assert told["maps"] == []


def test_an_unknown_snapshot_is_told(store):
    told = rerender("stats", "mapps", store=store)
    assert told.returncode == 2
    assert "known: maps, none" in told.stderr
