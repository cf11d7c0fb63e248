"""What became of everything that a source offered, in counts that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Self

from pydantic import Field, model_validator

from benchmark.outcome import Failed
from benchmark.records import Record

Reasons = dict[str, int]
"""Kinds of failures to how many there were, the most frequent first."""


class Funnel(Record):
    """One source's way from what was found to what was kept.

    ``found`` is all that the source yielded: pieces, and candidates (a repository, a paper) that
    gave none. Whatever does not reach the next column is counted under a reason.
    """

    source: str
    found: int = Field(ge=0)
    unfetched: Reasons = Field(default_factory=dict, description="could not be had")
    dropped: Reasons = Field(default_factory=dict, description="not wanted for what it is")
    unrendered: Reasons = Field(default_factory=dict, description="gave no clean reference picture")
    discarded: Reasons = Field(default_factory=dict, description="not wanted for how it looks")
    kept: int = Field(ge=0)

    @model_validator(mode="after")
    def _adds_up(self) -> Self:
        lost = self.unfetched, self.dropped, self.unrendered, self.discarded
        if self.found != self.kept + sum(map(_total, lost)):
            raise ValueError(f"{self.source}: {self.found} found are not {self.kept} and {lost}")
        return self

    @property
    def fetched(self) -> int:
        """How many could be had."""
        return self.found - _total(self.unfetched)

    @property
    def rendered(self) -> int:
        """How many have a clean reference picture."""
        return self.kept + _total(self.discarded)

    @property
    def reasons(self) -> Reasons:
        """Everything that was lost, by reason."""
        lost: Counter[str] = Counter()
        for each in (self.unfetched, self.dropped, self.unrendered, self.discarded):
            lost.update(each)
        return _sorted(lost)

    @classmethod
    def of(
        cls,
        source: str,
        *,
        kept: int,
        unfetched: Iterable[Failed] = (),
        dropped: Iterable[Failed] = (),
        unrendered: Iterable[Failed] = (),
        discarded: Iterable[Failed] = (),
    ) -> Self:
        """Count the failures of each stage by their kinds."""
        lost = {
            "unfetched": _counted(unfetched),
            "dropped": _counted(dropped),
            "unrendered": _counted(unrendered),
            "discarded": _counted(discarded),
        }
        found = kept + sum(map(_total, lost.values()))
        return cls(source=source, found=found, kept=kept, **lost)


def _counted(failures: Iterable[Failed]) -> Reasons:
    return _sorted(Counter(str(failure.kind) for failure in failures))


def _total(reasons: Reasons) -> int:
    return sum(reasons.values())


def _sorted(counts: Counter[str]) -> Reasons:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
