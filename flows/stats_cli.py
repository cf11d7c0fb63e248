"""`rerender stats`: what a snapshot of mind maps holds; heavy imports are local."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.console import console, fail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table


def stats(
    snapshot: Annotated[str, typer.Argument(help="see `rerender list snapshots`")],
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> None:
    """Print how many maps and questions a snapshot holds, and how large the maps are.

    As in MindBench's tables 1 and 2; test* is the maps of at most 60 nodes.
    """
    from benchmark.settings import Settings
    from benchmark.snapshot import load
    from benchmark.store import Store
    from flows import map_statistics

    instances = [
        one
        for one in load(Store(Settings().store), snapshot).instances
        if one.scenario.startswith("mindmap")
    ]
    if not instances:
        fail(f"snapshot {snapshot!r} holds no mind maps")
    rows: dict[str, list[dict[str, Any]]] = {
        "maps": [asdict(row) for row in map_statistics.count_sets(instances)],
        "tasks": [asdict(row) for row in map_statistics.count_tasks(instances)],
        "structure": [asdict(row) for row in map_statistics.measure(instances)],
    }
    if as_json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n")
        return
    for name, title in (
        ("maps", "Maps by source and language"),
        ("tasks", "Instances by task and question"),
        ("structure", "Structure: means over maps"),
    ):
        if rows[name]:
            console.print(_table(title, rows[name]))


def _table(title: str, rows: Sequence[dict[str, Any]]) -> Table:
    from rich.table import Table

    names = {"easy": "test*", "longest_side": "longest side"}
    table = Table(title=title, title_justify="left")
    for column, value in rows[0].items():
        number = isinstance(value, int | float)
        table.add_column(names.get(column, column), justify="right" if number else "left")
    for row in rows:
        table.add_row(*(f"{v:.1f}" if isinstance(v, float) else str(v) for v in row.values()))
    return table
