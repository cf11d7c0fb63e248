"""How an exception that reaches the command line is told to the user."""

from __future__ import annotations

from benchmark.registry import RegistryError
from benchmark.snapshot import SnapshotError
from benchmark.store import BlobDamaged, BlobMissing, StoreError


def describe(error: Exception) -> str:
    """Return one or two lines: what happened and what to do next."""
    from flows.budget import BudgetError
    from flows.judging import UnusableInput
    from flows.refresh import RefreshError
    from flows.runs import RunError
    from flows.sieve import UnknownFilter
    from flows.splits import NothingChosen

    known = (
        RegistryError,
        SnapshotError,
        RunError,
        RefreshError,
        BlobMissing,
        BlobDamaged,
        StoreError,
        UnusableInput,
        NothingChosen,
        UnknownFilter,
        BudgetError,
    )
    if isinstance(error, known):
        return str(error)
    if type(error).__module__.partition(".")[0] == "httpx":
        return f"Prefect's server went away ({error}); run the same command again to go on"
    if isinstance(error, OSError):
        return f"{error.strerror or error}: {error.filename or 'no file'}"
    return (
        f"{type(error).__name__}: {' '.join(str(error).split())[:300]}\n"
        "this is a defect of Rerender: `rerender --debug …` shows the traceback for a report"
    )
