"""The whole benchmark: refresh → evaluate → report, each a flow of its own inside this one."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Completed, Failed

from benchmark import registry
from flows.attempts import note, recall
from flows.evaluate import evaluate
from flows.forms import BenchmarkRequest, EvaluateRequest, RefreshRequest, ReportRequest
from flows.freezing import NothingNew
from flows.refresh import ALL, refresh
from flows.report import report
from flows.workshop import Workshop, opened

WEEK = 7
"""Days that material of a site may be old, unless the request says."""


@flow(name="benchmark", persist_result=False)
def benchmark(request: BenchmarkRequest = BenchmarkRequest()) -> State:
    """Fetch what is new, ask the models about it, and publish a leaderboard.

    A retry goes on with the snapshot that an earlier attempt has frozen: what is in it would not
    be new any more.

    Args:
        request: what is fetched, and who is asked about it.

    Returns:
        A state whose data is the run's name; Completed without one where nothing is new. It is
        Failed where something of the infrastructure failed, though a report of the rest is
        published.
    """
    with opened() as workshop:
        snapshot = recall(workshop.store, "snapshot") or _refresh(workshop, request)
        if isinstance(snapshot, NothingNew):
            return Completed(message=f"nothing new: {snapshot}")
        asked = EvaluateRequest(
            snapshot=snapshot,
            models=request.models or workshop.settings.models,
            max_tokens=request.max_tokens,
            max_cost=request.max_cost,
        )
        state: Any = evaluate(asked, return_state=True)
        run = state.result(raise_on_failure=False)
        if isinstance(run, BaseException):
            raise run
        report(ReportRequest(run=run))
    if state.is_completed():
        return Completed(message=state.message, data=run)
    return Failed(message=state.message, data=run)


def _refresh(workshop: Workshop, request: BenchmarkRequest) -> str | NothingNew:
    """Freeze what is new and note it for a retry; returns the snapshot, or that there is none."""
    sources = request.sources or workshop.settings.refresh_sources
    wanted = RefreshRequest(
        sources=sources,
        days=request.days or (WEEK if any(map(_is_site, sources)) else None),
        limit=request.limit,
        only_new=request.only_new,
        partial=request.partial,
    )
    refreshed: Any = refresh(wanted, return_state=True)
    snapshot: str | BaseException = refreshed.result(raise_on_failure=False)
    if isinstance(snapshot, NothingNew):
        return snapshot
    if isinstance(snapshot, BaseException):
        raise snapshot
    note(workshop.store, "snapshot", snapshot)
    return snapshot


def _is_site(source: str) -> bool:
    """Tell whether a source has something new every week; what lies here is only new once."""
    return source == ALL or getattr(registry.sources.get(source), "live", False)
