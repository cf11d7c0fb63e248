"""The only file that talks to Docker: one job, one fresh container.

Everything that a model wrote or the internet sent is hostile. A container has no network, a
read-only root, a tmpfs work folder and /tmp, no capabilities, no new privileges, an unprivileged
user, the engine's seccomp profile, no mounts of the host, and limits on memory, processors,
processes, file size, wall-clock time and output.

A container waits for its job on its standard input (see ``renderers.job``). When the process that
started it goes away, however it goes, that input closes and the container ends and removes itself.
What could be left all the same (an engine that was restarted) carries a label with its owner and is
removed when a later process of the same host opens a pool.

``DOCKER_HOST`` is honoured, so rootless Docker and Podman's socket work.
"""

from __future__ import annotations

import errno
import os
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Digest
from renderers.hardening import (
    HOSTNAME,
    OWNER,
    USER,
    browser_command,
    hardening,
    is_stale,
    owner,
    ulimits,
)  # fmt: skip
from renderers.job import (
    LIMITS,
    WAITING,
    WORK,
    Execution,
    Job,
    Limits,
    Stop,
    stopped_failure,
)  # fmt: skip
from renderers.result import Result, exchange

if TYPE_CHECKING:
    import docker

__all__ = [
    "Execution", "Limits", "Pool", "Stop", "browser_command", "engine_status", "image_digest",
    "image_status", "stop_container", "stopped_failure",
]  # fmt: skip

ENGINE_SECONDS = 60
"""How long the engine may take for one request."""
_EVENT_SECONDS = 5
_INPUT_SHARE = 0.75


