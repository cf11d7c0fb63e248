"""Refresh: fetch fresh material → render references → freeze a snapshot."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter
from collections.abc import Sequence

from prefect import flow

from benchmark import registry, snapshot
from benchmark.outcome import Failed, Ok, Outcome, Stage
from benchmark.records import Instance, Material, digest_json
from benchmark.snapshot import Rejected, Snapshot
from flows.derivation import derive, deriving, located
from flows.progress import current
from flows.tasks import BATCHES_AT_ONCE, refer_batch
from flows.workshop import Workshop, opened


class RefreshError(RuntimeError):
    """No snapshot could be frozen; the text says why and what to do."""


@flow(name="refresh", task_runner=BATCHES_AT_ONCE)
def refresh(
    source: str = "bundled",
    since: dt.date | None = None,
    limit: int | None = None,
    name: str | None = None,
    tasks: int | None = None,
) -> str:
    """Fetch material made after a date, render its references and freeze a snapshot.

    Args:
        source: the registered name of a source.
        since: leave out what was made before this day.
        limit: at most so many instances of each scenario.
        name: the snapshot's name; by default the source's name and a digest of the content.
        tasks: how many instances of each task are derived from the material (questions about maps)
            in each subset; by default as many as the source says, and a limit holds for them too.

    Returns:
        The name of the snapshot. The same material and containers give the same snapshot.
    """
    with opened() as workshop:
        found = list(registry.sources.get(source).collect(since=since, limit=limit))
        lost = [outcome for outcome in found if isinstance(outcome, Failed)]
        _require_no_infra(lost, "pieces could not be fetched")
        materials = [outcome.value for outcome in found if isinstance(outcome, Ok)]
        derived, unplaced = derive(
            materials,
            _derived(source, tasks),
            lambda material: located(workshop, material),
            seed=workshop.settings.seed,
            limit=limit,
        )
        failures = [one.failure for one in unplaced]
        _require_no_infra(failures, "maps could not be drawn to find their nodes")
        materials += derived
        current().expect(Stage.RENDER, len(materials))
        outcomes: dict[str, Outcome[Instance]] = {}
        for future in [
            refer_batch.submit(source, label, chunk)
            for label, chunk in _chunks(materials, workshop.settings.batch)
        ]:
            outcomes |= future.result()
        unfetched = [Rejected(id="", scenario="", failure=failure) for failure in lost]
        return _freeze(workshop, source, name, materials, outcomes, [*unfetched, *unplaced])


def _derived(source: str, tasks: int | None) -> dict[str, int]:
    """Return how many pieces of each deriving scenario are wanted in a subset."""
    if tasks is not None:
        return dict.fromkeys(deriving(), tasks)
    wanted: dict[str, int] = getattr(registry.sources.get(source), "derived", {})
    return wanted


def _chunks(materials: Sequence[Material], size: int) -> list[tuple[str, list[Material]]]:
    chunks = []
    for scenario, group in itertools.groupby(materials, lambda material: material.scenario):
        pieces = list(group)
        chunks += [
            (
                f"{scenario} {start + 1}-{start + len(pieces[start : start + size])}",
                pieces[start : start + size],
            )
            for start in range(0, len(pieces), size)
        ]
    return chunks


def _freeze(
    workshop: Workshop,
    source: str,
    name: str | None,
    materials: Sequence[Material],
    outcomes: dict[str, Outcome[Instance]],
    lost: Sequence[Rejected],
) -> str:
    failures = [outcome for outcome in outcomes.values() if isinstance(outcome, Failed)]
    _require_no_infra(failures, "references could not be rendered")
    ordered = [(material, outcomes[material.id]) for material in materials]
    instances = tuple(o.value for _, o in ordered if isinstance(o, Ok))
    if not instances:
        raise RefreshError(_nothing(source, [each.failure for each in lost] + failures))
    rejected = tuple(
        Rejected(id=material.id, scenario=material.scenario, failure=outcome)
        for material, outcome in ordered
        if isinstance(outcome, Failed)
    )
    frozen = Snapshot(
        name=name or "unnamed",
        created=max(instance.provenance.created for instance in instances),
        about=getattr(registry.sources.get(source), "about", ""),
        licences=dict(Counter(instance.provenance.licence for instance in instances)),
        tools=_tools(workshop, materials),
        instances=instances,
        rejected=(*rejected, *lost),
        parameters={"source": source},
    )
    if name is None:
        content = frozen.model_dump(mode="json", exclude={"name"})
        frozen = frozen.model_copy(update={"name": f"{source}-{digest_json(content)[:8]}"})
    snapshot.freeze(workshop.store, frozen)
    return frozen.name


def _nothing(source: str, failures: Sequence[Failed]) -> str:
    reason = f" The first of {len(failures)} failures: {failures[0].message}" if failures else ""
    return f"source {source!r} gave no usable material; nothing was frozen.{reason}"


def _require_no_infra(failures: Sequence[Failed], what: str) -> None:
    infra = [failure for failure in failures if not failure.final]
    if infra:
        raise RefreshError(
            f"{len(infra)} {what}, so nothing was frozen; the first: {infra[0].message}. "
            f"Run again when that is mended"
        )


def _tools(workshop: Workshop, materials: Sequence[Material]) -> dict[str, str]:
    drawings = (material.drawn_from for material in materials)
    scenarios = {material.scenario for material in materials}
    scenarios |= {drawing.scenario for drawing in drawings if drawing is not None}
    used = {registry.scenarios.get(name).renderer for name in scenarios}
    tools = {}
    for name in sorted(name for name in used if name is not None):
        renderer = workshop.renderer(name)
        image = workshop.image(name)
        if isinstance(image, Failed):
            raise RefreshError(image.message)
        tools[name] = f"version {renderer.version}, image {image.value}"
    return tools
