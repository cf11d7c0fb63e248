"""Debian's PostgreSQL, which one test starts under Prefect's server; it needs no service of it."""

from __future__ import annotations

import shutil
from pathlib import Path

from setup.console import say
from setup.system import can_install, install

VERSIONS = Path("/usr/lib/postgresql")
"""Where Debian keeps the programs of each version, outside of PATH."""


def prepare() -> bool:
    """Have PostgreSQL's programs where we may install them; tell whether they are there."""
    if programs() is None and can_install():
        install("postgresql")
    if programs() is None:
        say("note: PostgreSQL is not here, so the test of Prefect on it is skipped")
        return False
    return True


def programs() -> Path | None:
    """Return the folder of ``initdb`` and ``postgres``; None where there is none."""
    places = sorted(VERSIONS.glob("*/bin"), key=_version, reverse=True)
    found = shutil.which("initdb")
    places += [Path(found).resolve().parent] if found else []
    wanted = ("initdb", "postgres")
    return next((p for p in places if all((p / name).is_file() for name in wanted)), None)


def _version(folder: Path) -> tuple[int, ...]:
    return tuple(int(part) for part in folder.parent.name.split(".") if part.isdecimal())
