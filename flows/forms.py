"""What the flows are asked for: forms in Prefect's interface, checked before anything runs."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from benchmark.snapshot import NAME
from flows.batching import Only
from flows.splits import Split

Limit = Annotated[
    int | None, Field(ge=1, description="At most so many instances of each scenario.")
]
Name = Annotated[
    str | None,
    Field(
        pattern=f"^{NAME.pattern}$",
        description="Letters, digits, dots and dashes. Left out, it follows from the content.",
    ),
]


class Asked(BaseModel):
    """Base of all requests: unknown fields are refused, so that a misspelled one is told."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RefreshRequest(Asked):
    """Which fresh material becomes a snapshot."""

    sources: list[str] = Field(
        default=["bundled"],
        min_length=1,
        description="Registered names, asked side by side; see `rerender list sources`.",
    )
    since: dt.date | None = Field(
        default=None, description="Leave out what was made before this day."
    )
    days: int | None = Field(
        default=None,
        ge=1,
        description="Leave out what is older than so many days; instead of a date.",
    )
    limit: Limit = Field(
        default=None,
        description="At most so many instances of each scenario from each source; 100 of a site.",
    )
    name: Name = None
    tasks: int | None = Field(
        default=None,
        ge=0,
        description="Derive so many questions of each task on maps, in each subset; left out: as "
        "many as the source says.",
    )
    only_new: bool = Field(
        default=False, description="Leave out what is in an earlier snapshot of the store."
    )
    partial: bool = Field(
        default=False,
        description="Freeze what could be had though something failed by a fault of ours.",
    )
    without: list[str] = Field(
        default=[], description="Filters that are not applied; see docs/sources.md."
    )

    @model_validator(mode="after")
    def _one_date(self) -> RefreshRequest:
        if self.since is not None and self.days is not None:
            raise ValueError("since and days say the same thing; give one of them")
        return self

    def first_day(self, today: dt.date) -> dt.date | None:
        """Return the day before which nothing is wanted."""
        return self.since if self.days is None else today - dt.timedelta(days=self.days)


class EvaluateRequest(Asked):
    """Which models meet which instances."""

    snapshot: str | None = Field(
        default=None, description="The name of a frozen snapshot; left out: the one made last."
    )
    models: list[str] | None = Field(
        default=None,
        min_length=1,
        description="Registered names (oracle, blank, ocr) or provider names (openai/gpt-4o); "
        "left out: those of the setting `models`.",
    )
    scenarios: list[str] | None = Field(
        default=None,
        description="Names of scenarios, or of families (flowce, mindbench); left out: the "
        "snapshot's.",
    )
    limit: Limit = None
    name: Name = None
    split: Split = Field(
        default=Split.TEST,
        description="`test` for everything, `test*` for mind maps of at most 60 nodes alone.",
    )
    source: str | None = Field(
        default=None,
        description="Only what is of this source, or of this published set (XMind, Zhixi, …).",
    )
    max_tokens: int | None = Field(
        default=None,
        ge=1,
        description="Stop asking once so many tokens went in and out, all models together.",
    )
    max_cost: float | None = Field(
        default=None,
        gt=0,
        description="Stop asking once so many US dollars are spent, all models together.",
    )


class RerunRequest(Asked):
    """Which stage of a run is done again."""

    run: str | None = Field(
        default=None, description="The name of a run; left out: the one made last."
    )
    stage: Literal["query", "render", "score"] = Field(
        description="The stage that is forced; those after it do what follows from that."
    )
    only: Only = Field(
        default=Only.FAILED,
        description="`failed` for what failed there, whoever is to blame; `all` for everything.",
    )
    since: dt.datetime | None = Field(
        default=None,
        description="What has been done again since then (UTC, unless it says another zone) is "
        "done; left out: since this run was asked for, so a retry of it goes on where it stopped.",
    )
    max_tokens: int | None = Field(
        default=None, ge=1, description="Stop asking once so many tokens went in and out."
    )
    max_cost: float | None = Field(
        default=None, gt=0, description="Stop asking once so many US dollars are spent."
    )

    @field_validator("since")
    @classmethod
    def _utc(cls, since: dt.datetime | None) -> dt.datetime | None:
        """Read a time without a zone as UTC, wherever the worker is that takes the run."""
        return since.replace(tzinfo=dt.UTC) if since and since.tzinfo is None else since


class ReportRequest(Asked):
    """Which run becomes a leaderboard."""

    run: str | None = Field(
        default=None, description="The name of a run; left out: the one made last."
    )
    folder: str | None = Field(
        default=None,
        description="Where to write; left out: a folder of the run's name under the setting "
        "`reports`.",
    )


class BenchmarkRequest(Asked):
    """The whole road: what is fetched, and who is asked about it."""

    sources: list[str] | None = Field(
        default=None, description="Left out: those of the setting `refresh_sources`."
    )
    models: list[str] | None = Field(
        default=None, description="Left out: those of the setting `models`."
    )
    days: int | None = Field(
        default=None,
        ge=1,
        description="Leave out what is older than so many days; left out: 7 where a site is among "
        "the sources, else nothing is too old.",
    )
    limit: Limit = None
    max_tokens: int | None = Field(
        default=None, ge=1, description="Stop asking once so many tokens went in and out."
    )
    max_cost: float | None = Field(
        default=None, gt=0, description="Stop asking once so many US dollars are spent."
    )
    only_new: bool = Field(
        default=True, description="Leave out what is in an earlier snapshot of the store."
    )
    partial: bool = Field(
        default=False, description="Go on with what could be had though a site failed."
    )
