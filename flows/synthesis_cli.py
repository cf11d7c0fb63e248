"""`rerender synthesize`: its commands; heavy imports are local, so that help is quick."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from flows.console import Exit, console, errors, fail, read_settings

synthesis_app = typer.Typer(no_args_is_help=True, help="Make material by seed.")


class MapLanguage(StrEnum):
    """The languages that there is text of."""

    EN = "en"
    ZH = "zh"


@synthesis_app.callback()
def _group() -> None:
    """Keep `mindmap` a command of its own; other scenarios may follow."""


@synthesis_app.command()
def mindmap(
    count: Annotated[int, typer.Option(min=1, max=1_000_000, help="how many maps")] = 100,
    lang: Annotated[MapLanguage, typer.Option(help="language of the text")] = MapLanguage.EN,
    seed: Annotated[int, typer.Option(help="of the set; the same seed gives the same bytes")] = 0,
    output: Annotated[Path, typer.Option("--output", "-o", help="folder")] = Path("synthetic"),
) -> None:
    """Draw random mind maps in random styles: pictures, trees, graphs, boxes and a manifest."""
    from time import monotonic

    from flows.progress import Bars, observed_by
    from flows.synthesis import MANIFEST, SynthesisError, synthesise

    begun = monotonic()
    with Bars(console) as bars, observed_by(bars):
        try:
            written, failed = synthesise(output, lang.value, count, seed, read_settings())
        except SynthesisError as error:
            fail(str(error), Exit.INFRA_FAILURES)
        except OSError as error:
            fail(f"{output}: {error.strerror or error}", Exit.INFRA_FAILURES)
    seconds = monotonic() - begun
    told = f"{written} maps in {seconds:.0f} s: {output / MANIFEST}"
    console.print(told, soft_wrap=True, markup=False)
    if failed:
        errors.print(f"{failed} could not be drawn; the manifest says why", soft_wrap=True)
    sys.exit(Exit.DONE)
