"""Statistics of a snapshot, as MindBench's tables 1 and 2 give them (arXiv 2407.02842)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from benchmark.records import Instance
from flows.splits import Split, in_split, source_of

BOTH = "en+zh"


@dataclass(frozen=True)
class SetCount:
    """A row of table 1 (a): the maps of one source and language."""

    source: str
    language: str
    test: int
    easy: int
    """Of them in ``test*``."""
    unmeasured: int
    """Of them with a picture alone, whose nodes nobody counted."""


@dataclass(frozen=True)
class TaskCount:
    """A row of table 1 (b): the instances of one task and kind of question."""

    task: str
    kind: str
    test: int
    easy: int


@dataclass(frozen=True)
class Structure:
    """A row of table 2: how large the maps of one source are."""

    source: str
    language: str
    maps: int
    nodes: float
    """Mean number of nodes."""
    depth: float
    """Mean number of levels."""
    longest_side: float
    """Mean length of the longer side of the pictures, in pixels (figure 3 a)."""


def maps_of(instances: Iterable[Instance]) -> list[Instance]:
    """Return one instance for each map: those that ask for all of it, else the first about it."""
    found: dict[str, Instance] = {}
    for instance in instances:
        known = found.get(instance.image)
        if known is None or (known.scenario != "mindmap" and instance.scenario == "mindmap"):
            found[instance.image] = instance
    return list(found.values())


def count_sets(instances: Sequence[Instance]) -> list[SetCount]:
    """Count maps by source and language, with a total where there are several rows."""
    groups: dict[tuple[str, str], list[Instance]] = {}
    for one in maps_of(instances):
        groups.setdefault((source_of(one), one.subset), []).append(one)
    rows = [_set(source, language, maps) for (source, language), maps in groups.items()]
    if len(rows) > 1:
        rows.append(_set("total", BOTH, maps_of(instances)))
    return rows


def _set(source: str, language: str, maps: Sequence[Instance]) -> SetCount:
    return SetCount(
        source,
        language,
        test=len(maps),
        easy=sum(in_split(one, Split.EASY) for one in maps),
        unmeasured=sum("nodes" not in one.attributes for one in maps),
    )


def count_tasks(instances: Sequence[Instance]) -> list[TaskCount]:
    """Count instances by task, and below a task with several kinds of questions by kind."""
    rows = []
    for task in dict.fromkeys(one.scenario for one in instances):
        own = [one for one in instances if one.scenario == task]
        rows.append(_task(task, "all", own))
        kinds: dict[str, list[Instance]] = {}
        for one in own:
            kinds.setdefault(str(one.attributes.get("kind", "full")), []).append(one)
        if len(kinds) > 1:
            rows += [_task(task, kind, kinds[kind]) for kind in sorted(kinds)]
    return rows


def _task(task: str, kind: str, own: Sequence[Instance]) -> TaskCount:
    return TaskCount(task, kind, len(own), sum(in_split(one, Split.EASY) for one in own))


def measure(instances: Sequence[Instance]) -> list[Structure]:
    """Return the mean size of the maps of each source and language, where it is known."""
    groups: dict[tuple[str, str], list[Instance]] = {}
    for one in maps_of(instances):
        if "nodes" in one.attributes:
            groups.setdefault((source_of(one), one.subset), []).append(one)
    return [
        Structure(
            source,
            language,
            maps=len(maps),
            nodes=fmean(_number(one, "nodes") for one in maps),
            depth=fmean(_number(one, "depth") for one in maps),
            longest_side=fmean(max(_number(one, "width"), _number(one, "height")) for one in maps),
        )
        for (source, language), maps in groups.items()
    ]


def _number(instance: Instance, name: str) -> float:
    value = instance.attributes[name]
    if not isinstance(value, int | float):
        raise ValueError(f"{instance.id}: {name} is {value!r}, not a number")
    return float(value)
