"""Who may ask a site when: one connection at a time, and a pause between two requests.

The pace belongs to the process, not to a client: two sources that ask the same site share it.
A program that knows more (other processes ask too) puts another pace in its place with ``use``.
"""

from __future__ import annotations

import datetime as dt
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from sources.http_site import Site


class Pace(Protocol):
    """Gives turns to a site; shared by whoever asks the same sites."""

    def turn(self, site: Site) -> AbstractContextManager[None]:
        """Wait until a request may begin, and hold the connection while it lasts."""


class Clock:
    """The time, and waiting; tests put another in its place."""

    def now(self) -> dt.datetime:
        """Return the date and time (UTC)."""
        return dt.datetime.now(dt.UTC)

    def monotonic(self) -> float:
        """Return seconds that only ever grow."""
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


CLOCK = Clock()


class Turns:
    """The pace within one process: one request at a time per site, starts apart by its interval."""

    def __init__(self, clock: Clock = CLOCK) -> None:
        """Begin with no request made."""
        self._clock = clock
        self._guard = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._next: dict[str, float] = {}

    @contextmanager
    def turn(self, site: Site) -> Iterator[None]:
        """Wait until nobody else asks the site and its interval has passed."""
        with self._guard:
            lock = self._locks.setdefault(site.name, threading.Lock())
        with lock:
            pause = self._next.get(site.name, 0.0) - self._clock.monotonic()
            if pause > 0:
                self._clock.sleep(pause)
            self._next[site.name] = self._clock.monotonic() + site.interval
            yield


class Holds:
    """Until when sites have asked to be left alone, all clients of the process together."""

    def __init__(self) -> None:
        """Begin with no site that has asked for it."""
        self._guard = threading.Lock()
        self._until: dict[str, float] = {}

    def hold(self, site: Site, until: float) -> None:
        """Leave a site alone until a time of the monotonic clock."""
        with self._guard:
            self._until[site.name] = max(until, self._until.get(site.name, until))

    def remaining(self, site: Site, now: float) -> float:
        """Return for how many seconds more a site is to be left alone."""
        with self._guard:
            return max(0.0, self._until.get(site.name, now) - now)


HOLDS = Holds()
_TURNS = Turns()
_used: list[Pace] = []


def current() -> Pace:
    """Return the pace that clients use which were not given their own."""
    return _used[-1] if _used else _TURNS


@contextmanager
def use(pace: Pace) -> Iterator[None]:
    """Let all clients of the process keep this pace (in all threads), for a while."""
    _used.append(pace)
    try:
        yield
    finally:
        _used.remove(pace)
