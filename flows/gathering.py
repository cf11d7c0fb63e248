"""One source's material as it comes in: what it yielded, what was kept and what was lost where.

A source that reads a site is asked only as long as something is wanted of it; any other is asked
once, for all that it has.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from benchmark import registry
from benchmark.funnel import Funnel
from benchmark.outcome import Blame, Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Instance, Material
from benchmark.snapshot import Rejected
from flows.progress import current

LIVE_LIMIT = 100
"""Most pieces of each scenario from a site, where no limit is given."""

ENDLESS = 1 << 40
"""More pieces than any source has."""

TRIES = 50
"""So many times the limit may be found at a site before it is left."""

Judge = Callable[[Material], Outcome[Material]]
"""Decides on a piece by what it is; the piece that comes back may be a changed one."""


@dataclass
class Lost:
    """A failure with the piece that it happened to, as far as one is known."""

    failure: Failed
    material: Material | None = None

    def rejected(self) -> Rejected:
        """Return the entry of the manifest."""
        if self.material is None:
            return Rejected(id=self.failure.subject, scenario="", failure=self.failure)
        return Rejected(id=self.material.id, scenario=self.material.scenario, failure=self.failure)


class Gathering:
    """What has become so far of everything that one source yielded."""

    def __init__(
        self,
        source: str,
        judge: Judge = ok,
        *,
        since: dt.date | None = None,
        limit: int | None = None,
        label: str | None = None,
        whole: bool = True,
    ) -> None:
        """Prepare to ask a registered source; it is asked at the first `pull`.

        Args:
            source: its name.
            judge: decides on each piece before it is drawn.
            since: leave out what was made before this day.
            limit: at most so many pieces of each scenario.
            label: the name of the row in the funnel; by default the source's.
            whole: whether pictures and assets of what is kept stay in memory (something is derived
                from them); in the store they are in any case.
        """
        self.source = source
        self.label = label or source
        self.live = is_live(source)
        self.kept: dict[str, tuple[Material, Instance]] = {}
        self.unfetched: list[Lost] = []
        self.dropped: list[Lost] = []
        self.unrendered: list[Lost] = []
        self.discarded: list[Lost] = []
        self.exhausted = False
        self._judge = judge
        self._whole = whole
        self._since = since
        self._limit = limit
        self._coming: Iterator[Outcome[Material]] | None = None
        self._yielded = 0
        self._named: set[str] = set()

    def pull(self, most: int) -> list[Material]:
        """Return the next pieces that pass, at most so many and none that is one too many.

        What does not pass is noted.
        """
        wanted = self._wanted()
        self.exhausted = self.exhausted or not any(wanted.values()) or self._tired()
        passed: list[Material] = []
        while not self.exhausted and len(passed) < most and any(wanted.values()):
            outcome = self._next()
            if outcome is None:
                self.exhausted = True
                break
            if isinstance(outcome, Ok) and wanted.get(outcome.value.scenario, 1) <= 0:
                continue
            self._yielded += 1
            judged = self._judged(outcome)
            if judged is not None:
                passed.append(judged)
                wanted[judged.scenario] = wanted.get(judged.scenario, ENDLESS) - 1
            self.exhausted = self._tired()
        return passed

    def keep(self, material: Material, instance: Instance) -> None:
        """Note that a piece is part of the snapshot."""
        if not self._whole:
            material = material.model_copy(update={"picture": None, "assets": {}})
        self.kept[material.id] = material, instance

    def lose(self, material: Material, failure: Failed) -> None:
        """Note that a piece could not be drawn, or is not wanted for how it looks."""
        if failure.stage is Stage.FILTER and failure.blame is Blame.MATERIAL:
            self.discard(material, failure)
        else:
            self.unrendered.append(Lost(failure, material))

    def discard(self, material: Material, failure: Failed) -> None:
        """Note that a piece is not wanted for how it looks."""
        self.discarded.append(Lost(failure, material))

    def funnel(self) -> Funnel:
        """Count."""
        return Funnel.of(
            self.label,
            kept=len(self.kept),
            unfetched=[lost.failure for lost in self.unfetched],
            dropped=[lost.failure for lost in self.dropped],
            unrendered=[lost.failure for lost in self.unrendered],
            discarded=[lost.failure for lost in self.discarded],
        )

    def lost(self) -> list[Lost]:
        """Return all that was not kept, in the order of the columns."""
        return [*self.unfetched, *self.dropped, *self.unrendered, *self.discarded]

    def _wanted(self) -> dict[str, int]:
        """Return how many more pieces of each scenario there may be."""
        scenarios = registry.sources.get(self.source).scenarios
        if not self.live:
            return dict.fromkeys(scenarios, ENDLESS)
        limit = LIVE_LIMIT if self._limit is None else self._limit
        kept = Counter(instance.scenario for _, instance in self.kept.values())
        return {name: max(0, limit - kept[name]) for name in scenarios}

    def _next(self) -> Outcome[Material] | None:
        """Return the next outcome, or None after the last."""
        if self._coming is None:
            source = registry.sources.get(self.source)
            limit = None if self.live else self._limit
            self._coming = source.collect(since=self._since, limit=limit)
        try:
            return next(self._coming, None)
        except Exception as error:  # noqa: BLE001 - a source's defect ends that source alone
            told = f"{self.source}: {type(error).__name__}: {error}"
            return Failed.of(Stage.FETCH, Kind.INTERNAL_ERROR, told)

    def _judged(self, outcome: Outcome[Material]) -> Material | None:
        """Return what passes; note what does not."""
        current().expect(Stage.FETCH, 1)
        if isinstance(outcome, Failed):
            into = self.unfetched if outcome.stage is Stage.FETCH else self.dropped
            into.append(Lost(outcome))
            current().advance(Stage.FETCH, "failed" if outcome.final else "infra")
            return None
        judged = self._same_name(outcome.value) or self._judge(outcome.value)
        if isinstance(judged, Failed):
            self.dropped.append(Lost(judged, outcome.value))
            current().advance(Stage.FETCH, "failed")
            return None
        current().advance(Stage.FETCH, "done")
        return judged.value

    def _same_name(self, material: Material) -> Failed | None:
        """Refuse a second piece of one name: it would take the place of the first."""
        if material.id not in self._named:
            self._named.add(material.id)
            return None
        told = f"{self.source} gives two pieces of the name {material.id}"
        return Failed.of(Stage.FILTER, Kind.DUPLICATE, told, subject=material.id)

    def _tired(self) -> bool:
        limit = LIVE_LIMIT if self._limit is None else self._limit
        return self.live and self._yielded >= TRIES * max(limit, 1)


def is_live(source: str) -> bool:
    """Tell whether a source reads a site."""
    return bool(getattr(registry.sources.get(source), "live", False))


def infra_failures(gatherings: Iterable[Gathering]) -> dict[str, list[Failed]]:
    """Return the failures of ours, by source."""
    found: dict[str, list[Failed]] = {}
    for gathering in gatherings:
        for lost in gathering.lost():
            if not lost.failure.final:
                found.setdefault(gathering.source, []).append(lost.failure)
    return found
