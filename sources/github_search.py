"""GitHub's repository search, of which one question never shows more than 1,000 results.

What is asked for is cut into windows of the time of creation, the newest first. A window with more
results is split until it has at most 1,000; one with few makes the next one longer. Windows are
inclusive at both ends and have whole seconds, so each begins one second after the older one ends.
"""

from __future__ import annotations

import datetime as dt
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from sources.github_api import API, Repository
from sources.http import MEGABYTE, Claim, Client, Keep, Response, Site

MOST = 1_000
"""Results of one search; the page that would begin after them is refused with 422."""
PER_PAGE = 100
WANTED = 400
"""Results that a window is split for: few enough to begin soon, enough to fill pages."""
PARTS = 100
"""Most parts that a window is cut into at once, whatever the site counts."""
SIZE_KB = 1_000
"""Largest repository that is searched for, in kilobytes."""

FIRST = dt.date(2008, 12, 18)
"""The day on which GitHub Pages began."""
SHORTEST = dt.timedelta(seconds=1)
LONGEST = dt.timedelta(days=1500)
_SPARSE = 100
"""A window with fewer results makes the next one longer."""


@dataclass(frozen=True)
class Window:
    """A span of time, both ends included, in whole seconds (UTC)."""

    start: dt.datetime
    end: dt.datetime

    @property
    def length(self) -> dt.timedelta:
        """How long it is; one second if it ends where it starts."""
        return self.end - self.start + SHORTEST

    def split(self, parts: int) -> list[Window]:
        """Cut into at most so many parts of equal length, oldest first."""
        seconds = int(self.length.total_seconds())
        parts = min(parts, seconds)
        edges = [self.start + SHORTEST * (seconds * part // parts) for part in range(parts + 1)]
        return [Window(begin, end - SHORTEST) for begin, end in itertools.pairwise(edges)]

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%dT%H:%M:%SZ}..{self.end:%Y-%m-%dT%H:%M:%SZ}"


class _Answer(BaseModel):
    """A page of results as GitHub sends it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    total_count: int = Field(ge=0)
    incomplete_results: bool = False
    items: list[JsonValue] = Field(max_length=PER_PAGE)


class _Refusal(BaseModel):
    """What GitHub says with a status of 422."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    message: str = ""


class Search:
    """The repositories of user pages in one language."""

    def __init__(self, client: Client, site: Site, language: str) -> None:
        """Choose what is searched for.

        Args:
            client: asks the site.
            site: as of ``sources.github_api.search_site``.
            language: the main language, as GitHub counts it.
        """
        self._client = client
        self._site = site
        self._language = language

    def find(self, since: dt.date | None, today: dt.date) -> Iterator[Outcome[Repository]]:
        """Yield the repositories made from a day on, newest first.

        Args:
            since: the first day (UTC); None: since there are such pages.
            today: the last day.

        Yields:
            Repositories, each once; and as failures: results that GitHub counted but did not send,
            or found in a search that it broke off (NOT_AS_CLAIMED), items that are none
            (NOT_AS_CLAIMED). A failure that is not final ends the search.
        """
        for window, answer in self._windows(_span(since or FIRST, today)):
            if isinstance(answer, Failed):
                yield answer
                return
            for outcome in self._results(window, answer.value):
                yield outcome
                if isinstance(outcome, Failed) and not outcome.final:
                    return

    def _windows(self, span: Window | None) -> Iterator[tuple[Window, Outcome[_Answer]]]:
        """Yield windows that need not be split, newest first, with their first page."""
        length = dt.timedelta(days=1)
        waiting: list[Window] = []
        while span is not None or waiting:
            whole = not waiting
            if not waiting and span is not None:
                newest, span = _take(span, length)
                waiting.append(newest)
            window = waiting.pop()
            answer = self._page(window, 1)
            if isinstance(answer, Failed):
                yield window, answer
                return
            total = answer.value.total_count
            if total <= MOST:
                if whole and total < _SPARSE:
                    length = min(length * (2 if total else 8), LONGEST)
                yield window, answer
                continue
            if window.length <= SHORTEST:
                yield window, self._unsplittable(window, total)
                return
            parts = window.split(min(math.ceil(total / WANTED), PARTS))
            waiting.extend(parts)
            length = min(length, parts[-1].length)

    def _results(self, window: Window, first: _Answer) -> Iterator[Outcome[Repository]]:
        """Yield all results of a window, newest first, then what is missing."""
        found: dict[int, Repository] = {}
        bad: list[Failed] = []
        broken_off = first.incomplete_results
        received = 0
        for number in range(1, math.ceil(min(first.total_count, MOST) / PER_PAGE) + 1):
            page = ok(first) if number == 1 else self._page(window, number)
            if isinstance(page, Failed):
                yield page
                return
            broken_off |= page.value.incomplete_results
            for item in page.value.items:
                repository = _read(item)
                if isinstance(repository, Failed):
                    bad.append(repository)
                else:
                    found.setdefault(repository.value.id, repository.value)
            received = len(found) + len(bad)
        for newest in sorted(found.values(), key=lambda each: (each.created_at, each.id))[::-1]:
            yield ok(newest)
        yield from bad
        if broken_off:
            yield self._told(window, "broke the search off twice; what it had found is used")
        if received < first.total_count:
            message = f"counted {first.total_count} repositories but sent {received}"
            yield self._told(window, message)

    def _page(self, window: Window, number: int) -> Outcome[_Answer]:
        """Ask for a page; once more where GitHub ran out of time."""
        answer = self._ask(window, number, Keep.CHECKED)
        if isinstance(answer, Ok) and answer.value.incomplete_results:
            return self._ask(window, number, Keep.NOT)
        return answer

    def _ask(self, window: Window, number: int, keep: Keep) -> Outcome[_Answer]:
        """Ask for a page of at most 100 results.

        No order is asked for: each that GitHub offers (updated, stars) changes between two pages.
        """
        response = self._client.get(
            self._site,
            f"{API}/search/repositories",
            params={"q": self._query(window), "per_page": PER_PAGE, "page": number},
            claims={Claim.JSON},
            most=10 * MEGABYTE,
            keep=keep,
            accept={422},
        )
        if isinstance(response, Failed):
            return _ended(response)
        if response.value.status == 422:
            return self._refused(window, response.value)
        try:
            return ok(_Answer.model_validate_json(response.value.body))
        except ValidationError as error:
            return self._lost(window, f"sent no list of repositories: {_first_line(error)}")

    def _query(self, window: Window) -> str:
        return f"github.io in:name size:<={SIZE_KB} created:{window} language:{self._language}"

    def _refused(self, window: Window, response: Response) -> Failed:
        try:
            said = _Refusal.model_validate_json(response.body).message
        except ValidationError:
            said = ""
        return self._lost(window, f"refused the question: {said or 'without a reason'}")

    def _unsplittable(self, window: Window, total: int) -> Failed:
        message = (
            f"counted {total} repositories of one second, of which it would show {MOST}: it does "
            "not heed the time of creation, so nothing that it lists can be complete"
        )
        return self._lost(window, message)

    def _told(self, window: Window, what: str) -> Failed:
        """Tell of results that were lost where the search goes on all the same."""
        return self._failed(Kind.NOT_AS_CLAIMED, window, what)

    def _lost(self, window: Window, what: str) -> Failed:
        """End the search, not as the fault of any repository."""
        return self._failed(Kind.PROVIDER_ERROR, window, what)

    def _failed(self, kind: Kind, window: Window, what: str) -> Failed:
        question = f"{API}/search/repositories?q={self._query(window)}"
        return Failed.of(Stage.FETCH, kind, f"GitHub's search {what}", subject=question)


def _span(since: dt.date, today: dt.date) -> Window | None:
    if since > today:
        return None
    start = dt.datetime.combine(max(since, FIRST), dt.time(), dt.UTC)
    return Window(start, dt.datetime.combine(today, dt.time(23, 59, 59), dt.UTC))


def _take(span: Window, length: dt.timedelta) -> tuple[Window, Window | None]:
    """Cut the newest part off a span; return it and what is left."""
    start = max(span.start, span.end - length + SHORTEST)
    rest = Window(span.start, start - SHORTEST) if start > span.start else None
    return Window(start, span.end), rest


def _read(item: JsonValue) -> Outcome[Repository]:
    try:
        return ok(Repository.model_validate(item))
    except ValidationError as error:
        name = item.get("full_name") if isinstance(item, dict) else None
        message = f"GitHub listed what is no repository: {_first_line(error)}"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=str(name or API)[:200])


def _ended(failure: Failed) -> Failed:
    """A search that is refused or answered with something else is no fault of any material."""
    if not failure.final:
        return failure
    message = f"GitHub's search gave no answer: {failure.message}"
    return Failed.of(
        Stage.FETCH, Kind.PROVIDER_ERROR, message, failure.detail, subject=failure.subject
    )


def _first_line(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
