"""Renders per minute of each kind, sandboxed and bare, and the share that isolation costs.

Sandboxed is the renderer as it is: a fresh, hardened, limited container for each job. Bare is the
same renderer with its containers replaced: one long-lived container of the same image without
limits or hardening, in which a shell per core runs the same command lines on the same files, one
after the other. So both sides do the same work on the host, and what differs is isolation.

The structures are the bundled ones, as their scenarios read them. Rounds of both sides alternate,
so that other load on the machine falls on both.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.table import Table

from benchmark import registry
from benchmark.outcome import Failed
from benchmark.protocols import Renderer
from benchmark.records import Structure
from benchmarks._bare import BareContainer
from renderers.image_digest import reference

GOAL = 15
"""Per cent of rendering time that isolation may cost."""

CORES = os.cpu_count() or 1
ROUNDS = 3
MOST = 12
"""Structures of one kind in a round."""


@dataclass
class Side:
    """What one side of a comparison did."""

    renders: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    @property
    def per_minute(self) -> float:
        """Renders per minute on all cores together."""
        return 60 * self.renders / self.seconds


def main() -> None:
    """Measure every registered renderer and print a table."""
    console = Console()
    table = Table(title=f"Renders per minute on {CORES} cores (goal: isolation ≤ {GOAL} %)")
    for heading in ("renderer", "n", "failed", "sandboxed /min", "bare /min", "isolation"):
        table.add_column(heading, justify="left" if heading == "renderer" else "right")
    groups = bundled_structures()
    skipped = []
    for name in registry.renderers.names():
        structures = groups.get(name, [])[:MOST]
        if not structures:
            skipped.append(f"{name}: no bundled scenario uses it")
            continue
        outcome = compare(name, structures)
        if isinstance(outcome, Failed):
            skipped.append(f"{name}: {outcome.message}")
            continue
        sandboxed, bare = outcome
        console.print(f"measured {name}")
        share = 100 * (1 - sandboxed.per_minute / bare.per_minute)
        failed = len(sandboxed.failures) + len(bare.failures)
        table.add_row(
            name, str(sandboxed.renders), str(failed), f"{sandboxed.per_minute:.0f}",
            f"{bare.per_minute:.0f}", f"{share:.0f} %",
        )  # fmt: skip
    console.print(table)
    for line in skipped:
        console.print(f"skipped {line}")


def bundled_structures() -> dict[str, list[Structure]]:
    """Read all bundled material; structures by the name of their renderer."""
    groups: dict[str, list[Structure]] = defaultdict(list)
    for outcome in registry.sources.get("bundled").collect():
        if isinstance(outcome, Failed):
            continue
        material = outcome.value
        scenario = registry.scenarios.get(material.scenario)
        if scenario.renderer is None:
            continue
        read = scenario.read(material.truth)
        if not isinstance(read, Failed):
            structure = read.value.structure
            files = {**material.assets, **structure.files}
            groups[scenario.renderer].append(structure.model_copy(update={"files": files}))
    return groups


def compare(name: str, structures: list[Structure]) -> tuple[Side, Side] | Failed:
    """Render the structures on both sides, in alternating rounds."""
    sides = Side(), Side()
    with ExitStack() as stack:
        sandboxed = stack.enter_context(registry.renderers.get(name)())
        present = sandboxed.image_digest()
        if isinstance(present, Failed):
            return present
        bare = stack.enter_context(bare_renderer(name))
        for renderer in (sandboxed, bare):  # start what is kept started
            run(renderer, structures[: 2 * CORES], Side())
        for _ in range(ROUNDS):
            for renderer, side in zip((sandboxed, bare), sides, strict=True):
                run(renderer, structures, side)
    return sides


def run(renderer: Renderer, structures: list[Structure], side: Side) -> None:
    """Render on all cores and add up what was done."""
    begun = time.monotonic()
    with ThreadPoolExecutor(CORES) as threads:
        outcomes = list(threads.map(renderer.render, structures))
    side.seconds += time.monotonic() - begun
    side.renders += len(outcomes)
    side.failures += [outcome.message for outcome in outcomes if isinstance(outcome, Failed)]


@contextmanager
def bare_renderer(name: str) -> Iterator[Renderer]:
    """Build a renderer whose jobs, or browsers, run in one long-lived, unrestricted container."""
    with (
        BareContainer(reference(name)) as container,
        registry.renderers.get(name)() as renderer,
        container.in_place_of_pool(renderer),
        container.in_place_of_browsers(),
    ):
        yield renderer
