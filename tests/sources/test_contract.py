"""The bundled source, and a source of three pieces and a failure, pass the contract of sources."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance
from sources.bundled import Bundled
from tests.contracts.source_contract import SourceContract


class Pamphlet:
    """A source of one scenario, whose second piece is always out of reach."""

    name = "pamphlet"
    scenarios = ("latex",)
    days = (dt.date(2025, 3, 1), None, dt.date(2025, 3, 2), dt.date(2026, 1, 15))

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        left = len(self.days) if limit is None else limit
        for number, day in enumerate(self.days):
            if left <= 0:
                return
            if day is None:
                yield Failed.of(Stage.FETCH, Kind.NETWORK, f"piece {number}: connection reset")
            elif since is None or day >= since:
                left -= 1
                yield ok(self._piece(number, day))

    def _piece(self, number: int, day: dt.date) -> Material:
        return Material(
            id=f"latex/equation/{number}",
            scenario="latex",
            subset="equation",
            truth=rf"\[ x_{{{number}}} = {day.year} \]",
            provenance=Provenance(
                source=self.name, author="nobody", licence="CC0-1.0", created=day
            ),
        )


class TestBundled(SourceContract):
    source = Bundled()


class TestSmallSource(SourceContract):
    source = Pamphlet()

    def test_the_day_itself_counts(self):
        assert len(self.materials(since=dt.date(2025, 3, 2))) == 2

    def test_a_failure_ends_nothing(self):
        kinds = [isinstance(outcome, Failed) for outcome in self.outcomes()]
        assert kinds == [False, True, False, False]
