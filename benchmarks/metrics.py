"""Image metrics: EMS against solving every inner problem, and the throughput of the whole set.

EMS: both sides run in one process on the same pairs, one thread each, nothing cached; CPU seconds
are compared, values too, and how far each side raises the process's peak of memory.
``python -m benchmarks.metrics --all`` takes every golden pair (a quarter of an hour); by default it
is a selection.

Throughput: all metrics on pages of 1024 × 768 pixels, on all cores; CIS has random weights.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmark.protocols import MetricUnavailable
from benchmarks._pairs import Pair, drawn_pairs, golden_pairs
from benchmarks._plain_ems import plain_ems

GOALS = {"median": 300, "each but noise": 100}
SLOW = 1.0
"""Ratios are taken over pairs on which the plain side takes more CPU seconds than this."""

SELECTION = 5
"""Without ``--all``, every fifth golden pair."""

PAGES, WIDTH, HEIGHT = 200, 1024, 768
REPEATS = 3
CORES = os.cpu_count() or 1


@dataclass
class Comparison:
    """One pair, scored both ways."""

    name: str
    plain_seconds: float
    seconds: float
    plain_value: float
    value: float

    @property
    def ratio(self) -> float:
        """CPU seconds of the plain way in units of ours."""
        return self.plain_seconds / self.seconds


def main() -> None:
    """Measure EMS on a selection of pairs, and the throughput; print two tables."""
    run(everything=False)


def run(*, everything: bool, pages: int = PAGES) -> None:
    """Measure and print."""
    console = Console()
    pairs = list(golden_pairs()) or list(drawn_pairs(4, 640, 480))
    chosen = pairs if everything else pairs[::SELECTION]
    compared, memory = compare(chosen)
    console.print(ems_table(compared))
    for line in (*summary(compared), memory):
        console.print(line)
    console.print(throughput_table([pair for _, pair in drawn_pairs(pages, WIDTH, HEIGHT)]))


def compare(pairs: Sequence[tuple[str, Pair]]) -> tuple[list[Comparison], str]:
    """Score all pairs our way, each from scratch, then the plain way; also tell the memory."""
    import cv2

    from metrics.ems import ems, warm

    cv2.setNumThreads(1)
    warm()
    at_rest = peak()
    ours = [cpu(partial(ems, *pair), REPEATS) for _, pair in track(pairs, "EMS, ours")]
    after_ours = peak()
    plain = [cpu(partial(plain_ems, *pair), 1) for _, pair in track(pairs, "EMS, plain")]
    compared = [
        Comparison(name, plain_seconds, seconds, min(1.0, max(0.0, plain_value)), value)
        for (name, _), (value, seconds), (plain_value, plain_seconds) in zip(
            pairs, ours, plain, strict=True
        )
    ]
    memory = (
        f"peak memory: {at_rest:.0f} MiB with all pictures loaded and kernels compiled, "
        f"+{after_ours - at_rest:.0f} MiB for ours, +{peak() - after_ours:.0f} MiB beyond for plain"
    )
    return compared, memory


def peak() -> float:
    """Return the most memory that this process has had so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu(work: Callable[[], float], repeats: int) -> tuple[float, float]:
    """Return a value and the median CPU seconds of computing it."""
    spent = []
    for _ in range(repeats):
        begun = time.process_time()
        value = work()
        spent.append(time.process_time() - begun)
    return value, statistics.median(spent)


def ems_table(compared: Sequence[Comparison]) -> Table:
    """Tabulate the pairs."""
    table = Table(title="EMS: CPU time of solving every inner problem with cv2.EMD, and of ours")
    for heading in ("pair", "plain s", "ours ms", "ratio", "difference"):
        table.add_column(heading, justify="left" if heading == "pair" else "right")
    for one in compared:
        difference = abs(one.value - one.plain_value)
        table.add_row(
            one.name, f"{one.plain_seconds:.2f}", f"{1000 * one.seconds:.1f}",
            f"{one.ratio:.0f}", f"{difference:.1e}",
        )  # fmt: skip
    return table


def summary(compared: Sequence[Comparison]) -> list[str]:
    """Summarise ratios and agreement in two lines."""
    slow = [one for one in compared if one.plain_seconds > SLOW]
    quiet = [one.ratio for one in slow if "noise_vs" not in one.name]
    differences = [abs(one.value - one.plain_value) for one in compared]
    return [
        f"n = {len(slow)} pairs over {SLOW:.0f} s; median ratio "
        f"{statistics.median(one.ratio for one in slow):.0f} (goal {GOALS['median']}); lowest "
        f"{min(quiet):.0f} without pure noise (goal {GOALS['each but noise']}), "
        f"{min(one.ratio for one in slow):.0f} with it",
        f"largest difference of values {max(differences):.1e}, median "
        f"{statistics.median(differences):.1e} (cv2.EMD is single precision)",
    ]


def throughput_table(pairs: Sequence[Pair]) -> Table:
    """Score all pairs with every metric and tabulate seconds, rates and shares."""
    spent = {}
    for name, work in track(list(image_metrics().items()), f"{len(pairs)} pages"):
        try:
            work(pairs[:1])  # load weights, compile kernels
        except MetricUnavailable as reason:
            spent[f"{name} (missing: {reason})"] = 0.0
            continue
        begun = time.monotonic()
        work(pairs)
        spent[name] = time.monotonic() - begun
    total = sum(spent.values())
    table = Table(title=f"{len(pairs)} pairs of {WIDTH} × {HEIGHT} on {CORES} cores: {total:.0f} s")
    for heading in ("metric", "seconds", "pairs /s", "share"):
        table.add_column(heading, justify="left" if heading == "metric" else "right")
    for name, seconds in spent.items():
        rate = f"{len(pairs) / seconds:.1f}" if seconds else "–"
        table.add_row(name, f"{seconds:.1f}", rate, f"{100 * seconds / total:.0f} %")
    table.add_row("all", f"{total:.1f}", f"{len(pairs) / total:.1f}", "100 %")
    return table


def image_metrics() -> dict[str, Callable[[Sequence[Pair]], object]]:
    """Return the work of each metric on many pairs: threads for arrays, batches for networks."""
    from metrics import cis, ems, lpips, pixel, ssim

    network = cis.build(seed=0)

    def threaded(function: Callable[..., float]) -> Callable[[Sequence[Pair]], object]:
        def work(pairs: Sequence[Pair]) -> list[float]:
            with ThreadPoolExecutor(CORES) as threads:
                return list(threads.map(lambda pair: function(*pair), pairs))

        return work

    return {
        "pixel": threaded(pixel.pixel),
        "SSIM": threaded(ssim.ssim),
        "EMS": threaded(ems.ems),
        "LPIPS (VGG)": lambda pairs: lpips.lpips_batch(*zip(*pairs, strict=True)),
        "CIS (random)": lambda pairs: cis.cis_batch(*zip(*pairs, strict=True), model=network),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every golden pair")
    parser.add_argument("--pages", type=int, default=PAGES, help="pages for the throughput")
    arguments = parser.parse_args()
    run(everything=arguments.all, pages=arguments.pages)
