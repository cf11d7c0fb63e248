"""Do what is missing of a list of work, journalling each instance the moment it is finished."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.store import Journal, is_final
from flows import logs
from flows.progress import current

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Work(Generic[T]):
    """One instance of a stage and the keys that its results are kept under."""

    keys: tuple[str, ...]
    item: T


Do = Callable[[T, tuple[str, ...]], Mapping[str, Outcome[R]]]
"""Does one piece of work: gets the item and the missing keys, returns outcomes by key."""


def finish(
    stage: Stage, work: Sequence[Work[T]], do: Do[T, R], journal: Journal[R], executor: Executor
) -> dict[str, Outcome[R]]:
    """Do what the journal does not hold yet and return the outcome of every key.

    This is the per-instance boundary: an exception that `do` did not expect becomes an infra
    failure of that one instance, so that one bad picture never ends a batch.
    """
    observer = current()
    outcomes: dict[str, Outcome[R]] = {}
    claimed: set[str] = set()
    pending: list[tuple[Work[T], tuple[str, ...]]] = []
    for piece in work:
        known = {key: journal.done(key) for key in piece.keys}
        outcomes |= {key: outcome for key, outcome in known.items() if outcome is not None}
        missing = tuple(k for k, outcome in known.items() if outcome is None and k not in claimed)
        claimed |= set(missing)
        if missing:
            pending.append((piece, missing))
        else:
            observer.advance(stage, "cached")

    def attempt(piece: Work[T], missing: tuple[str, ...]) -> Mapping[str, Outcome[R]]:
        try:
            found = do(piece.item, missing)
        except Exception as error:  # noqa: BLE001 - the per-instance boundary
            failure: Outcome[R] = unexpected(stage, error)
            found = dict.fromkeys(missing, failure)
        try:
            for key, outcome in found.items():
                journal.add(key, outcome)
        except OSError as error:  # a full disk: what is not on disk is not done
            failure = unexpected(stage, error)
            found = dict.fromkeys(missing, failure)
        observer.advance(stage, _worst(found))
        return found

    begun, fresh = time.monotonic(), dict[str, Outcome[R]]()
    for future in [executor.submit(attempt, *args) for args in pending]:
        fresh |= future.result()
    logs.tell(stage, len(work) - len(pending), fresh.values(), time.monotonic() - begun)
    return outcomes | fresh


def each(do: Callable[[T], Outcome[R]]) -> Do[T, R]:
    """Turn a function of one item into work under one key."""
    return lambda item, keys: {keys[0]: do(item)}


def unexpected(stage: Stage, error: Exception) -> Failed:
    """Describe an exception that no stage expected; always the infrastructure's fault."""
    if isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return Failed.of(stage, Kind.DISK_FULL, "no space left on the device; free some, run again")
    return Failed.of(stage, Kind.INTERNAL_ERROR, f"{type(error).__name__}: {error}")


def _worst(found: Mapping[str, Outcome[Any]]) -> str:
    if not found:
        return "cached"  # nothing was left to do that can be done here
    failures = [outcome for outcome in found.values() if isinstance(outcome, Failed)]
    if not failures:
        return "done"
    return "failed" if all(is_final(failure) for failure in failures) else "infra"
