"""`rerender export`: a snapshot as Hugging Face data sets; heavy imports are local."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.console import console, errors, fail, read_settings


def export(
    snapshot: Annotated[str, typer.Argument(help="see `rerender list snapshots`")],
    folder: Annotated[Path, typer.Argument(help="a new or empty folder")],
    private: Annotated[
        bool, typer.Option("--private", help="everything whole, for your own disk only")
    ] = False,
) -> None:
    """Write a snapshot as Hugging Face data sets in the layouts of Image2Struct and MindBench.

    What may not be passed on goes out as a recipe: whose it is and how to fetch it again.
    """
    from rich.table import Table

    from benchmark.snapshot import load
    from benchmark.store import Store
    from flows.export import ExportError
    from flows.export import export as write

    store = Store(read_settings().store)
    try:
        shares = write(store, load(store, snapshot), folder, private=private)
    except ExportError as error:
        fail(str(error))
    table = Table(title=f"{snapshot} in {folder}", title_justify="left")
    for column in ("scenario", "licence"):
        table.add_column(column)
    for column in ("whole", "as recipe", "left out"):
        table.add_column(column, justify="right")
    for one in shares:
        numbers = (one.whole, one.recipe, one.left_out)
        table.add_row(one.scenario, one.licence, *map(str, numbers))
    console.print(table)
    if any(one.left_out for one in shares):
        errors.print("left out: no published layout, or an answer that is not known")
    if private:
        told = "[yellow]private:[/yellow] this copy must not be passed on; its cards say so"
        errors.print(told, soft_wrap=True)
