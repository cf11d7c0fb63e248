"""The leaderboard as tables for a terminal. No number stands without its n, failures and interval.

Names are foreign text: they go into ``rich.text.Text``, never into markup.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table as RichTable
from rich.text import Text

from metrics.interval import Interval
from reports.flowce_text import terminal_tables
from reports.records import Cell, Leaderboard, MetricNote, Row, Table

MISSING = "–"
MEASURE_WIDTH = 24
"""Characters that the names of measures take in a table with a row for each measure."""
MODEL_WIDTH = 14
"""Characters that a model takes there; longer names are broken."""


def tables(
    board: Leaderboard, *, subsets: bool = True, width: int | None = None
) -> list[RichTable]:
    """Return the overall table, one per scenario (with its subsets, if wanted), and FlowCE's.

    A scenario has a row for each model; where that is wider than `width` characters, it has a row
    for each measure instead, in several tables if there are many models.
    """
    printed = [_overall(board)]
    for found in board.tables:
        if not subsets and found.subset is not None:
            continue
        across = _scenario(found, board.confidence)
        if width is None or _width(across) <= width:
            printed.append(across)
            continue
        size = max(1, (width - MEASURE_WIDTH) // MODEL_WIDTH)
        printed += [
            _turned(found, found.rows[start : start + size], board.confidence)
            for start in range(0, len(found.rows), size)
        ]
    if board.flowce is not None:
        printed += terminal_tables(board.flowce, board.confidence, width, _width)
    return printed


def score(value: float | None) -> str:
    """Return a score with three decimals, or a dash where it is missing."""
    return MISSING if value is None else f"{value:.3f}"


def bounds(low: float | None, high: float | None) -> str:
    """Return an interval, e.g. ``0.71–0.93``."""
    if low is None or high is None:
        return "no interval"
    return f"{low:.2f}–{high:.2f}" if low >= 0 else f"{low:.2f} to {high:.2f}"


def failures(row: Row) -> str:
    """Return failures by kind, most frequent first, e.g. ``5 timeout, 2 refused``."""
    return ", ".join(f"{found.count} {found.kind}" for found in row.failures) or "none"


def cost(row: Row) -> str:
    """Return what the answers cost, e.g. ``$0.12``; no tokens cost nothing, a dash."""
    if row.cost is not None:
        return f"${row.cost:,.2f}"
    return "unknown" if row.usage.input_tokens + row.usage.output_tokens else MISSING


def judge_tokens(row: Row) -> str:
    """Return what the judge took, apart from the answers; "" where no tokens were spent."""
    usage = row.judge_usage
    if not usage.input_tokens + usage.output_tokens:
        return ""
    return f"{usage.input_tokens:,}/{usage.output_tokens:,}"


def judge_cost(row: Row) -> str:
    """Return what the judge's tokens cost; "" where it took none."""
    if not judge_tokens(row):
        return ""
    return "unknown" if row.judge_cost is None else f"${row.judge_cost:,.2f}"


def footnotes(rows: Sequence[Row]) -> list[str]:
    """Return what must be said below a table: failures, lost instances, why values are missing."""
    notes = [f"{row.model} failed: {failures(row)}" for row in rows if row.failures]
    notes += [f"{row.model}: {row.warning}" for row in rows if row.warning]
    notes += [
        f"{row.model} was trained on data until {row.cutoff}: {row.new_to_it} of {row.n} instances "
        f"were made later"
        for row in rows
        if row.cutoff is not None
    ]
    reasons: dict[str, list[str]] = {}
    for row in rows:
        for cell in row.cells:
            if cell.interval.mean is None:
                reasons.setdefault(f"{cell.metric} missing: {cell.reason}", []).append(row.model)
            elif cell.unscored:
                text = f"{cell.metric} lacks {cell.unscored} of {row.model}: {cell.reason}"
                notes.append(text)
    if any(cell.near_best for row in rows for cell in row.cells):
        notes.append("≈: the instances cannot tell this model from the best one")
    for reason, models in reasons.items():
        everyone = len(models) == len(rows)
        notes.append(reason if everyone else f"{reason} ({', '.join(models)})")
    return notes


