"""Logs that a job's author controls: reading one must not hold the whole process up."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

SECONDS = 120
"""For work that takes a few seconds when it is linear in the logs and hours when it is not."""


def read_in_time(module: str, calls: str, logs: Sequence[str]) -> None:
    """Run `calls` of a module of ``renderers`` on each `log`, in a process that can be stopped."""
    code = (
        f"import sys\nfrom renderers import {module}\n"
        f"for log in sys.stdin.read().split(chr(0)):\n    {calls}\n"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, input="\0".join(logs), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, done.stderr
