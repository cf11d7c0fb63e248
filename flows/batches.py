"""One batch of one stage: what a Prefect task does, as plain functions without Prefect.

A batch is a model, a scenario and some instances of a snapshot. A stage finds what the stage
before it has left in the store; what failed there is not tried here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar

from pydantic import Field

from benchmark import registry
from benchmark.outcome import Failed, Ok, Outcome, Stage, ok
from benchmark.protocols import Model, Scenario
from benchmark.records import Completion, Instance, Material, Record, Rendering, Score
from flows import looks, road
from flows.batching import Place, Redo, Work, anywhere, each, finish
from flows.judges import is_judged
from flows.progress import current
from flows.slots import container_limit, place, provider_limit
from flows.workshop import Workshop

T = TypeVar("T")


class Batch(Record):
    """Some instances of one scenario for one model."""

    snapshot: str
    model: str
    scenario: str
    instances: tuple[str, ...]
    redo: Redo | None = None
    queries: Mapping[str, str] = Field(
        default_factory=dict,
        description="instance to the key of its completion, where a run has it that is not asked "
        "again; others have the key that it would get now",
    )
    renders: Mapping[str, str] = Field(
        default_factory=dict, description="likewise, to the key of the rendering"
    )

    @property
    def part(self) -> str:
        """The journal part that results of this batch go to."""
        return f"{self.model}/{self.scenario}"

    def redo_of(self, stage: Stage) -> Redo | None:
        """Return the wish to make results of a stage again, if this batch has it."""
        return self.redo if self.redo is not None and self.redo.stage is stage else None


class Tally(Record):
    """How a batch ended; what is not done or failed waits for the next run."""

    done: int = 0
    failed: int = 0
    infra: int = 0
    first_infra: str = ""

    def plus(self, other: Tally) -> Tally:
        """Return the sum; the first infra failure is that of the earlier one."""
        return Tally(
            done=self.done + other.done,
            failed=self.failed + other.failed,
            infra=self.infra + other.infra,
            first_infra=self.first_infra or other.first_infra,
        )

    @classmethod
    def of(cls, outcomes: Sequence[Outcome[T]]) -> Tally:
        """Count outcomes."""
        failures = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
        infra = [failure for failure in failures if not failure.final]
        return cls(
            done=len(outcomes) - len(failures),
            failed=len(failures) - len(infra),
            infra=len(infra),
            first_infra=str(infra[0]) if infra else "",
        )


def refer_batch(
    workshop: Workshop,
    source: str,
    materials: Sequence[Material],
    checks: Mapping[str, str] | None = None,
) -> dict[str, Outcome[Instance]]:
    """Render the references of fresh material; returns outcomes by material id.

    With `checks` (see ``flows.looks``) it is material that nobody has looked at yet.
    """
    part = f"references/{source}"
    workshop.refresh(part)
    _refresh_pictures(workshop, {name for material in materials for name in _drawing(material)})
    journal = workshop.journal(Stage.RENDER, part, Instance)
    keys, outcomes = _keyed(
        materials, lambda m: m.id, lambda m: road.reference_key(workshop, m, checks)
    )

    def refer(material: Material) -> Outcome[Instance]:
        made = road.refer(workshop, material)
        return made if checks is None else looks.checked(workshop, material, made, checks)

    finished = finish(
        Stage.RENDER,
        [Work((keys[m.id],), m) for m in materials if m.id in keys],
        each(refer),
        journal,
        workshop.executor("render", workshop.settings.workers),
        _containers(workshop, (name for m in materials for name in _drawing(m))),
    )
    return outcomes | {ident: finished[key] for ident, key in keys.items()}


def query_batch(workshop: Workshop, batch: Batch) -> Tally:
    """Ask the model about every instance."""
    scenario, instances = work_of(workshop, batch)
    model = workshop.model(batch.model, batch.snapshot)
    finished = finish(
        Stage.QUERY,
        [Work((road.query_key(model, scenario, item),), item) for item in instances],
        each(lambda item: _ask(workshop, model, scenario, item)),
        workshop.journal(Stage.QUERY, batch.part, Completion),
        workshop.executor(f"query {batch.model}", model.concurrency),
        place(Stage.QUERY, [provider_limit(batch.model)], model.concurrency),
        batch.redo_of(Stage.QUERY),
    )
    return Tally.of(list(finished.values()))


def _ask(
    workshop: Workshop, model: Model, scenario: Scenario, instance: Instance
) -> Outcome[Completion]:
    """Ask, as long as the budget of the evaluation lasts."""
    ended = workshop.budget.ended()
    if ended is not None:
        return ended
    answered = road.query(workshop, model, scenario, instance)
    if isinstance(answered, Ok):
        workshop.budget.spend(model.name, answered.value.usage)
    return answered


def render_batch(workshop: Workshop, batch: Batch) -> Tally:
    """Read and render every completion."""
    scenario, instances = work_of(workshop, batch)
    _refresh_pictures(workshop, [scenario.name])
    redo = batch.redo_of(Stage.RENDER)
    completions = _values(completions_of(workshop, batch, scenario, instances))
    answered = [item for item in instances if item.id in completions]
    _pass(Stage.RENDER, len(instances) - len(answered))
    keys, unkeyed = _keyed(
        answered,
        lambda item: item.id,
        lambda item: road.render_key(workshop, scenario, item, completions[item.id]),
    )
    finished = finish(
        Stage.RENDER,
        [Work((keys[item.id],), item) for item in answered if item.id in keys],
        each(
            lambda item: road.render(
                workshop, scenario, item, completions[item.id], again=redo is not None
            )
        ),
        workshop.journal(Stage.RENDER, batch.part, Rendering),
        workshop.executor("render", workshop.settings.workers),
        _containers(workshop, [scenario.name]),
        redo,
    )
    return Tally.of([*unkeyed.values(), *finished.values()])


def score_batch(workshop: Workshop, batch: Batch) -> Tally:
    """Score every rendering by the metrics of its scenario."""
    scenario, instances = work_of(workshop, batch)
    renderings = _values(renderings_of(workshop, batch, scenario, instances))
    rendered = [item for item in instances if item.id in renderings]
    _pass(Stage.SCORE, len(instances) - len(rendered))
    scorer = workshop.scorer(scenario)
    names: dict[str, str] = {}

    def key(name: str, item: Instance) -> str:
        digest = scorer.key(name, item, renderings[item.id])
        names[digest] = name
        return digest

    def score(item: Instance, missing: tuple[str, ...]) -> Mapping[str, Outcome[Score]]:
        wanted = [names[key] for key in missing]
        found = scorer.score(item, renderings[item.id], wanted)
        return {key: found[names[key]] for key in missing if names[key] in found}

    finished = finish(
        Stage.SCORE,
        [
            Work(tuple(key(name, item) for name in applicable(scenario, item)), item)
            for item in rendered
        ],
        score,
        workshop.journal(Stage.SCORE, batch.part, Score),
        workshop.scoring(scenario),
        _judging(workshop, scenario),
        batch.redo_of(Stage.SCORE),
    )
    return Tally.of(list(finished.values()))


def _judging(workshop: Workshop, scenario: Scenario) -> Place:
    """Return where answers get the slots of the judge that is asked about them, if one is."""
    if not is_judged(scenario) or workshop.judge().model is None:
        return anywhere
    judge = workshop.judge()
    return place(Stage.SCORE, [provider_limit(judge.name)], judge.concurrency)


def _containers(workshop: Workshop, scenarios: Iterable[str]) -> Place:
    """Return where renderings of some scenarios get their slots."""
    renderers = {registry.scenarios.get(name).renderer for name in scenarios}
    return place(Stage.RENDER, map(container_limit, renderers), workshop.settings.workers)


def _refresh_pictures(workshop: Workshop, scenarios: Iterable[str]) -> None:
    """Learn what other processes have drawn for references: what equals it is not drawn again."""
    for name in scenarios:
        workshop.refresh(road.pictures_part(name))


def _drawing(material: Material) -> list[str]:
    """Return the scenarios whose renderers may draw something of a material."""
    shown = material.drawn_from
    return [material.scenario] if shown is None else [material.scenario, shown.scenario]


def applicable(scenario: Scenario, instance: Instance) -> list[str]:
    """Return the metrics that an instance can be scored by.

    All that say something of it, if its truth is known, else those that compare pictures.
    """
    return [
        name
        for name in scenario.metrics
        if instance.scored_by(name)
        and (instance.truth is not None or registry.metrics.get(name).needs == "images")
    ]


def work_of(workshop: Workshop, batch: Batch) -> tuple[Scenario, list[Instance]]:
    """Return the scenario and the instances of a batch."""
    workshop.refresh(batch.part)  # another worker may have done the stage before
    wanted = set(batch.instances)
    frozen = workshop.snapshot(batch.snapshot)
    instances = [item for item in frozen.select([batch.scenario]) if item.id in wanted]
    return registry.scenarios.get(batch.scenario), instances


def completions_of(
    workshop: Workshop, batch: Batch, scenario: Scenario, instances: Sequence[Instance]
) -> dict[str, Outcome[Completion]]:
    """Return what is known of each completion, by instance."""
    journal = workshop.journal(Stage.QUERY, batch.part, Completion)
    keys = query_keys(workshop, batch, scenario, instances)
    found = {ident: journal.get(key) for ident, key in keys.items()}
    return {ident: outcome for ident, outcome in found.items() if outcome is not None}


def query_keys(
    workshop: Workshop, batch: Batch, scenario: Scenario, instances: Sequence[Instance]
) -> dict[str, str]:
    """Return the key of each completion, by instance."""

    def made(item: Instance) -> str:
        model = workshop.model(batch.model, batch.snapshot)
        return road.query_key(model, scenario, item)

    return {item.id: batch.queries.get(item.id) or made(item) for item in instances}


def rendering_keys(
    workshop: Workshop, batch: Batch, scenario: Scenario, instances: Sequence[Instance]
) -> dict[str, Outcome[str]]:
    """Return the key of each completion's rendering; none where there is no completion."""
    known: dict[str, Outcome[str]] = {
        item.id: ok(batch.renders[item.id]) for item in instances if item.id in batch.renders
    }
    new = [item for item in instances if item.id not in known]
    completions = _values(completions_of(workshop, batch, scenario, new))
    return known | {
        item.id: road.render_key(workshop, scenario, item, completions[item.id])
        for item in new
        if item.id in completions
    }