class Pool:
    """Started, unused containers of one image, kept ready by background threads.

    Safe to use from several threads. Nothing is started before the first job.
    """

    def __init__(
        self, image: str, *, size: int = 2, limits: Limits = LIMITS, runtime: str | None = None
    ) -> None:
        """Describe the pool.

        Args:
            image: name of the image, with its tag.
            size: containers kept ready.
            limits: of each job; `run` may set others for one job.
            runtime: OCI runtime, for instance ``runsc``; None for the engine's own.
        """
        self.image = image
        self.limits = limits
        self._size = size
        self._runtime = runtime
        self._lock = threading.Lock()
        self._ready: deque[_Container] = deque()
        self._starting = 0
        self._closed = False
        self._starters: ThreadPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove every container that waits; running jobs end by themselves."""
        with self._lock:
            self._closed = True
            starters, self._starters = self._starters, None
        if starters:
            starters.shutdown(wait=True)
        while self._ready:
            self._ready.popleft().remove()

    def run(
        self,
        command: Sequence[str],
        files: Mapping[str, bytes],
        *,
        collect: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        limits: Limits | None = None,
    ) -> Outcome[Execution]:
        """Run a command in a fresh container's work folder and throw the container away.

        Args:
            command: program and arguments; no shell reads them.
            files: inputs by path (check them with ``renderers.bundle`` first).
            collect: patterns of the output files to bring back (``out*.png``); a pattern that
                names a folder brings everything under it. Links and devices are never brought.
            environment: variables besides PATH, HOME, LANG, LC_ALL, TZ and SOURCE_DATE_EPOCH.
            limits: for this job, if other than the pool's.

        Returns:
            What the command did, also when a limit stopped it (``Execution.stopped``). A failure
            means the engine or the container failed by itself: ``ENGINE_UNAVAILABLE``,
            ``IMAGE_MISSING``, ``DISK_FULL``, or ``SANDBOX_LOST`` after one more try; or that the
            input has no room (``RESOURCE_LIMIT``).
        """
        limits = limits or self.limits
        if sum(map(len, files.values())) > _INPUT_SHARE * (limits.work_mb << 20):
            message = f"input: the files do not fit into a work folder of {limits.work_mb} MB"
            return Failed.of(Stage.RENDER, Kind.RESOURCE_LIMIT, message)
        job = Job(command, files, collect, dict(environment or {}))
        for attempt in range(2):  # after a restart of the engine every waiting one is lost
            container = self._take(limits) if attempt == 0 else self._start(limits)
            if isinstance(container, Failed):
                return container
            execution = container.run(job, limits)
            if execution is not None:
                return ok(execution)
        alive = engine_status()
        if isinstance(alive, Failed):
            return alive
        message = f"the container of {self.image} ended by itself, twice; the next run tries again"
        return Failed.of(Stage.RENDER, Kind.SANDBOX_LOST, message)

    def _take(self, limits: Limits) -> _Container | Failed:
        """Return a container that waits, starting one if none is ready."""
        if _shape(limits) != _shape(self.limits):
            return self._start(limits)
        with self._lock:
            if self._closed:
                raise RuntimeError("the pool is closed")
            if self._starters is None:
                self._starters = ThreadPoolExecutor(2, thread_name_prefix="sandbox-starter")
                self._starters.submit(remove_stale)
            container = self._ready.popleft() if self._ready else None
            while len(self._ready) + self._starting < self._size:
                self._starting += 1
                self._starters.submit(self._add)
        return container or self._start(limits)

    def _start(self, limits: Limits) -> _Container | Failed:
        return _start(self.image, limits, self._runtime)

    def _add(self) -> None:
        container = None
        try:
            if not self._closed:
                container = self._start(self.limits)
        finally:
            with self._lock:
                self._starting -= 1
                # a failure is not kept: the job that needs a container meets it by itself
                if isinstance(container, _Container):
                    self._ready.append(container)


@dataclass
class _Container:
    """A started container whose shell waits for a job on the attached connection."""

    id: str
    connection: Any  # keeps the attached connection open
    channel: socket.socket

    def run(self, job: Job, limits: Limits) -> Execution | None:
        """Run a job; None when the container ended without a result and was not stopped."""
        with ExitStack() as leaving:
            leaving.callback(self.remove)  # also when interrupted: nobody waits for the job then
            execution = self._execute(job, limits)
            if execution is not None and not execution.stopped:
                leaving.pop_all()  # it ends by itself
        self._close()
        return execution

    def remove(self) -> None:
        """End and remove the container at once."""
        self._close()
        stop_container(self.id)

    def _execute(self, job: Job, limits: Limits) -> Execution | None:
        result = Result(job.marker, limits)
        seconds, stopped = exchange(self.channel, job.payload(limits), result, limits.seconds)
        execution = result.execution(seconds, stopped)
        if execution is None and result.begun and self._out_of_memory():
            return result.execution(seconds, Stop.MEMORY)
        return execution

    def _out_of_memory(self) -> bool:
        """Whether the container was killed for its memory, its first process included.

        The engine's latest events tell; the container itself is mostly removed by now.
        """

        def first(client: docker.DockerClient) -> str:
            wanted = {"container": self.id, "event": ["oom", "destroy"]}
            until = int(time.time()) + _EVENT_SECONDS
            events = client.api.events(since=1, until=until, filters=wanted, decode=True)
            return next((str(event["Action"]) for event in events), "")

        found = _ask(first)
        return not isinstance(found, Failed) and found.value == "oom"

    def _close(self) -> None:
        self.channel.close()
        self.connection.close()


def image_digest(image: str) -> Outcome[Digest]:
    """Return the engine's identifier of an image, 64 hexadecimal digits, as part of keys."""

    def inspect(client: docker.DockerClient) -> Digest:
        return str(client.images.get(image).id).removeprefix("sha256:")

    return _ask(inspect, image)


@dataclass(frozen=True)
class EngineStatus:
    """What the engine says of itself."""

    version: str
    runtime: str
    runtimes: tuple[str, ...]
    missing: tuple[str, ...]
    """Limits that the engine cannot enforce here (``memory``, ``swap``, ``cpu``, ``pids``)."""


@dataclass(frozen=True)
class ImageStatus:
    """Whether an image is there and made from the folder that the checkout has."""

    name: str
    state: str
    """``present``, ``stale`` (only images of another state of the folder) or ``missing``."""
    digest: Digest | None


def engine_status() -> Outcome[EngineStatus]:
    """Ask the engine for its version, its runtimes and the limits that it cannot enforce."""
    fields = {
        "memory": "MemoryLimit", "swap": "SwapLimit", "cpu": "CpuCfsQuota", "pids": "PidsLimit",
    }  # fmt: skip

    def info(client: docker.DockerClient) -> EngineStatus:
        told = client.api.info()
        missing = tuple(name for name, key in fields.items() if not told.get(key, True))
        runtimes = tuple(sorted(told.get("Runtimes") or {}))
        version, runtime = str(told["ServerVersion"]), str(told.get("DefaultRuntime", ""))
        return EngineStatus(version, runtime, runtimes, missing)

    return _ask(info)


