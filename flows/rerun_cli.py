"""`rerender rerun`: force a stage of a run that there is."""

from __future__ import annotations

import datetime as dt
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.budget_options import MaxCost, MaxTokens
from flows.console import Exit, console, errors, fail, read_settings, told

if TYPE_CHECKING:
    from benchmark.settings import Settings
    from flows.forms import RerunRequest


def rerun(
    run: Annotated[str, typer.Argument(help="see `rerender list runs`")],
    stage: Annotated[str, typer.Option(help="query, render or score")],
    only: Annotated[
        str, typer.Option(help="failed: what failed there, whoever is to blame; or all")
    ] = "failed",
    since: Annotated[
        dt.datetime | None,
        typer.Option(
            formats=["%Y-%m-%dT%H:%M:%S.%f", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d"],
            help="go on with an earlier rerun: what was done since then (UTC) is done",
        ),
    ] = None,
    max_tokens: MaxTokens = None,
    max_cost: MaxCost = None,
) -> None:
    """Do a stage of a run again, and after it whatever that changes.

    What had succeeded stays until it has been made again. Scores that an older version of a metric
    made are computed by `--stage score`.
    """
    from pydantic import ValidationError

    from flows.forms import RerunRequest

    settings = read_settings()
    began = dt.datetime.now(dt.UTC) if since is None else since.replace(tzinfo=dt.UTC)
    try:
        request = RerunRequest.model_validate(
            {
                "run": run,
                "stage": stage,
                "only": only,
                "since": began,
                "max_tokens": max_tokens,
                "max_cost": max_cost,
            }
        )
    except ValidationError as error:
        fail(told(error))
    sys.exit(_rerun(settings, request, began))


def _rerun(settings: Settings, request: RerunRequest, began: dt.datetime) -> Exit:
    from flows import runs
    from flows.progress import Bars, observed_by
    from flows.rerunning import rerun as flow
    from flows.workshop import opened

    with opened(settings) as workshop:
        runs.load(workshop.store, str(request.run))  # an unknown name is told before Prefect starts
        with Bars(console) as bars, observed_by(bars):
            state: Any = flow(request, return_state=True)
        name = state.result(raise_on_failure=False)
        if isinstance(name, BaseException):
            raise name
    console.print(str(state.message), soft_wrap=True, markup=False)
    if state.is_completed():
        console.print(f"next: rerender report {name}", soft_wrap=True, markup=False)
        return Exit.DONE
    again = f"rerender rerun {name} --stage {request.stage} --only {request.only}"
    errors.print(
        f"go on with: {again} --since {began:%Y-%m-%dT%H:%M:%S.%f}", soft_wrap=True, markup=False
    )
    return Exit.INFRA_FAILURES
