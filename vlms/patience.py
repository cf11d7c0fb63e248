"""How long and how often a failed request is asked again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmark.outcome import Kind
from benchmark.records import digest_json
from vlms.faults import Fault

RETRIES = {Kind.NO_ANSWER: 2, Kind.PROVIDER_TIMEOUT: 1, Kind.NETWORK: 3}
"""Fewer retries than the settings allow, where more would hardly help or cost too much time."""


@dataclass(frozen=True)
class Patience:
    """Bounds on asking again.

    Attributes:
        retries: at most so many requests after the first.
        first: seconds before the first retry; doubled each time.
        longest: seconds that no wait exceeds, unless the provider asks for more.
        budget: seconds that all waits of one instance may take together.
        sleep: waits so many seconds; tests put a recorder in its place.
    """

    retries: int = 5
    first: float = 1.0
    longest: float = 60.0
    budget: float = 600.0
    sleep: Callable[[float], None] = time.sleep

    def allows(self, fault: Fault, asked: int) -> bool:
        """Tell whether a request that was asked `asked` times may be asked again."""
        return fault.again and asked <= min(self.retries, RETRIES.get(fault.kind, self.retries))

    def wait(self, fault: Fault, asked: int, instance: str) -> float:
        """Return the seconds to wait: never less than the provider asks for.

        The jitter (up to a quarter more) comes from the instance and the count, not from a random
        number, so that a run can be followed again.
        """
        back_off = min(self.longest, self.first * 2.0 ** (asked - 1))
        jitter = int(digest_json([instance, asked])[:8], 16) / 0xFFFFFFFF
        return max(back_off, fault.wait or 0.0) * (1 + jitter / 4)


class Gate:
    """Holds all threads of a model back while the provider wants to be left alone."""

    def __init__(self, sleep: Callable[[float], None]) -> None:
        """Start open."""
        self._sleep = sleep
        self._opens = 0.0
        self._lock = threading.Lock()

    def close(self, seconds: float) -> None:
        """Keep others from asking for some seconds."""
        with self._lock:
            self._opens = max(self._opens, time.monotonic() + seconds)

    def pass_through(self) -> None:
        """Wait until the gate is open."""
        with self._lock:
            remaining = self._opens - time.monotonic()
        if remaining > 0:
            self._sleep(remaining)
