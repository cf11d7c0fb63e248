"""Scoring in processes against scoring in threads: the same work side by side, in one run.

Rounds alternate, and each has pictures and structures that neither side has seen; every reference
is met by as many answers as an evaluation of a few models has. Both sides have scored something of
the kind before, so that what their start costs is told apart. Wall time compares the sides on a
machine with nothing else to do; processor time, which other work hardly changes, says what the
processes cost beyond the threads.

``python -m benchmarks.scoring --rounds 1`` for a quick look.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import psutil
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmark import registry
from benchmark.outcome import Ok, Outcome
from benchmark.records import Instance, Material, Rendering, Score
from benchmark.store import Store
from benchmarks._pairs import drawn_pairs
from flows.batches import applicable
from flows.scoring import Scorer
from flows.scoring_pool import ScoringPool
from renderers import canvas
from sources import synthetic_flowcharts, synthetic_mindmaps

CORES = os.cpu_count() or 1
ANSWERS = 3
ROUNDS = 3
WIDTH, HEIGHT = 1024, 768
PIECES = {"webpage": 6, "flowchart": 30, "mindmap": 60}
"""References of each round."""


@dataclass(frozen=True)
class Piece:
    """One answer to score, and by what."""

    instance: Instance
    rendering: Rendering
    names: tuple[str, ...]


ScorePiece = Callable[[Piece], dict[str, Outcome[Score]]]


def main() -> None:
    """Measure with the usual number of rounds; print a table."""
    run(ROUNDS)


def run(rounds: int) -> None:
    """Measure and print."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        pool = ScoringPool(CORES, {"RERENDER_STORE": folder})
        try:
            console.print(table(store, pool, rounds))
            console.print(memory(pool))
        finally:
            pool.close()


def table(store: Store, pool: ScoringPool, rounds: int) -> Table:
    """Score every kind of work both ways, round by round, and tabulate medians."""
    printed = Table(title=f"scoring on {CORES} cores, {ANSWERS} answers to each reference")
    for heading in ("work", "scores", "threads s", "processes s", "ratio", "CPU", "start CPU s"):
        printed.add_column(heading, justify="left" if heading == "work" else "right")
    for kind, make in WORK.items():
        threads = in_threads(store, kind)
        sides = {"threads": (threads, CORES), "processes": (in_pool(pool), pool.callers)}
        start = {side: measured(pool, *how, make(store, -1))[2] for side, how in sides.items()}
        wall: dict[str, list[float]] = {side: [] for side in sides}
        cpu: dict[str, list[float]] = {side: [] for side in sides}
        count = 0
        for number in track(range(rounds), kind):
            pieces = list(make(store, number))
            found = {}
            for side in sorted(sides, reverse=bool(number % 2)):
                found[side], seconds, used = measured(pool, *sides[side], pieces)
                wall[side].append(seconds)
                cpu[side].append(used)
            if found["threads"] != found["processes"]:
                raise ValueError(f"{kind}: threads and processes disagree")
            count = sum(len(scores) for scores in found["threads"])
        middle = {side: statistics.median(each) for side, each in wall.items()}
        used = {side: statistics.median(each) for side, each in cpu.items()}
        printed.add_row(
            kind, str(count), f"{middle['threads']:.1f}", f"{middle['processes']:.1f}",
            f"{middle['threads'] / middle['processes']:.2f}",
            f"{used['threads'] / used['processes']:.2f}",
            f"{start['threads']:.1f}, {start['processes']:.1f}",
        )  # fmt: skip
    return printed


def measured(
    pool: ScoringPool, score: ScorePiece, callers: int, pieces: Iterable[Piece]
) -> tuple[list[dict[str, float | None]], float, float]:
    """Score all pieces; return values, seconds, and processor seconds of all processes."""
    work = list(pieces)
    begun, used = time.monotonic(), processor_seconds(pool)
    with ThreadPoolExecutor(callers) as threads:
        found = list(threads.map(score, work))
    seconds, used = time.monotonic() - begun, processor_seconds(pool) - used
    values = [
        {name: each.value.value for name, each in one.items() if isinstance(each, Ok)}
        for one in found
    ]
    return values, seconds, used


