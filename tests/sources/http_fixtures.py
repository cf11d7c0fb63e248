"""What the tests of the client share: a clock that only moves when told to, and a site of ours."""

from __future__ import annotations

import contextlib
import datetime as dt
import threading
from collections.abc import Iterator
from pathlib import Path

from benchmark.outcome import Failed, Stage
from benchmark.settings import Settings
from sources.http import Client
from sources.http_site import Site
from tests.servers.site import StandIn

TOKEN = "Bearer sesame"  # noqa: S105
SITE = Site("shop", frozenset({"shop.example", "files.example"}), 2.0)
WITH_TOKEN = Site("shop", SITE.hosts, 2.0, {"Authorization": TOKEN, "X-Version": "3"})
NOON = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


class StoppedClock:
    """Time that passes only while somebody sleeps."""

    def __init__(self, now: dt.datetime = NOON) -> None:
        self.start, self.passed = now, 0.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def now(self) -> dt.datetime:
        return self.start + dt.timedelta(seconds=self.passed)

    def monotonic(self) -> float:
        return self.passed

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.passed += seconds


class Counted:
    """A pace that gives every turn at once and counts them."""

    def __init__(self) -> None:
        self.turns: list[str] = []
        self.held = 0
        self.most_held = 0

    @contextlib.contextmanager
    def turn(self, site: Site) -> Iterator[None]:
        self.turns.append(site.name)
        self.held += 1
        self.most_held = max(self.most_held, self.held)
        try:
            yield
        finally:
            self.held -= 1


def settings_for(site: StandIn, folder: Path, **changes: object) -> Settings:
    """Settings that lead the hosts of our site to a stand-in."""
    mirrors = {
        "shop.example": site.address,
        "files.example": f"{site.address}/files.example",
    }
    return Settings(**({"http_cache": folder, "mirrors": mirrors, "contact": None} | changes))


def client_for(site: StandIn, folder: Path, **changes: object) -> Client:
    """A client with a stopped clock, led to a stand-in."""
    clock = changes.pop("clock", StoppedClock())
    longest = changes.pop("longest", 20.0)
    pace = changes.pop("pace", None)
    settings = settings_for(site, folder, **changes)
    return Client(settings, clock=clock, longest=longest, pace=pace)


def far(site: StandIn) -> dict[str, str]:
    """Mirrors that lead to the stand-in as to a mirror that is not on this machine."""
    address = site.address.replace("127.0.0.1", "0.0.0.0")  # noqa: S104 - also this machine
    return dict.fromkeys(SITE.hosts, address)


def kind_of(outcome):
    """Return the kind of a failure, which a client's always is of the same stage."""
    assert isinstance(outcome, Failed), outcome
    assert outcome.stage is Stage.FETCH
    return outcome.kind
