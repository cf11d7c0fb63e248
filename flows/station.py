"""Where a local Prefect server and its worker live: folder, port, password, and what is running.

``rerender up`` makes a station: a server on loopback with its database in ``.rerender/prefect``, a
worker that takes its runs, and the deployments. The note ``station.json`` says which processes are
a station's; it is believed only of processes that still are who they were.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmark.settings import PROJECT, Settings
from flows.logs import PACKAGES

HOST = "127.0.0.1"
HEARTBEAT_SECONDS = 30
"""How often a flow run says that it lives; Prefect allows no less."""

USER = "rerender"

LEASES = "prefect.server.concurrency.lease_storage.filesystem"
"""Where Prefect keeps who holds slots of limits: in the station's folder."""


@dataclass(frozen=True)
class Member:
    """A process, told from a later one of the same number by the time of its start."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> Member:
        """Describe a process that runs now."""
        import psutil

        return cls(pid, psutil.Process(pid).create_time())

    def lives(self) -> bool:
        """Tell whether this very process still runs."""
        import psutil

        try:
            process = psutil.Process(self.pid)
            same = bool(process.create_time() == self.started)
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False


@dataclass(frozen=True)
class Station:
    """A station that was started."""

    port: int
    members: dict[str, Member]
    """What runs: keeper (`rerender up` itself), server, worker."""
    ready: bool = False
    """Whether the deployments have been made."""

    @property
    def address(self) -> str:
        """The user interface."""
        return f"http://{HOST}:{self.port}"

    @property
    def api(self) -> str:
        """What clients of Prefect ask."""
        return f"{self.address}/api"

    def lives(self) -> bool:
        """Tell whether its server runs."""
        return "server" in self.members and self.members["server"].lives()


def home(settings: Settings) -> Path:
    """Return the folder of the station: the server's database, logs and the note."""
    return settings.prefect_home


def make_home(settings: Settings) -> Path:
    """Make the folder of the station; what lies there (runs, logs, a webhook) is the user's."""
    home(settings).mkdir(mode=0o700, parents=True, exist_ok=True)
    return home(settings)


def password(settings: Settings) -> str:
    """Return the server's password, made at the first call; only the user can read its file."""
    file = make_home(settings) / "password"
    if not file.exists():
        fresh = file.with_suffix(f".{os.getpid()}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as opened:
            opened.write(secrets.token_urlsafe(24))
        try:
            os.link(fresh, file)  # fails where another process was first, whose password holds
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return file.read_text().strip()


def sign_in(settings: Settings) -> str:
    """Return what the server asks for: user and password, as Prefect's settings take them."""
    return f"{USER}:{password(settings)}"


def client_environment(settings: Settings, port: int) -> dict[str, str]:
    """Return the variables with which a process talks to the station."""
    return {
        "PREFECT_HOME": str(home(settings)),
        "PREFECT_API_URL": f"http://{HOST}:{port}/api",
        "PREFECT_API_AUTH_STRING": sign_in(settings),
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(HEARTBEAT_SECONDS),
        "PREFECT_LOGGING_EXTRA_LOGGERS": ",".join(PACKAGES),
        "PREFECT_LOGGING_TO_API_WHEN_MISSING_FLOW": "ignore",  # of what no run has asked for
        "PREFECT_CLIENT_METRICS_ENABLED": "false",
        "RERENDER_CHECKOUT": str(PROJECT),
        "DO_NOT_TRACK": "1",
    }


def worker_environment(settings: Settings, port: int) -> dict[str, str]:
    """Return the variables of the worker, and so of the runs that it starts.

    In a terminal Prefect is silent, since commands say themselves what happened; of a worker's run
    the interface is the only place where a traceback can be read.
    """
    return client_environment(settings, port) | {"PREFECT_LOGGING_LEVEL": "INFO"}


def server_environment(settings: Settings, port: int) -> dict[str, str]:
    """Return the variables of the server itself.

    Task runs are recorded in batches (one by one the interface would lag behind by minutes), leases
    of slots outlive the server (in memory they would be lost, and the slots never given back), and
    only the server's own pages may call it from a browser.
    """
    recorder = "PREFECT_SERVER_SERVICES_TASK_RUN_RECORDER"
    database = settings.prefect_database
    elsewhere = (
        {}
        if database is None
        else {"PREFECT_SERVER_DATABASE_CONNECTION_URL": database.get_secret_value()}
    )
    return elsewhere | {
        "PREFECT_HOME": str(home(settings)),
        "PREFECT_SERVER_API_HOST": HOST,
        "PREFECT_SERVER_API_PORT": str(port),
        "PREFECT_SERVER_API_AUTH_STRING": sign_in(settings),
        "PREFECT_SERVER_CORS_ALLOWED_ORIGINS": f"http://{HOST}:{port}",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_LOGGING_LEVEL": "WARNING",  # in a terminal it is silent; here is a log file
        "PREFECT_SERVER_CONCURRENCY_LEASE_STORAGE": LEASES,
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "PREFECT_SERVER_UI_V2_ENABLED": "false",  # its pages ask amplitude.com, whatever is set
        f"{recorder}_READ_BATCH_SIZE": "200",
        f"{recorder}_BATCH_SIZE": "200",
        f"{recorder}_FLUSH_INTERVAL": "1",
        "DO_NOT_TRACK": "1",
    }


@contextmanager
def claim(settings: Settings) -> Iterator[bool]:
    """Yield whether this process may keep a station; nobody else may until the block ends.

    Two that start at the same moment know nothing of each other's note, and the one that finds the
    port taken would take the note of the other away.
    """
    with (make_home(settings) / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def note(settings: Settings, station: Station) -> None:
    """Write down what runs."""
    file = make_home(settings) / "station.json"
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.write_text(json.dumps(asdict(station)))
    fresh.replace(file)


def find(settings: Settings) -> Station | None:
    """Return the station whose server runs, if any."""
    try:
        noted = json.loads((home(settings) / "station.json").read_text())
        members = {name: Member(**one) for name, one in noted["members"].items()}
        station = Station(int(noted["port"]), members, ready=bool(noted.get("ready")))
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return station if station.lives() else None


def forget(settings: Settings) -> None:
    """Take the note away."""
    (home(settings) / "station.json").unlink(missing_ok=True)


def connect(settings: Settings) -> Station | None:
    """Let this process's flows run against the station that is up, if there is one.

    What the user says with ``PREFECT_API_URL`` comes first. Must be called before Prefect is
    imported.
    """
    if "PREFECT_API_URL" in os.environ:
        return None
    station = find(settings)
    if station is not None:
        for name, value in client_environment(settings, station.port).items():
            os.environ.setdefault(name, value)
    return station
