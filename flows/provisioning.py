"""What a Prefect server needs before our flows run on it: pool, limits, automations, deployments.

All of it may be said again: what is there already is brought up to date. It works on a station of
our own, on any other server, and on Prefect Cloud. ``prefect deploy`` makes limits and automations
too: ``provide`` is a step of ``prefect.yaml``.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from prefect.blocks.notifications import CustomWebhookNotificationBlock
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.client.schemas.objects import StateType
from prefect.events.actions import ChangeFlowRunState, SendNotification
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.events.schemas.events import ResourceSpecification
from prefect.exceptions import ObjectNotFound
from pydantic import SecretStr

from benchmark.settings import PROJECT, Settings
from flows import pace, slots
from flows.station import HEARTBEAT_SECONDS
from sources.known_sites import known_sites

POOL = "rerender"
ZOMBIES = "Rerender: runs that died become Crashed"
FAILED = "Rerender: tell of failed runs"
REFRESHED = "Rerender: tell of finished refreshes"
BLOCK = "rerender-webhook"

FLOWS = ("benchmark", "refresh", "evaluate", "rerun", "report")
"""Ours: a server may know those of others too, which have other signs of life."""

OURS = ResourceSpecification(
    {"prefect.resource.role": "flow", "prefect.resource.name": list(FLOWS)}
)
"""What the events of our flows' runs are related to."""

SILENCE = timedelta(seconds=3 * HEARTBEAT_SECONDS)
"""A run that has given no sign of life for so long is dead."""

GONE = "its process is gone: no sign of life; retry does only what is missing"
_ENDED = ("Completed", "Failed", "Cancelled", "Crashed")


class ProvisioningError(RuntimeError):
    """The deployments could not be made; the text says why."""


def provision(settings: Settings) -> None:
    """Make pool, limits and automations on the server that this process is connected to.

    A pool that is there is left as it is: it may be of another type, or paused.
    """
    with get_client(sync_client=True) as client:
        try:
            client.read_work_pool(POOL)
        except ObjectNotFound:
            pool = WorkPoolCreate(name=POOL, type="process", description="Runs on this machine.")
            client.create_work_pool(pool)
        slots.ensure(client, slots.wanted(settings))
        for site in known_sites(settings):
            pace.ensure_limit(client, site)
        _automate(client, zombies())
        for told in [] if settings.webhook is None else notifications(settings.webhook):
            _automate(client, told)


def provide() -> dict[str, str]:
    """Make what deployments need; a step of ``prefect deploy``, which takes its result."""
    provision(Settings())
    return {}


def zombies() -> AutomationCore:
    """Return the automation that marks a run as Crashed when it has stopped saying that it lives.

    A process that was killed cannot say that it died, and its run would be Running for ever.
    """
    heartbeat = "prefect.flow-run.heartbeat"
    return AutomationCore(
        name=ZOMBIES,
        description="A killed run can then be retried; what it had finished is in the store.",
        trigger=EventTrigger(
            match=ResourceSpecification({"prefect.resource.id": "prefect.flow-run.*"}),
            match_related=OURS,
            for_each={"prefect.resource.id"},
            after={heartbeat},
            expect={heartbeat, *(f"prefect.flow-run.{state}" for state in _ENDED)},
            posture=Posture.Proactive,
            threshold=1,
            within=SILENCE,
        ),
        actions=[
            ChangeFlowRunState(
                state=StateType.CRASHED,
                message=GONE,
            )
        ],
    )


def notifications(webhook: SecretStr) -> list[AutomationCore]:
    """Return the automations that tell an address of failed runs and of finished refreshes.

    The address is kept by the server, in a block.
    """
    block = CustomWebhookNotificationBlock(
        name=BLOCK,
        url=webhook.get_secret_value(),
        method="POST",
        json_data={"text": "{{subject}}: {{body}}"},
    )
    saved = block.save(BLOCK, overwrite=True)
    runs = ResourceSpecification({"prefect.resource.id": "prefect.flow-run.*"})
    refreshes = ResourceSpecification(
        {"prefect.resource.role": "flow", "prefect.resource.name": "refresh"}
    )
    failed = EventTrigger(
        match=runs,
        match_related=OURS,
        expect={"prefect.flow-run.Failed", "prefect.flow-run.Crashed"},
    )
    finished = EventTrigger(
        match=runs, match_related=refreshes, expect={"prefect.flow-run.Completed"}
    )
    action = SendNotification(
        block_document_id=saved,
        subject="Rerender: {{ flow.name }} {{ flow_run.state.name }}",
        body="{{ flow_run.name }}: {{ flow_run.state.message }}",
    )
    return [
        AutomationCore(name=FAILED, trigger=failed, actions=[action]),
        AutomationCore(name=REFRESHED, trigger=finished, actions=[action]),
    ]


def deploy(environment: Mapping[str, str]) -> None:
    """Make the deployments of ``prefect.yaml``.

    Raises:
        ProvisioningError: Prefect refused; with its last line.
    """
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--all"]
    done = subprocess.run(  # noqa: S603 - our own interpreter with fixed arguments
        command, cwd=PROJECT, env=dict(environment), capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        told = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise ProvisioningError(f"prefect deploy failed: {' / '.join(told[-2:])}")


def _automate(client: SyncPrefectClient, automation: AutomationCore) -> None:
    """Make an automation, or bring the one of its name up to date.

    One that is as it should be is left alone: a new one knows nothing of the signs of life before
    it, so a run that dies about now would never be missed. So is whether somebody switched it off.
    """
    known = client.read_automations_by_name(automation.name)
    kept = next((one for one in known if _says(one) == _says(automation)), None)
    for surplus in known:
        if surplus is not kept:
            client.delete_automation(surplus.id)
    if kept is None:
        client.create_automation(automation)


def _says(automation: AutomationCore) -> dict[str, Any]:
    """Return what an automation does when, without what the server adds."""
    said = set(AutomationCore.model_fields) - {"enabled"}
    return automation.model_dump(include=said, exclude={"trigger": {"id"}})