def _overall(board: Leaderboard) -> RichTable:
    table = _frame("Overall", f"{board.confidence:.0%} intervals, by source document")
    for heading in ("mean win rate", "rendered", "n", "failed", "infra", "tokens in/out", "cost"):
        table.add_column(heading, justify="right")
    for row in board.overall:
        table.add_row(
            _model(row),
            _win_rate(row),
            _rate(row.rendered),
            Text(str(row.n)),
            Text(str(row.failed)),
            _infra(row),
            Text(f"{row.usage.input_tokens:,}/{row.usage.output_tokens:,}"),
            Text(cost(row)),
        )
    judging = [
        f"judging {row.model} took {judge_tokens(row)} tokens more, cost: {judge_cost(row)}"
        for row in board.overall
        if judge_tokens(row)
    ]
    return _with_notes(table, board.overall, judging)


def _scenario(found: Table, confidence: float) -> RichTable:
    table = _frame(_title(found), _caption(found, confidence))
    table.add_column("win rate", justify="right")
    table.add_column("rendered", justify="right")
    for metric in found.metrics:
        table.add_column(_heading(metric), justify="right")
    for heading in ("n", "failed", "infra"):
        table.add_column(heading, justify="right")
    for row in found.rows:
        cells = [_cell(cell) for cell in row.cells]
        counts = (Text(str(row.n)), Text(str(row.failed)), _infra(row))
        table.add_row(_model(row), _win_rate(row), _rate(row.rendered), *cells, *counts)
    return _with_notes(table, found.rows)


def _turned(found: Table, rows: Sequence[Row], confidence: float) -> RichTable:
    """Return the table of a scenario with its rows as columns."""
    table = _frame(_title(found), _caption(found, confidence), first="measure")
    for row in rows:
        table.add_column(_model(row), justify="right", max_width=MODEL_WIDTH, overflow="fold")
    table.add_row("win rate", *(_win_rate(row) for row in rows))
    table.add_row("rendered", *(_rate(row.rendered) for row in rows))
    for place, metric in enumerate(found.metrics):
        table.add_row(_heading(metric), *(_cell(row.cells[place]) for row in rows))
    table.add_row("n", *(Text(str(row.n)) for row in rows))
    table.add_row("failed", *(Text(str(row.failed)) for row in rows))
    table.add_row("infra", *(_infra(row) for row in rows))
    return _with_notes(table, rows)


def _title(found: Table) -> str:
    return found.scenario if found.subset is None else f"{found.scenario} · {found.subset}"


def _caption(found: Table, confidence: float) -> str:
    return f"{found.n} instances of {found.documents} documents, {confidence:.0%}"


def _heading(metric: MetricNote) -> Text:
    heading = Text(f"{metric.name} {'↑' if metric.higher_is_better else '↓'}")
    return heading.append(f"\n({metric.judge})" if metric.judge else "", style="not bold dim")


def _width(table: RichTable) -> int:
    console = Console(width=10_000)
    return Measurement.get(console, console.options, table).maximum


def _frame(title: str, caption: str, first: str = "model") -> RichTable:
    table = RichTable(title=Text(title, style="bold"), caption=Text(caption), box=box.SIMPLE_HEAD)
    table.padding = (0, 1, 0, 0)
    table.title_justify = "left"
    table.caption_justify = "left"
    table.add_column(first, no_wrap=True)
    return table


def _with_notes(table: RichTable, rows: Sequence[Row], more: Sequence[str] = ()) -> RichTable:
    notes = [*footnotes(rows), *more]
    if notes and isinstance(table.caption, Text):
        table.caption = Text("\n").join([table.caption, *(Text(note) for note in notes)])
    return table


def _stacked(value: str, interval: str, *, best: bool = False) -> Text:
    text = Text(value, style="bold green" if best else "")
    return text.append(f"\n{interval}", style="not bold dim")


def _model(row: Row) -> Text:
    return Text(row.model).append("\nbaseline" if row.baseline else "", style="dim")


def _win_rate(row: Row) -> Text:
    return _stacked(
        score(row.win_rate), bounds(row.win_rate_low, row.win_rate_high), best=row.leads
    )


def _rate(rendered: Interval) -> Text:
    return _stacked(score(rendered.mean), bounds(rendered.low, rendered.high))


def _cell(cell: Cell) -> Text:
    if cell.interval.mean is None:
        return Text(f"{MISSING}\nmissing", style="dim")
    mark = ("*" if cell.unscored else "") + ("≈" if cell.near_best else "")
    low, high = cell.interval.low, cell.interval.high
    return _stacked(score(cell.interval.mean) + mark, bounds(low, high), best=cell.best)


def _infra(row: Row) -> Text:
    return Text(str(row.infra), style="bold yellow" if row.warning else "")
