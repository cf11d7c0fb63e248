"""Refresh: fetch fresh material → filter → render references → freeze a snapshot."""

from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Iterator, Sequence

from prefect import flow

from benchmark import registry
from benchmark.outcome import Failed, Stage
from benchmark.records import Material
from benchmark.snapshot import Rejected
from flows import pace
from flows.artifacts import publish_funnel
from flows.derivation import derive, deriving, located
from flows.forms import RefreshRequest
from flows.freezing import RefreshError, freeze, require_no_infra
from flows.gathering import Gathering, is_live
from flows.progress import current
from flows.sieve import Sieve, graded
from flows.tasks import BATCHES_AT_ONCE, fetch_batch, refer_batch
from flows.workbench import laid_ready
from flows.workshop import Workshop, opened

AT_ONCE = 8
"""Batches that a source on disk gives at once; one on the net gives one, since it is asked only
for what is still wanted."""

ALL = "all"
"""The name for every source that reads a site and is set up."""

__all__ = ["RefreshError", "refresh"]


@flow(name="refresh", task_runner=BATCHES_AT_ONCE, persist_result=False)
def refresh(request: RefreshRequest = RefreshRequest()) -> str:
    """Fetch material made after a date, filter it, render its references and freeze a snapshot.

    Args:
        request: what is wanted.

    Returns:
        The name of the snapshot. The same material and containers give the same snapshot.

    Raises:
        RefreshError: nothing could be frozen.
        RegistryError: a source or a filter has another name.
    """
    since = request.first_day(dt.datetime.now(dt.UTC).date())
    with (
        opened() as workshop,
        laid_ready(workshop),
        pace.shared(),
        Sieve(workshop, request, since) as sieve,
    ):
        gatherings = [
            Gathering(
                source,
                sieve.judge_of(source),
                since=since,
                limit=request.limit,
                whole=bool(_wanted(source, request.tasks)),
            )
            for source in asked(request.sources)
        ]
        while waiting := [each for each in gatherings if not each.exhausted]:
            _gather(workshop, sieve, waiting)
        everything = list(gatherings)
        unplaced: list[Rejected] = []
        for gathering in gatherings:
            derived, missed = _derive(workshop, sieve, gathering, request)
            everything.append(derived)
            unplaced += missed
        require_no_infra(everything, unplaced, partial=request.partial)
        name = freeze(workshop, everything, request.name, unplaced)
        frozen = workshop.snapshot(name)
        publish_funnel(name, frozen.funnel, frozen.rejected)
        return name


def asked(names: Sequence[str]) -> list[str]:
    """Return the sources of a request, each once, with ``all`` written out.

    Raises:
        RegistryError: there is no source of a name.
    """
    found: list[str] = []
    for name in names:
        if name != ALL:
            registry.sources.get(name)
            found.append(name)
        else:
            found += [each for each in registry.sources.names() if is_live(each) and not off(each)]
    return list(dict.fromkeys(found))


def off(source: str) -> str | None:
    """Return why a source is not asked unless it is named, or None."""
    reason: str | None = getattr(registry.sources.get(source), "off", None)
    return reason


def _gather(workshop: Workshop, sieve: Sieve, waiting: Sequence[Gathering]) -> None:
    """Fetch something from every source side by side, draw it, and judge how it looks."""
    batch = workshop.settings.batch
    futures = [
        (each, fetch_batch.submit(each, each.source, batch * (1 if each.live else AT_ONCE)))
        for each in waiting
    ]
    _draw(workshop, sieve, [(each, future.result()) for each, future in futures])


def _draw(
    workshop: Workshop, sieve: Sieve, pulled: Sequence[tuple[Gathering, Sequence[Material]]]
) -> None:
    """Render references in batches; pieces are judged in the order of sources, then as they came.

    The order of time would depend on which batch was faster, and so would what is the duplicate.
    """
    current().expect(Stage.RENDER, sum(len(materials) for _, materials in pulled))
    futures = [
        (each, chunk, refer_batch.submit(each.source, label, chunk, sieve.checks_of(each.source)))
        for each, materials in pulled
        for label, chunk in _chunks(materials, workshop.settings.batch)
    ]
    for gathering, chunk, future in futures:
        outcomes = future.result()
        for material in chunk:
            outcome = outcomes[material.id]
            if isinstance(outcome, Failed):
                gathering.lose(material, outcome)
                continue
            instance = outcome.value
            if (twin := sieve.compare(material, instance, fresh=gathering.live)) is not None:
                gathering.discard(material, twin)
            else:
                gathering.keep(material, instance)


def _derive(
    workshop: Workshop,
    sieve: Sieve,
    gathering: Gathering,
    request: RefreshRequest,
) -> tuple[Gathering, list[Rejected]]:
    """Derive tasks from what a source gave; they are gathered beside it."""
    pieces, unplaced = derive(
        [material for material, _ in gathering.kept.values()],
        _wanted(gathering.source, request.tasks),
        lambda material: located(workshop, material),
        seed=workshop.settings.seed,
        limit=request.limit,
    )
    derived = Gathering(gathering.source, label=f"{gathering.source}, derived")
    if pieces:
        _draw(workshop, sieve, [(derived, [graded(piece) for piece in pieces])])
    return derived, unplaced


def _wanted(source: str, tasks: int | None) -> dict[str, int]:
    """Return how many pieces of each deriving scenario are wanted in a subset."""
    if tasks is not None:
        return dict.fromkeys(deriving(), tasks)
    wanted: dict[str, int] = getattr(registry.sources.get(source), "derived", {})
    return wanted


def _chunks(materials: Sequence[Material], size: int) -> Iterator[tuple[str, list[Material]]]:
    """Yield batches of one scenario each, with a label."""
    for scenario, group in itertools.groupby(materials, lambda material: material.scenario):
        pieces = list(group)
        for start in range(0, len(pieces), size):
            chunk = pieces[start : start + size]
            yield f"{scenario} {start + 1}-{start + len(chunk)}", chunk
