"""Where tasks run: in threads of the flow's process, or on the workers of a Dask cluster.

With ``RERENDER_RUNNER=dask`` rendering, references and scoring fan out; fetching and asking models
stay with the flow, which has the API keys, the pace of sites and the budget; so does whatever a
judge scores. What a batch needs of the one before it lies in the store, so only names and counts go
over the wire (and, in a refresh, the material that is drawn).
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, Any, Self, cast
from uuid import uuid4

from prefect import allow_failure
from prefect.client.schemas.objects import RunInput, State
from prefect.context import FlowRunContext
from prefect.futures import PrefectConcurrentFuture, PrefectFuture
from prefect.settings import get_current_settings
from prefect.states import Failed
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner
from prefect.tasks import Task

from benchmark import registry
from benchmark.settings import Settings
from flows.batches import Batch
from flows.failures import ClusterError
from flows.judges import is_judged
from flows.telling import Referred, ToldTally
from flows.workshop import opened

if TYPE_CHECKING:
    from prefect_dask.task_runners import PrefectDaskFuture

BATCHES = 4
"""Batches at the same time in one process, so that models are asked while others are scored."""

FAR = frozenset({"references", "render", "score"})
"""Names of the tasks that go to the cluster."""

CONNECT_SECONDS = 15
WORKER_SECONDS = 60
"""How long a cluster may take to answer, and to have a first worker."""

Submitted = PrefectFuture[Any]
Untyped = Any
"""What comes of prefect-dask and distributed, whose methods have no annotations."""


class Somewhere(TaskRunner[Submitted]):
    """The runner that flows are declared with: each run gets the one that the settings name."""

    def __init__(self) -> None:
        """Nothing is decided yet."""
        super().__init__()  # type: ignore[no-untyped-call]

    def duplicate(self) -> Any:  # noqa: ANN401 - Prefect asks for Self, and takes any runner
        """Return the runner of one run."""
        with opened() as workshop:
            return runner(workshop.settings)

    def submit(self, *_: Any, **__: Any) -> Submitted:  # noqa: ANN401
        """Refuse: a flow submits to the runner of its run.

        Raises:
            ClusterError: always.
        """
        raise ClusterError("tasks are submitted to the runner of a run, from within a flow")


def runner(settings: Settings) -> TaskRunner[Any]:
    """Return the runner that the settings name; no cluster is asked yet."""
    near = ThreadPoolTaskRunner[Any](max_workers=BATCHES)
    if settings.runner == "threads":
        return cast("TaskRunner[Any]", near)
    return Cluster(near, settings.dask_address)


class Cluster(TaskRunner[Submitted]):
    """Runs some tasks in threads here and others on the workers of a Dask cluster."""

    def __init__(self, near: ThreadPoolTaskRunner[Any], address: str | None) -> None:
        """Remember; the cluster is asked when the first task is submitted."""
        super().__init__()  # type: ignore[no-untyped-call]
        self._near = near
        self._address = address
        self._dask: Untyped = None
        self._readiness = ""
        self._sent: list[Any] = []
        self._lock = threading.Lock()

    def duplicate(self) -> Self:
        """Return another one of the same kind."""
        return type(self)(self._near.duplicate(), self._address)

    def __enter__(self) -> Self:
        """Start the threads."""
        super().__enter__()
        self._near.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:  # noqa: ANN401 - as in TaskRunner
        """Let go of what has not begun, of the workers and of the threads."""
        try:
            if self._dask is not None:
                from distributed.client import ClosedClientError

                # a scheduler that is gone is let go of
                with suppress(OSError, TimeoutError, ClosedClientError):
                    self._dask.client.cancel([each for each in self._sent if not each.done()])
                    self._dask.client.unregister_worker_plugin(self._readiness)
                self._dask.__exit__(*error)
        finally:
            self._near.__exit__(*error)
            super().__exit__(*error)

    def submit(
        self,
        task: Task[..., Any],
        parameters: dict[str, Any],
        wait_for: Iterable[Submitted] | None = None,
        dependencies: dict[str, set[RunInput]] | None = None,
    ) -> Submitted:
        """Run a task where it belongs, once what it waits for has ended.

        Raises:
            ClusterError: the cluster cannot be used.
        """
        self._connect()
        if task.name not in FAR or _asks_a_judge(task, parameters):
            return self._near.submit(task, parameters, wait_for, dependencies)
        before = [_future(each) for each in wait_for or ()]
        ending: Future[State[Any]] = Future()
        context = contextvars.copy_context()

        def send() -> None:
            try:
                states = [allow_failure(each.state) for each in before]
                sent = context.run(self._dask.submit, task, parameters, states, dependencies)
            except Exception as error:  # noqa: BLE001 - whoever waits for the task's end is told it
                ending.set_result(_broke("not sent to the Dask cluster", error))
                return
            self._sent.append(sent.wrapped_future)
            sent.wrapped_future.add_done_callback(lambda _: ending.set_result(_last_state(sent)))

        _once_done(before, send)
        return PrefectConcurrentFuture(task_run_id=uuid4(), wrapped_future=ending)

    def _connect(self) -> None:
        """Reach the cluster and make its workers ready, once for a run."""
        with self._lock:
            if self._address is None:
                raise ClusterError(
                    "RERENDER_RUNNER=dask needs the address of a scheduler: set "
                    "RERENDER_DASK_ADDRESS, e.g. tcp://127.0.0.1:8786 after `dask scheduler`"
                )
            if get_current_settings().api.url is None:
                raise ClusterError(
                    "RERENDER_RUNNER=dask needs a Prefect server, which tasks on workers report "
                    "to: `rerender up --detach`, or set PREFECT_API_URL to one that all machines "
                    "reach"
                )
            if self._dask is None:
                with ExitStack() as unready:
                    dask = _reach(self._address)
                    unready.callback(dask.__exit__, None, None, None)
                    self._readiness = _make_ready(dask.client, self._address)
                    unready.pop_all()
                self._dask = dask


def _reach(address: str) -> Untyped:
    """Return a runner that is connected to a scheduler with at least one worker.

    Raises:
        ClusterError: there is none.
    """
    from distributed import TimeoutError as NoAnswer
    from prefect_dask.task_runners import DaskTaskRunner

    dask: Untyped = DaskTaskRunner(address=address, client_kwargs={"timeout": CONNECT_SECONDS})
    dask.__enter__()
    try:
        dask.client.wait_for_workers(1, timeout=WORKER_SECONDS)
    except NoAnswer:
        what = f"the Dask scheduler at {address} has no worker; start `dask worker {address}`"
    except (OSError, ValueError):
        what = (
            f"no Dask scheduler answers at {address}; start `dask scheduler` there, or mend "
            f"RERENDER_DASK_ADDRESS (RERENDER_RUNNER=threads does without)"
        )
    else:
        return dask
    dask.__exit__(None, None, None)
    raise ClusterError(what)


def _make_ready(client: Untyped, address: str) -> str:
    """Tell all workers what holds in this flow; return the name that it is known under there.

    Raises:
        ClusterError: a worker cannot work under the same terms.
    """
    from flows.cluster_worker import Readiness, Terms, Unfit

    flow = _flow_run()
    name = f"rerender-{flow}"
    with opened() as workshop:
        terms = Terms.of(workshop)
    present = tuple(client.scheduler_info(n_workers=-1)["workers"])
    try:
        client.register_plugin(Readiness(flow, terms, present), name=name)
    except Unfit as unfit:
        client.unregister_worker_plugin(name)
        raise ClusterError(f"a worker of {address} cannot work for this run: {unfit}") from unfit
    except (ImportError, AttributeError) as error:
        raise ClusterError(
            f"a worker of {address} has another Rerender or none ({error}): start `dask worker` "
            f"in a checkout like this one, with its .venv"
        ) from error
    return name


def _flow_run() -> str:
    context = FlowRunContext.get()
    if context is None or context.flow_run is None:
        raise ClusterError("tasks go to a cluster from within a flow only")
    return str(context.flow_run.id)


def _asks_a_judge(task: Task[..., Any], parameters: Mapping[str, Any]) -> bool:
    batch = parameters.get("batch")
    if task.name != "score" or not isinstance(batch, Batch):
        return False
    return is_judged(registry.scenarios.get(batch.scenario))


def _future(awaited: Any) -> Submitted:  # noqa: ANN401 - a future, or an annotated one
    return cast("Submitted", awaited.unwrap() if isinstance(awaited, allow_failure) else awaited)


def _once_done(futures: list[Submitted], act: Callable[[], None]) -> None:
    """Do something when all futures have ended, in the thread of the last one's end."""
    if not futures:
        act()
        return
    left = len(futures)
    lock = threading.Lock()

    def count(future: Submitted) -> None:
        nonlocal left
        with suppress(Exception):  # one without a state (the server was out of reach) has ended too
            future.wait()  # this is how a future takes in its state
        with lock:
            left -= 1
            last = left == 0
        if last:
            act()

    for future in futures:
        future.add_done_callback(count)


def _last_state(sent: PrefectDaskFuture[Any]) -> State[Any]:
    """Take in a task's last state and its news from the worker.

    Whatever goes wrong here is a state too: the flow waits for one, and would wait for ever. It is
    Failed, never Crashed, after which Prefect would not begin the batch's next stage.
    """
    done: Untyped = sent.wrapped_future
    if done.cancelled():
        return Failed(message="withdrawn from the Dask cluster: the flow or the scheduler ended")
    try:
        ended = sent.result(raise_on_failure=False)
        if isinstance(ended, ToldTally | Referred):
            ended.news.tell()
    except Exception as error:  # noqa: BLE001 - e.g. the workers that had the task have died
        return _broke("lost on the Dask cluster", error)
    return sent.state


def _broke(what: str, error: Exception) -> State[Any]:
    return Failed(message=f"{what}: {type(error).__name__}: {error}; run again")
