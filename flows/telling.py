"""A task's workshop, and what the task brings home from a worker elsewhere.

In the flow's process the observer hears of each instance at once, and the scorers know which
metrics cannot run. A Dask worker tells both with the result of its task.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import Field

from benchmark.outcome import Outcome
from benchmark.records import Instance, Record
from flows.batches import Tally
from flows.progress import counted, current
from flows.workshop import Workshop, opened


class News(Record):
    """What the flow's process does not know yet; nothing where the task ran there."""

    counts: tuple[tuple[str, str, int], ...] = Field(
        default=(), description="stage, result and number of instances, as observers are told them"
    )
    unavailable: Mapping[str, Mapping[str, str]] = Field(
        default_factory=dict, description="metrics that could not run, by scenario, with reasons"
    )

    def tell(self) -> None:
        """Let the observer and the workshop of this process know."""
        for stage, result, count in self.counts:
            for _ in range(count):
                current().advance(stage, result)
        with opened() as workshop:
            workshop.learn(self.unavailable)


class ToldTally(Tally):
    """How a batch ended, with news."""

    news: News = News()


@dataclass(frozen=True)
class Referred:
    """Outcomes of references by material, with news."""

    outcomes: Mapping[str, Outcome[Instance]]
    news: News


class Bag:
    """Holds the news that a task brings home, once its block has ended."""

    news = News()


@contextmanager
def at_work() -> Iterator[tuple[Workshop, Bag]]:
    """Give a task the workshop of its process, and a bag for the way home.

    Raises:
        Unfit: this is a Dask worker that was not made ready for the flow.
    """
    bag = Bag()
    if not _on_worker():
        with opened() as workshop:
            yield workshop, bag
        return
    from flows.cluster_worker import kept_for

    with kept_for(_flow_run()) as workshop, counted() as counting:
        yield workshop, bag
        counts = tuple((*key, count) for key, count in counting.told.items())
        bag.news = News(counts=counts, unavailable=workshop.unavailable())


def _on_worker() -> bool:
    """Tell whether this is a task on a Dask worker; nothing is imported to find out."""
    if "distributed.worker" not in sys.modules:
        return False
    from flows.cluster_worker import is_worker

    return is_worker()


def _flow_run() -> str:
    from prefect.context import TaskRunContext

    context = TaskRunContext.get()
    return "" if context is None else str(context.task_run.flow_run_id)
