"""What a process that works on a benchmark holds open: the store, renderers, models, threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from typing import TypeVar

from benchmark import registry, snapshot
from benchmark.outcome import Ok, Outcome, Stage
from benchmark.protocols import Model, Renderer, Scenario
from benchmark.records import Digest
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from benchmark.store import Journal, Store
from flows.budget import Budget
from flows.judges import Judge, build_judge, is_judged
from flows.lifeline import guard
from flows.logs import Threads, listen
from flows.scoring import Scorer
from flows.scoring_pool import PooledScorer, ScoringPool

T = TypeVar("T")


class Workshop:
    """Opens each thing once, when it is first needed, and closes everything at the end."""

    def __init__(self, settings: Settings) -> None:
        """Remember the settings; nothing is opened yet."""
        self.settings = settings
        self.store = Store(settings.store)
        self.budget = Budget()
        self._open = ExitStack()
        self._lock = threading.RLock()
        self._renderers: dict[str, Renderer] = {}
        self._images: dict[str, Outcome[Digest]] = {}
        self._models: dict[tuple[str, str], Model] = {}
        self._snapshots: dict[str, Snapshot] = {}
        self._journals: dict[tuple[str, str], Journal[object]] = {}
        self._executors: dict[str, Threads] = {}
        self._scorers: dict[str, Scorer | PooledScorer] = {}
        self._judge: Judge | None = None
        self._pool: ScoringPool | None = None
        if settings.score_processes:
            self._pool = ScoringPool(
                settings.score_processes,
                {"RERENDER_STORE": self.store.location, "RERENDER_DEVICE": settings.device},
            )
            self._open.callback(self._pool.close)

    def stop(self) -> None:
        """Drop the work that is queued; what has begun is finished and journalled."""
        with self._lock:
            for executor in self._executors.values():
                executor.shutdown(wait=False, cancel_futures=True)
            if self._pool is not None:
                self._pool.stop()

    def close(self) -> None:
        """End the threads, then close renderers and journals."""
        self.stop()
        for executor in self._executors.values():
            executor.shutdown(wait=True)
        self._open.close()

    def renderer(self, name: str) -> Renderer:
        """Return a renderer, ready to render."""
        with self._lock:
            if name not in self._renderers:
                renderer = registry.renderers.get(name)()
                self._renderers[name] = self._open.enter_context(renderer)
            return self._renderers[name]

    def image(self, renderer_name: str) -> Outcome[Digest]:
        """Return a renderer's container image; the engine is asked until it answered once."""
        with self._lock:
            known = self._images.get(renderer_name)
            if known is None:
                known = self.renderer(renderer_name).image_digest()
                if isinstance(known, Ok):
                    self._images[renderer_name] = known
            return known

    def model(self, name: str, snapshot_name: str) -> Model:
        """Return a model, built for a snapshot."""
        with self._lock:
            key = (name, snapshot_name)
            if key not in self._models:
                frozen = self.snapshot(snapshot_name)
                self._models[key] = registry.build_model(name, self.settings, frozen)
            return self._models[key]

    def snapshot(self, name: str) -> Snapshot:
        """Return a snapshot of the store."""
        with self._lock:
            if name not in self._snapshots:
                self._snapshots[name] = snapshot.load(self.store, name)
            return self._snapshots[name]

    def journal(self, stage: Stage, part: str, value_type: type[T]) -> Journal[T]:
        """Return the journal of a part of a stage; one object per process, safe for threads."""
        with self._lock:
            key = (str(stage), part)
            if key not in self._journals:
                journal = Journal(self.store, str(stage), part, value_type)
                self._open.callback(journal.close)
                self._journals[key] = journal  # type: ignore[assignment]
            return self._journals[key]  # type: ignore[return-value]

    def refresh(self, part: str) -> None:
        """Learn what other processes have finished of a part, in every stage, since it was read."""
        with self._lock:
            opened = [journal for (_, of), journal in self._journals.items() if of == part]
        for journal in opened:
            journal.refresh()

    def scorer(self, scenario: Scenario) -> Scorer | PooledScorer:
        """Return the scorer of a scenario; it remembers which metrics cannot run here.

        Judged scenarios are scored in this process: whoever waits for a model needs no core.
        """
        with self._lock:
            if scenario.name not in self._scorers:
                judged = is_judged(scenario)
                near = Scorer(self.store, scenario, self.judge() if judged else None)
                self._scorers[scenario.name] = (
                    near if self._pool is None or judged else PooledScorer(near, self._pool)
                )
            return self._scorers[scenario.name]

    def judge(self) -> Judge:
        """Return the judge of free answers; nothing is asked yet."""
        with self._lock:
            if self._judge is None:
                self._judge = build_judge(self.settings, lambda: self.budget)
            return self._judge

    def scoring(self, scenario: Scenario) -> Executor:
        """Return the threads that score: as many as cores, or as the judge may be asked at once."""
        if is_judged(scenario) and self.judge().model is not None:
            return self.executor("judge", self.judge().concurrency)
        pool = None if is_judged(scenario) else self._pool
        return self.executor("score", self.settings.workers if pool is None else pool.callers)

    def unavailable(self) -> dict[str, dict[str, str]]:
        """Return the metrics that cannot run here, by scenario, with the reasons known so far."""
        with self._lock:
            return {name: dict(each.unavailable) for name, each in self._scorers.items()}

    def learn(self, unavailable: Mapping[str, Mapping[str, str]]) -> None:
        """Take in which metrics could not run where scoring was done for this process."""
        for name, reasons in unavailable.items():
            self.scorer(registry.scenarios.get(name)).unavailable.update(reasons)

    def executor(self, purpose: str, threads: int) -> Executor:
        """Return the threads that all batches of one purpose share, so that cores are not."""
        with self._lock:
            if purpose not in self._executors:
                self._executors[purpose] = Threads(max_workers=threads, thread_name_prefix=purpose)
            return self._executors[purpose]


_opened: list[Workshop] = []
_lock = threading.Lock()


@contextmanager
def opened(settings: Settings | None = None) -> Iterator[Workshop]:
    """Open the process's workshop for a block; inside another such block it is shared."""
    with _lock:
        if _opened:
            workshop, mine = _opened[-1], False
        else:
            guard()
            listen()
            workshop, mine = Workshop(settings or Settings()), True
            workshop.store.sweep()
            _opened.append(workshop)
    try:
        yield workshop
    except BaseException as error:
        if not isinstance(error, Exception):  # Ctrl-C or SIGTERM: do not work through the queue
            workshop.stop()
        raise
    finally:
        if mine:
            with _lock:
                _opened.remove(workshop)
            workshop.close()
