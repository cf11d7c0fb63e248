"""The suite that every source passes: subclass ``SourceContract`` and set ``source``.

A source that reads a live site is given to the suite with a loopback server in its place.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import ClassVar

from benchmark import registry
from benchmark.outcome import Failed, Ok, Stage
from benchmark.protocols import Source
from benchmark.records import Material

FAR = dt.date(9999, 12, 31)
"""A day after which nothing was made."""


class SourceContract:
    """What ``benchmark.protocols.Source`` asks of an implementation.

    `limit` bounds each scenario by itself, as ``flows.refresh`` promises to who calls it.
    """

    source: ClassVar[Source]

    def outcomes(self, **options) -> list:
        return list(self.source.collect(**options))

    def materials(self, **options) -> list[Material]:
        return [found.value for found in self.outcomes(**options) if isinstance(found, Ok)]

    def test_has_what_a_source_has(self):
        assert isinstance(self.source, Source)
        assert self.source.name
        assert len(set(self.source.scenarios)) == len(self.source.scenarios) > 0

    def test_yields_material_or_failures_as_values(self):
        assert self.materials()
        for outcome in self.outcomes():
            if isinstance(outcome, Failed):
                assert outcome.stage in (Stage.FETCH, Stage.FILTER)
                assert outcome.message
            else:
                assert isinstance(outcome, Ok)
                assert isinstance(outcome.value, Material)

    def test_every_material_has_a_name_of_its_own(self):
        names = [material.id for material in self.materials()]
        assert all(names)
        assert len(set(names)) == len(names)

    def test_scenarios_are_declared_and_subsets_are_theirs(self):
        for material in self.materials():
            assert material.scenario in self.source.scenarios
            assert material.subset in registry.scenarios.get(material.scenario).subsets

    def test_provenance_says_where_from_by_whom_when_and_under_which_licence(self):
        for material in self.materials():
            provenance = material.provenance
            assert provenance.source == self.source.name
            assert provenance.author.strip()
            assert provenance.licence.strip()
            assert dt.date(1900, 1, 1) < provenance.created < FAR

    def test_order_and_content_are_the_same_each_time(self):
        assert self.outcomes() == self.outcomes()

    def test_materials_survive_storing(self):
        for material in self.materials(limit=2):
            assert Material.model_validate_json(material.model_dump_json()) == material

    def test_limit_is_honoured(self):
        everything = Counter(material.scenario for material in self.materials())
        for limit in (0, 1, 3):
            few = Counter(material.scenario for material in self.materials(limit=limit))
            assert all(count <= limit for count in few.values()), few
        more = max(everything.values()) + 1
        assert self.outcomes(limit=more) == self.outcomes()

    def test_limit_only_leaves_out(self):
        names = [material.id for material in self.materials()]
        few = [material.id for material in self.materials(limit=2)]
        assert few == [name for name in names if name in few]

    def test_since_leaves_out_what_is_older(self):
        everything = self.materials()
        for day in sorted({material.provenance.created for material in everything}):
            kept = self.materials(since=day)
            assert all(material.provenance.created >= day for material in kept)
            later = {m.id for m in everything if m.provenance.created > day}
            assert later <= {material.id for material in kept}

    def test_nothing_is_made_in_the_far_future(self):
        assert self.materials(since=FAR) == []

    def test_nothing_is_fetched_before_it_is_asked_for(self):
        first = next(iter(self.source.collect()))
        assert first == self.outcomes()[0]
