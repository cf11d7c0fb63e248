"""Evaluate: query → read and render → score, in batches, over a frozen snapshot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from prefect import Task, allow_failure, flow
from prefect.client.schemas.objects import State
from prefect.futures import as_completed
from prefect.states import Completed, Failed

from benchmark import registry
from benchmark.outcome import Stage
from benchmark.protocols import Model
from benchmark.records import Instance
from benchmark.selection import evenly
from benchmark.snapshot import newest
from flows import runs, tasks
from flows.artifacts import Progress, publish_run
from flows.attempts import same
from flows.batches import Batch, Tally
from flows.batching import NO_SPACE, is_full
from flows.budget import Budget, budget
from flows.forms import EvaluateRequest
from flows.judges import is_judged, paid
from flows.progress import current
from flows.runs import Run, RunError, run_name
from flows.splits import NothingChosen, choose, source_of
from flows.workshop import Workshop, opened

TASKS: dict[Stage, Task[[Batch], Any]] = {
    Stage.QUERY: tasks.query_batch,
    Stage.RENDER: tasks.render_batch,
    Stage.SCORE: tasks.score_batch,
}
"""The stages of the road in their order."""


@flow(name="evaluate", task_runner=tasks.BATCHES_AT_ONCE, persist_result=False)
def evaluate(request: EvaluateRequest = EvaluateRequest()) -> State:
    """Ask models for the structure of every picture, render what they write and score it.

    What an earlier run has finished is found in the store and not done again. The flow ends as
    Failed when something of the infrastructure failed; run it again to do only what is missing.

    Args:
        request: which models meet which instances.

    Returns:
        A state whose data is the run's name.

    Raises:
        RunError: a run of that name was judged by another judge.
    """
    with opened() as workshop:
        snapshot = request.snapshot or same(
            workshop.store, "snapshot", lambda: newest(workshop.store)
        )
        models = list(dict.fromkeys(request.models or workshop.settings.models))
        instances = select(workshop, snapshot, request)
        for model in models:
            workshop.model(model, snapshot)  # an unknown name ends the flow before any work
        asked = dict.fromkeys(instance.scenario for instance in instances)
        scenarios = [registry.scenarios.get(scenario) for scenario in asked]
        judge = workshop.judge() if any(map(is_judged, scenarios)) else None
        name = request.name or run_name(
            snapshot, models, [instance.id for instance in instances], judge
        )
        runs.require_same_judge(workshop.store, name, judge)
        workshop.budget = budget(
            paid(models, judge),
            most_tokens=request.max_tokens,
            most_cost=request.max_cost,
            own_prices=workshop.settings.prices,
        )
        batches = plan(workshop, snapshot, models, instances)
        if not batches:
            raise NothingChosen(
                f"of the {len(instances)} instances only their pictures are known, and "
                f"{', '.join(models)} can answer with a truth only"
            )
        ending = submit(batches, workshop.budget)
        return conclude(
            workshop,
            Run(
                name=name,
                snapshot=snapshot,
                models=tuple(models),
                baselines=tuple(m for m in models if workshop.model(m, snapshot).sees_truth),
                scenarios=tuple(scenario.name for scenario in scenarios),
                seed=workshop.settings.seed,
                settings={model: workshop.model(model, snapshot).settings() for model in models},
                judge=None if judge is None else judge.settings(),
                entries=tuple(entry for batch in batches for entry in runs.index(workshop, batch)),
            ),
            ending,
        )


@dataclass(frozen=True)
class Ending:
    """How the batches of a run came to the end of the road."""

    tally: Tally
    """All stages of all batches together."""
    broke: str = ""
    """What ended the first task that has no tally, if there is one."""

    @property
    def reason(self) -> str:
        """Why there is something to run again, in one line; empty where there is nothing."""
        told = f"{self.tally.infra} to run again: {self.tally.first_infra}"
        return self.broke or (told if self.tally.infra else "")


def submit(batches: Sequence[Batch], budget: Budget, first: Stage = Stage.QUERY) -> Ending:
    """Send every batch down the road from a stage on and wait until all have come to its end."""
    stages = list(TASKS)[list(TASKS).index(first) :]
    count = sum(len(batch.instances) for batch in batches)
    for stage in stages:
        current().expect(stage, count)
    progress = Progress(dict.fromkeys(stages, count), budget)
    futures: dict[Any, tuple[Stage, int]] = {}
    for batch in batches:
        before: list[Any] = []
        for stage in stages:
            future = TASKS[stage].submit(batch, wait_for=before, return_state=False)
            futures[future] = stage, len(batch.instances)
            before = [allow_failure(future)]
    for future in as_completed(list(futures)):
        tally = future.result(raise_on_failure=False)
        if isinstance(tally, Tally):
            progress.note(*futures[future], tally)
    return _ending(list(futures))


def _ending(futures: Sequence[Any]) -> Ending:
    """Sum up what tasks have returned, in the order of batches and stages."""
    total, broke = Tally(), ""
    for future in futures:
        tally = future.result(raise_on_failure=False)
        if isinstance(tally, Tally):
            total = total.plus(tally)
        elif not future.state.is_completed():
            broke = broke or future.state.message
    return Ending(total, broke)


def conclude(workshop: Workshop, run: Run, ending: Ending) -> State[str]:
    """Write a run's document, show the run, and say how it ended.

    Raises:
        RunError: the disk is full.
    """
    try:
        runs.save(workshop.store, run)
    except OSError as error:
        if not is_full(error):
            raise
        raise RunError(f"run {run.name}: {NO_SPACE}") from error
    publish_run(run.name, runs.look_up(workshop, run), workshop.store.get)
    if ending.reason:
        return Failed(message=f"run {run.name}: {ending.reason}", data=run.name)
    return Completed(message=f"run {run.name}", data=run.name)


def select(workshop: Workshop, snapshot: str, request: EvaluateRequest) -> list[Instance]:
    """Return the instances to evaluate, each subset of a scenario in its turn.

    Raises:
        SnapshotError, RegistryError: a name is unknown.
        NothingChosen: no instance is left.
    """
    frozen = workshop.snapshot(snapshot)
    wanted = registry.scenarios_called(request.scenarios or frozen.scenarios())
    chosen = []
    for scenario in wanted:
        found = choose(frozen.select([scenario]), request.split, request.source)
        chosen += evenly(found, lambda instance: instance.subset, request.limit)
    if not chosen:
        known = ", ".join(dict.fromkeys(map(source_of, frozen.instances)))
        raise NothingChosen(
            f"no instance of {snapshot} is of split {request.split} and source "
            f"{request.source or 'any'} (sources: {known})"
        )
    return chosen


def plan(
    workshop: Workshop, snapshot: str, models: Sequence[str], instances: Sequence[Instance]
) -> list[Batch]:
    """Cut an evaluation into batches of one model and one scenario.

    All models come to a chunk of instances before any comes to the next, so that what metrics
    keep of a reference serves them all. Pictures whose truth nobody knows are no task for a model
    that answers with it: its failures there would stand in the board as if the road had failed.
    """
    size = workshop.settings.batch
    batches = []
    for scenario in dict.fromkeys(instance.scenario for instance in instances):
        own = [instance for instance in instances if instance.scenario == scenario]
        for start in range(0, len(own), size):
            for model in models:
                asked = workshop.model(model, snapshot)
                chunk = tuple(one.id for one in own[start : start + size] if can_answer(asked, one))
                if chunk:
                    batches.append(
                        Batch(snapshot=snapshot, model=model, scenario=scenario, instances=chunk)
                    )
    return batches


def can_answer(model: Model, instance: Instance) -> bool:
    """Tell whether a model is asked about an instance; see ``Model``."""
    return instance.truth is not None or not getattr(model, "needs_truth", False)
