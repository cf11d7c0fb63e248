"""What a Prefect server says of our deployments and runs, as tables."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterId,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from rich.table import Table
from rich.text import Text

SHOWN = 8


def tables() -> list[Table]:
    """Return the schedule and the latest runs."""
    with get_client(sync_client=True) as client:
        names = {one.id: one.name for one in client.read_deployments()}
        ahead = _runs(client, [StateType.SCHEDULED], FlowRunSort.EXPECTED_START_TIME_ASC)
        behind = _runs(
            client,
            [each for each in StateType if each is not StateType.SCHEDULED],
            FlowRunSort.START_TIME_DESC,
        )
        of = FlowFilter(id=FlowFilterId(any_=[run.flow_id for run in behind]))
        flows = {one.id: one.name for one in client.read_flows(flow_filter=of)}
    schedule = Table("next", "deployment", title="Schedule", title_justify="left")
    for run in ahead[:SHOWN]:
        schedule.add_row(_time(run.expected_start_time), _deployment(run, names))
    latest = Table(
        "started", "run", "flow", "by", "state", title="Latest runs", title_justify="left"
    )
    for run in behind[:SHOWN]:
        state = run.state
        told = "" if state is None else f"{state.name}: {state.message or ''}".rstrip(": ")
        flow = Text(flows.get(run.flow_id, "?"))
        latest.add_row(_time(run.start_time), Text(run.name), flow, _by(run), Text(told))
    return [schedule, latest]


def _runs(client: SyncPrefectClient, states: list[StateType], sort: FlowRunSort) -> list[FlowRun]:
    wanted = FlowRunFilter(
        state=FlowRunFilterState(type=FlowRunFilterStateType(any_=states)),
    )
    return client.read_flow_runs(flow_run_filter=wanted, sort=sort, limit=SHOWN)


def _deployment(run: FlowRun, names: Mapping[UUID, str]) -> Text:
    return Text("by hand" if run.deployment_id is None else names.get(run.deployment_id, "?"))


def _by(run: FlowRun) -> str:
    """Say who started a run: a worker, the run that it is part of, or a user's command."""
    if run.parent_task_run_id is not None:
        return "a run"
    return "hand" if run.deployment_id is None else "worker"


def _time(moment: dt.datetime | None) -> str:
    return "" if moment is None else f"{moment.astimezone():%a %Y-%m-%d %H:%M}"
