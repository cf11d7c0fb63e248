"""The terminal: one console, errors in one or two lines, exit codes with a meaning."""

from __future__ import annotations

import logging
import os
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.markup import escape

if TYPE_CHECKING:
    from pydantic import ValidationError

    from benchmark.settings import Settings

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)


class Exit(IntEnum):
    """What the exit status of `rerender` says."""

    DONE = 0
    INFRA_FAILURES = 1
    USAGE = 2


class TryExit(IntEnum):
    """What the exit status of `rerender try` says."""

    RENDERED = 0
    ANSWER_FAILED = 1
    INFRASTRUCTURE_FAILED = 3


def fail(message: str, code: int = Exit.USAGE) -> NoReturn:
    """Print a message of one or two lines and leave."""
    errors.print(f"[red]error:[/red] {escape(message)}", soft_wrap=True)
    sys.exit(code)


def read_settings() -> Settings:
    """Return the settings, or leave with the first that is wrong."""
    from tomllib import TOMLDecodeError

    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    from benchmark.settings import Settings

    try:
        return Settings()
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper()
        fail(f"setting RERENDER_{name}: {first['msg'].removeprefix('Value error, ')}")
    except SettingsError as error:
        fail(f"settings: {error}; lists and mappings are written in JSON")
    except TOMLDecodeError as error:
        fail(f"rerender.toml cannot be read: {error}")


def told(error: ValidationError) -> str:
    """Return the first thing that is wrong with a request, in one line."""
    first = error.errors()[0]
    where = " ".join(f"--{part}".replace("_", "-") for part in first["loc"][:1])
    return f"{where}: {first['msg']}".removeprefix(": ").replace("Value error, ", "")


def connect() -> None:
    """Let flows run against the station that is up (`rerender up`), where there is one."""
    from flows import station

    settings = read_settings()
    if (settings.prefect_home / "station.json").exists():
        station.connect(settings)


def quieten_prefect(*, debug: bool) -> None:
    """Set Prefect's variables, unless the user did: no telemetry, only warnings on the terminal.

    Must run before Prefect is imported.
    """
    from flows.station import HEARTBEAT_SECONDS

    quiet = {
        "DO_NOT_TRACK": "1",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_LOGGING_LEVEL": "INFO" if debug else "CRITICAL",
        "PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL": "INFO" if debug else "WARNING",
        "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
        "PREFECT_SERVER_LOGGING_LEVEL": "CRITICAL",
        "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": str(HEARTBEAT_SECONDS),  # see provisioning.zombies
    }
    logging.getLogger("EventsWorker").setLevel(logging.CRITICAL)
    for name, value in quiet.items():
        os.environ.setdefault(name, value)
