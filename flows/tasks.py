"""The Prefect tasks: one per stage and batch, each a few lines around a plain function.

Results are not cached by Prefect: the store's journals are what makes a second run cheap, whoever
starts it. A task whose batch met infra failures ends as Failed, after everything else in the batch
is done, so that the Prefect UI shows what to run again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.futures import PrefectFuture
from prefect.states import Completed, Failed
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from benchmark.outcome import Outcome
from benchmark.records import Instance, Material
from flows import batches
from flows.batches import Batch, Tally
from flows.gathering import Gathering
from flows.workshop import opened

BATCHES_AT_ONCE = cast(
    "TaskRunner[PrefectFuture[Any]]",  # Prefect's own annotation of flows asks for this
    ThreadPoolTaskRunner(max_workers=4),
)
"""Batches overlap, so that models are asked while others are rendered and scored."""


@task(name="fetch", task_run_name="fetch {source}", cache_policy=NO_CACHE, persist_result=False)
def fetch_batch(
    gathering: Gathering,
    source: str,  # noqa: ARG001 - names the task run
    most: int,
) -> list[Material]:
    """Fetch the next pieces of a source that pass its filters, at most so many."""
    return gathering.pull(most)


@task(
    name="references",
    task_run_name="references {label}",
    cache_policy=NO_CACHE,
    persist_result=False,
)
def refer_batch(
    source: str,
    label: str,  # noqa: ARG001 - names the task run
    materials: Sequence[Material],
    checks: Mapping[str, str] | None = None,
) -> dict[str, Outcome[Instance]]:
    """Render the references of some material, with checks of how it looks where it is fresh."""
    with opened() as workshop:
        return batches.refer_batch(workshop, source, materials, checks)


@task(
    name="query",
    task_run_name="query {batch.model} {batch.scenario}",
    cache_policy=NO_CACHE,
    persist_result=False,
)
def query_batch(batch: Batch) -> State:
    """Ask a model about some instances."""
    with opened() as workshop:
        return _state(batches.query_batch(workshop, batch))


@task(
    name="render",
    task_run_name="render {batch.model} {batch.scenario}",
    cache_policy=NO_CACHE,
    persist_result=False,
)
def render_batch(batch: Batch) -> State:
    """Render a model's answers."""
    with opened() as workshop:
        return _state(batches.render_batch(workshop, batch))


@task(
    name="score",
    task_run_name="score {batch.model} {batch.scenario}",
    cache_policy=NO_CACHE,
    persist_result=False,
)
def score_batch(batch: Batch) -> State:
    """Score a model's renderings."""
    with opened() as workshop:
        return _state(batches.score_batch(workshop, batch))


def _state(tally: Tally) -> State:
    counts = f"{tally.done} done, {tally.failed} failed by the model"
    if tally.infra:
        message = f"{counts}, {tally.infra} to run again: {tally.first_infra}"
        return Failed(message=message, data=tally)
    return Completed(message=counts, data=tally)
