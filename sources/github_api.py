"""GitHub's interface: where it is, how fast it may be asked, and what it says of a repository."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

from benchmark.outcome import Failed, Kind, Stage
from benchmark.settings import Settings
from sources import licences
from sources.http import Site

API = "https://api.github.com"
HOSTS = frozenset({"api.github.com", "codeload.github.com"})
TOKEN = "RERENDER_GITHUB_TOKEN"  # noqa: S105 - the name of the setting

_INTERVAL = 1.0
"""Seconds between two requests for commits and archives: far below the secondary limits."""
_SEARCH_INTERVALS = {True: 2.0, False: 6.0}
"""Seconds between two searches with and without a token: 30 and 10 a minute are allowed."""

_NAME = StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}$")
_FULL_NAME = StringConstraints(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}/[A-Za-z0-9._-]{1,100}$")
_Time = Annotated[
    AwareDatetime,
    Field(ge=dt.datetime(2000, 1, 1, tzinfo=dt.UTC), lt=dt.datetime(3000, 1, 1, tzinfo=dt.UTC)),
]


class Owner(BaseModel):
    """Whose a repository is."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    login: Annotated[str, _NAME]
    id: int


class Licence(BaseModel):
    """The licence that GitHub found in a repository."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    spdx_id: str | None = None


class Repository(BaseModel):
    """An item of a search answer: the fields that are used here."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: int
    full_name: Annotated[str, _FULL_NAME]
    owner: Owner
    created_at: _Time
    pushed_at: _Time | None = None
    size: int = Field(ge=0, description="kilobytes of the repository with its history, packed")
    language: str | None = None
    fork: bool = False
    archived: bool = False
    disabled: bool = False
    licence: Licence | None = Field(default=None, alias="license")

    @property
    def page(self) -> str:
        """The address for people, which is also how failures name a repository."""
        return f"https://github.com/{self.full_name}"

    @property
    def created(self) -> dt.date:
        """The day (UTC) on which it was made."""
        return self.created_at.astimezone(dt.UTC).date()

    @property
    def spdx(self) -> str:
        """The licence by its SPDX name, or that it is not known (none, or one of their own)."""
        return licences.spdx(self.licence.spdx_id if self.licence else None)


RAW_SITE = Site("github-raw", frozenset({"raw.githubusercontent.com"}), 0.5)
"""Files of repositories; public, so no token goes there."""


def has_token(settings: Settings) -> bool:
    """Tell whether the user has set a token; an empty one is none."""
    token = settings.github_token
    return token is not None and bool(token.get_secret_value().strip())


def search_site(settings: Settings) -> Site:
    """Return the site for searches, which have a limit of their own."""
    interval = _SEARCH_INTERVALS[has_token(settings)]
    return Site("github-search", HOSTS, interval, _headers(settings))


def core_site(settings: Settings) -> Site:
    """Return the site for everything else."""
    return Site("github", HOSTS, _INTERVAL, _headers(settings))


def _headers(settings: Settings) -> dict[str, str]:
    """Return the headers; without a token none is sent, since GitHub refuses an empty one."""
    headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
    if has_token(settings) and settings.github_token is not None:
        headers["Authorization"] = f"Bearer {settings.github_token.get_secret_value().strip()}"
    return headers


def with_advice(failure: Failed, settings: Settings) -> Failed:
    """Add what to do to a failure that ends the source."""
    if failure.kind is Kind.UNAUTHORIZED:
        advice = f"give {TOKEN} a token that is valid, or unset it to go on without one"
    elif failure.kind in (Kind.RATE_LIMITED, Kind.QUOTA) and not has_token(settings):
        advice = (
            f"GitHub allows 60 requests an hour without a token and 5,000 with one: set {TOKEN}"
        )
    else:
        return failure
    message = f"{failure.message}; {advice}"
    return Failed.of(Stage.FETCH, failure.kind, message, failure.detail, failure.subject)
