"""The floor: a model that answers every picture with a valid, empty structure.

A metric that rates ``blank`` well rewards emptiness; a model that does not beat it read nothing.
"""

from __future__ import annotations

from typing import Any

from benchmark import registry
from benchmark.outcome import Outcome, ok
from benchmark.records import Completion, Request
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot


class Blank:
    """Returns what the scenario itself calls its blank structure."""

    def __init__(self, name: str) -> None:
        """Give the model its name."""
        self.name = name
        self.concurrency = 1
        self.sees_truth = True

    def settings(self) -> dict[str, Any]:
        """Return the version; the scenario's version is in the key of a model that sees truth."""
        return {"version": "1"}

    def complete(self, request: Request) -> Outcome[Completion]:
        """Return the blank structure of the request's scenario."""
        text = registry.scenarios.get(request.scenario).blank()
        return ok(Completion(text=text, model=self.name))


def build(name: str, settings: Settings, snapshot: Snapshot) -> Blank:  # noqa: ARG001 - contract
    """Build the floor; neither settings nor snapshot change it."""
    return Blank(name)
