"""`rerender judge-agreement`: its command; heavy imports are local, so that help is quick."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.console import console, errors, fail, read_settings

if TYPE_CHECKING:
    from rich.table import Table

    from flows.judge_agreement import Group
    from metrics.agreement import Agreement


def judge_agreement(
    file: Annotated[
        Path,
        typer.Argument(
            help="CSV, .tsv or .jsonl with the columns human and judge; dimension, instance and "
            "model if wanted"
        ),
    ],
    run: Annotated[
        str | None,
        typer.Option(help="take the judge's points from a run, by the columns instance and model"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> None:
    """Tell how well a judge's points agree with people's, with 95 % intervals.

    Pearson's correlation, Spearman's rank correlation and quadratic-weighted kappa; see
    docs/judge.md.
    """
    from flows.judge_agreement import judgments, pair_up, read_lines

    settings = read_settings()
    if not file.is_file():
        fail(f"{file} is no file")
    lines = read_lines(file)
    judged = None
    if run is not None:
        from flows import runs
        from flows.workshop import opened

        with opened(settings) as workshop:
            judged = judgments(runs.look_up(workshop, runs.load(workshop.store, run)))
    with errors.status("drawing other instances"):
        groups = pair_up(lines, judged)
    if as_json:
        values = [group.model_dump() for group in groups]
        sys.stdout.write(json.dumps({"groups": values}, ensure_ascii=False) + "\n")
        return
    console.print(_table(groups))


def _table(groups: list[Group]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(title="Agreement of judge and people", title_justify="left")
    table.caption_justify = "left"
    for heading in ("dimension", "n", "instances", "unjudged"):
        table.add_column(heading, justify="left" if heading == "dimension" else "right")
    for one in groups[0].measures:
        table.add_column(one.measure.replace("_", " "), justify="right")
    notes = ["95 % intervals, from drawing other instances"]
    for group in groups:
        counts = (str(group.n), str(group.instances), str(group.unjudged))
        cells = [_cell(one) for one in group.measures]
        table.add_row(Text(group.dimension), *map(Text, (*counts, *cells)))
        reasons: dict[str, list[str]] = {}
        for one in group.measures:
            if one.reason:
                reasons.setdefault(one.reason, []).append(one.measure.replace("_", " "))
        notes += [
            f"{group.dimension}: {', '.join(measures)} {reason}"
            for reason, measures in reasons.items()
        ]
    table.caption = Text("\n".join(notes))
    return table


def _cell(one: Agreement) -> str:
    if one.value is None:
        return "undefined"
    if one.low is None or one.high is None:
        return f"{one.value:.3f}\nno interval"
    return f"{one.value:.3f}\n{one.low:.2f} to {one.high:.2f}"
