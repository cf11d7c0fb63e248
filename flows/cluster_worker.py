"""What a Dask worker is told before it works for a flow, and the workshop that it keeps.

A worker process opens one workshop and keeps it until the process ends, so that containers are
started once, not once for each task. It works under the settings of the flow's process, on the same
store and with the same program, or not at all: a worker that is told otherwise refuses.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import os
import platform
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial

from distributed import Worker, get_worker
from distributed.core import Status
from distributed.diagnostics.plugin import WorkerPlugin
from pydantic import JsonValue, SecretStr

from benchmark.settings import PROJECT, Settings
from benchmark.store import Store
from flows.workshop import Workshop, opened
from metrics import network

PACKAGES = (
    "benchmark", "flows", "metrics", "renderers", "reports", "scenarios", "sources", "vlms",
)  # fmt: skip
DECISIVE = ("lpips", "numba", "numpy", "pillow", "rapidfuzz", "scikit-image", "scipy", "torch")
"""Packages whose version may decide the last digit of a score."""

OF_A_MACHINE = frozenset(
    {
        "store", "workers", "score_processes", "reports", "http_cache", "prefect_home",
        "prefect_port", "runner", "dask_address",
    }
)  # fmt: skip
"""Settings that are a machine's own business, or (the store) are told apart."""

IDENTITY = "identity.json"
"""The document of a store that tells it from every other one."""


class Unfit(RuntimeError):
    """A worker that may not work for a flow; the text says why and what to do."""


@dataclass(frozen=True)
class Terms:
    """What holds in a flow's process and must hold in every worker.

    Attributes:
        location: the store, as each machine reaches it.
        identity: what stands in the store, so that another one at the same place is noticed.
        settings: values by name, without secrets and without what is a machine's own.
        program: digests and versions by name.
    """

    location: str
    identity: str
    settings: dict[str, JsonValue]
    program: dict[str, str]

    @classmethod
    def of(cls, workshop: Workshop) -> Terms:
        """Return those of this process."""
        store = workshop.store
        local = "file" in store.fs.protocol
        return cls(
            location=store.root if local else store.location,
            identity=identity(store),
            settings=_shared(workshop.settings),
            program=dict(_program()),
        )

    def differences(self, other: Terms) -> list[str]:
        """Return what another process has otherwise: `name: ours there, theirs here`."""
        ours, theirs = (_flat(each) for each in (self, other))
        return [
            f"{name}: {ours.get(name)} in the flow, {theirs.get(name)} there"
            for name in sorted({*ours, *theirs})
            if ours.get(name) != theirs.get(name)
        ]


def identity(store: Store) -> str:
    """Return what tells a store from every other one, made when it is first asked for."""
    try:
        return store.read_document(IDENTITY)
    except FileNotFoundError:
        with suppress(FileExistsError):  # another flow was quicker: its one counts
            store.create_document(IDENTITY, json.dumps({"store": os.urandom(16).hex()}))
        return store.read_document(IDENTITY)


class Kept:
    """The workshop of a worker process, the terms it was opened under, and the flows it is for."""

    def __init__(self) -> None:
        """Nothing is open yet."""
        self._terms: Terms | None = None
        self._flows: set[str] = set()
        self._open = ExitStack()
        self._lock = threading.Lock()

    def take(self, flow: str, terms: Terms, threads: int) -> None:
        """Get ready to work for a flow.

        Args:
            flow: the identifier of its run.
            terms: what must hold.
            threads: instances at the same time, unless this machine's RERENDER_WORKERS says.

        Raises:
            Unfit: the terms do not hold here.
        """
        with self._lock:
            if self._terms is not None and self._terms != terms:
                if self._flows:
                    differing = "; ".join(terms.differences(self._terms)[:3])
                    raise Unfit(
                        f"it works for another run under other terms ({differing}): wait until "
                        f"that run has ended, or start its scheduler and workers again"
                    )
                self._close()
            if self._terms is None:
                self._open.enter_context(opened(_settings(terms, threads)))
                self._terms = terms
            self._flows.add(flow)

    def leave(self, flow: str) -> None:
        """Note that a flow has ended; the workshop stays open for the next one."""
        with self._lock:
            self._flows.discard(flow)

    def close(self) -> None:
        """Close the workshop, its containers and its journals."""
        with self._lock:
            self._close()

    def works_for(self, flow: str) -> bool:
        """Tell whether the process was told what holds for a flow."""
        return flow in self._flows

    def _close(self) -> None:
        self._open.close()
        self._flows.clear()
        self._terms = None


