"""The virtual environment in ``.venv``, with exactly the packages of ``requirements.lock``."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setup.console import ROOT, SetupError, log_file, run_logged, say, step
from setup.system import can_install, install

VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
LOCK = ROOT / "requirements.lock"

_PIP = (
    "-m",
    "pip",
    "--disable-pip-version-check",
    "--no-input",
    "install",
    "--progress-bar",
    "off",
)


@dataclass(frozen=True)
class Part:
    """What pip installs in one go, again whenever the file that decides it changes."""

    name: str
    decided_by: Path
    arguments: tuple[str, ...]

    @property
    def stamp(self) -> Path:
        """File with the digest of what was installed."""
        return VENV / f".installed-{self.decided_by.name}"

    def digest(self) -> str:
        """Digest of the deciding file and of the checkout's place, which scripts name."""
        return hashlib.sha256(str(ROOT).encode() + self.decided_by.read_bytes()).hexdigest()

    def is_current(self) -> bool:
        """Whether what is installed is what the file says."""
        return self.stamp.is_file() and self.stamp.read_text() == self.digest()


# Most modules are never imported, so nothing is compiled ahead of time.
LOCKED = Part("the locked Python packages", LOCK, ("--no-compile", "--requirement", str(LOCK)))
OURS = Part(
    "rerender",
    ROOT / "pyproject.toml",
    ("--no-deps", "--no-build-isolation", "--editable", str(ROOT)),
)


def prepare(parts: Sequence[Part] = (LOCKED, OURS)) -> None:
    """Create or update the environment; do nothing where it is as the lock and project say.

    Raises:
        SetupError: the environment could not be made.
    """
    if not PYTHON.exists():
        _create(log_file("environment"))
    for part in parts:
        if not part.is_current():
            _install(part)
    require_driver()


def require_driver(driver: Path | None = None) -> None:
    """Have what Playwright's driver needs of the system: a Node.js that finds its libraries.

    Raises:
        SetupError: it does not run and cannot be helped.
    """
    driver = driver or next(VENV.glob("lib/python3*/site-packages/playwright/driver/node"), None)
    if driver is None or not (lack := _lacks(driver)):
        return
    if "libatomic" in lack and can_install():
        say("Playwright's driver needs libatomic")
        install("libatomic1")
        lack = _lacks(driver)
    if lack:
        raise SetupError(
            f"Playwright's driver does not run: {lack}.",
            "Install what it lacks (Debian, Ubuntu: libatomic1), then run the same command again.",
        )


def _lacks(driver: Path) -> str:
    """Return why the driver does not run; nothing if it does."""
    done = subprocess.run([str(driver), "--version"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else " ".join(done.stderr.split())[-200:] or "no reason given"


def _install(part: Part) -> None:
    log = log_file(f"pip-{part.decided_by.stem}")
    failure = (
        f"Installing {part.name} failed.",
        "Check the network, pip's index and the disk, then run the same command again.",
    )
    with step(f"installing {part.name}", log):
        run_logged([str(PYTHON), *_PIP, *part.arguments], log, failure=failure)
    part.stamp.write_text(part.digest())


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
