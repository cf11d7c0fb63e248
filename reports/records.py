"""What a leaderboard consists of: frozen records that serialise to ``leaderboard.json``."""

from __future__ import annotations

import datetime as dt

from pydantic import Field

from benchmark.outcome import Blame, Kind
from benchmark.records import Record, Usage
from metrics.interval import Interval
from reports.flowce_records import Flowce

VERSION = "1"


class FailureCount(Record):
    """How many instances ended in one kind of failure."""

    kind: Kind
    blame: Blame
    count: int = Field(ge=1)


class Cell(Record):
    """One metric of one row; a mean, or the reason why there is none."""

    metric: str
    interval: Interval
    unscored: int = Field(
        default=0, ge=0, description="pictures without a value, which the mean leaves out"
    )
    reason: str = Field(default="", description="why pictures have no value")
    best: bool = Field(default=False, description="whether no other model has a better mean")
    behind: Interval | None = Field(
        default=None,
        description="how much worse than the best model on the instances that both have a value "
        "of, positive means worse; only for whole scenarios",
    )

    @property
    def near_best(self) -> bool:
        """Whether the data cannot tell the model from the best one: the interval holds 0."""
        low, high = (None, None) if self.behind is None else (self.behind.low, self.behind.high)
        return low is not None and high is not None and low <= 0 <= high


class Row(Record):
    """One model, on everything, on one scenario or on one subset."""

    model: str
    baseline: bool = Field(
        default=False, description="a ceiling or a floor, not a model to be compared"
    )
    n: int = Field(ge=0, description="instances that the model was evaluated on")
    clean: int = Field(ge=0, description="pictures without complaint")
    partial: int = Field(ge=0, description="pictures in spite of errors")
    failed: int = Field(ge=0, description="no picture, by the model's fault: scored as the worst")
    infra: int = Field(ge=0, description="no picture, not the model's fault: not scored")
    pending: int = Field(ge=0, description="not done yet: not scored")
    repaired: int = Field(ge=0, description="pictures after at least one recorded repair")
    rendered: Interval = Field(description="rendering success rate, among clean, partial, failed")
    failures: tuple[FailureCount, ...]
    cells: tuple[Cell, ...] = ()
    win_rate: float | None = Field(description="mean win rate; None without another model")
    win_rate_low: float | None = None
    win_rate_high: float | None = None
    leads: bool = Field(default=False, description="whether no other model has a better win rate")
    usage: Usage
    cost: float | None = Field(
        default=None, ge=0, description="US dollars at list prices; None where they are not known"
    )
    judge_usage: Usage = Field(
        default=Usage(), description="what the judge took for these answers, counted apart"
    )
    judge_cost: float | None = Field(
        default=None, ge=0, description="US dollars for that; None where a price is not known"
    )
    warning: str = ""
    cutoff: dt.date | None = Field(
        default=None, description="last day of the model's training data, where that is published"
    )
    new_to_it: int | None = Field(
        default=None, ge=0, description="instances that were made after that day"
    )


class MetricNote(Record):
    """What a reader must know of a metric to read its column."""

    name: str
    version: str
    range: tuple[float, float]
    higher_is_better: bool
    judge: str = Field(default="", description="who gave the values, where a judge did")


class Table(Record):
    """All models on one scenario (`subset` is None) or on one of its subsets."""

    scenario: str
    subset: str | None
    n: int = Field(description="distinct instances")
    documents: int = Field(description="distinct source documents")
    metrics: tuple[MetricNote, ...]
    rows: tuple[Row, ...] = Field(description="by mean win rate, best first")


class Leaderboard(Record):
    """All tables of one run."""

    version: str = VERSION
    title: str = ""
    snapshot: str = ""
    seed: int
    confidence: float = 0.95
    overall: tuple[Row, ...] = Field(description="by mean win rate, best first; without cells")
    tables: tuple[Table, ...]
    flowce: Flowce | None = Field(
        default=None, description="FlowCE's tables, where the run holds any of its questions"
    )
