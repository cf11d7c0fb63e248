"""What a snapshot holds: how much of each source and scenario, how hard, and how old it is."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmark.records import Instance
from sources.freshness import freshness


@dataclass(frozen=True)
class MaterialCount:
    """The instances of one source and scenario."""

    source: str
    scenario: str
    instances: int
    easy: int
    medium: int
    hard: int
    oldest: str
    """Day on which the oldest was made."""
    newest: str
    days: float
    """Median age on the day of the count."""


def count_material(instances: Sequence[Instance], on: dt.date) -> list[MaterialCount]:
    """Count instances by source and scenario, in order of appearance.

    Args:
        instances: of a snapshot.
        on: the day from which ages are counted.
    """
    groups: dict[tuple[str, str], list[Instance]] = {}
    for one in instances:
        groups.setdefault((one.provenance.source, one.scenario), []).append(one)
    return [_count(source, scenario, own, on) for (source, scenario), own in groups.items()]


def _count(source: str, scenario: str, own: Sequence[Instance], on: dt.date) -> MaterialCount:
    made = [one.provenance.created for one in own]
    levels = [one.attributes.get("difficulty") for one in own]
    return MaterialCount(
        source,
        scenario,
        instances=len(own),
        easy=levels.count("easy"),
        medium=levels.count("medium"),
        hard=levels.count("hard"),
        oldest=str(min(made)),
        newest=str(max(made)),
        days=median(freshness(day, on) for day in made),
    )
