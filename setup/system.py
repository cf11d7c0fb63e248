"""The machine: who we are on it, and Debian's packages."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from setup.console import SetupError, log_file, run_logged, step

OS_RELEASE = Path("/etc/os-release")

_INSTALLING = threading.Lock()


def os_release() -> dict[str, str]:
    """Fields of /etc/os-release: ``ID``, ``ID_LIKE``, ``VERSION_CODENAME`` …; empty elsewhere."""
    if not OS_RELEASE.is_file():
        return {}
    pairs = (line.partition("=") for line in OS_RELEASE.read_text().splitlines())
    return {key: value.strip("\"'") for key, mark, value in pairs if mark}


def as_root() -> list[str] | None:
    """The words to put before a command that needs root: none, or sudo; None if we cannot."""
    if os.geteuid() == 0:
        return []
    if not shutil.which("sudo"):
        return None
    if sys.stdin.isatty():
        return ["sudo"]
    return ["sudo", "--non-interactive"]


def can_install() -> bool:
    """Whether this is Debian or Ubuntu (or made from them) and we may install packages."""
    told = os_release()
    family = {told.get("ID", ""), *told.get("ID_LIKE", "").split()}
    return bool(family & {"debian", "ubuntu"}) and as_root() is not None


def install(*packages: str) -> None:
    """Install Debian packages.

    Raises:
        SetupError: apt failed.
    """
    root = as_root()
    if root is None:
        raise SetupError(f"Root is needed to install {' '.join(packages)}.")
    quiet = [*root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet"]
    failure = (
        f"Installing {' '.join(packages)} with apt-get failed.",
        f"Try: apt-get update && apt-get install {' '.join(packages)}; then the same again.",
    )
    log = log_file(f"apt-{packages[0]}")
    with _INSTALLING, step(f"installing {' '.join(packages)}", log):
        run_logged([*quiet, "update"], log, failure=failure)
        command: Sequence[str] = [*quiet, "install", "--yes", "--no-install-recommends"]
        run_logged([*command, *packages], log, failure=failure)
