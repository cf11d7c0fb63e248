"""`rerender provision` and `rerender recover`: what a Prefect server is told besides runs."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from flows.console import Exit, connect, console, fail, read_settings


def provision(
    provider: Annotated[
        list[str] | None,
        typer.Option(help="only make the limit of this provider; may be repeated"),
    ] = None,
) -> None:
    """Make pool, limits, automations and deployments on the Prefect server.

    That is the one of PREFECT_API_URL, or the one that `rerender up` started. What is there is
    brought up to date; limits that somebody set lower are left as they are.
    """
    from benchmark.settings import PROJECT

    settings = read_settings()
    address = _server()
    from prefect.client.orchestration import get_client

    from flows import provisioning, slots

    if provider:
        names = {f"{slots.PREFIX}provider-{name}" for name in provider}
        wanted = dict.fromkeys(names, settings.provider_slots) | slots.wanted(settings)
        with get_client(sync_client=True) as client:
            slots.ensure(client, {name: wanted[name] for name in sorted(names)})
        console.print(f"limits of {', '.join(provider)} are at {address}", soft_wrap=True)
        return
    with console.status("making pool, limits, automations and deployments"):
        provisioning.provision(settings)
        try:
            provisioning.deploy({"RERENDER_CHECKOUT": str(PROJECT), **os.environ})
        except provisioning.ProvisioningError as error:
            fail(str(error), Exit.INFRA_FAILURES)
    console.print(f"pool, limits, automations and deployments are at {address}", soft_wrap=True)


def recover(
    retry: Annotated[
        bool, typer.Option(help="let a worker take them up again, where they have a deployment")
    ] = True,
) -> None:
    """Mark runs as Crashed that are said to be running but whose process is gone; retry them."""
    read_settings()
    _server()
    from prefect.client.orchestration import get_client

    from flows.recovery import bury, dead, revive

    with get_client(sync_client=True) as client:
        found = dead(client)
        for run in found:
            bury(client, run)
        told = {run.id: retry and revive(client, run) for run in found}
    for run in found:
        if told[run.id]:
            what = "Crashed, and scheduled again"
        elif run.parent_task_run_id is not None:
            what = "Crashed; it begins again with the run that it is part of"
        else:
            what = "Crashed; start it again, only what is missing will be done"
        console.print(f"{run.name}: {what}", soft_wrap=True, markup=False)
    if not found:
        console.print("no run is dead: each that is said to be running gives signs of life")


def _server() -> str:
    """Connect to the Prefect server and return its address, or leave where there is none."""
    connect()
    from prefect.settings import get_current_settings

    address = get_current_settings().api.url
    if address is None:
        fail("there is no Prefect server: `rerender up` starts one, PREFECT_API_URL names another")
    return address
