"""Slots that runs on all machines share: requests at a provider, renderings in containers.

A Prefect server that several runs know keeps named global limits: ``rerender-provider-<name>`` (the
part of a model's name before its first slash) and ``rerender-container-<renderer>``. A batch holds,
while it works, a slot for each request or rendering that it may have on its way at once; one that
gets fewer than it has threads for works on fewer at once. So a limit bounds what is on its way,
whoever asks, at the cost of three calls of the server for a batch.

Slots are held by a lease that is renewed while the batch works. Those of a process that was killed
come back when its lease has run out. Without a server (a command in a terminal) the bounds of the
process hold alone: ``model_concurrency`` and ``workers``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TYPE_CHECKING

import httpx

from benchmark import registry
from benchmark.outcome import Failed, Kind, Stage
from benchmark.settings import Settings
from flows.batching import NoPlace, Place

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import ConcurrencyLeaseHolder

PREFIX = "rerender-"

LEASE_SECONDS = 60
"""After so long without renewal slots come back; Prefect allows no less."""

LONGEST_QUEUE = 6 * 3600.0
"""Seconds to wait for slots. Other runs may hold them all for a batch, but not for ever."""

log = logging.getLogger(__name__)


def provider_limit(model: str) -> str | None:
    """Return the limit that requests to a model count against; baselines and readers have none."""
    local = "/" not in model or model in registry.models
    return None if local else f"{PREFIX}provider-{model.partition('/')[0]}"


def container_limit(renderer: str | None) -> str | None:
    """Return the limit that renderings count against, if anything is rendered at all."""
    return None if renderer is None else f"{PREFIX}container-{renderer}"


def wanted(settings: Settings) -> dict[str, int]:
    """Return every limit that a server should have, with its slots."""
    from vlms.providers import PROVIDERS

    models = (*settings.models, settings.judge)
    asked = [model.partition("/")[0] for model in models if provider_limit(model)]
    named = {f"provider-{name}": settings.provider_slots for name in (*PROVIDERS, *asked)}
    named |= {f"container-{name}": settings.container_slots for name in registry.renderers.names()}
    return {f"{PREFIX}{name}": slots for name, slots in (named | settings.slots).items()}


def ensure(client: SyncPrefectClient, limits: Mapping[str, int]) -> None:
    """Make the limits that are missing; one that somebody set lower is left as it is.

    Raises:
        httpx.HTTPError, PrefectException: the server does not answer, or not as it should.
    """
    from prefect.client.schemas.actions import (
        GlobalConcurrencyLimitCreate,
        GlobalConcurrencyLimitUpdate,
    )
    from prefect.exceptions import ObjectAlreadyExists, ObjectNotFound

    for name, slots in limits.items():
        try:
            found = client.read_global_concurrency_limit_by_name(name)
        except ObjectNotFound:
            try:
                client.create_global_concurrency_limit(
                    GlobalConcurrencyLimitCreate(name=name, limit=slots)
                )
            except ObjectAlreadyExists:
                continue  # another provisioning was quicker
            continue
        if found.limit > slots:
            client.update_global_concurrency_limit(name, GlobalConcurrencyLimitUpdate(limit=slots))


def place(stage: Stage, names: Iterable[str | None], threads: int) -> Place:
    """Return where the pieces of a batch get their slots.

    Args:
        stage: what a failure is told of.
        names: limits that each piece counts against; None among them counts against nothing.
        threads: how many pieces the process works on at once anyway.
    """
    limits = sorted({name for name in names if name is not None})

    @contextmanager
    def waiting(pieces: int) -> Iterator[int]:
        most = min(pieces, threads)
        if not limits or not _is_shared():
            yield most
            return
        with _held(stage, limits, most) as slots:
            yield slots

    return waiting


def _is_shared() -> bool:
    """Tell whether the process is connected to a server that others may know too."""
    from prefect.settings import get_current_settings

    return get_current_settings().api.url is not None


@contextmanager
def _held(stage: Stage, limits: Sequence[str], most: int) -> Iterator[int]:
    """Hold slots of each limit for a block; gives how many.

    Raises:
        NoPlace: a limit is missing or zero, the server does not answer, or nobody gave slots back.
    """
    from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
    from prefect.concurrency.sync import concurrency
    from prefect.exceptions import PrefectException

    with ExitStack() as stack:
        try:
            slots = min(most, *(_size(stage, name) for name in limits))
            lease = concurrency(
                list(limits),
                occupy=slots,
                timeout_seconds=LONGEST_QUEUE,
                lease_duration=LEASE_SECONDS,
                strict=True,
                holder=_holder(),
                raise_on_lease_renewal_failure=False,  # what is on its way is paid for
            )
            stack.enter_context(_given_back(lease))
        except TimeoutError as error:
            told = f"no slot of {', '.join(limits)} came free: other runs hold them all"
            raise NoPlace(Failed.of(stage, Kind.RATE_LIMITED, told)) from error
        except (ConcurrencySlotAcquisitionError, PrefectException, httpx.HTTPError) as error:
            told = f"the Prefect server gives no slots of {', '.join(limits)}: {error}"
            raise NoPlace(Failed.of(stage, Kind.NETWORK, told)) from error
        yield slots


@contextmanager
def _given_back(lease: AbstractContextManager[None]) -> Iterator[None]:
    """Hold a lease for a block; a server that cannot take it back lets it run out."""
    lease.__enter__()
    try:
        yield
    finally:
        try:
            lease.__exit__(None, None, None)
        except httpx.HTTPError as error:
            log.warning("slots are given back late, when their lease has run out: %s", error)


def _size(stage: Stage, name: str) -> int:
    """Return how many slots a limit has.

    It is read for each batch, so that what an operator changes holds from the next one on.

    Raises:
        NoPlace: there is no such limit, or it has no slots.
    """
    from prefect.client.orchestration import get_client
    from prefect.exceptions import ObjectNotFound

    with get_client(sync_client=True) as client:
        try:
            limit = client.read_global_concurrency_limit_by_name(name).limit
        except ObjectNotFound:
            told = f"the Prefect server has no limit {name}; `{_remedy(name)}` makes it"
            raise NoPlace(Failed.of(stage, Kind.QUOTA, told)) from None
    if limit == 0:
        told = f"the limit {name} of the Prefect server is 0; raise it and run again"
        raise NoPlace(Failed.of(stage, Kind.QUOTA, told))
    return limit


def _remedy(name: str) -> str:
    kind, _, which = name.removeprefix(PREFIX).partition("-")
    return f"rerender provision --provider {which}" if kind == "provider" else "rerender provision"


def _holder() -> ConcurrencyLeaseHolder | None:
    """Return who holds the slots, for whoever looks at the server's list of leases."""
    from prefect.client.schemas.objects import ConcurrencyLeaseHolder
    from prefect.context import TaskRunContext

    context = TaskRunContext.get()
    if context is None:
        return None
    return ConcurrencyLeaseHolder(type="task_run", id=context.task_run.id)
