"""A run: which models met which snapshot, and under which keys the store holds what came out.

The run's document is written when an evaluation ends. It names results by key, so a report needs
the store alone: no container engine, no model, no renderer.
"""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import Field, JsonValue, ValidationError

from benchmark import registry
from benchmark.outcome import Failed, Ok, Outcome, Stage
from benchmark.records import Completion, Instance, Record, Rendering, Score, digest_json
from benchmark.store import Store
from flows.batches import (
    Batch,
    applicable,
    completions_of,
    query_keys,
    rendering_keys,
    work_of,
)
from flows.judges import Judge
from flows.workshop import Workshop
from reports.results import Result


class RunError(ValueError):
    """A run that is missing or unreadable; the text says what to do."""


class Entry(Record):
    """One model and one instance: the keys of what the store holds about them."""

    model: str
    scenario: str
    instance: str
    query: str
    render: str | None = None
    failure: Failed | None = None
    scores: dict[str, str] = Field(default_factory=dict, description="metric to key")
    missing: dict[str, str] = Field(default_factory=dict, description="metric to reason")

    @property
    def part(self) -> str:
        """The journal part that the results are in."""
        return f"{self.model}/{self.scenario}"


class Run(Record):
    """The document of one evaluation."""

    name: str
    snapshot: str
    models: tuple[str, ...]
    baselines: tuple[str, ...] = Field(description="models that answer from the truth")
    scenarios: tuple[str, ...]
    seed: int
    settings: dict[str, dict[str, JsonValue]]
    judge: dict[str, JsonValue] | None = Field(
        default=None, description="who judged free answers, with its settings; None if nobody"
    )
    entries: tuple[Entry, ...]


def run_name(
    snapshot: str, models: Iterable[str], instances: Iterable[str], judge: Judge | None = None
) -> str:
    """Name a run by what it evaluates: the same evaluation has the same name.

    A model that judges is part of that, so that runs of two judges stand side by side.
    """
    content = [snapshot, sorted(models), sorted(instances)]
    if judge is not None and judge.model is not None:
        content.append(judge.model)
    return f"{snapshot}-{digest_json(content)[:8]}"


def require_same_judge(store: Store, name: str, judge: Judge | None) -> None:
    """Refuse to replace the points of one judge in a run by those of another.

    Raises:
        RunError: the run of that name has another judge.
    """
    try:
        before = load(store, name).judge
    except RunError:  # there is none, or nobody can read it
        return
    if judge is not None and before is not None and before.get("name") != judge.name:
        raise RunError(
            f"run {name} was judged by {before.get('name')}, now {judge.name} is set: give another "
            f"--name, or have all of it judged anew by `rerender rerun {name} --stage score`"
        )


def index(workshop: Workshop, batch: Batch) -> list[Entry]:
    """Look up, without doing any work, where the store holds the results of a batch."""
    scenario, instances = work_of(workshop, batch)
    queries = query_keys(workshop, batch, scenario, instances)
    completions = completions_of(workshop, batch, scenario, instances)
    renders = rendering_keys(workshop, batch, scenario, instances)
    renderings = workshop.journal(Stage.RENDER, batch.part, Rendering)
    scored = workshop.journal(Stage.SCORE, batch.part, Score)
    scorer = workshop.scorer(scenario)
    entries = []
    for item in instances:
        scores: dict[str, str] = {}
        missing: dict[str, str] = {}
        render = renders.get(item.id)
        rendering = renderings.get(render.value) if isinstance(render, Ok) else None
        if isinstance(rendering, Ok):
            possible = applicable(scenario, item)
            for name in filter(item.scored_by, scenario.metrics):
                key = scorer.key(name, item, rendering.value)
                if name not in possible:
                    missing[name] = "the truth of this instance is not known, only its picture"
                elif scored.get(key) is None:
                    missing[name] = scorer.unavailable.get(name, "not scored yet; run again")
                else:
                    scores[name] = key
        entries.append(
            Entry(
                model=batch.model,
                scenario=batch.scenario,
                instance=item.id,
                query=queries[item.id] if item.id in completions else "",
                render=render.value if isinstance(render, Ok) else None,
                failure=render if isinstance(render, Failed) else None,
                scores=scores,
                missing=missing,
            )
        )
    return entries


def look_up(workshop: Workshop, run: Run) -> list[Result]:
    """Read the results that a run's document points to.

    Scores that another version of a metric made are left out, with that as the reason: beside
    those of today's version they would be compared as if they were of one measure.
    """
    instances = {item.id: item for item in workshop.snapshot(run.snapshot).instances}
    return [_look_up(workshop, run, entry, instances[entry.instance]) for entry in run.entries]


def _look_up(workshop: Workshop, run: Run, entry: Entry, instance: Instance) -> Result:
    queries = workshop.journal(Stage.QUERY, entry.part, Completion)
    renders = workshop.journal(Stage.RENDER, entry.part, Rendering)
    scored = workshop.journal(Stage.SCORE, entry.part, Score)
    rendering: Outcome[Rendering] | None = entry.failure
    if entry.render is not None:
        rendering = renders.get(entry.render)
    scores = [_score(run, name, scored.get(key)) for name, key in entry.scores.items()]
    scores += [_missing(name, reason) for name, reason in entry.missing.items()]
    order = registry.scenarios.get(entry.scenario).metrics
    scores.sort(key=lambda score: order.index(score.metric) if score.metric in order else 99)
    return Result(entry.model, instance, queries.get(entry.query), rendering, tuple(scores))


def _score(run: Run, name: str, found: Outcome[Score] | None) -> Score:
    if isinstance(found, Ok):
        version = registry.metrics.get(name).version
        if found.value.version == version:
            return found.value
        return _missing(
            name,
            f"scored by {name} version {found.value.version}, now {version}: "
            f"`rerender rerun {run.name} --stage score`",
        )
    if found is None:
        return _missing(name, "its journal is gone; run again")
    return _missing(name, str(found), found)


def _missing(name: str, reason: str, failure: Failed | None = None) -> Score:
    version = registry.metrics.get(name).version
    return Score(metric=name, version=version, value=None, reason=reason, failure=failure)


def save(store: Store, run: Run) -> None:
    """Write a run's document."""
    store.write_document(f"runs/{run.name}.json", run.model_dump_json(indent=1))


def load(store: Store, name: str) -> Run:
    """Read a run's document.

    Raises:
        RunError: there is none of that name, or it cannot be read.
    """
    try:
        return Run.model_validate_json(store.read_document(f"runs/{name}.json"))
    except FileNotFoundError:
        known = ", ".join(names(store)) or "none yet"
        raise RunError(f"no run is called {name!r} (known: {known})") from None
    except ValidationError as error:
        raise RunError(f"run {name!r} is not readable: {error.errors()[0]['msg']}") from None


def names(store: Store) -> list[str]:
    """Return the names of all runs in the store."""
    return store.documents("runs")


def newest(store: Store) -> str:
    """Return the name of the run that was saved last.

    Raises:
        RunError: there is none.
    """
    name = store.newest("runs")
    if name is None:
        raise RunError("there is no run yet; `rerender evaluate` makes one")
    return name
