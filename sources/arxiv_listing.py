"""Which papers arXiv has: found with its query interface, through the package `arxiv`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.arxiv_site import Listed, split_name
from sources.http import Client

if TYPE_CHECKING:
    from arxiv import Result

SHORTEST = dt.timedelta(hours=2)
"""Shorter slices are not cut into two; arXiv takes about a thousand papers in a whole day."""
_MINUTE = dt.timedelta(minutes=1)


def search(client: Client, category: str, day: dt.date) -> Iterator[Outcome[Listed]]:
    """Yield the papers of a category whose first version was submitted on a day, newest first.

    Args:
        client: asks the site.
        category: as the query interface takes it: ``cs.LG``, ``hep-th``, or ``cs.*`` for all of an
            archive.
        day: in UTC, as arXiv counts.

    Yields:
        Papers; or the one failure that ended the list.
    """
    first = dt.datetime.combine(day, dt.time())
    yield from _slice(client, category, first, first + dt.timedelta(days=1) - _MINUTE)


def _slice(
    client: Client, category: str, first: dt.datetime, last: dt.datetime
) -> Iterator[Outcome[Listed]]:
    """Yield what was submitted from one minute to another, both counted in."""
    from sources.arxiv_transport import TooMany  # noqa: PLC0415 - it imports requests

    try:
        yield from _results(client, category, first, last)
    except TooMany as many:
        if last - first < SHORTEST:
            message = (
                f"arXiv counts {many} papers of {category} from {first} to {last}: it does not "
                "heed the time of submission, so nothing that it lists can be complete"
            )
            yield Failed.of(Stage.FETCH, Kind.PROVIDER_ERROR, message)
            return
        middle = first + (last - first) // 2
        middle = middle.replace(second=0, microsecond=0)
        for part in ((middle + _MINUTE, last), (first, middle)):
            for outcome in _slice(client, category, *part):
                yield outcome
                if isinstance(outcome, Failed) and not outcome.final:
                    return


def _results(
    client: Client, category: str, first: dt.datetime, last: dt.datetime
) -> Iterator[Outcome[Listed]]:
    import arxiv  # noqa: PLC0415 - it imports requests

    from sources.arxiv_transport import NotListed, searcher  # noqa: PLC0415

    query = f"cat:{category} AND submittedDate:[{first:%Y%m%d%H%M} TO {last:%Y%m%d%H%M}]"
    found = searcher(client).results(
        arxiv.Search(
            query=query,
            max_results=None,
            sort_by=arxiv.SortCriterion.SubmittedDate,
            sort_order=arxiv.SortOrder.Descending,
        )
    )
    try:
        for result in found:
            yield _listed(result)
    except NotListed as error:
        yield error.failure
    except (arxiv.ArxivError, ValueError) as error:
        message = f"a page of results cannot be read: {error}"
        yield Failed.of(Stage.FETCH, Kind.PROVIDER_ERROR, message, subject=query)


def _listed(result: Result) -> Outcome[Listed]:
    named = split_name(result.entry_id)
    if named is None:
        message = f"{result.entry_id!r} is no name of a paper"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=result.entry_id)
    others = (term for term in result.categories if term != result.primary_category)
    return ok(
        Listed(
            identifier=named[0],
            version=named[1],
            created=result.published.date(),
            authors=tuple(author.name for author in result.authors),
            categories=tuple(filter(None, (result.primary_category, *others))),
            comment=result.comment or "",
        )
    )