def processor_seconds(pool: ScoringPool) -> float:
    """Return what this process and those of a pool have used so far."""
    pids = [os.getpid(), *(each.pid for each in pool.processes if each.pid is not None)]
    return float(sum(sum(psutil.Process(pid).cpu_times()[:2]) for pid in pids))


def in_threads(store: Store, scenario: str) -> ScorePiece:
    """Return the scoring of this process."""
    scorer = Scorer(store, registry.scenarios.get(scenario))
    return lambda piece: scorer.score(piece.instance, piece.rendering, piece.names)


def in_pool(pool: ScoringPool) -> ScorePiece:
    """Return the scoring of other processes."""
    return lambda piece: pool.score(
        piece.instance.scenario, piece.instance, piece.rendering, piece.names
    )[0]


def memory(pool: ScoringPool) -> str:
    """Tell what the processes hold."""
    pids = [each.pid for each in pool.processes if each.pid is not None]
    own = ", ".join(f"{psutil.Process(pid).memory_full_info().uss >> 20} MiB" for pid in pids)
    return f"the processes hold {own}, this one {psutil.Process().memory_info().rss >> 20} MiB"


def pages(store: Store, number: int) -> Iterator[Piece]:
    """Yield pages, each with imperfect copies of it."""
    names = tuple(applicable(registry.scenarios.get("webpage"), _page("", "0" * 64)))
    seeds = range(1000 * (number + 1), 1000 * (number + 1) + count("webpage", number))
    for seed in seeds:
        ((_, (drawn, reference)),) = list(drawn_pairs(1, WIDTH, HEIGHT, first=seed))
        instance = _page(str(seed), store.put(canvas.encode(reference)))
        for answer in range(ANSWERS):
            shifted = drawn.copy()
            shifted[: 8 * (answer + 1)] = seed % 256
            yield Piece(instance, Rendering(image=store.put(canvas.encode(shifted))), names)


def _page(name: str, picture: str) -> Instance:
    return Instance(
        id=f"page/{name}", scenario="webpage", subset="drawn", image=picture, truth=None,
        provenance=synthetic_flowcharts.PROVENANCE,
    )  # fmt: skip


def charts(store: Store, number: int) -> Iterator[Piece]:
    """Yield flowcharts, each answered with others."""
    yield from structures(store, number, lambda n: synthetic_flowcharts.make_chart("en", 1, n))


def maps(store: Store, number: int) -> Iterator[Piece]:
    """Yield mind maps, each answered with others."""
    yield from structures(store, number, lambda n: synthetic_mindmaps.make_map("en", 1, n))


def structures(store: Store, number: int, make: Callable[[int], Material]) -> Iterator[Piece]:
    """Yield structures with the metrics that compare structures alone."""
    kind = make(0).scenario
    scenario = registry.scenarios.get(kind)
    first = 1000 * (number + 1)
    for position in range(first, first + count(kind, number)):
        material = make(position)
        truth = store.put(str(material.truth).encode())
        instance = Instance(
            id=material.id, scenario=kind, subset="en", image=truth, truth=truth,
            provenance=material.provenance,
        )  # fmt: skip
        names = tuple(
            name
            for name in applicable(scenario, instance)
            if registry.metrics.get(name).needs != "images"
        )
        for answer in range(1, ANSWERS + 1):
            read = scenario.read(str(make(position + answer).truth))
            if isinstance(read, Ok):
                answered = Rendering(image=None, text=read.value.text, tree=read.value.tree)
                yield Piece(instance, answered, names)


def count(kind: str, number: int) -> int:
    """Return how many references a round has; that before the first only warms up."""
    return PIECES[kind] if number >= 0 else 2 * CORES


WORK = {"webpage": pages, "flowchart": charts, "mindmap": maps}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    run(parser.parse_args().rounds)
