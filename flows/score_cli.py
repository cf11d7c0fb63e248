"""`rerender score`: its commands; heavy imports are local, so that help is quick."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.console import console, errors, fail

if TYPE_CHECKING:
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
    """Score a MindBench prediction file; the published numbers are the `_donut` ones."""
    from flows.judging import judge_mindbench

    _print_judged([judge_mindbench(file)], as_json=as_json, single=True)


def _print_judged(judged: list[Judged], *, as_json: bool, single: bool) -> None:
    if as_json:
        objects = [each.as_json() for each in judged]
        value: Any = objects[0] if single else {"pairs": objects}
        sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
        return
    from rich.table import Table

    table = Table(
        "pair" if not single else "metric", *(list(judged[0].values) if not single else ["value"])
    )
    for each in judged:
        texts = {k: "missing" if v is None else f"{v:.6g}" for k, v in each.values.items()}
        if single:
            for name, text in texts.items():
                table.add_row(name, text)
        else:
            table.add_row(each.name, *texts.values())
    console.print(table)
    for name, reason in {k: v for each in judged for k, v in each.reasons.items()}.items():
        console.print(f"{name} is missing: {reason}", soft_wrap=True, markup=False)
