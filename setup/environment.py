"""The virtual environment in ``.venv``, with exactly the packages of ``requirements.lock``."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from setup.console import ROOT, SetupError, log_file, run_logged, say, step
from setup.system import can_install, install

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "requirements.lock"
STAMP = VENV / ".rerender-stamp"
INPUTS = (LOCK, ROOT / "pyproject.toml")


def prepare() -> None:
    """Create or update the environment; do nothing when it is as the lock and project say.

    Raises:
        SetupError: the environment could not be made.
    """
    wanted = fingerprint()
    if is_current(wanted):
        return
    log = log_file("environment")
    if not PYTHON.exists():
        _create(log)
    pip = [str(PYTHON), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    pip += ["--progress-bar", "off", "--no-compile"]  # most modules are never imported
    failure = (
        "Installing the locked Python packages failed.",
        "Check the network, pip's index and the disk, then run the same command again.",
    )
    with step("installing the locked Python packages", log):
        run_logged([*pip, "--requirement", str(LOCK)], log, failure=failure)
        ours = ["--no-deps", "--no-build-isolation", "--editable", str(ROOT)]
        run_logged([*pip, *ours], log, failure=failure)
    STAMP.write_text(wanted)


def fingerprint() -> str:
    """Digest of all that decides what the environment holds: lock, project and its place."""
    digest = hashlib.sha256(str(ROOT).encode())
    for path in INPUTS:
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_current(wanted: str) -> bool:
    """Whether the environment exists, works and was made from the inputs with this digest."""
    return PYTHON.exists() and STAMP.is_file() and STAMP.read_text() == wanted


def _create(log: Path) -> None:
    if not _has_venv() and can_install():
        say("Python's venv module is missing")
        install("python3-venv")
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    advice = "Install it (Debian, Ubuntu: apt-get install python3-venv), then run the same again."
    run_logged(command, log, failure=("Python's venv module does not work.", advice))


def _has_venv() -> bool:
    probe = [sys.executable, "-c", "import venv, ensurepip"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def require_python() -> None:
    """Stop on a Python that the project cannot run on.

    Raises:
        SetupError: it is older than 3.11.
    """
    if sys.version_info < (3, 11):  # noqa: UP036 - here it may be
        raise SetupError(
            f"Python 3.11 or newer is needed; {sys.executable} is {sys.version.split()[0]}.",
            "Install one and name it: make PYTHON=python3.11 setup",
        )
