"""Fresh mind maps from the sites that people publish them on: XMind, Biggerplate, Zhixi.

One source for each site; what differs between them is in ``sources.map_adapters``.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Material
from sources.http import Client
from sources.map_adapters import BIGGERPLATE, XMIND, ZHIXI, Adapter, Entry
from sources.map_fetch import Fetcher, Known

LISTING_BYTES = 5_000_000
LISTING_PAGES = 40
"""Most pages of a listing that one collection turns."""


class MapSite:
    """A source of the maps of one site, in the order of its listing.

    A map is asked for when it is wanted. What the listing dates before `since` is not asked for,
    and a page of the listing with nothing newer is the last one.
    """

    scenarios = ("mindmap",)
    live = True

    def __init__(self, adapter: Adapter, make_client: Callable[[], Client] = Client) -> None:
        """Choose the site, and what makes a client of the settings."""
        self.name = adapter.name
        self.about = (
            f"Mind maps from {adapter.title}, as their authors published them there. The maps "
            "are not passed on: a published snapshot says how to fetch them. Not tried on the live "
            "site: see docs/sources.md."
        )
        self._adapter = adapter
        self._make_client = make_client

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield maps, and a failure for each that is not to be had or not wanted.

        Args:
            since: only maps that are said to be made on or after this day; those without a date
                are dropped.
            limit: at most so many maps.
        """
        left = limit
        if left is not None and left <= 0:
            return
        with self._make_client() as client:
            for outcome in self._outcomes(Fetcher(client, self.name, since), since):
                yield outcome
                if isinstance(outcome, Failed):
                    if not outcome.final:
                        return
                elif left is not None:
                    left -= 1
                    if left == 0:
                        return

    def _outcomes(self, fetcher: Fetcher, since: dt.date | None) -> Iterator[Outcome[Material]]:
        for found in self._entries(fetcher, since):
            if isinstance(found, Failed):
                yield found
                continue
            known = Known(
                author=found.author,
                created=found.created,
                dated="the site's listing" if found.created else "",
                made=f"from the listing of {self._adapter.title}, in its order",
            )
            yield from fetcher.from_page(self._adapter, found, known)

    def _entries(self, fetcher: Fetcher, since: dt.date | None) -> Iterator[Entry | Failed]:
        """Yield the maps of the site's listings, each once."""
        seen: set[str] = set()
        for listing in self._adapter.listings:
            for found in self._listed(fetcher, listing, since):
                if isinstance(found, Failed):
                    yield found
                elif found.id not in seen:
                    seen.add(found.id)
                    yield found

    def _listed(
        self, fetcher: Fetcher, listing: Callable[[int], str], since: dt.date | None
    ) -> Iterator[Entry | Failed]:
        """Yield the maps of one listing, page by page, as long as a page names new ones."""
        adapter, seen = self._adapter, set[str]()
        for number in range(LISTING_PAGES):
            if not (url := listing(number)):
                return
            answer = fetcher.get(adapter.site, url, (adapter.claim,), LISTING_BYTES)
            if isinstance(answer, Failed):
                if number == 0 or answer.kind is not Kind.GONE:
                    yield answer
                return
            listed = adapter.read(adapter, answer.value.body, url)
            if isinstance(listed, Failed):
                yield listed
                return
            new = [entry for entry in listed.value.entries if entry.id not in seen]
            if number == 0 and not new:
                yield _empty(adapter, url)
            yield from new
            seen.update(entry.id for entry in new)
            if not new or not listed.value.more or _all_older(new, since):
                return


def _all_older(entries: list[Entry], since: dt.date | None) -> bool:
    """Tell whether every map of a page is dated, and before a day."""
    return since is not None and all(
        entry.created is not None and entry.created < since for entry in entries
    )


def _empty(adapter: Adapter, url: str) -> Failed:
    told = f"the listing of {adapter.title} names no map; the site may have changed"
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, told, subject=url)


class XmindShare(MapSite):
    """The source `xmind-share`."""

    def __init__(self, make_client: Callable[[], Client] = Client) -> None:
        """Take what makes a client of the settings."""
        super().__init__(XMIND, make_client)


class Biggerplate(MapSite):
    """The source `biggerplate`: files of XMind and MindManager."""

    def __init__(self, make_client: Callable[[], Client] = Client) -> None:
        """Take what makes a client of the settings."""
        super().__init__(BIGGERPLATE, make_client)


class Zhixi(MapSite):
    """The source `zhixi`."""

    def __init__(self, make_client: Callable[[], Client] = Client) -> None:
        """Take what makes a client of the settings."""
        super().__init__(ZHIXI, make_client)