KEPT = Kept()
"""Of this process; empty but in a Dask worker."""


@dataclass
class Readiness(WorkerPlugin):
    """Makes every worker of a cluster ready for a flow, those that come later too."""

    flow: str
    terms: Terms
    present: tuple[str, ...] = field(default=())
    """Addresses of the workers that were there when the flow began."""

    def setup(self, worker: Worker) -> None:
        """Open the workshop, or keep the worker from working.

        Raises:
            Unfit: the flow hears of it; a worker that comes later leaves the cluster instead.
        """
        with ExitStack() as unfit:
            if worker.address not in self.present:
                close = partial(worker.close, reason="unfit for the flow that runs")
                unfit.callback(worker.loop.add_callback, close)
            KEPT.take(self.flow, self.terms, worker.state.nthreads)
            unfit.pop_all()

    def teardown(self, worker: Worker) -> None:
        """Take note of the flow's end; close the workshop at the worker's end."""
        KEPT.leave(self.flow)
        if worker.status in {Status.closing, Status.closing_gracefully, Status.closed}:
            KEPT.close()


@contextmanager
def kept_for(flow: str) -> Iterator[Workshop]:
    """Give a task on a Dask worker the workshop that the process keeps.

    Raises:
        Unfit: the worker was never told where the store is.
    """
    if not KEPT.works_for(flow):
        raise Unfit(f"the Dask worker {get_worker().address} is not ready for this run")
    with opened() as workshop:
        yield workshop


def is_worker() -> bool:
    """Tell whether this is a task on a Dask worker."""
    try:
        get_worker()
    except ValueError:
        return False
    return True


def _shared(settings: Settings) -> dict[str, JsonValue]:
    secret = {name for name, value in settings if isinstance(value, SecretStr)}
    return settings.model_dump(mode="json", exclude=set(OF_A_MACHINE | secret))


def _settings(terms: Terms, threads: int) -> Settings:
    """Let the flow's settings hold in this process, wherever they are read.

    Raises:
        Unfit: something else is set here and cannot be overruled, or the program is another one.
    """
    for name, value in {**terms.settings, "store": terms.location}.items():
        variable = f"RERENDER_{name.upper()}"
        if value is None:
            os.environ.pop(variable, None)
        else:
            os.environ[variable] = value if isinstance(value, str) else json.dumps(value)
    os.environ.setdefault("RERENDER_WORKERS", str(threads))
    network.device_name.cache_clear()
    network.device.cache_clear()
    settings = Settings()
    store = Store(settings.store)
    try:
        found = store.read_document(IDENTITY)
    except FileNotFoundError:
        found = "no store"
    here = Terms(terms.location, found, _shared(settings), dict(_program()))
    if found != terms.identity:
        raise Unfit(
            f"{terms.location} is another store there, or none: every machine must reach the same "
            f"one; share the folder, or set RERENDER_STORE to an object store"
        )
    if differing := terms.differences(here):
        raise Unfit(
            f"it differs ({'; '.join(differing[:3])}): bring its checkout, its packages "
            f"(requirements.lock) and its rerender.toml to those of the flow"
        )
    return settings


def _flat(terms: Terms) -> Mapping[str, JsonValue]:
    return {"store": terms.location, **terms.program, **terms.settings}


@cache
def _program() -> tuple[tuple[str, str], ...]:
    """Return what this process runs: our own sources, and the packages that decide scores."""
    sources = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((PROJECT / package).rglob("*.py")):
            sources.update(str(path.relative_to(PROJECT)).encode() + b"\0" + path.read_bytes())
    versions = {name: importlib.metadata.version(name) for name in DECISIVE}
    own = {
        "Rerender": sources.hexdigest()[:12],
        "Python": ".".join(platform.python_version_tuple()[:2]),
        "machine": platform.machine(),
    }
    return tuple((own | versions).items())
