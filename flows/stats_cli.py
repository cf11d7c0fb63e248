"""`rerender stats`: what a snapshot of mind maps holds; heavy imports are local."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.console import console, read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table


def stats(
    snapshot: Annotated[str, typer.Argument(help="see `rerender list snapshots`")],
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> None:
    """Print what a snapshot holds: how much, how hard, how old; of mind maps also how large.

    What is said of maps is as in MindBench's tables 1 and 2; test* is those of at most 60 nodes.
    """
    import datetime as dt

    from benchmark.snapshot import load
    from benchmark.store import Store
    from flows import map_statistics, material_statistics

    instances = load(Store(read_settings().store), snapshot).instances
    maps = [one for one in instances if one.scenario.startswith("mindmap")]
    today = dt.datetime.now(dt.UTC).date()
    rows: dict[str, list[dict[str, Any]]] = {
        "material": [asdict(row) for row in material_statistics.count_material(instances, today)],
        "maps": [asdict(row) for row in map_statistics.count_sets(maps)],
        "tasks": [asdict(row) for row in map_statistics.count_tasks(maps)],
        "structure": [asdict(row) for row in map_statistics.measure(maps)],
    }
    if as_json:
        sys.stdout.write(json.dumps(rows, ensure_ascii=False) + "\n")
        return
    for name, title in (
        ("material", "Instances by source and scenario; days: median age today"),
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
