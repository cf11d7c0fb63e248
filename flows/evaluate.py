"""Evaluate: query → read and render → score, in batches, over a frozen snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from prefect import allow_failure, flow
from prefect.client.schemas.objects import State
from prefect.futures import wait
from prefect.states import Completed, Failed

from benchmark import registry
from benchmark.outcome import Stage
from benchmark.records import Instance
from benchmark.selection import evenly
from flows import runs, tasks
from flows.batches import Batch
from flows.progress import current
from flows.runs import Run, run_name
from flows.splits import NothingChosen, Split, choose, source_of
from flows.workshop import Workshop, opened


@flow(name="evaluate", task_runner=tasks.BATCHES_AT_ONCE)
def evaluate(
    snapshot: str,
    models: list[str],
    scenarios: list[str] | None = None,
    limit: int | None = None,
    name: str | None = None,
    split: str = Split.TEST,
    source: str | None = None,
) -> State:
    """Ask models for the structure of every picture, render what they write and score it.

    What an earlier run has finished is found in the store and not done again. The flow ends as
    Failed when something of the infrastructure failed; run it again to do only what is missing.

    Args:
        snapshot: the name of a frozen snapshot.
        models: registered names (oracle, blank, ocr) or provider names (openai/gpt-4o).
        scenarios: all of the snapshot's by default.
        limit: at most so many instances of each scenario.
        name: the run's name; by default it follows from the other arguments.
        split: ``test`` for everything, ``test*`` for mind maps of at most 60 nodes alone.
        source: only what is of this source, or of this published set (XMind, Zhixi, …).

    Returns:
        A state whose data is the run's name.
    """
    models = list(dict.fromkeys(models))
    with opened() as workshop:
        instances = select(workshop, snapshot, scenarios, limit, Split(split), source)
        for model in models:
            workshop.model(model, snapshot)  # an unknown name ends the flow before any work
        batches = plan(workshop, snapshot, models, instances)
        for stage in (Stage.QUERY, Stage.RENDER, Stage.SCORE):
            current().expect(stage, len(instances) * len(models))
        futures: list[Any] = []
        for batch in batches:
            queried = tasks.query_batch.submit(batch)
            rendered = tasks.render_batch.submit(
                batch, wait_for=[allow_failure(queried)], return_state=False
            )
            scored = tasks.score_batch.submit(
                batch, wait_for=[allow_failure(rendered)], return_state=False
            )
            futures += [queried, rendered, scored]
        wait(futures)
        run = Run(
            name=name or run_name(snapshot, models, [instance.id for instance in instances]),
            snapshot=snapshot,
            models=tuple(models),
            baselines=tuple(m for m in models if workshop.model(m, snapshot).sees_truth),
            scenarios=tuple(dict.fromkeys(instance.scenario for instance in instances)),
            seed=workshop.settings.seed,
            settings={model: workshop.model(model, snapshot).settings() for model in models},
            entries=tuple(entry for batch in batches for entry in runs.index(workshop, batch)),
        )
        runs.save(workshop.store, run)
        broken = [future.state.message for future in futures if not future.state.is_completed()]
        if broken:
            return Failed(message=f"run {run.name}: {broken[0]}", data=run.name)
        return Completed(message=f"run {run.name}", data=run.name)


def select(
    workshop: Workshop,
    snapshot: str,
    scenarios: Sequence[str] | None,
    limit: int | None,
    split: Split = Split.TEST,
    source: str | None = None,
) -> list[Instance]:
    """Return the instances to evaluate, each subset of a scenario in its turn.

    Raises:
        SnapshotError, RegistryError: a name is unknown.
        NothingChosen: no instance is left.
    """
    frozen = workshop.snapshot(snapshot)
    wanted = list(scenarios) if scenarios else frozen.scenarios()
    for scenario in wanted:
        registry.scenarios.get(scenario)
    chosen = []
    for scenario in wanted:
        found = choose(frozen.select([scenario]), split, source)
        chosen += evenly(found, lambda instance: instance.subset, limit)
    if not chosen:
        known = ", ".join(dict.fromkeys(map(source_of, frozen.instances)))
        raise NothingChosen(
            f"no instance of {snapshot} is of split {split} and source {source or 'any'} "
            f"(sources: {known})"
        )
    return chosen


def plan(
    workshop: Workshop, snapshot: str, models: Sequence[str], instances: Sequence[Instance]
) -> list[Batch]:
    """Cut an evaluation into batches of one model and one scenario.

    All models come to a chunk of instances before any comes to the next, so that what metrics
    keep of a reference serves them all.
    """
    size = workshop.settings.batch
    batches = []
    for scenario in dict.fromkeys(instance.scenario for instance in instances):
        idents = [instance.id for instance in instances if instance.scenario == scenario]
        for start in range(0, len(idents), size):
            chunk = tuple(idents[start : start + size])
            batches += [
                Batch(snapshot=snapshot, model=model, scenario=scenario, instances=chunk)
                for model in models
            ]
    return batches
