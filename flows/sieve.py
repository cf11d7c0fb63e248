"""The filters of one refresh, in their order: what a piece is, then how it looks.

Only what comes from a site is filtered: a published set must stay whole, and a folder of one's own
is one's own choice. What remembers (one per owner, so many per day) remembers for each source by
itself, so that sources side by side do not decide for each other; only duplicates are looked for
everywhere.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from benchmark import snapshot
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Instance, Material
from flows.forms import RefreshRequest
from flows.gathering import Judge, is_live
from flows.workshop import Workshop


class Sieve:
    """All filters of one refresh."""

    def __init__(self, workshop: Workshop, request: RefreshRequest, since: dt.date | None) -> None:
        """Prepare the filters.

        Args:
            workshop: holds the settings and the earlier snapshots.
            request: names the snapshot that is being made (one of that name is not an earlier one)
                and the filters that are not applied.
            since: leave out what was made before.
        """
        self._workshop = workshop
        self._since = since
        self._earlier = dict(_earlier(workshop, request.name)) if request.only_new else {}

    def judge_of(self, source: str) -> Judge:
        """Return the filters on what a piece of a source is, with a memory of their own."""
        if not is_live(source):
            return ok
        return self._judge

    def draws_twice(self, source: str) -> bool:
        """Tell whether references of a source are drawn twice."""
        return is_live(source)

    def look(self, source: str, material: Material, instance: Instance) -> Outcome[Instance]:
        """Judge how a piece looks; the instance that comes back carries what was measured."""
        return ok(instance)

    def _judge(self, material: Material) -> Outcome[Material]:
        if material.id in self._earlier:
            told = f"it is in snapshot {self._earlier[material.id]!r} already"
            return Failed.of(Stage.FILTER, Kind.DUPLICATE, told, subject=material.id)
        return ok(material)


def _earlier(workshop: Workshop, name: str | None) -> Iterator[tuple[str, str]]:
    """Yield the ids of every other snapshot's instances from sites, each with the snapshot."""
    for other in snapshot.names(workshop.store):
        if other != name:
            for instance in snapshot.load(workshop.store, other).instances:
                yield instance.id, other
