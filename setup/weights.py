"""What LPIPS, CIS and EMS need ahead of time: converted weights and compiled loops."""

from __future__ import annotations

import hashlib

from setup.console import ROOT, STATE, log_file, say, step, succeeds
from setup.environment import VENV, fingerprint

STAMP = STATE / "weights-stamp"


def prepare() -> None:
    """Fetch weights and warm caches with ``rerender weights``; set-up goes on without them."""
    wanted = _fingerprint()
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    log = log_file("weights")
    with step("weights and compiled loops of the metrics", log):
        complete = succeeds([str(VENV / "bin" / "rerender"), "weights"], log)
    if not complete:
        say("note: weights are missing, so LPIPS will be missing too; see `rerender doctor`")
    STAMP.write_text(wanted)


def _fingerprint() -> str:
    """Digest of the environment and of the metrics' sources, which decide what is needed."""
    digest = hashlib.sha256(fingerprint().encode())
    for path in sorted((ROOT / "metrics").glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
