"""The end of a refresh: what was gathered becomes a snapshot, or one readable reason why not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmark import registry, snapshot
from benchmark.outcome import Failed, Kind
from benchmark.records import Material, digest_json
from benchmark.snapshot import Rejected, Snapshot
from flows.gathering import Gathering, infra_failures
from flows.workshop import Workshop


class RefreshError(RuntimeError):
    """No snapshot could be frozen; the text says why and what to do."""


class NothingNew(RefreshError):
    """There is no material but what is known, or too old: nothing is wrong."""


OLD = frozenset({Kind.DUPLICATE, Kind.OUT_OF_DATE})
"""Reasons that say of a piece only that it is not new."""


def require_no_infra(
    gatherings: Sequence[Gathering], unplaced: Sequence[Rejected], *, partial: bool
) -> None:
    """Refuse to freeze what lacks something through a fault of ours.

    A picture that is missing (``picture_missing``) is no reason: published links die for good, so
    it would be missing in every run, and the rest would never be had.

    Args:
        gatherings: everything that was gathered.
        unplaced: maps whose nodes could not be found.
        partial: whether the user wants what could be had.

    Raises:
        RefreshError: something failed that the next run may find.
    """
    failed = {
        source: curable
        for source, failures in infra_failures(gatherings).items()
        if (curable := [each for each in failures if each.kind is not Kind.PICTURE_MISSING])
    }
    nowhere = [one.failure for one in unplaced if not one.failure.final]
    if nowhere:
        failed["maps drawn to find their nodes"] = nowhere
    if not failed or partial:
        return
    told = "; ".join(
        f"{source}: {len(failures)} infra failures, the first: {failures[0].message}"
        for source, failures in failed.items()
    )
    raise RefreshError(
        f"nothing was frozen. {told}. Run again when that is mended (what is done is kept), or "
        f"with --partial to freeze what there is"
    )


def freeze(
    workshop: Workshop,
    gatherings: Sequence[Gathering],
    name: str | None,
    unplaced: Sequence[Rejected] = (),
) -> str:
    """Freeze what was gathered and return the snapshot's name.

    Args:
        workshop: holds the store.
        gatherings: what was gathered, in the order of the manifest.
        name: of the snapshot; by default the sources' names and a digest of the content.
        unplaced: what else was rejected.

    Raises:
        NothingNew: there is not one instance, since nothing is new.
        RefreshError: there is not one instance for another reason.
        SnapshotError: the name is taken, or cannot be one.
    """
    pairs = [pair for gathering in gatherings for pair in gathering.kept.values()]
    lost = [each.rejected() for gathering in gatherings for each in gathering.lost()]
    sources = list(dict.fromkeys(gathering.source for gathering in gatherings))
    if not pairs:
        failures = [each.failure for each in lost]
        told = _nothing(sources, failures)
        raise NothingNew(told) if _is_old(failures) else RefreshError(told)
    instances = tuple(instance for _, instance in pairs)
    frozen = Snapshot(
        name=name or "unnamed",
        created=max(instance.provenance.created for instance in instances),
        about=_about(sources),
        licences=dict(Counter(instance.provenance.licence for instance in instances)),
        tools=_tools(workshop, [material for material, _ in pairs]),
        instances=instances,
        rejected=(*lost, *unplaced),
        parameters={"sources": [*sources]},
        funnel=tuple(row for each in gatherings if (row := each.funnel()).found),
    )
    if name is None:
        content = frozen.model_dump(mode="json", exclude={"name"})
        stem = sources[0] if len(sources) == 1 else "fresh"
        frozen = frozen.model_copy(update={"name": f"{stem}-{digest_json(content)[:8]}"})
    snapshot.freeze(workshop.store, frozen)
    return frozen.name


def _about(sources: Sequence[str]) -> str:
    texts: Mapping[str, str] = {
        name: getattr(registry.sources.get(name), "about", "") for name in sources
    }
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"{name}: {text}" for name, text in texts.items() if text)


def _is_old(failures: Sequence[Failed]) -> bool:
    return all(failure.kind in OLD for failure in failures)


def _nothing(sources: Sequence[str], failures: Sequence[Failed]) -> str:
    reason = f" The first of {len(failures)} failures: {failures[0].message}" if failures else ""
    told = ", ".join(repr(name) for name in sources)
    kind = "source" if len(sources) == 1 else "sources"
    return f"{kind} {told} gave no usable material; nothing was frozen.{reason}"


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
