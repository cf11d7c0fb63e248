"""What set-up tells a person: short lines with the elapsed time; the rest goes to log files."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
STATE = ROOT / ".rerender"
LOGS = STATE / "logs"

_BEGUN = time.monotonic()
_HEARTBEAT_SECONDS = 20
_TAIL_LINES = 12
_TAIL_COLUMNS = 160


class SetupError(Exception):
    """Set-up cannot go on.

    Attributes:
        lines: what happened and what to do, one or two lines.
        log: file whose tail shows the details, if any.
    """

    def __init__(self, *lines: str, log: Path | None = None) -> None:
        """Keep the lines for the person and the log."""
        super().__init__(*lines)
        self.lines = lines
        self.log = log


def say(message: str) -> None:
    """Write one line with the time since set-up began."""
    minutes, seconds = divmod(int(time.monotonic() - _BEGUN), 60)
    sys.stdout.write(f"[setup {minutes}:{seconds:02}] {message}\n")
    sys.stdout.flush()


def elapsed() -> float:
    """Seconds since set-up began."""
    return time.monotonic() - _BEGUN


def explain(error: SetupError) -> None:
    """Write an error's lines and the tail of its log to standard error."""
    if error.log and error.log.is_file():
        tail = error.log.read_text(errors="replace").splitlines()[-_TAIL_LINES:]
        sys.stderr.write("".join(f"    {line[:_TAIL_COLUMNS]}\n" for line in tail))
        sys.stderr.write(f"    (all of it: {_short(error.log)})\n")
    sys.stderr.write("".join(f"{line}\n" for line in error.lines))


def log_file(name: str) -> Path:
    """Start an empty log for a step."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / f"setup-{name}.log"
    path.write_text("")
    return path


def run_logged(command: Sequence[str], log: Path, *, failure: Sequence[str]) -> None:
    """Run a command with its output appended to a log.

    Raises:
        SetupError: it failed or does not exist; with the lines of ``failure`` and the log.
    """
    if exit_status(command, log) != 0:
        raise SetupError(*failure, log=log)


def succeeds(command: Sequence[str], log: Path) -> bool:
    """Run a command with its output appended to a log; tell whether it exited with 0."""
    return exit_status(command, log) == 0


def exit_status(command: Sequence[str], log: Path) -> int:
    """Run a command with its output appended to a log; 127 when it does not exist."""
    with log.open("a") as stream:
        stream.write(f"$ {' '.join(command)}\n")
        stream.flush()
        try:
            return subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, check=False,
                cwd=ROOT,
            ).returncode  # fmt: skip
        except OSError as error:
            stream.write(f"{error}\n")
            return 127


@contextmanager
def step(name: str, log: Path) -> Iterator[None]:
    """Announce a long step, show every 20 s that it lives, and tell its time at the end."""
    say(f"{name} … (log: {_short(log)})")
    begun = time.monotonic()
    over = threading.Event()

    def beat() -> None:
        while not over.wait(_HEARTBEAT_SECONDS):
            seconds = time.monotonic() - begun
            say(f"  {name}: {seconds:.0f} s, {_last_line(log)}")

    heart = threading.Thread(target=beat, daemon=True)
    heart.start()
    try:
        yield
    finally:
        over.set()
        heart.join()
    say(f"{name}: done in {time.monotonic() - begun:.0f} s")


def _last_line(log: Path) -> str:
    lines = log.read_text(errors="replace").split("\n")
    written = [line.rsplit("\r", 1)[-1].strip() for line in lines if line.strip()]
    return written[-1][:80] if written else "working"


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)
