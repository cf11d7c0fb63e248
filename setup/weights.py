"""What LPIPS, CIS and EMS need ahead of time: converted weights and compiled loops."""

from __future__ import annotations

import hashlib

from setup.console import ROOT, STATE, exit_status, log_file, say, step
from setup.environment import LOCKED, VENV

STAMP = STATE / "weights-stamp"

_MISSING = 1
"""What ``rerender weights`` exits with where weights cannot be had."""


def prepare() -> None:
    """Fetch weights and warm caches with ``rerender weights``; set-up goes on without them."""
    wanted = _fingerprint()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    log = log_file("weights")
    with step("weights and compiled loops of the metrics", log):
        status = exit_status([str(VENV / "bin" / "rerender"), "weights"], log)
    if status == _MISSING:
        say("note: weights are missing, so LPIPS will be missing too; see `rerender doctor`")
    elif status != 0:
        say("note: `rerender weights` failed, so metrics may be missing; see its log")
        return
    STAMP.write_text(wanted)


def _fingerprint() -> str:
    """Digest of the locked packages and of the metrics' sources, which decide what is needed."""
    digest = hashlib.sha256(LOCKED.digest().encode())
    for path in sorted((ROOT / "metrics").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