def renderings_of(
    workshop: Workshop, batch: Batch, scenario: Scenario, instances: Sequence[Instance]
) -> dict[str, Outcome[Rendering]]:
    """Return what is known of each rendering, by instance."""
    journal = workshop.journal(Stage.RENDER, batch.part, Rendering)
    keys = rendering_keys(workshop, batch, scenario, instances)
    found = {
        ident: key if isinstance(key, Failed) else journal.get(key.value)
        for ident, key in keys.items()
    }
    return {ident: outcome for ident, outcome in found.items() if outcome is not None}


def _values(outcomes: Mapping[str, Outcome[T]]) -> dict[str, T]:
    return {ident: each.value for ident, each in outcomes.items() if isinstance(each, Ok)}


def _keyed(
    items: Sequence[T], ident: Callable[[T], str], key: Callable[[T], Outcome[str]]
) -> tuple[dict[str, str], dict[str, Failed]]:
    """Return keys by identifier, and the failures of items that have none (engine down)."""
    keys: dict[str, str] = {}
    failures: dict[str, Failed] = {}
    for item in items:
        outcome = key(item)
        if isinstance(outcome, Failed):
            failures[ident(item)] = outcome
            current().advance(outcome.stage, "infra")
        else:
            keys[ident(item)] = outcome.value
    return keys, failures


def _pass(stage: Stage, count: int) -> None:
    """Tell the observer of instances that never reach a stage, so that its bar fills up."""
    for _ in range(count):
        current().advance(stage, "skipped")
