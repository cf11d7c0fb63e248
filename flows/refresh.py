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
from flows.derivation import derive, deriving, located
from flows.freezing import RefreshError, freeze, require_no_infra
from flows.gathering import Gathering
from flows.progress import current
from flows.sieve import Sieve
from flows.tasks import BATCHES_AT_ONCE, fetch_batch, refer_batch
from flows.workshop import Workshop, opened

AT_ONCE = 8
"""Batches that a source on disk gives at once; one on the net gives one, since it is asked only
for what is still wanted."""

__all__ = ["RefreshError", "refresh"]


@flow(name="refresh", task_runner=BATCHES_AT_ONCE)
def refresh(
    sources: Sequence[str] = ("bundled",),
    since: dt.date | None = None,
    limit: int | None = None,
    name: str | None = None,
    tasks: int | None = None,
    only_new: bool = False,
    partial: bool = False,
    without: Sequence[str] = (),
) -> str:
    """Fetch material made after a date, filter it, render its references and freeze a snapshot.

    Args:
        sources: the registered names of sources, asked side by side.
        since: leave out what was made before this day.
        limit: at most so many instances of each scenario from each source; of a site 100 if no
            limit is given.
        name: the snapshot's name; by default the source's name and a digest of the content.
        tasks: how many instances of each task are derived from the material (questions about maps)
            in each subset; by default as many as the source says, and a limit holds for them too.
        only_new: leave out what is in an earlier snapshot of the store.
        partial: freeze what could be had though something failed by a fault of ours.
        without: names of filters that are not applied; see docs/sources.md.

    Returns:
        The name of the snapshot. The same material and containers give the same snapshot.
    """
    with opened() as workshop:
        sieve = Sieve(workshop, name, since=since, only_new=only_new, without=without)
        gatherings = [
            Gathering(
                source,
                sieve.judge_of(source),
                since=since,
                limit=limit,
                whole=bool(_wanted(source, tasks)),
            )
            for source in dict.fromkeys(sources)
        ]
        while waiting := [each for each in gatherings if not each.exhausted]:
            _gather(workshop, sieve, waiting)
        everything = list(gatherings)
        unplaced: list[Rejected] = []
        for gathering in gatherings:
            derived, missed = _derive(workshop, sieve, gathering, tasks, limit)
            everything.append(derived)
            unplaced += missed
        require_no_infra(everything, unplaced, partial=partial)
        return freeze(workshop, everything, name, unplaced)


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
        (each, chunk, refer_batch.submit(each.source, label, chunk, sieve.draws_twice(each.source)))
        for each, materials in pulled
        for label, chunk in _chunks(materials, workshop.settings.batch)
    ]
    for gathering, chunk, future in futures:
        outcomes = future.result()
        for material in chunk:
            outcome = outcomes[material.id]
            if isinstance(outcome, Failed):
                gathering.miss(material, outcome)
                continue
            seen = sieve.look(gathering.source, material, outcome.value)
            if isinstance(seen, Failed):
                gathering.discard(material, seen)
            else:
                gathering.keep(material, seen.value)


def _derive(
    workshop: Workshop,
    sieve: Sieve,
    gathering: Gathering,
    tasks: int | None,
    limit: int | None,
) -> tuple[Gathering, list[Rejected]]:
    """Derive tasks from what a source gave; they are gathered beside it."""
    pieces, unplaced = derive(
        [material for material, _ in gathering.kept.values()],
        _wanted(gathering.source, tasks),
        lambda material: located(workshop, material),
        seed=workshop.settings.seed,
        limit=limit,
    )
    derived = Gathering(gathering.source, label=f"{gathering.source}, derived")
    if pieces:
        _draw(workshop, sieve, [(derived, pieces)])
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
