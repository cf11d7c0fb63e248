"""What the part of a leaderboard about FlowCE consists of; see ``reports.flowce``."""

from __future__ import annotations

from pydantic import Field

from benchmark.records import Record
from metrics.interval import Interval


class Column(Record):
    """One of the five dimensions."""

    key: str = Field(description="the heading in the paper's table 3, e.g. LV")
    name: str
    scenario: str
    metric: str
    judge: str = Field(default="", description="who gave the points, where a judge did")
    n: int = Field(ge=0, description="distinct questions")


class FlowceScore(Record):
    """One score of one model, on the paper's scale; or the reason why there is none."""

    interval: Interval = Field(description="0 to 100")
    n: int = Field(ge=0, description="questions that the model was evaluated on")
    failed: int = Field(ge=0, description="no answer, by the model's fault: the worst value")
    infra: int = Field(ge=0, description="no answer or no score, not the model's fault: left out")
    pending: int = Field(ge=0, description="not done yet: left out")
    reason: str = Field(default="", description="why there is no score")
    best: bool = Field(default=False, description="whether no other model has a better score")


class FlowceRow(Record):
    """One model: its score in each dimension, and their average."""

    model: str
    baseline: bool
    scores: tuple[FlowceScore, ...]
    average: FlowceScore


class Verdicts(Record):
    """What a model said of the statements, by what is true (figure 10)."""

    model: str
    n: int = Field(ge=0, description="statements whose answer, or failure, is the model's")
    left_out: int = Field(ge=0, description="lost to the infrastructure, or not done yet")
    counts: dict[str, dict[str, int]] = Field(description="by truth, by what was said")
    accuracy: float | None = Field(description="share of right verdicts, in [0, 1]")


class Factors(Record):
    """How the effective factors of a model's answers are distributed (figure 11)."""

    model: str
    n: int = Field(ge=0, description="answers")
    failed: int = Field(ge=0, description="no answer, by the model's fault: in no bar")
    left_out: int = Field(ge=0, description="lost to the infrastructure, or not done yet")
    edges: tuple[float, ...]
    counts: tuple[int, ...]
    mean: Interval


class Flowce(Record):
    """Table 3 and figures 10 and 11, for the models of a run."""

    columns: tuple[Column, ...]
    rows: tuple[FlowceRow, ...] = Field(description="by average, best first")
    verdicts: tuple[Verdicts, ...]
    factors: tuple[Factors, ...]
