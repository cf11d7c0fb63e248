"""Runs whose process died without a word: found by their silence, marked, and begun again.

A server marks them itself, by an automation, while it is up. What it missed (it was down too, or
has no such automation) stays Running for ever, and Prefect retries no run that is not at its end.
"""

from __future__ import annotations

import datetime as dt
from email.utils import parsedate_to_datetime
from typing import Any

from prefect.client.orchestration import SyncPrefectClient
from prefect.client.schemas.filters import (
    FlowFilter,
    FlowFilterName,
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.states import AwaitingRetry, Crashed

from flows.provisioning import FLOWS, GONE, SILENCE

PAGE = 200
"""Runs that a server gives at once; it gives no more."""


def dead(client: SyncPrefectClient) -> list[FlowRun]:
    """Return our runs that are said to be running and have given no sign of life for long."""
    running = FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.RUNNING]))
    found = client.read_flow_runs(
        flow_filter=FlowFilter(name=FlowFilterName(any_=list(FLOWS))),
        flow_run_filter=FlowRunFilter(state=running),
        limit=PAGE,
    )
    return [run for run in found if _silence(client, run) > SILENCE]


def _silence(client: SyncPrefectClient, run: FlowRun) -> dt.timedelta:
    """Return how long a run has said nothing, by the server's clock."""
    wanted: dict[str, Any] = {
        "event": {"name": ["prefect.flow-run.heartbeat"]},
        "resource": {"id": [f"prefect.flow-run.{run.id}"]},
        "order": "DESC",
    }
    response = client.request("POST", "/events/filter", json={"filter": wanted, "limit": 1})
    now = parsedate_to_datetime(response.headers["date"])
    beats = [dt.datetime.fromisoformat(each["occurred"]) for each in response.json()["events"]]
    began = now if run.state is None else run.state.timestamp
    return now - max(began, *beats) if beats else now - began


def bury(client: SyncPrefectClient, run: FlowRun) -> None:
    """Say of a run that it crashed."""
    client.set_flow_run_state(run.id, Crashed(message=GONE), force=True)


def revive(client: SyncPrefectClient, run: FlowRun) -> bool:
    """Let a worker take a run up again; tells whether there is one that could.

    A run inside another begins with that one, and one that was started by hand has no deployment
    that a worker could take it from.
    """
    if run.deployment_id is None or run.parent_task_run_id is not None:
        return False
    client.set_flow_run_state(run.id, AwaitingRetry(message="taken up again"), force=True)
    return True
