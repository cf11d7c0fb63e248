"""Report: aggregate a run into a leaderboard and publish it as JSON, CSV and a site."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from prefect import flow
from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed
from benchmark.records import Instance
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from benchmark.store import BlobDamaged, BlobMissing, Store
from flows import runs
from flows.artifacts import publish_board
from flows.forms import ReportRequest
from flows.workshop import opened
from reports.leaderboard import Leaderboard, leaderboard
from reports.site import write_site


@dataclass(frozen=True)
class Published:
    """A leaderboard and where it was written."""

    board: Leaderboard
    folder: Path
    page: Path


def _prompt(instance: Instance) -> str:
    return registry.scenarios.get(instance.scenario).prompt(instance)


def _truth(store: Store, instance: Instance) -> JsonValue:
    """Return the tree of an instance's truth; None where it cannot be read (any more)."""
    if instance.truth is None:
        return None
    try:
        text = store.get(instance.truth).decode("utf-8", "replace")
    except (BlobMissing, BlobDamaged):
        return None
    read = registry.scenarios.get(instance.scenario).read(text)
    return None if isinstance(read, Failed) else read.value.tree


def _span(frozen: Snapshot) -> str:
    """Return when the material was made."""
    days = [instance.provenance.created for instance in frozen.instances]
    first, last = min(days), max(days)
    return f"made on {last}" if first == last else f"made from {first} to {last}"


def address_of(page: Path, settings: Settings) -> str | None:
    """Return where a page can be read; None if it is in no folder that is published."""
    folder = settings.reports.absolute()
    if settings.report_url is None or not page.absolute().is_relative_to(folder):
        return None
    path = page.absolute().relative_to(folder).as_posix()
    return f"{settings.report_url.rstrip('/')}/{quote(path)}"


@flow(name="report", persist_result=False)
def report(request: ReportRequest = ReportRequest()) -> Published:
    """Aggregate what a run has scored; no engine, renderer or model is needed.

    Args:
        request: which run, and where to write.
    """
    with opened() as workshop:
        document = runs.load(workshop.store, request.run or runs.newest(workshop.store))
        results = runs.look_up(workshop, document)
        scenarios = [registry.scenarios.get(name) for name in document.scenarios]
        names = dict.fromkeys(name for scenario in scenarios for name in scenario.metrics)
        frozen = workshop.snapshot(document.snapshot)
        board = leaderboard(
            results,
            {name: registry.metrics.get(name) for name in names},
            scenarios,
            seed=document.seed,
            title=document.name,
            snapshot=f"{frozen.name}, sha256 {frozen.digest[:12]}, {_span(frozen)}",
            baselines=document.baselines,
            prices=workshop.settings.prices,
            truth=lambda instance: _truth(workshop.store, instance),
        )
        folder = request.folder
        target = Path(folder) if folder else workshop.settings.reports / document.name
        page = write_site(board, results, workshop.store.get, target, prompt=_prompt)
        publish_board(board, page, address_of(page, workshop.settings))
        return Published(board, target, page)
