"""FlowCE's table 3 as CSV, as Markdown and for a terminal; no score without n and interval."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from reports.flowce_records import Column, Flowce, FlowceRow, FlowceScore
from reports.text import printable

MISSING = "–"
TITLE = "FlowCE, table 3"
HEADING_WIDTH = 12
MODEL_WIDTH = 14
"""Characters that a model takes where each has a column; longer names are broken."""
SCALE = "0 to 100; a failure of the model counts as the worst value (10 in SM, else 0)"

CSV_COLUMNS = (
    *("model", "baseline", "dimension", "scenario", "metric", "judge", "score", "low", "high"),
    *("n", "scored", "documents", "failed", "infra", "pending", "best", "reason"),
)


def to_csv(flowce: Flowce) -> str:
    """Return a line for each model and dimension, and one for its average (``Average``)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for row in flowce.rows:
        for column, score in zip(flowce.columns, row.scores, strict=True):
            names = (column.key, column.scenario, column.metric, column.judge)
            writer.writerow((row.model, int(row.baseline), *names, *_values(score)))
        names = ("Average", "*", "*", judges(flowce))
        writer.writerow((row.model, int(row.baseline), *names, *_values(row.average)))
    return text.getvalue()


def to_markdown(flowce: Flowce) -> str:
    """Return the table in the columns of the paper's table 3, with what must stand beside it."""
    columns = [*(f"{column.key} (n = {column.n})" for column in flowce.columns), "Average"]
    heads = ["Models", *columns, "n", "failed", "not scored"]
    lines = [_line(heads), _line(["---", *("---:" for _ in heads[1:])])]
    for row in flowce.rows:
        name = f"{_escaped(row.model)} (baseline)" if row.baseline else _escaped(row.model)
        scores = [_cell(score, bold=True) for score in (*row.scores, row.average)]
        lines.append(_line([name, *scores, *counts(row)]))
    return "\n".join([*lines, "", *(f"{_escaped(note)}  " for note in notes(flowce))]) + "\n"


def terminal_tables(
    flowce: Flowce, confidence: float, width: int | None, measure: Callable[[RichTable], int]
) -> list[RichTable]:
    """Return the table for a terminal: a row for each model.

    Where that is wider than `width` characters, it has a column for each model instead, in several
    tables if there are many.

    Args:
        flowce: the table.
        confidence: of its intervals.
        width: characters of a line; None: any number.
        measure: returns how many characters a table takes.
    """
    caption = Text("\n".join([f"{confidence:.0%} intervals, by flowchart", *notes(flowce)]))
    across = _across(flowce)
    across.caption = caption
    if width is None or measure(across) <= width:
        return [across]
    size = max(1, (width - HEADING_WIDTH) // MODEL_WIDTH)
    starts = range(0, len(flowce.rows), size)
    turned = [_turned(flowce.columns, flowce.rows[start : start + size]) for start in starts]
    turned[-1].caption = caption
    return turned


def _across(flowce: Flowce) -> RichTable:
    table = _frame("model")
    for column in flowce.columns:
        table.add_column(f"{column.key}\nn={column.n}", justify="right")
    for heading in ("Average", "n", "failed", "not\nscored"):
        table.add_column(heading, justify="right")
    for row in flowce.rows:
        scores = [_stacked(found) for found in (*row.scores, row.average)]
        table.add_row(_model(row), *scores, *map(Text, counts(row)))
    return table


def _turned(columns: Sequence[Column], rows: Sequence[FlowceRow]) -> RichTable:
    table = _frame("dimension")
    for row in rows:
        table.add_column(_model(row), justify="right", max_width=MODEL_WIDTH, overflow="fold")
    for place, column in enumerate(columns):
        cells = [_stacked(row.scores[place]) for row in rows]
        table.add_row(f"{column.key}\nn={column.n}", *cells)
    table.add_row("Average", *(_stacked(row.average) for row in rows))
    for place, heading in enumerate(("n", "failed", "not scored")):
        table.add_row(heading, *(Text(counts(row)[place]) for row in rows))
    return table


def _frame(first: str) -> RichTable:
    table = RichTable(title=Text(TITLE, style="bold"), box=box.SIMPLE_HEAD)
    table.padding = (0, 1, 0, 0)
    table.title_justify = table.caption_justify = "left"
    table.add_column(first, no_wrap=True)
    return table


def _model(row: FlowceRow) -> Text:
    return Text(row.model).append("\nbaseline" if row.baseline else "", style="dim")


def score(value: float | None) -> str:
    """Return a score as in the paper, with two decimals, or a dash where it is missing."""
    return MISSING if value is None else f"{value:.2f}"


def reach(found: FlowceScore) -> str:
    """Return the interval of a score."""
    low, high = found.interval.low, found.interval.high
    return "no interval" if low is None or high is None else f"{low:.1f}–{high:.1f}"


def counts(row: FlowceRow) -> tuple[str, str, str]:
    """Return n, failures and losses of a row, over all dimensions."""
    average = row.average
    return str(average.n), str(average.failed), str(average.infra + average.pending)


def judges(flowce: Flowce) -> str:
    """Return who judged, in the order of the columns; "" where nobody did."""
    return ", ".join(dict.fromkeys(column.judge for column in flowce.columns if column.judge))


def notes(flowce: Flowce) -> list[str]:
    """Return what must be said beside the table: the scale, the judge, what is missing and why."""
    judged = [column.key for column in flowce.columns if column.judge]
    found = [SCALE]
    if judged:
        found.append(f"{', '.join(judged)} judged by {judges(flowce)}")
    for row in flowce.rows:
        found += _notes_of(row, flowce.columns)
    return found


def _notes_of(row: FlowceRow, columns: Sequence[Column]) -> Iterator[str]:
    for column, found in zip(columns, row.scores, strict=True):
        said = []
        if found.reason:
            said.append(f"missing: {found.reason}")
        said += [
            f"{count} of {found.n} {what}"
            for count, what in (
                (found.failed, "failed"),
                (found.infra, "lost to the infrastructure and not scored"),
                (found.pending, "not done yet"),
            )
            if count
        ]
        if said:
            yield f"{row.model}, {column.key}: {'; '.join(said)}"


def _values(found: FlowceScore) -> tuple[object, ...]:
    interval = found.interval
    bounds = (interval.mean, interval.low, interval.high)
    fates = (found.failed, found.infra, found.pending)
    return (*bounds, found.n, interval.n, interval.clusters, *fates, int(found.best), found.reason)


def _cell(found: FlowceScore, *, bold: bool) -> str:
    if found.interval.mean is None:
        return MISSING
    mark = "**" if bold and found.best else ""
    return f"{mark}{score(found.interval.mean)}{mark} ({reach(found)})"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    """Return foreign text that starts nothing in Markdown."""
    return "".join(
        f"\\{sign}" if sign in "\\`*_[]<>|#~$" else sign
        for sign in printable(text).replace("\n", " ")
    )


def _stacked(found: FlowceScore) -> Text:
    if found.interval.mean is None:
        return Text(f"{MISSING}\nmissing", style="dim")
    text = Text(score(found.interval.mean), style="bold green" if found.best else "")
    return text.append(f"\n{reach(found)}", style="not bold dim")
