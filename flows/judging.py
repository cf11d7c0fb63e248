"""`rerender score images`: pictures, without a run."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmark import registry
from benchmark.outcome import Failed
from benchmark.protocols import Fit, MetricUnavailable, Needs
from renderers import canvas


class UnusableInput(ValueError):
    """A file that cannot be scored; the text says which and why."""


@dataclass(frozen=True)
class Judged:
    """Metric values of one pair (or one file); missing ones are None, with the reason."""

    name: str
    values: dict[str, float | None]
    reasons: dict[str, str]

    def as_json(self) -> dict[str, Any]:
        """Return the object of ``--json``."""
        return {"name": self.name, **self.values, "reasons": self.reasons}


def judge_pictures(prediction: Path, reference: Path, fit: Fit, *, helm: bool) -> Judged:
    """Score one picture against another by every picture metric.

    Args:
        prediction: a picture file.
        reference: a picture file.
        fit: what to do when their sizes differ.
        helm: whether to add the numbers of HELM's released code, where it is defined.

    Raises:
        UnusableInput: one of them is not a readable picture, or too large.
    """
    pair = canvas.fit(_decoded(prediction), _decoded(reference), fit)
    functions: dict[str, Callable[[Any, Any], float]] = {
        name: registry.metrics.get(name)
        for name in registry.metrics.names()
        if registry.metrics.get(name).needs is Needs.IMAGES
    }
    if helm:
        functions |= _helm()
    values: dict[str, float | None] = {}
    reasons: dict[str, str] = {}
    for name, function in functions.items():
        try:
            values[name] = float(function(*pair))
        except (MetricUnavailable, ValueError) as reason:
            values[name] = None
            reasons[name] = str(reason)
    return Judged(f"{prediction.name} ~ {reference.name}", values, reasons)


def pairs_of(path: Path) -> Iterator[tuple[Path, Path]]:
    """Read pairs from a tab-separated file: prediction, reference; relative to the file.

    Raises:
        UnusableInput: a line has not two columns.
    """
    with path.open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.reader(file, delimiter="\t"), 1):
            if not row:
                continue
            if len(row) != 2:
                raise UnusableInput(f"{path.name}, line {number}: not two columns parted by a tab")
            yield path.parent / row[0], path.parent / row[1]


def _helm() -> dict[str, Callable[[Any, Any], float]]:
    from metrics.ems import block_emd, ems_helm
    from metrics.pixel import pixel_helm

    return {"pixel_helm": pixel_helm, "ems_helm": ems_helm, "block_emd": block_emd}


def _decoded(path: Path) -> canvas.Array:
    outcome = canvas.decode(path.read_bytes())
    if isinstance(outcome, Failed):
        raise UnusableInput(f"{path.name}: {outcome.message}")
    return outcome.value
