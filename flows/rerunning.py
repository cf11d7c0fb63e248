"""Rerun: force a stage of a run that there is; the stages after it follow from what has changed.

What is made again is journalled beside what was there and counts from then on. What cannot be made
again for a reason of the infrastructure leaves what was there, and the next try makes it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.context import FlowRunContext
from prefect.states import Completed

from benchmark import registry
from benchmark.outcome import Ok, Stage
from benchmark.protocols import Scenario
from benchmark.records import Completion, Instance, Rendering, Score
from benchmark.store import Journal
from flows import road, runs, tasks
from flows.attempts import same
from flows.batches import Batch, applicable
from flows.batching import Only, Redo
from flows.budget import budget
from flows.evaluate import conclude, submit
from flows.forms import RerunRequest
from flows.judges import Judge, is_judged, paid
from flows.runs import Entry, Run, RunError
from flows.workshop import Workshop, opened


@flow(name="rerun", task_runner=tasks.BATCHES_AT_ONCE, persist_result=False)
def rerun(request: RerunRequest) -> State:
    """Do a stage of a run again, and after it whatever that changes.

    A retry goes on where this stopped. The stages before the forced one are taken as they are: no
    model is asked to render again, no container started to score again.

    Args:
        request: the run, the stage, and what of it.

    Returns:
        A state whose data is the run's name.

    Raises:
        RunError: there is no such run, or a model would be asked in another way than it was, or
            its answers be rendered in two ways or judged by two judges.
    """
    with opened() as workshop:
        name = request.run or same(workshop.store, "run", lambda: runs.newest(workshop.store))
        run = runs.load(workshop.store, name)
        redo = Redo(
            stage=Stage(request.stage),
            only=request.only,
            since=(request.since or _asked_for()).timestamp(),
        )
        chosen = choose(workshop, run, redo)
        if not chosen:
            told = f"run {run.name}: nothing failed at the stage {redo.stage}"
            return Completed(message=told, data=run.name)
        if redo.stage is Stage.QUERY:
            _require_same_questions(workshop, run, chosen)
        if redo.stage is not Stage.SCORE:
            _require_same_road(workshop, run, chosen)
        judge = _judge(workshop, run, redo.stage)
        workshop.budget = budget(
            paid(run.models, judge),
            most_tokens=request.max_tokens,
            most_cost=request.max_cost,
            own_prices=workshop.settings.prices,
        )
        batches = list(plan(workshop, run, redo, chosen))
        ending = submit(batches, workshop.budget, redo.stage)
        made = {_place(e): e for batch in batches for e in runs.index(workshop, batch)}
        entries = tuple(made.get(_place(entry), entry) for entry in run.entries)
        judged = None if judge is None else judge.settings()
        made_again = run.model_copy(update={"entries": entries, "judge": judged})
        return conclude(workshop, made_again, ending)


def _asked_for() -> dt.datetime:
    """Return when this run was asked for: the same moment in each retry."""
    context = FlowRunContext.get()
    asked = None if context is None or context.flow_run is None else context.flow_run.created
    return asked or dt.datetime.now(dt.UTC)


def _place(entry: Entry) -> tuple[str, str]:
    return entry.model, entry.instance


def choose(workshop: Workshop, run: Run, redo: Redo) -> list[Entry]:
    """Return the entries that a stage is done again for.

    Those that never came to it, since an earlier stage failed, are none of them. Those that have
    been done again since the wish was said are, so that the stages after it follow. So are those
    that point to scores of another judge or metric version, though today's may be known already.
    """
    instances = {item.id: item for item in workshop.snapshot(run.snapshot).instances}
    chosen = []
    for entry in run.entries:
        keys = _keys(workshop, run, redo.stage, entry, instances[entry.instance])
        if keys is None:
            continue
        journal, known = keys
        elsewhere = redo.stage is Stage.SCORE and not set(known) <= set(entry.scores.values())
        if redo.only is Only.ALL or elsewhere or any(_is_open(journal, key, redo) for key in known):
            chosen.append(entry)
    return chosen


def _is_open(journal: Journal[Any], key: str, redo: Redo) -> bool:
    return not isinstance(journal.get(key), Ok) or (journal.written(key) or 0) >= redo.since


def _keys(
    workshop: Workshop, run: Run, stage: Stage, entry: Entry, instance: Instance
) -> tuple[Journal[Any], list[str]] | None:
    """Return where and under which keys the results of a stage are; None: it never came there.

    A result that there is none of has the key "".
    """
    queries = workshop.journal(Stage.QUERY, entry.part, Completion)
    renders = workshop.journal(Stage.RENDER, entry.part, Rendering)
    scenario = registry.scenarios.get(entry.scenario)
    if stage is Stage.QUERY:
        return queries, [entry.query or _question(workshop, run, entry, scenario, instance)]
    if stage is Stage.RENDER:
        asked = isinstance(queries.get(entry.query), Ok)
        return (renders, [entry.render or ""]) if asked else None
    rendering = renders.get(entry.render or "")
    if not isinstance(rendering, Ok):
        return None
    scorer = workshop.scorer(scenario)
    return workshop.journal(Stage.SCORE, entry.part, Score), [
        scorer.key(name, instance, rendering.value) for name in applicable(scenario, instance)
    ]


def _question(
    workshop: Workshop, run: Run, entry: Entry, scenario: Scenario, instance: Instance
) -> str:
    return road.query_key(workshop.model(entry.model, run.snapshot), scenario, instance)


def _require_same_questions(workshop: Workshop, run: Run, chosen: Sequence[Entry]) -> None:
    """Refuse to mix answers to different questions in one run."""
    instances = {item.id: item for item in workshop.snapshot(run.snapshot).instances}
    for entry in chosen:
        scenario, instance = registry.scenarios.get(entry.scenario), instances[entry.instance]
        now = _question(workshop, run, entry, scenario, instance)
        if entry.query not in {"", now}:
            raise RunError(
                f"run {run.name} asked {entry.model} in another way: its settings or the prompt "
                f"have changed since; `rerender evaluate {run.snapshot}` makes a new run"
            )


def _require_same_road(workshop: Workshop, run: Run, chosen: Sequence[Entry]) -> None:
    """Refuse to mix pictures of two container images, or versions of a scenario, in one run."""
    again = {_place(entry) for entry in chosen}
    instances = {item.id: item for item in workshop.snapshot(run.snapshot).instances}
    for name in dict.fromkeys(entry.scenario for entry in chosen):
        scenario = registry.scenarios.get(name)
        found = []
        for entry in run.entries:
            if entry.scenario != name or not entry.render or _place(entry) in again:
                continue
            asked = workshop.journal(Stage.QUERY, entry.part, Completion).get(entry.query)
            if isinstance(asked, Ok):
                now = road.render_key(workshop, scenario, instances[entry.instance], asked.value)
                if not isinstance(now, Ok):
                    return  # no engine: nothing is rendered either
                found.append(now.value == entry.render)
        if found and not any(found):
            raise RunError(
                f"run {run.name}: {name} is rendered in another way now (its version or its "
                f"container image has changed), and pictures of both would stand side by side; "
                f"first `rerender rerun {run.name} --stage render --only all`"
            )


def _judge(workshop: Workshop, run: Run, stage: Stage) -> Judge | None:
    """Return who judges the run's free answers, if any are judged; the same one for all of them."""
    if not any(is_judged(registry.scenarios.get(name)) for name in run.scenarios):
        return None
    judge = workshop.judge()
    if stage is not Stage.SCORE and run.judge not in (None, judge.settings()):
        raise RunError(
            f"run {run.name} has another judge than is set now, and some of its answers would be "
            f"judged by each; first `rerender rerun {run.name} --stage score`"
        )
    return judge


def plan(workshop: Workshop, run: Run, redo: Redo, chosen: Sequence[Entry]) -> Iterator[Batch]:
    """Cut what is done again into batches, all models before the next chunk of instances."""
    size = workshop.settings.batch
    for scenario in run.scenarios:
        own = [entry for entry in chosen if entry.scenario == scenario]
        lists = {model: [one for one in own if one.model == model] for model in run.models}
        for start in range(0, max(map(len, lists.values())), size):
            for model, entries in lists.items():
                if chunk := entries[start : start + size]:
                    yield _batch(run, redo, model, scenario, chunk)


def _batch(run: Run, redo: Redo, model: str, scenario: str, entries: Sequence[Entry]) -> Batch:
    asked, rendered = redo.stage is not Stage.QUERY, redo.stage is Stage.SCORE
    return Batch(
        snapshot=run.snapshot,
        model=model,
        scenario=scenario,
        instances=tuple(entry.instance for entry in entries),
        redo=redo,
        queries={one.instance: one.query for one in entries if asked},
        renders={one.instance: one.render for one in entries if rendered and one.render},
    )
