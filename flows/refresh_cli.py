"""`rerender refresh`; heavy imports are local."""

from __future__ import annotations

import os
import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape

from flows.console import console, fail, read_settings, told

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmark.settings import Settings
    from benchmark.snapshot import Rejected
    from flows.forms import RefreshRequest

SHOWN = 5
"""Rejected pieces that are printed."""


def refresh(
    source: Annotated[
        list[str] | None,
        typer.Option(
            "--source", help="where from (`rerender list sources`); may be repeated; all: all sites"
        ),
    ] = None,
    from_urls: Annotated[
        Path | None, typer.Option(help="mind maps at the addresses in a file, one a line")
    ] = None,
    from_folder: Annotated[
        Path | None, typer.Option(help="a folder of your own material of any kind")
    ] = None,
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="only what was made since then")
    ] = None,
    days: Annotated[
        int | None, typer.Option(min=1, help="only what was made in the last so many days")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="instances of each scenario from each source (a site: 100)"),
    ] = None,
    name: Annotated[str | None, typer.Option(help="the snapshot's name")] = None,
    tasks: Annotated[
        int | None,
        typer.Option(
            min=0, help="derive so many questions of each task on maps and charts, per language"
        ),
    ] = None,
    only_new: Annotated[
        bool, typer.Option("--only-new", help="leave out what earlier snapshots hold")
    ] = False,
    partial: Annotated[
        bool, typer.Option("--partial", help="freeze what could be had though a site failed")
    ] = False,
    without: Annotated[
        list[str] | None,
        typer.Option(help="a filter that is not applied (docs/sources.md); may be repeated"),
    ] = None,
) -> None:
    """Fetch fresh material, filter it, render its references and freeze a snapshot."""
    from pydantic import ValidationError

    from flows.forms import RefreshRequest

    settings = read_settings()
    try:
        request = RefreshRequest(
            sources=[*(source or []), *_own(from_urls, from_folder)] or ["bundled"],
            since=since.date() if since else None,
            days=days,
            limit=limit,
            name=name,
            tasks=tasks,
            only_new=only_new,
            partial=partial,
            without=without or [],
        )
    except ValidationError as error:
        fail(told(error))
    made = run_refresh(settings, request)
    console.print(f"next: rerender evaluate {made} -m oracle -m blank", soft_wrap=True)


def _own(urls: Path | None, folder: Path | None) -> list[str]:
    """Return the sources of one's own files, which read their place from the settings."""
    own = []
    for path, variable, source in (
        (urls, "RERENDER_MAP_URLS", "mindmap-urls"),
        (folder, "RERENDER_FOLDER", "folder"),
    ):
        if path is None:
            continue
        if not path.exists():
            fail(f"{path} does not exist")
        os.environ[variable] = str(path.absolute())
        own.append(source)
    return own


def run_refresh(settings: Settings, request: RefreshRequest) -> str:
    """Run the flow with a progress bar, print the funnel, and return the snapshot's name."""
    from flows.progress import Bars, observed_by
    from flows.refresh import ALL, asked, off
    from flows.refresh import refresh as flow
    from flows.workshop import opened
    from reports.funnel import table

    sources = escape(", ".join(asked(request.sources)))
    console.print(f"[bold]refresh[/bold] references from {sources}", soft_wrap=True)
    if ALL in request.sources:
        _print_left_out(off)
    with opened(settings) as workshop, Bars(console) as bars, observed_by(bars):
        made: str = flow(request)
        frozen = workshop.snapshot(made)
    console.print(table(frozen.funnel))
    console.print(
        f"snapshot [bold]{made}[/bold]: {len(frozen.instances)} instances, "
        f"{len(frozen.rejected)} rejected"
    )
    _print_rejected(frozen.rejected)
    return made


def _print_left_out(off: Callable[[str], str | None]) -> None:
    from benchmark import registry

    for source in registry.sources.names():
        if (reason := off(source)) is not None:
            console.print(f"left out: {source}, {reason}", soft_wrap=True, markup=False)


def _print_rejected(rejected: tuple[Rejected, ...]) -> None:
    for one in rejected[:SHOWN]:
        line = escape(f"{one.id or one.failure.stage}: {one.failure.message}")
        console.print(f"  rejected {line}", soft_wrap=True)
    if len(rejected) > SHOWN:
        console.print(f"  … and {len(rejected) - SHOWN} more, all in the snapshot's manifest")
    if curable := sum(not one.failure.final for one in rejected):
        console.print(
            f"{curable} rejected by no fault of the material: the next refresh, under another "
            f"name, asks for them again",
            soft_wrap=True,
        )
    sys.stdout.flush()
