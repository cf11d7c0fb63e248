"""Logs of our packages: what they say of their work is seen in Prefect's interface.

Prefect sends what the loggers of ``PREFECT_LOGGING_EXTRA_LOGGERS`` are told, with the flow or task
run that it finds in the context. So our loggers are named there, and our threads work in the
context of who gave them the work.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from benchmark.outcome import Failed, Outcome, Stage

P = ParamSpec("P")
T = TypeVar("T")

PACKAGES = (
    "benchmark", "flows", "metrics", "renderers", "reports", "scenarios", "sources", "vlms",
)  # fmt: skip
"""Our packages; each module's logger has its name."""

log = logging.getLogger(__name__)


def listen() -> None:
    """Let our loggers tell what they do at level INFO, unless somebody has set another."""
    for package in PACKAGES:
        logger = logging.getLogger(package)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.INFO)


class Threads(ThreadPoolExecutor):
    """Threads that work in the context of who submits the work, so that its run is known."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """As that of the standard library."""
        context = copy_context()
        return super().submit(lambda: context.run(fn, *args, **kwargs))


def tell(stage: Stage, cached: int, outcomes: Iterable[Outcome[T]], seconds: float) -> None:
    """Log how a batch went: counts, time, and what failed by kind and blame.

    Args:
        stage: of the batch.
        cached: pieces of work that an earlier run has done.
        outcomes: of what was done now.
        seconds: that it took.
    """
    found = list(outcomes)
    failures = [outcome for outcome in found if isinstance(outcome, Failed)]
    kinds = Counter(f"{failure.kind} ({failure.blame})" for failure in failures)
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "no failure"
    infra = next((failure for failure in failures if not failure.final), None)
    log.info(
        "%s: %d done in %.1f s, %d found; %s%s",
        stage, len(found) - len(failures), seconds, cached, told,
        f"; to run again, for instance: {infra}" if infra else "",
    )  # fmt: skip
