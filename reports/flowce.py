"""FlowCE's table 3 and figures 10 and 11 (arXiv 2406.10057), from the results of a run.

Each score stands on the paper's scale of 0 to 100: 100 times the mean over the highest value of the
metric. Points of a judge become 20 a point (0 to 5) and 10 a point (1 to 10); an answer that is
wrong throughout has 1 of 10 points, so the least that a summary can have is 10, and that is also
what a failure of the model counts as: the worst value of every metric, as in all tables here.
The average is that of the five scores, and missing where one of them is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from benchmark.protocols import Metric
from metrics.average import average_interval
from metrics.interval import Interval
from reports.aggregate import Grid, Rules, cell, counted
from reports.flowce_figures import Truth, factors, verdicts
from reports.flowce_records import Column, Flowce, FlowceRow, FlowceScore
from reports.results import Fate, Result, judges_of

DIMENSIONS = (
    ("LV", "Logical Verification", "flowce-logic", "verdict_accuracy"),
    ("IE", "Information Extraction", "flowce-extraction", "effective_factor_score"),
    ("RS", "Reasoning", "flowce-reasoning", "judge_5"),
    ("LR", "Localization Recognition", "flowce-localization", "judge_5"),
    ("SM", "Summarization", "flowce-summarization", "judge_10"),
)
"""The columns of table 3 in its order: heading, name, scenario, metric."""


def flowce(
    results: Sequence[Result],
    metrics: Mapping[str, Metric],
    how: Rules,
    truth: Truth | None = None,
) -> Flowce | None:
    """Return FlowCE's tables of some results; None where none is of FlowCE.

    Args:
        results: as given to ``leaderboard``; other scenarios are left out.
        metrics: by name.
        how: how intervals are made, and which models are a ceiling or a floor.
        truth: returns the true verdict of a statement; without it there is no distribution of
            verdicts.
    """
    names = {scenario for _, _, scenario, _ in DIMENSIONS}
    own = [result for result in results if result.instance.scenario in names]
    if not own:
        return None
    grids = [
        Grid([r for r in own if r.instance.scenario == scenario], [metrics[metric]])
        if metric in metrics
        else Grid([], [])
        for _, _, scenario, metric in DIMENSIONS
    ]
    models = list(dict.fromkeys(result.model for result in own))
    rows = [_row(model, grids, how) for model in models]
    columns = tuple(
        Column(
            key=key,
            name=name,
            scenario=scenario,
            metric=metric,
            judge=judges_of(grid.results, metric),
            n=len({result.instance.id for result in grid.results}),
        )
        for (key, name, scenario, metric), grid in zip(DIMENSIONS, grids, strict=True)
    )
    logic, extraction = grids[0].results, grids[1].results
    return Flowce(
        columns=columns,
        rows=tuple(_ordered(_with_best(rows))),
        verdicts=() if truth is None else verdicts(logic, truth),
        factors=factors(extraction, how),
    )


def percent(metric: Metric, value: float) -> float:
    """Return a value on the paper's scale."""
    return 100.0 * value / metric.range[1]


def _row(model: str, grids: Sequence[Grid], how: Rules) -> FlowceRow:
    scores = tuple(_score(model, grid, how) for grid in grids)
    parts = [
        [(percent(metric, value), source) for value, source in counted(grid.of(model), metric)]
        if metric.name not in grid.unavailable
        else []
        for grid in grids
        for metric in grid.metrics
    ]
    parts += [[]] * (len(grids) - len(parts))
    missing = [
        key
        for (key, *_), score in zip(DIMENSIONS, scores, strict=True)
        if score.interval.mean is None
    ]
    average = FlowceScore(
        interval=average_interval(parts, seed=how.seed, confidence=how.confidence),
        n=sum(score.n for score in scores),
        failed=sum(score.failed for score in scores),
        infra=sum(score.infra for score in scores),
        pending=sum(score.pending for score in scores),
        reason=f"{', '.join(missing)} is missing" if missing else "",
    )
    return FlowceRow(model=model, baseline=model in how.baselines, scores=scores, average=average)


def _score(model: str, grid: Grid, how: Rules) -> FlowceScore:
    own = grid.of(model)
    fates = Counter(result.fate for result in own)
    if not own:
        nothing = Interval(mean=None, low=None, high=None, n=0, clusters=0)
        return FlowceScore(
            interval=nothing, n=0, failed=0, infra=0, pending=0, reason="not evaluated"
        )
    metric = grid.metrics[0]
    found = cell(own, metric, grid.unavailable, how)
    bounds = {
        name: None if value is None else percent(metric, value)
        for name in ("mean", "low", "high")
        for value in (getattr(found.interval, name),)
    }
    return FlowceScore(
        interval=found.interval.model_copy(update=bounds),
        n=len(own),
        failed=fates[Fate.FAILED],
        infra=fates[Fate.INFRA] + found.unscored,
        pending=fates[Fate.PENDING],
        reason="" if found.interval.mean is not None else found.reason or "nothing is scored yet",
    )


def _with_best(rows: Sequence[FlowceRow]) -> list[FlowceRow]:
    """Mark the best of each column among the models that are compared, ties included."""
    models = [row for row in rows if not row.baseline]
    compared = models if len(models) > 1 else list(rows)
    names = {row.model for row in compared}
    bests = [_best([row.scores[place] for row in compared]) for place in range(len(DIMENSIONS))]
    average = _best([row.average for row in compared])
    return [
        row.model_copy(
            update={
                "scores": tuple(
                    _marked(score, best) for score, best in zip(row.scores, bests, strict=True)
                ),
                "average": _marked(row.average, average),
            }
        )
        if row.model in names
        else row
        for row in rows
    ]


def _best(scores: Sequence[FlowceScore]) -> float | None:
    known = [score.interval.mean for score in scores if score.interval.mean is not None]
    return max(known) if len(known) > 1 else None


def _marked(score: FlowceScore, best: float | None) -> FlowceScore:
    marked = best is not None and score.interval.mean == best
    return score.model_copy(update={"best": marked})


def _ordered(rows: Sequence[FlowceRow]) -> list[FlowceRow]:
    def place(row: FlowceRow) -> tuple[bool, float, str]:
        mean = row.average.interval.mean
        return mean is None, -(mean or 0.0), row.model

    return sorted(rows, key=place)
