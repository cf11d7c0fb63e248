"""``python3 -m setup.lock``: write ``requirements.lock`` from what ``.venv`` holds."""

from __future__ import annotations

import re
import subprocess

from setup.environment import LOCK, PYTHON

HEADER = """\
# Every package of the environment at its exact version; written by `make lock`.
#
# CUDA's libraries (nvidia-*, cuda-*, triton) are left out on purpose: they exist only on some
# platforms, and torch's own metadata names their exact versions, so pip finds the same ones
# wherever torch wants them, and none for a build of torch that runs on the processor alone.
"""
_LEFT_OUT = re.compile(r"(nvidia-|cuda-|triton==|rerender==|pip==|wheel==)")


def main() -> None:
    """Write the lock."""
    command = [str(PYTHON), "-m", "pip", "freeze", "--all", "--exclude-editable"]
    frozen = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    LOCK.write_text(HEADER + locked(frozen))


def locked(frozen: str) -> str:
    """Keep the lines of ``pip freeze`` that hold on every platform."""
    lines = [line for line in frozen.splitlines() if "==" in line and not _LEFT_OUT.match(line)]
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
