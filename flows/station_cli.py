"""`rerender up`, `status`, `down` and `prefect`: a Prefect server, a worker, the deployments."""

from __future__ import annotations

import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from flows.console import Exit, console, fail, read_settings

if TYPE_CHECKING:
    from benchmark.settings import Settings
    from flows.station import Member, Station


def up(
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="of the server (default: 4200)")
    ] = None,
    detach: Annotated[
        bool,
        typer.Option("--detach", "-d", help="go on in the background"),
    ] = False,
) -> None:
    """Start a Prefect server, a worker and the deployments with their schedules."""
    from flows import station

    settings = read_settings()
    port = port or settings.prefect_port
    if (running := station.find(settings)) is not None:
        fail(f"a station is up already at {running.address}; `rerender down` ends it")
    if detach:
        _detach(settings, port)
        return
    with station.claim(settings) as alone:
        if not alone:
            fail("a station is being started already; `rerender status` says when it is up")
        _keep(settings, port)


def status() -> None:
    """Say what is up, and what the next and the last runs are."""
    from flows import station

    settings = read_settings()
    found = station.connect(settings) or station.find(settings)
    if found is None:
        console.print("nothing is up; `rerender up` starts it")
        sys.exit(Exit.INFRA_FAILURES)
    from flows.station_status import tables

    if not found.ready:
        console.print("it is starting: the deployments are not made yet")
    for name, member in found.members.items():
        console.print(f"{name:<8} {'runs' if member.lives() else 'has ended'}, pid {member.pid}")
    _tell(settings, found)
    for table in tables():
        console.print(table)


def down() -> None:
    """End the server and the worker, and whatever they are running."""
    from flows import station
    from flows.station_processes import ask_to_end, end

    settings = read_settings()
    found = station.find(settings)
    if found is None:
        console.print("nothing is up")
        return
    keeper = found.members.get("keeper")
    if keeper is not None and keeper.pid != os.getpid():
        ask_to_end(keeper)
    end([found.members[name] for name in ("worker", "server", "keeper") if name in found.members])
    station.forget(settings)
    console.print("down")


def prefect(context: typer.Context) -> None:
    """Run a command of Prefect's against the server that is up, e.g. `prefect flow-run ls`."""
    from flows import station

    settings = read_settings()
    found = station.find(settings)
    needs_none = "--help" in context.args
    if found is None and "PREFECT_API_URL" not in os.environ and not needs_none:
        fail("nothing is up; `rerender up` starts it", Exit.INFRA_FAILURES)
    ours = {} if found is None else station.client_environment(settings, found.port)
    environment = {**ours, **os.environ}  # what the user says comes first
    os.execve(sys.executable, [sys.executable, "-m", "prefect", *context.args], environment)  # noqa: S606 - our own interpreter


def _keep(settings: Settings, port: int) -> None:
    """Start everything, stay until a signal comes, then end everything."""
    from flows import station
    from flows.station_processes import StationError, end

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: stop.set())
    members: dict[str, station.Member] = {"keeper": station.Member.of(os.getpid())}
    try:
        made = _start(settings, port, members, stop)
        if not stop.is_set():
            _tell(settings, made)
            console.print("Ctrl-C ends it", soft_wrap=True)
        while not stop.wait(1):
            dead = [name for name, member in members.items() if not member.lives()]
            if dead:
                raise StationError(
                    f"the {dead[0]} has ended; its log is in {station.home(settings)}"
                )
    except StationError as error:
        fail(str(error), Exit.INFRA_FAILURES)
    finally:
        end([members[name] for name in ("worker", "server") if name in members])
        station.forget(settings)


def _start(
    settings: Settings, port: int, members: dict[str, Member], stop: threading.Event
) -> Station:
    """Start the server, then, side by side, the worker and what makes the deployments."""
    from flows import station
    from flows.station_processes import StationError, answers, start, wait_until

    home = station.home(settings)
    if answers(f"http://{station.HOST}:{port}/api/health"):
        raise StationError(f"port {port} is taken by another server; choose one with --port")
    with console.status("starting the server"):
        members["server"] = start(
            ["-m", "prefect", "server", "start"],
            station.server_environment(settings, port),
            home / "server.log",
        )
        made = station.Station(port, members)
        station.note(settings, made)
        os.environ.update(station.client_environment(settings, port))
        threading.Thread(  # seconds that nobody waits for, not even who is told to end
            target=import_module, args=["flows.provisioning"], daemon=True
        ).start()
        wait_until(
            lambda: stop.is_set() or answers(f"{made.api}/health"),
            members["server"],
            home / "server.log",
            "the server",
        )
    if not stop.is_set():
        with console.status("making pool, limits, automations and deployments"):
            _provide(settings, made, stop)
    return replace(made, ready=True)


def _provide(settings: Settings, made: Station, stop: threading.Event) -> None:
    """Make what the server needs, and start the worker while the deployments are made."""
    from flows import station
    from flows.provisioning import POOL, ProvisioningError, deploy, provision
    from flows.station_processes import StationError, end_children, start

    try:
        provision(settings)
        with ThreadPoolExecutor(1) as deploying:
            deployed = deploying.submit(deploy, dict(os.environ))
            made.members["worker"] = start(
                ["-m", "prefect", "worker", "start", "--pool", POOL, "--name", "rerender"],
                station.worker_environment(settings, made.port),
                station.home(settings) / "worker.log",
            )
            station.note(settings, made)
            while not deployed.done():
                if stop.wait(0.1):
                    end_children(made.members.values())
            if not stop.is_set():
                deployed.result()
    except ProvisioningError as error:
        raise StationError(str(error)) from error
    station.note(settings, replace(made, ready=True))


def _tell(settings: Settings, made: Station) -> None:
    from flows.station import home, sign_in

    console.print(f"Prefect's interface: [bold]{made.address}[/bold]", soft_wrap=True)
    console.print(f"sign in with:        {sign_in(settings)}", soft_wrap=True, markup=False)
    console.print(f"logs:                {home(settings)}", soft_wrap=True, markup=False)


def _detach(settings: Settings, port: int) -> None:
    """Start `rerender up` again in the background and wait until its worker runs."""
    from flows import station
    from flows.station_processes import StationError, end, start, wait_until

    log = station.make_home(settings) / "up.log"
    keeper = start(["-m", "flows.cli", "up", "--port", str(port)], {}, log)
    try:
        with console.status("starting"):
            wait_until(lambda: _is_ready(settings), keeper, log, "`rerender up`")
    except StationError as error:
        end([keeper])
        fail(str(error), Exit.INFRA_FAILURES)
    found = station.find(settings)
    if found is not None:
        _tell(settings, found)
        console.print("`rerender down` ends it", soft_wrap=True)


def _is_ready(settings: Settings) -> bool:
    from flows import station

    found = station.find(settings)
    return found is not None and found.ready
