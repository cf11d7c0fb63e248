"""What LPIPS and CIS share: one device, batches of pictures as tensors, no gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from benchmark.protocols import MetricUnavailable
from benchmark.settings import Settings
from metrics.pictures import RGB

if TYPE_CHECKING:
    import torch

BATCH = 4
"""Pictures that go through a network at once."""

_one_core = False


def stay_on_one_core() -> None:
    """Let each call of a network use one core from now on, in every thread of this process.

    For callers that score in as many threads as there are cores: networks that each spread over
    all of them get in each other's way and take a quarter more processor time.
    """
    global _one_core  # noqa: PLW0603 - a setting of the process, as the device is
    _one_core = True


@contextmanager
def inference() -> Iterator[None]:
    """Run networks inside without gradients, on as many cores as was decided."""
    import torch

    if _one_core:
        torch.set_num_threads(1)
    with torch.inference_mode():
        yield


@cache
def device_name() -> str:
    """Return the setting ``device``: the processor unless a user asks for another one.

    Other devices give other last digits, so the name is part of every score's key.
    """
    return Settings().device


@cache
def device() -> torch.device:
    """Return the device of this process, chosen once.

    Raises:
        MetricUnavailable: the device that the settings name is not there.
    """
    import torch

    name = device_name()
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise MetricUnavailable(f"no {name} here; set RERENDER_DEVICE=cpu")
    return torch.device(name)


def as_batch(images: Sequence[RGB]) -> torch.Tensor:
    """Return pictures of one size as a tensor (N, 3, H, W), float32 in [0, 1], on the device."""
    import torch

    stacked = torch.from_numpy(np.stack(images)).to(device())
    return stacked.permute(0, 3, 1, 2).to(torch.float32) / 255.0


def batches_by_size(sizes: Sequence[tuple[int, ...]], batch: int = BATCH) -> Iterator[list[int]]:
    """Yield lists of at most `batch` positions whose sizes are equal; each position once."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for position, size in enumerate(sizes):
        groups.setdefault(size, []).append(position)
    for positions in groups.values():
        for start in range(0, len(positions), batch):
            yield positions[start : start + batch]
