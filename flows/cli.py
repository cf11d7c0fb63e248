"""The command line: `rerender --help`. Heavy imports are local, so that help is quick."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from flows.budget_options import MaxCost, MaxTokens
from flows.console import (
    Exit,
    TryExit,
    connect,
    console,
    errors,
    fail,
    quieten_prefect,
    read_settings,
    told,
)
from flows.export_cli import export
from flows.judge_cli import judge_agreement
from flows.provision_cli import provision, recover
from flows.refresh_cli import refresh, run_refresh
from flows.rerun_cli import rerun
from flows.score_cli import score_app
from flows.station_cli import down, prefect, status, up
from flows.stats_cli import stats
from flows.synthesis_cli import synthesis_app

if TYPE_CHECKING:
    from benchmark.settings import Settings
    from flows.forms import EvaluateRequest

app = typer.Typer(
    name="rerender",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help=(
        "How well do vision-language models recover structure from pictures? Ask models, render "
        "what they write in sandboxes, compare the pictures and the structures."
    ),
    epilog="Exit status: 0 done, 1 finished with infra failures (run again), 2 bad usage.",
)

Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        help="oracle, blank, ocr, openai/gpt-4o, …; may be repeated; left out: RERENDER_MODELS",
    ),
]
Scenarios = Annotated[
    list[str] | None,
    typer.Option(
        "--scenario",
        "-s",
        help="only these scenarios, or families (flowce, mindbench); may be repeated",
    ),
]
Limit = Annotated[
    int | None, typer.Option(min=1, help="at most so many instances of each scenario")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="folder of the report")]
State = {"debug": False}
RUNS = ("demo", "refresh", "evaluate", "report", "rerun")
"""Commands that run flows; where a station is up, they are seen there."""


@app.callback()
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="show tracebacks and logs")] = False,
) -> None:
    State["debug"] = debug
    quieten_prefect(debug=debug)
    if context.invoked_subcommand in RUNS:
        connect()


@app.command()
def demo(
    limit: Limit = None,
    output: Output = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="besides oracle, blank and ocr; may be repeated"),
    ] = None,
) -> None:
    """Run the whole road offline on the bundled material and rank the baselines."""
    from flows.forms import EvaluateRequest, RefreshRequest

    settings = read_settings()
    snapshot = run_refresh(settings, RefreshRequest(limit=limit))
    models = ["oracle", "blank", "ocr", *(model or [])]
    run, code = _evaluate(settings, EvaluateRequest(snapshot=snapshot, models=models, limit=limit))
    _report(settings, run, output)
    sys.exit(code)


app.command()(refresh)


@app.command()
def evaluate(
    snapshot: Annotated[
        str | None, typer.Argument(help="see `rerender list snapshots`; left out: the newest")
    ] = None,
    model: Models = None,
    scenario: Scenarios = None,
    limit: Limit = None,
    name: Annotated[str | None, typer.Option(help="the run's name")] = None,
    split: Annotated[str, typer.Option(help="test, or test* (maps of at most 60 nodes)")] = "test",
    source: Annotated[
        str | None, typer.Option(help="only of this source, or published set (XMind, Zhixi, …)")
    ] = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
) -> None:
    """Ask models about a snapshot, render what they write and score it; resumes by itself."""
    from pydantic import ValidationError

    from flows.forms import EvaluateRequest

    settings = read_settings()
    try:
        request = EvaluateRequest(
            snapshot=snapshot,
            models=model,
            scenarios=scenario,
            limit=limit,
            name=name,
            split=split,
            source=source,
            max_tokens=max_tokens,
            max_cost=max_cost,
        )
    except ValidationError as error:
        fail(told(error))
    run, code = _evaluate(settings, request)
    console.print(f"next: rerender report {run}", soft_wrap=True)
    sys.exit(code)


@app.command()
def report(
    run: Annotated[str, typer.Argument(help="see `rerender list runs`")],
    output: Output = None,
) -> None:
    """Print the leaderboard of a run and write it as JSON, CSV and HTML with pictures."""
    _report(read_settings(), run, output)


@app.command(name="try")
def try_(
    target: Annotated[
        str, typer.Argument(help="a scenario, or a renderer: web, tex, lilypond, graphviz")
    ],
    file: Annotated[Path, typer.Argument(help="one answer or source; for web also a folder")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="the picture")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
    show: Annotated[bool, typer.Option("--show", help="open the picture")] = False,
) -> None:
    """Read one answer or source, repair it and render it in its sandbox.

    Exit status: 0 rendered, 1 the answer failed, 2 bad usage, 3 the infrastructure failed.
    """
    from benchmark.settings import PROJECT
    from flows import trial

    read_settings()
    if not file.exists():
        fail(f"{file} does not exist")
    try:
        result = trial.run(target, file, output, PROJECT / ".rerender" / "tries")
    except trial.UnknownTarget as unknown:
        fail(str(unknown))
    if as_json:
        sys.stdout.write(json.dumps(result.as_json(), ensure_ascii=False) + "\n")
    else:
        _print_trial(result)
        if show and result.image:
            typer.launch(str(result.image))
    if result.failure is None:
        sys.exit(TryExit.RENDERED)
    sys.exit(
        TryExit.INFRASTRUCTURE_FAILED if result.infrastructure_failed else TryExit.ANSWER_FAILED
    )


@app.command()
def doctor() -> None:
    """Check the engine, images, weights, disk and keys; print one line each, with the fix."""
    from flows.doctor import checks

    found = checks()
    for check in found:
        mark = {
            True: "[green]ok  [/green]",
            False: "[red]FAIL[/red]",
            None: "[yellow]note[/yellow]",
        }
        fix = f" — {check.fix}" if check.fix and check.ok is not True else ""
        line = escape(f"{check.name:<18} {check.message}{fix}")
        console.print(f"{mark[check.ok]} {line}", soft_wrap=True)
    sys.exit(Exit.USAGE if any(check.ok is False for check in found) else Exit.DONE)


@app.command()
def weights() -> None:
    """Get the weights that LPIPS and CIS need and compile what EMS needs, ahead of time."""
    from flows.preparation import fetch_weights

    sys.exit(Exit.DONE if fetch_weights(console) else Exit.INFRA_FAILURES)


app.command()(rerun)
app.command()(export)
app.command()(up)
app.command()(status)
app.command()(down)
app.command()(provision)
app.command()(recover)
app.command(
    context_settings={
        "allow_extra_args": True,
        "ignore_unknown_options": True,
        "help_option_names": [],
    }
)(prefect)
app.add_typer(score_app, name="score")
app.command()(stats)
app.command()(judge_agreement)
app.add_typer(synthesis_app, name="synthesize")


@app.command(name="list")
def list_(
    what: Annotated[
        str, typer.Argument(help="scenarios, models, metrics, sources, renderers, snapshots, runs")
    ],
) -> None:
    """List what there is; in a pipe a line each, tabs between the columns."""
    from flows.listing import LISTS, show

    settings = read_settings()
    if what not in LISTS:
        fail(f"cannot list {what!r}; choose one of {', '.join(LISTS)}")
    show(what, settings, console)


def _evaluate(settings: Settings, request: EvaluateRequest) -> tuple[str, Exit]:
    from benchmark.snapshot import newest
    from flows.evaluate import evaluate as flow
    from flows.progress import Bars, observed_by
    from flows.workshop import opened

    with opened(settings) as workshop:
        snapshot = request.snapshot or newest(workshop.store)
        models = request.models or settings.models
        names = escape(", ".join(models))
        console.print(f"[bold]evaluate[/bold] {names} on {escape(snapshot)}", soft_wrap=True)
        workshop.snapshot(snapshot)
        for model in models:
            workshop.model(model, snapshot)  # an unknown name is told before Prefect starts
        with Bars(console) as bars, observed_by(bars):
            state: Any = flow(request, return_state=True)
        run = state.result(raise_on_failure=False)
        if isinstance(run, BaseException):
            raise run
    if bars.all_cached():
        console.print("everything was cached: nothing had to be computed again")
    if state.is_completed():
        return run, Exit.DONE
    message = escape(str(state.message))
    errors.print(f"[yellow]infra failures:[/yellow] {message}", soft_wrap=True)
    errors.print("run the same command again: only what is missing will be done")
    return run, Exit.INFRA_FAILURES


def _report(settings: Settings, run: str, output: Path | None) -> None:
    from flows.forms import ReportRequest
    from flows.report import report as flow
    from flows.runs import load
    from flows.workshop import opened
    from reports.terminal import tables

    with opened(settings) as workshop:
        load(workshop.store, run)  # an unknown name is told before Prefect starts
        request = ReportRequest(run=run, folder=str(output) if output else None)
        published = flow(request)
    for printed in tables(published.board, subsets=False, width=console.width):
        console.print(printed)
    written = f"leaderboard: {published.folder / 'leaderboard.json'} and .csv"
    for line in (written, f"report:      {published.page}"):
        console.print(line, soft_wrap=True, markup=False)


def _print_trial(result: object) -> None:
    from flows.trial import Trial

    assert isinstance(result, Trial)  # noqa: S101 - narrows the type
    for repair in result.repairs:
        console.print(f"repair: {repair}", soft_wrap=True, markup=False)
    for flag in result.flags:
        console.print(f"[yellow]{flag.kind}:[/yellow] {escape(flag.message)}", soft_wrap=True)
    if result.failure:
        errors.print(str(result.failure), style="red", soft_wrap=True, markup=False)
    elif result.text is not None:
        console.print(f"read: {result.text}", soft_wrap=True, markup=False)
    else:
        pages = f"{result.pages} page{'s' if result.pages != 1 else ''}"
        image = escape(str(result.image))
        console.print(f"rendered {pages} in {result.seconds:.2f} s: {image}", soft_wrap=True)


def _interrupt(_number: int, _frame: object) -> None:
    """Treat SIGTERM as Ctrl-C, so that Prefect's server is ended too."""
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line; errors are one or two lines unless --debug asks for the traceback."""
    signal.signal(signal.SIGTERM, _interrupt)
    arguments = sys.argv[1:]
    if "--debug" in arguments:  # wherever it stands
        arguments = ["--debug", *(each for each in arguments if each != "--debug")]
    try:
        sys.exit(app(arguments, standalone_mode=False))
    except typer.Abort:
        fail("aborted")
    except typer.TyperException as error:
        if not str(error):  # a group without a command: its help is printed already
            sys.exit(Exit.USAGE)
        fail(f"{str(error).rstrip('.')} (see `rerender --help`)")
    except KeyboardInterrupt:
        fail("interrupted; run the same command again to go on where it stopped", 130)
    except Exception as error:  # noqa: BLE001 - the boundary to the user
        if State["debug"]:
            errors.print_exception()
            sys.exit(Exit.USAGE)
        from flows.failures import describe

        fail(describe(error))


if __name__ == "__main__":
    main()
