"""The splits of MindBench's test sets, told from the maps themselves.

``test`` is every map, ``test*`` the maps of at most 60 nodes. (The paper says fewer than 60; the
lists that were published with it hold maps of 60.)
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from benchmark.records import Instance

EASY_NODES = 60


class Split(StrEnum):
    """A part of a test set."""

    TEST = "test"
    EASY = "test*"


class NothingChosen(ValueError):
    """The arguments of an evaluation leave no instance; the text says which there are."""


def in_split(instance: Instance, split: Split) -> bool:
    """Tell whether an instance is in a split; one whose map is not known is not in ``test*``."""
    if split is Split.TEST:
        return True
    nodes = instance.attributes.get("nodes")
    return isinstance(nodes, int) and nodes <= EASY_NODES


def source_of(instance: Instance) -> str:
    """Return the name of the published set that an instance is of, else of its source."""
    named = instance.attributes.get("set")
    return named if isinstance(named, str) and named else instance.provenance.source


def choose(
    instances: Sequence[Instance], split: Split = Split.TEST, source: str | None = None
) -> list[Instance]:
    """Return the instances of a split and of a source (None: of all), in their order."""
    return [
        instance
        for instance in instances
        if in_split(instance, split) and source in (None, source_of(instance))
    ]
