"""Mind maps per minute that ``rerender synthesize`` writes, and the processor time of each.

The time is that of the whole road: tree, style, DOT, Graphviz in its containers, crop, backdrop,
PNG, files. Processor time is told for this process, and for the containers by the kernel's
accounting of the whole machine less this process, so other load on the machine raises it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from benchmark.settings import Settings
from flows.synthesis import synthesise
from sources.by_seed import LANGUAGES

COUNT = int(os.environ.get("RERENDER_BENCHMARK_MAPS", "1000"))
"""Maps in all, half of each language."""


@dataclass(frozen=True)
class Cost:
    """What a set took."""

    maps: int
    failed: int
    seconds: float
    own: float
    """Processor seconds of this process."""
    machine: float
    """Processor seconds of everything on the machine."""
    megabytes: float


def main() -> None:
    """Synthesise in each language and print a table."""
    cores = os.cpu_count() or 1
    table = Table(title=f"Synthetic mind maps on {cores} cores")
    for heading in ("language", "n", "failed", "a minute", "CPU s a map", "of it here", "MB"):
        table.add_column(heading, justify="left" if heading == "language" else "right")
    settings = Settings()
    for language in LANGUAGES:
        with TemporaryDirectory() as folder:
            target = Path(folder)
            cost = measure(
                lambda: synthesise(target, language, COUNT // 2, 0, settings),  # noqa: B023
                target,
            )
        table.add_row(
            language, str(cost.maps), str(cost.failed), f"{60 * cost.maps / cost.seconds:.0f}",
            f"{cost.machine / cost.maps:.2f}", f"{cost.own / cost.maps:.2f}",
            f"{cost.megabytes:.0f}",
        )  # fmt: skip
    Console().print(table)


def measure(make: Callable[[], tuple[int, int]], folder: Path) -> Cost:
    """Run `make`, which writes into `folder`, and tell what it took."""
    begun, own, machine = time.monotonic(), time.process_time(), machine_seconds()
    written, failed = make()
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    return Cost(
        maps=max(1, written),
        failed=failed,
        seconds=time.monotonic() - begun,
        own=time.process_time() - own,
        machine=machine_seconds() - machine,
        megabytes=size / 1e6,
    )


def machine_seconds() -> float:
    """Processor time of all processes since the machine started (Linux)."""
    fields = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:]
    busy = [int(field) for number, field in enumerate(fields[:8]) if number not in (3, 4)]
    return sum(busy) / os.sysconf("SC_CLK_TCK")