def image_status(name: str) -> Outcome[ImageStatus]:
    """Tell whether the image of a folder of ``containers`` (``"tex"``) is current."""
    from renderers.image_digest import LABEL, folder_digest, repository  # noqa: PLC0415

    def compare(client: docker.DockerClient) -> ImageStatus:
        wanted = folder_digest(name)
        images = client.api.images(repository(name))
        for image in images:
            if (image.get("Labels") or {}).get(LABEL) == wanted:
                return ImageStatus(name, "present", str(image["Id"]).removeprefix("sha256:"))
        return ImageStatus(name, "stale" if images else "missing", None)

    return _ask(compare)


def stop_container(name: str) -> None:
    """End and remove a container by name or identifier; nothing happens if it is gone.

    If the engine does not answer, the container's label lets a later start clear it away.
    """
    _ask(lambda client: client.api.remove_container(name, force=True))


def remove_stale() -> None:
    """Remove containers whose owning process on this host no longer lives."""
    found = _ask(lambda client: client.api.containers(all=True, filters={"label": OWNER}))
    for container in [] if isinstance(found, Failed) else found.value:
        if is_stale(container["Labels"][OWNER]):
            stop_container(container["Id"])


def _start(image: str, limits: Limits, runtime: str | None) -> _Container | Failed:
    def start(client: docker.DockerClient) -> _Container:
        api = client.api
        hardened = {**hardening(limits), "ulimits": ulimits(limits), "runtime": runtime}
        created = api.create_container(
            image, list(WAITING), user=USER, working_dir=WORK, hostname=HOSTNAME, stdin_open=True,
            labels={OWNER: owner()}, host_config=api.create_host_config(**hardened),
            use_config_proxy=False, network_disabled=True,  # not even set up: a third of the cost
        )  # fmt: skip
        identifier: str = created["Id"]
        with ExitStack() as undo:
            undo.callback(stop_container, identifier)
            attach = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
            connection = api.attach_socket(identifier, attach)
            undo.callback(connection.close)
            api.start(identifier)
            undo.pop_all()
        return _Container(identifier, connection, getattr(connection, "_sock", connection))

    outcome = _ask(start, image)
    return outcome if isinstance(outcome, Failed) else outcome.value


def _shape(limits: Limits) -> Limits:
    """The limits that a container is started with; the others belong to the job."""
    return replace(limits, seconds=0, output_mb=0, log_kb=0)


T = TypeVar("T")


def _ask(question: Callable[[docker.DockerClient], T], image: str = "") -> Outcome[T]:
    """Put one question to the engine; its errors become failures that say what to do."""
    import docker  # noqa: PLC0415
    from requests.exceptions import RequestException  # noqa: PLC0415

    try:
        with _closing_client() as client:
            return ok(question(client))
    except docker.errors.ImageNotFound:
        message = f"image {image} is not built; run `make setup`"
        return Failed.of(Stage.RENDER, Kind.IMAGE_MISSING, message)
    except (docker.errors.DockerException, RequestException, OSError) as error:
        if "no space left on device" in str(error).lower():
            message = f"the engine's disk is full ({error}); try `docker system prune`"
            return Failed.of(Stage.RENDER, Kind.DISK_FULL, message)
        host = os.environ.get("DOCKER_HOST", "the default socket")
        cause = _cause(error)
        message = f"no container engine answers at {host} ({cause}); start it, or run `make setup`"
        if isinstance(error, docker.errors.APIError):
            message = f"the container engine at {host} refused: {cause}; see `rerender doctor`"
        return Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, message)


def _cause(error: BaseException) -> str:
    """Return the reason in words; clients wrap the system's error in several of their own."""
    text = str(error)
    for number in (errno.ENOENT, errno.ECONNREFUSED, errno.EACCES):
        if os.strerror(number) in text:
            return os.strerror(number).lower()
    return " ".join(text.split())[:200]


@contextmanager
def _closing_client() -> Iterator[docker.DockerClient]:
    """Open a client for this thread (they are not safe to share) and close it."""
    import docker  # noqa: PLC0415

    client = docker.from_env(timeout=ENGINE_SECONDS)
    try:
        yield client
    finally:
        client.close()
