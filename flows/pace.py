"""The pace of sites kept by all runs together, where a Prefect server knows of them all.

Each site has a global concurrency limit ``rerender-site-<name>`` of one slot that comes back after
the site's interval; those that sources name are made with the deployments, the others when they are
first asked. Runs on several machines that share a server take their turns there. Without a
server the pace is that of the process (``sources.http_pace``), which always holds as well.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import httpx

from sources import http_pace
from sources.http_pace import Pace
from sources.http_site import Site

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

LONGEST_QUEUE = 900.0
"""Seconds to wait for a turn that the server gives, before going on without it."""

log = logging.getLogger(__name__)


class ServerPace:
    """Turns that a Prefect server gives, besides those of a pace within the process."""

    def __init__(self, within: Pace) -> None:
        """Take the pace of the process; the server is asked when a site is first asked."""
        self._within = within
        self._known: set[str] = set()
        self._warned: set[str] = set()
        self._guard = threading.Lock()

    @contextmanager
    def turn(self, site: Site) -> Iterator[None]:
        """Wait for a turn in this process, then for one among all of them."""
        with self._within.turn(site):
            if site.interval > 0:
                self._take(site)
            yield

    def _take(self, site: Site) -> None:
        from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
        from prefect.concurrency.sync import rate_limit
        from prefect.exceptions import PrefectException

        try:
            self._prepare(site)
            rate_limit(limit_name(site), timeout_seconds=LONGEST_QUEUE, strict=True)
        except (
            TimeoutError,
            ConcurrencySlotAcquisitionError,
            PrefectException,
            httpx.HTTPError,
        ) as error:
            self._warn(site, error)

    def _prepare(self, site: Site) -> None:
        from prefect.client.orchestration import get_client

        with self._guard:
            if site.name not in self._known:
                with get_client(sync_client=True) as client:
                    ensure_limit(client, site)
                self._known.add(site.name)

    def _warn(self, site: Site, error: Exception) -> None:
        with self._guard:
            self._known.discard(site.name)
            first = site.name not in self._warned
            self._warned.add(site.name)
        if first:
            log.warning(
                "the Prefect server gives no turns for %s (%s: %s): "
                "only this process keeps its pace, others that ask it do not know",
                site.name,
                type(error).__name__,
                error,
            )


def limit_name(site: Site) -> str:
    """Return the name of a site's limit in Prefect."""
    return f"rerender-site-{site.name}"


def ensure_limit(client: SyncPrefectClient, site: Site) -> None:
    """Create a site's limit if there is none; a slower one that somebody set is left alone.

    Raises:
        httpx.HTTPError: the server does not answer, or not as it should.
    """
    from prefect.client.schemas.actions import (
        GlobalConcurrencyLimitCreate,
        GlobalConcurrencyLimitUpdate,
    )
    from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

    name, decay = limit_name(site), 1.0 / site.interval
    try:
        found = client.read_global_concurrency_limit_by_name(name)
    except ObjectNotFound:
        wanted = GlobalConcurrencyLimitCreate(name=name, limit=1, slot_decay_per_second=decay)
        try:
            client.create_global_concurrency_limit(wanted)
        except ObjectAlreadyExists:
            return  # another run was quicker
        return
    if found.limit > 1 or not 0 < found.slot_decay_per_second <= decay:
        change = GlobalConcurrencyLimitUpdate(limit=1, slot_decay_per_second=decay)
        client.update_global_concurrency_limit(name, change)


@contextmanager
def shared() -> Iterator[None]:
    """Keep the pace of sites with all runs of the configured Prefect server, if there is one."""
    from prefect.settings import get_current_settings

    if get_current_settings().api.url is None:
        yield
        return
    with http_pace.use(ServerPace(http_pace.current())):
        yield
