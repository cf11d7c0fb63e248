"""`rerender score`: its commands; heavy imports are local, so that help is quick."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.console import console, errors, fail

if TYPE_CHECKING:
    from rich.table import Table

    from flows.judging import Judged

score_app = typer.Typer(no_args_is_help=True, help="Score pictures or a prediction file.")


@score_app.command()
def images(
    prediction: Annotated[Path | None, typer.Argument(help="a picture")] = None,
    reference: Annotated[Path | None, typer.Argument(help="a picture")] = None,
    pairs: Annotated[
        Path | None, typer.Option(help="a file of pairs instead: two columns parted by a tab")
    ] = None,
    fit: Annotated[
        str, typer.Option(help="when sizes differ: resize the prediction (web pages), or pad both")
    ] = "resize",
    helm: Annotated[bool, typer.Option("--helm", help="add what HELM's code gives")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> None:
    """Score a picture against its reference by every picture metric."""
    from rich.progress import track

    from benchmark.protocols import Fit
    from flows.judging import judge_pictures, pairs_of

    if fit not in list(Fit):
        fail(f"--fit is {' or '.join(Fit)}, not {fit!r}")
    if pairs is None and (prediction is None or reference is None):
        fail("name a prediction and a reference, or a file of pairs with --pairs")
    wanted = list(pairs_of(pairs)) if pairs else [(prediction, reference)]
    shown = track(wanted, "scoring", console=errors, disable=len(wanted) == 1 or as_json)
    judged = [judge_pictures(Path(p or ""), Path(r or ""), Fit(fit), helm=helm) for p, r in shown]
    _print_judged(judged, as_json=as_json, single=pairs is None)


@score_app.command()
def mindbench(
    file: Annotated[Path, typer.Argument(help="predictions in MindBench's format, JSON lines")],
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> None:
    """Score a MindBench prediction file, by task and question type.

    The published numbers are those of nted_accuracy_donut, field_f1_donut and vqa_f1.
    """
    from flows.judging_mindbench import judge_mindbench

    judged = judge_mindbench(file)
    if as_json:
        parts = [each.as_json() for each in judged]
        value = {**parts[0], "name": file.name, "parts": parts}
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        return
    for group in _same_columns(judged):
        console.print(_table(group, "what") if len(group) > 2 else _turned(group, "what"))


def _same_columns(judged: list[Judged]) -> list[list[Judged]]:
    """Part what has different columns (maps and questions)."""
    groups: dict[tuple[str, ...], list[Judged]] = {}
    for each in judged:
        groups.setdefault(tuple(each.values), []).append(each)
    return list(groups.values())


def _table(judged: list[Judged], first: str) -> Table:
    """Return a row for each of what was judged, a column for each value."""
    from rich.table import Table

    table = Table(first, *judged[0].values)
    for each in judged:
        table.add_row(each.name, *(_shown(value) for value in each.values.values()))
    return table


def _turned(judged: list[Judged], first: str) -> Table:
    """Return the same with rows and columns exchanged, for few rows of many columns."""
    from rich.table import Table

    table = Table(first, *(each.name for each in judged))
    for name in judged[0].values:
        table.add_row(name, *(_shown(each.values[name]) for each in judged))
    return table


def _shown(value: float | None) -> str:
    return "missing" if value is None else f"{value:.6g}"


def _print_judged(judged: list[Judged], *, as_json: bool, single: bool) -> None:
    if as_json:
        objects = [each.as_json() for each in judged]
        value: Any = objects[0] if single else {"pairs": objects}
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        return
    console.print(_turned(judged, "metric") if single else _table(judged, "pair"))
    for name, reason in {k: v for each in judged for k, v in each.reasons.items()}.items():
        console.print(f"{name} is missing: {reason}", soft_wrap=True, markup=False)
