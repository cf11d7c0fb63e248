"""The plan of a large evaluation: its arithmetic, and that docs/scaling.md shows what it says."""

import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.settings import Settings
from benchmarks.plan import Load, plan, read

PROJECT = Path(__file__).resolve().parents[2]


def test_a_plan_that_can_be_checked_by_hand():
    made = plan(Load(instances=100, models=2, batch=30, cores=4, mix={"tex": 0.5, "web": 0.5}))
    assert made.batches == 2 * (2 + 2), "50 instances of each are two batches of at most 30"
    assert made.task_runs == 24
    assert made.containers == {"tex": 150, "web": 3}, "two answers and a reference of each"
    assert made.tokens == (200 * 1500, 200 * 800)
    assert made.references == pytest.approx((50 / 34 + 50 / 50) * 60 / 2)
    assert made.render == pytest.approx(2 * made.references)
    assert made.in_flight == 16, "two models with eight requests each"
    assert made.query == pytest.approx(200 * 10 / 16)
    assert made.blobs == pytest.approx(50 * (39_000 + 128_000) * 3 + 100 * 2696)


def test_no_more_models_are_asked_at_once_than_batches_run():
    from flows.cluster import runner

    assert plan(Load(models=14)).in_flight == 8 * 4
    assert vars(runner(Settings()))["_max_workers"] == 4, "or benchmarks.plan says too much"


@pytest.mark.parametrize(
    "arguments", [["--mix", "web=0.5"], ["--mix", "pdf=1"], ["--instances", "0"], ["--mix", "web"]]
)
def test_numbers_that_make_no_sense_are_refused(arguments, capsys):
    with pytest.raises(SystemExit):
        read(arguments)
    assert "error:" in capsys.readouterr().err


def test_the_table_of_the_documentation_is_what_is_printed():
    printed = subprocess.run(
        [sys.executable, "-m", "benchmarks.plan", "--instances", "30000", "--models", "14"],
        cwd=PROJECT, capture_output=True, text=True, check=True, env={"COLUMNS": "160"},
    ).stdout  # fmt: skip
    rows = [
        [cell.strip() for cell in line.strip("│").split("│")]
        for line in printed.splitlines()
        if line.startswith("│")
    ]
    assert len(rows) == 15
    text = (PROJECT / "docs" / "scaling.md").read_text()
    assert [row for row in rows if f"| {row[0]} | {row[1]} |" not in text] == []
