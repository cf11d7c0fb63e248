"""The funnel of a refresh as a table for a terminal: what came in, and where the rest went."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from benchmark.funnel import Funnel, Reasons

TOTAL = "all"


def table(rows: Sequence[Funnel]) -> Table:
    """Return a row for each source, and one for all where there are several."""
    made = Table(
        title="Funnel", title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_footer=False
    )
    made.add_column("source")
    for column in ("found", "fetched", "rendered", "kept"):
        made.add_column(column, justify="right")
    made.add_column("lost, by reason")
    shown = [*rows, total(rows)] if len(rows) > 1 else rows
    for row in shown:
        counts = (row.found, row.fetched, row.rendered, row.kept)
        made.add_row(Text(row.source), *map(str, counts), Text(reasons(row.reasons)))
    return made


def total(rows: Sequence[Funnel]) -> Funnel:
    """Return the sum of some rows."""

    def added(column: str) -> Reasons:
        counts: dict[str, int] = {}
        for row in rows:
            for kind, count in getattr(row, column).items():
                counts[kind] = counts.get(kind, 0) + count
        return counts

    return Funnel(
        source=TOTAL,
        found=sum(row.found for row in rows),
        unfetched=added("unfetched"),
        dropped=added("dropped"),
        unrendered=added("unrendered"),
        discarded=added("discarded"),
        kept=sum(row.kept for row in rows),
    )


def reasons(lost: Reasons) -> str:
    """Return reasons in one line, e.g. ``5 duplicate, 2 no_licence``."""
    return ", ".join(f"{count} {kind}" for kind, count in lost.items()) or "nothing"
