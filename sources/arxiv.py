"""LaTeX of fresh papers: formulae, tables, algorithms, plots, figures, as their authors wrote them.

Papers are found by the day of their first version, newest first, the categories of the settings in
turns. The source of a paper's latest version is read, a few pieces of it are taken, and only then
the licence is asked for.
"""

from __future__ import annotations

import datetime as dt
from collections import deque
from collections.abc import Iterator

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material
from benchmark.settings import Settings
from sources import arxiv_listing, arxiv_oai, arxiv_source
from sources.arxiv_pieces import NAME, materials, read_choices
from sources.arxiv_site import Listed
from sources.http import Client
from sources.latex_truths import SORTS

WINDOW = dt.timedelta(days=7)
"""How far back papers are looked for where no day is named."""
PATIENCE = 3
"""Papers that are looked through for a piece of the sort whose turn it is, before it is passed."""


class Arxiv:
    """The source `arxiv`."""

    name = NAME
    scenarios = ("latex",)
    live = True
    about = (
        "Formulae, tables, algorithms, plots and figures from the LaTeX sources of papers at "
        "arXiv, each with the definitions and picture files of its paper that it uses. Papers "
        "belong to their authors: what may be passed on depends on the licence of each; where it "
        "may not, a published snapshot says how to fetch it again."
    )

    def __init__(
        self,
        *,
        settings: Settings | None = None,
        client: Client | None = None,
        today: dt.date | None = None,
    ) -> None:
        """Choose how the site is asked.

        Args:
            settings: by default those of the environment, read when material is asked for.
            client: by default one of its own for each collection.
            today: the last day that is looked at (UTC), by default the present one.
        """
        self._settings = settings
        self._client = client
        self._today = today

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield pieces of papers: plots, algorithms, tables, figures and equations in turns.

        Args:
            since: leave out papers whose first version is older; by default `WINDOW` before today.
            limit: at most so many pieces.
        """
        left = limit
        if left is not None and left <= 0:
            return
        for outcome in in_turns(self._papers(since)):
            yield outcome
            if left is not None and isinstance(outcome, Ok):
                left -= 1
                if left == 0:
                    return

    def _papers(self, since: dt.date | None) -> Iterator[list[Outcome[Material]]]:
        """Yield what each paper gives; the last may be the failure that ended it all."""
        settings = self._settings or Settings()
        today = self._today or dt.datetime.now(dt.UTC).date()
        first = since or today - WINDOW
        # where it is tomorrow already, that day is asked for although it has not begun in UTC
        last = first if first == today + dt.timedelta(days=1) else today
        days = [last - dt.timedelta(days=back) for back in range((last - first).days + 1)]
        if self._client is not None:
            yield from _look_through(self._client, settings, first, days)
            return
        with Client(settings) as client:
            yield from _look_through(client, settings, first, days)


def _look_through(
    client: Client, settings: Settings, first: dt.date, days: list[dt.date]
) -> Iterator[list[Outcome[Material]]]:
    seen: set[str] = set()
    for day in days:
        for listed in _listed(client, settings, day):
            if isinstance(listed, Failed):
                outcomes: list[Outcome[Material]] = [listed]
            elif listed.value.identifier in seen:
                continue
            else:
                seen.add(listed.value.identifier)
                outcomes = list(_of_paper(client, listed.value, first))
            yield outcomes
            if any(isinstance(each, Failed) and not each.final for each in outcomes):
                return


def _listed(client: Client, settings: Settings, day: dt.date) -> Iterator[Outcome[Listed]]:
    """Yield the papers of a day, one of each category in turn."""
    if settings.arxiv_listing == "oai":
        for outcome in arxiv_oai.records(client, day):
            if isinstance(outcome, Failed) or _is_of(outcome.value, settings.arxiv_categories):
                yield outcome
        return
    turns = [arxiv_listing.search(client, name, day) for name in settings.arxiv_categories]
    while turns:
        for turn in list(turns):
            found = next(turn, None)
            if found is None:
                turns.remove(turn)
            else:
                yield found


def _is_of(paper: Listed, wanted: tuple[str, ...]) -> bool:
    """Tell whether a paper is of a category as the query interface would."""
    return any(
        category == name or (name.endswith(".*") and category.startswith(name[:-1]))
        for category in paper.categories
        for name in wanted
    )


def _of_paper(client: Client, paper: Listed, first: dt.date) -> Iterator[Outcome[Material]]:
    """Yield what a paper gives: pieces, and reasons for what is not taken."""
    if paper.created < first:
        message = f"its first version is of {paper.created}, before {first}"
        yield _dropped(Kind.OUT_OF_DATE, message, paper)
        return
    if paper.says_withdrawn:
        yield _dropped(Kind.WITHDRAWN, f"its latest version says: {paper.comment}", paper)
        return
    files = arxiv_source.fetch(client, paper)
    if isinstance(files, Failed):
        yield files
        return
    read_paper = read_choices(files.value)
    if isinstance(read_paper, Failed):
        yield read_paper.model_copy(update={"subject": paper.address})
        return
    main, choices = read_paper.value
    if not any(isinstance(choice.outcome, Ok) for choice in choices):
        yield from materials(paper, main, choices, None)
        if not choices:
            yield _dropped(Kind.UNSUITABLE, "nothing in it makes a picture of its own", paper)
        return
    licence = _licence(client, paper)
    if isinstance(licence, Failed):
        yield licence
        return
    yield from materials(paper, main, choices, licence.value)


def _dropped(kind: Kind, message: str, paper: Listed) -> Failed:
    return Failed.of(Stage.FILTER, kind, message, subject=paper.address)


def _licence(client: Client, paper: Listed) -> Outcome[str | None]:
    """Return the address of a paper's licence; None if none is known."""
    if paper.licence is not None:
        return ok(paper.licence)
    found = arxiv_oai.record(client, paper.identifier)
    if isinstance(found, Failed):
        return found.model_copy(update={"subject": paper.address})
    return ok(found.value.licence if found.value else None)


def in_turns(papers: Iterator[list[Outcome[Material]]]) -> Iterator[Outcome[Material]]:
    """Yield pieces of the subsets in turns; for each turn a few papers more are looked through.

    Failures are yielded as they come, but for one that ends the source: that is the last.
    """
    waiting: dict[str, deque[Ok[Material]]] = {sort: deque() for sort in SORTS}
    more, ended = True, None
    while more or any(waiting.values()):
        for sort in SORTS:
            for _ in range(PATIENCE):
                if waiting[sort] or not more:
                    break
                outcomes = next(papers, None)
                more = outcomes is not None
                for outcome in outcomes or ():
                    if isinstance(outcome, Ok):
                        waiting[outcome.value.subset].append(outcome)
                    elif outcome.final:
                        yield outcome
                    else:
                        more, ended = False, outcome
            if waiting[sort]:
                yield waiting[sort].popleft()
    if ended is not None:
        yield ended
