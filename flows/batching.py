"""Do what is missing of a list of work, journalling each instance the moment it is finished."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Record
from benchmark.store import Journal, StoreError, is_final
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

Place = Callable[[int], AbstractContextManager[int]]
"""Waits until so many pieces may be worked on at once; gives how many may (one at least)."""


class Only(StrEnum):
    """Which results are made again."""

    FAILED = "failed"
    ALL = "all"


class Redo(Record):
    """The wish to make results of a stage again though they are there.

    It holds for what was journalled before it was said. So a run that is killed or retried while
    it makes things again goes on where it stopped, as any other does.
    """

    stage: Stage
    only: Only = Only.FAILED
    since: float
    """When it was said, in seconds since 1970."""

    def asks_for(self, journal: Journal[R], key: str) -> bool:
        """Tell whether what is known under a key is to be made again."""
        outcome, written = journal.get(key), journal.written(key)
        if outcome is None or written is None or written >= self.since:
            return False
        return self.only is Only.ALL or isinstance(outcome, Failed)


class NoPlace(Exception):
    """There is no place to work; the failure says why."""

    def __init__(self, failure: Failed) -> None:
        """Keep the failure, which is that of every piece of work that waited."""
        super().__init__(str(failure))
        self.failure = failure


def anywhere(pieces: int) -> AbstractContextManager[int]:
    """Give place to any number of pieces: only the executor's threads are a bound."""
    return nullcontext(pieces)


def finish(
    stage: Stage,
    work: Sequence[Work[T]],
    do: Do[T, R],
    journal: Journal[R],
    executor: Executor,
    place: Place = anywhere,
    redo: Redo | None = None,
) -> dict[str, Outcome[R]]:
    """Do what the journal does not hold yet and return the outcome of every key.

    This is the per-instance boundary: an exception that `do` did not expect becomes an infra
    failure of that one instance, so that one bad picture never ends a batch.

    Args:
        stage: where on the road this is.
        work: the instances with their keys.
        do: makes the missing results of one instance.
        journal: what is finished.
        executor: whose threads do the work.
        place: bounds how much is worked on at once; not asked where nothing is missing.
        redo: which known results are made again; until that is done, the journal's count.

    Returns:
        Outcomes by key. Where a result could not be made again for a reason of the
        infrastructure, that failure, though the journal still holds the earlier result.
    """
    outcomes, pending = _sort(stage, work, journal, redo)

    def attempt(piece: Work[T], missing: tuple[str, ...]) -> Mapping[str, Outcome[R]]:
        try:
            found = do(piece.item, missing)
        except Exception as error:  # noqa: BLE001 - the per-instance boundary
            failure: Outcome[R] = unexpected(stage, error)
            found = dict.fromkeys(missing, failure)
        return _keep(stage, journal, found)

    begun, fresh = time.monotonic(), dict[str, Outcome[R]]()
    if pending:
        try:
            with place(len(pending)) as at_once:
                for found in _side_by_side(executor, attempt, pending, at_once):
                    fresh |= found
        except NoPlace as nowhere:
            for _, missing in pending:
                fresh |= _keep(stage, journal, dict.fromkeys(missing, nowhere.failure))
    logs.tell(stage, len(work) - len(pending), fresh.values(), time.monotonic() - begun)
    return outcomes | fresh


def _sort(
    stage: Stage, work: Sequence[Work[T]], journal: Journal[R], redo: Redo | None
) -> tuple[dict[str, Outcome[R]], list[tuple[Work[T], tuple[str, ...]]]]:
    """Return what is known, and the work that is left with its missing keys, each key once."""
    outcomes: dict[str, Outcome[R]] = {}
    pending: list[tuple[Work[T], tuple[str, ...]]] = []
    claimed: set[str] = set()
    for piece in work:
        known = {
            key: None if redo is not None and redo.asks_for(journal, key) else journal.done(key)
            for key in piece.keys
        }
        outcomes |= {key: outcome for key, outcome in known.items() if outcome is not None}
        missing = tuple(k for k, outcome in known.items() if outcome is None and k not in claimed)
        claimed |= set(missing)
        if missing:
            pending.append((piece, missing))
        else:
            current().advance(stage, "cached")
    return outcomes, pending


def _keep(
    stage: Stage, journal: Journal[R], found: Mapping[str, Outcome[R]]
) -> Mapping[str, Outcome[R]]:
    """Journal the results of one instance; what the store does not hold is not done."""
    try:
        journal.add_all(found)
    except OSError as error:  # a full disk, a store out of reach
        found = dict.fromkeys(found, unexpected(stage, error))
    current().advance(stage, _worst(found))
    return found


def _side_by_side(
    executor: Executor,
    attempt: Callable[[Work[T], tuple[str, ...]], Mapping[str, Outcome[R]]],
    pending: Sequence[tuple[Work[T], tuple[str, ...]]],
    at_once: int,
) -> list[Mapping[str, Outcome[R]]]:
    """Do all work, never more than so many pieces at once; results in the order of the work."""
    futures: list[Future[Mapping[str, Outcome[R]]]] = []
    running: set[Future[Mapping[str, Outcome[R]]]] = set()
    for piece, missing in pending:
        if len(running) >= at_once:
            running = wait(running, return_when=FIRST_COMPLETED).not_done
        futures.append(executor.submit(attempt, piece, missing))
        running.add(futures[-1])
    return [future.result() for future in futures]


def each(do: Callable[[T], Outcome[R]]) -> Do[T, R]:
    """Turn a function of one item into work under one key."""
    return lambda item, keys: {keys[0]: do(item)}


def unexpected(stage: Stage, error: Exception) -> Failed:
    """Describe an exception that no stage expected; always the infrastructure's fault."""
    if is_full(error):
        return Failed.of(stage, Kind.DISK_FULL, NO_SPACE)
    if isinstance(error, StoreError):
        return Failed.of(stage, Kind.NETWORK, str(error))
    return Failed.of(stage, Kind.INTERNAL_ERROR, f"{type(error).__name__}: {error}")


NO_SPACE = "no space left on the device; free some, run again"


def is_full(error: Exception) -> bool:
    """Tell whether an error is that of a full disk (or of a used-up quota)."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def _worst(found: Mapping[str, Outcome[Any]]) -> str:
    if not found:
        return "cached"  # nothing was left to do that can be done here
    failures = [outcome for outcome in found.values() if isinstance(outcome, Failed)]
    if not failures:
        return "done"
    return "failed" if all(is_final(failure) for failure in failures) else "infra"
