"""The filters of one refresh, in their order: what a piece is, then how it looks.

Only what comes from a site is filtered: a published set must stay whole, and a folder of one's own
is one's own choice. What remembers (one per owner, so many per day) remembers for each source by
itself, so that sources side by side do not decide for each other; only duplicates are looked for
among all, in the order of the sources.
"""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import ClassVar, Self

from benchmark import snapshot
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Instance, Material
from flows import looks
from flows.forms import RefreshRequest
from flows.gathering import Judge, is_live
from flows.workshop import Workshop
from sources.difficulty import difficulty
from sources.filters import ContentFilter, Created, PerDay, PerOwner, Size, judge_content
from sources.http import Client
from sources.near_duplicates import NearDuplicates, SameText
from sources.personal_data import PersonalData
from sources.perspective import Perspective, posting
from sources.toxicity import Toxicity


class UnknownFilter(ValueError):
    """A filter that is not to be applied does not exist; the text says which there are."""


class Known:
    """Refuses what an earlier snapshot holds."""

    name: ClassVar[str] = "known"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "in no earlier snapshot"

    def __init__(self, earlier: Mapping[str, str]) -> None:
        """Take the names of snapshots by the ids of their instances."""
        self._earlier = earlier

    def judge(self, material: Material) -> Outcome[Material]:
        """Look the id up."""
        if material.id in self._earlier:
            told = f"it is in snapshot {self._earlier[material.id]} already"
            return Failed.of(Stage.FILTER, Kind.DUPLICATE, told, subject=material.id)
        return ok(material)


class Sieve:
    """All filters of one refresh; within its context the Perspective API can be asked."""

    def __init__(self, workshop: Workshop, request: RefreshRequest, since: dt.date | None) -> None:
        """Prepare the filters.

        Args:
            workshop: holds the settings and the earlier snapshots.
            request: names the snapshot that is being made (one of that name is not an earlier one)
                and the filters that are not applied.
            since: leave out what was made before.

        Raises:
            UnknownFilter: one of them does not exist.
        """
        self._without = frozenset(request.without)
        self._since = since
        self._client = Client(workshop.settings)
        self._key = workshop.settings.perspective_key
        _require(self._without)
        earlier = list(_earlier(workshop, request.name))
        self._known = {one.id: name for name, one in earlier} if request.only_new else {}
        texts = [(one.id, key) for _, one in earlier if (key := _text(one, "text_key"))]
        hashes = [(one.id, seen) for _, one in earlier if (seen := _text(one, "phash"))]
        self._texts = SameText(known=texts)
        self._pictures = NearDuplicates(known=hashes)
        self._kept: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.__exit__(kind, error, trace)

    def judge_of(self, source: str) -> Judge:
        """Return the filters on what a piece of a source is, with a memory of their own.

        Those that remember come last, so that nothing takes a place that another refuses. Whatever
        passes is graded.
        """
        filters = self._content() if is_live(source) else []

        def judge(material: Material) -> Outcome[Material]:
            judged = judge_content(filters, material)
            return judged if isinstance(judged, Failed) else ok(graded(judged.value))

        return judge

    def checks_of(self, source: str) -> dict[str, str] | None:
        """Return the checks of how a piece of a source looks by itself, or None."""
        return looks.wanted(self._without) if is_live(source) else None

    def compare(self, material: Material, instance: Instance) -> Failed | None:
        """Compare a piece with all that were compared before, in this order.

        What two sources call the same (a map of a list that a site lists too) is one piece,
        whichever filters are left out: results are found by this name.
        """
        if material.id in self._kept:
            told = f"another source gave {material.id} too"
            return Failed.of(Stage.FILTER, Kind.DUPLICATE, told, subject=material.id)
        key, hashed = _text(instance, "text_key"), _text(instance, "phash")
        failure = None
        if key is not None and SameText.name not in self._without:
            failure = self._texts.judge_key(material, key)
        if failure is None and hashed is not None and NearDuplicates.name not in self._without:
            failure = self._pictures.judge_hash(material, hashed)
        if failure is None:
            self._kept.add(material.id)
        return failure

    def _content(self) -> list[ContentFilter]:
        filters: list[ContentFilter] = [
            Known(self._known),
            Created(since=self._since),
            Size(),
            Toxicity(perspective=self._perspective()),
            PersonalData(),
            PerOwner(by_author=False),  # a composer has many pieces, a paper many formulas
            PerDay(),
        ]
        return [each for each in filters if each.name not in self._without]

    def _perspective(self) -> Perspective | None:
        if self._key is None:
            return None
        return Perspective(self._key.get_secret_value(), posting(self._client))


def graded(material: Material) -> Material:
    """Return a piece with the attribute ``difficulty``, where that can be told."""
    level = difficulty(material)
    if level is None:
        return material
    attributes = {**material.attributes, "difficulty": level}
    return material.model_copy(update={"attributes": attributes})


FILTERS = (
    Created.name, Size.name, Toxicity.name, PersonalData.name, PerOwner.name, PerDay.name,
    *looks.CHECKS, SameText.name, NearDuplicates.name,
)  # fmt: skip
"""The names of all filters that can be left out, in the order in which they judge."""


def _require(without: frozenset[str]) -> None:
    for name in sorted(without - set(FILTERS)):
        near = difflib.get_close_matches(name, FILTERS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(FILTERS)}"
        raise UnknownFilter(f"no filter is called {name!r}; {hint}")


def _earlier(workshop: Workshop, name: str | None) -> Iterator[tuple[str, Instance]]:
    """Yield the instances of every other snapshot, each with the snapshot's name."""
    for other in snapshot.names(workshop.store):
        if other != name:
            for instance in workshop.snapshot(other).instances:
                yield other, instance


def _text(instance: Instance, attribute: str) -> str | None:
    value = instance.attributes.get(attribute)
    return value if isinstance(value, str) else None
