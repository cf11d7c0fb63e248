"""`rerender synthesize`: its commands; heavy imports are local, so that help is quick."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.console import Exit, console, errors, fail, read_settings

if TYPE_CHECKING:
    from flows.synthesis import Recipe

synthesis_app = typer.Typer(no_args_is_help=True, help="Make material by seed.")


class TextLanguage(StrEnum):
    """The languages that there is text of."""

    EN = "en"
    ZH = "zh"


Count = Annotated[int, typer.Option(min=1, max=1_000_000, help="how many")]
Lang = Annotated[TextLanguage, typer.Option(help="language of the text")]
Seed = Annotated[int, typer.Option(help="of the set; the same seed gives the same bytes")]
Output = Annotated[Path, typer.Option("--output", "-o", help="folder")]


@synthesis_app.callback()
def _group() -> None:
    """Hold the commands, one for each scenario."""


@synthesis_app.command()
def mindmap(
    count: Count = 100,
    lang: Lang = TextLanguage.EN,
    seed: Seed = 0,
    output: Output = Path("synthetic"),
) -> None:
    """Draw random mind maps in random styles: pictures, trees, graphs, boxes and a manifest."""
    from flows.synthesis import MINDMAPS

    _synthesise("maps", MINDMAPS, count, lang, seed, output)


@synthesis_app.command()
def flowchart(
    count: Count = 100,
    lang: Lang = TextLanguage.EN,
    seed: Seed = 0,
    output: Output = Path("synthetic-flowcharts"),
    questions: Annotated[
        int, typer.Option(min=0, max=50, help="of each of FlowCE's dimensions about each chart")
    ] = 2,
) -> None:
    """Draw random flowcharts: pictures, structures, DOT, boxes, questions and a manifest."""
    from flows.synthesis_flowcharts import flowcharts

    _synthesise("flowcharts", flowcharts(questions), count, lang, seed, output)


def _synthesise(
    what: str, recipe: Recipe, count: int, lang: TextLanguage, seed: int, output: Path
) -> None:
    from time import monotonic

    from flows.progress import Bars, observed_by
    from flows.synthesis import MANIFEST, SynthesisError, synthesise

    begun = monotonic()
    with Bars(console) as bars, observed_by(bars):
        try:
            written, failed = synthesise(output, lang.value, count, seed, read_settings(), recipe)
        except SynthesisError as error:
            fail(str(error), Exit.INFRA_FAILURES)
        except OSError as error:
            fail(f"{output}: {error.strerror or error}", Exit.INFRA_FAILURES)
    seconds = monotonic() - begun
    told = f"{written} {what} in {seconds:.0f} s: {output / MANIFEST}"
    console.print(told, soft_wrap=True, markup=False)
    if failed:
        errors.print(f"{failed} could not be drawn; the manifest says why", soft_wrap=True)
    sys.exit(Exit.DONE)
