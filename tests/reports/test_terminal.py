"""What the terminal shows: n, failures and an interval beside every number."""

from __future__ import annotations

import io

from rich.console import Console

from benchmark.outcome import Kind
from reports.leaderboard import leaderboard
from reports.terminal import tables
from tests.reports.samples import METRICS, Named, answered, failed, instance

ITEMS = [instance(f"page-{number}", subset=["easy", "hard"][number % 2]) for number in range(4)]


def shown(results: list, **options: bool) -> str:
    board = leaderboard(results, METRICS, [Named("webpage")])
    console = Console(file=io.StringIO(), width=140, no_color=True)
    for table in tables(board, **options):
        console.print(table)
    return console.file.getvalue()


def sample() -> list:
    results = [
        answered("good", item, {"ssim": 0.8 + 0.05 * place, "edit": 0.9})
        for place, item in enumerate(ITEMS)
    ]
    results += [answered("bad", item, {"ssim": 0.25, "edit": 0.1}) for item in ITEMS[:2]]
    results.append(failed("bad", ITEMS[2], Kind.TIMEOUT))
    results.append(failed("bad", ITEMS[3], Kind.NETWORK))
    return results


def test_numbers_come_with_n_failures_and_interval() -> None:
    text = shown(sample())
    assert "Overall" in text
    assert "0.875" in text
    assert "0.82–0.94" in text
    assert "bad failed: 1 network, 1 timeout" in text
    assert "1 of 4 lost to the infrastructure (25.0%)" in text
    assert "webpage · easy" in text
    assert "webpage · easy" not in shown(sample(), subsets=False)


def test_missing_values_are_dashes_with_a_reason() -> None:
    results = [
        answered("good", item, {"ssim": 0.8, "edit": None}, reason="no weights") for item in ITEMS
    ]
    text = shown(results)
    assert "edit missing: no weights" in text
    assert "0.000" not in text


def test_names_are_not_markup() -> None:
    results = [answered("[red]x[/red]", item, {"ssim": 0.8, "edit": 0.9}) for item in ITEMS]
    assert "[red]x[/red]" in shown(results)


def test_a_narrow_terminal_gets_a_row_for_each_measure() -> None:
    names = ["good", "other", "third", "fourth-with-a-rather-long-name", "fifth", "sixth"]
    results = [answered(name, item, {"ssim": 0.8, "edit": 0.9}) for name in names for item in ITEMS]
    board = leaderboard(results, METRICS, [Named("webpage")])
    console = Console(file=io.StringIO(), width=60, no_color=True)
    for table in tables(board, subsets=False, width=60)[1:]:
        console.print(table)
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= 60
    assert not any("…" in line for line in lines), "nothing is cut off"
    assert sum(line.startswith(" measure") for line in lines) > 1, "several tables"
    assert sum("0.800" in line for line in lines) > 1
