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


def in_split(instance: Instance, split: Split) -> bool:
    """Tell whether an instance is in a split; one whose map is not known is not in ``test*``."""
    if split is Split.TEST:
        return True
    nodes = instance.attributes.get("nodes")
    return isinstance(nodes, int) and nodes <= EASY_NODES


def choose(instances: Sequence[Instance], split: Split) -> list[Instance]:
    """Return the instances of a split, in their order."""
    return [instance for instance in instances if in_split(instance, split)]
