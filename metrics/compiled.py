"""How numeric kernels are compiled: numba, cached on disk, without the interpreter lock.

Modules with kernels are imported by the function that needs them, never by a metric's own module,
because importing numba takes a while.

numba's own cache of a kernel notices a change of the kernel's file, but not of the kernels that it
calls in other files, and would go on running old code. So compiled code lies in a folder that is
named by a digest of all kernels' sources, below ``$NUMBA_CACHE_DIR`` or the user's cache: a changed
source starts afresh, and a read-only checkout does no harm.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_FLAGS = {"nnan", "nsz"}
"""No kernel sees a NaN, so minima can be vectorised; sums are never reordered."""


def compiled(function: F) -> F:
    """Compile a kernel on its first call; other threads may run meanwhile."""
    return _compiled(function, _FLAGS)


def compiled_bound(function: F) -> F:
    """Compile as ``compiled``, but let sums be reordered, and so vectorised.

    Only for bounds with a margin: they steer which exact values are computed, and are no part of
    any result.
    """
    return _compiled(function, {*_FLAGS, "reassoc", "contract"})


def _compiled(function: F, flags: set[str]) -> F:
    settings: Any = numba.config
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(cache_folder())
    try:
        return cast("F", numba.njit(cache=True, nogil=True, fastmath=flags)(function))
    finally:
        settings.CACHE_DIR = before


@cache
def cache_folder() -> Path:
    """Return the folder of compiled kernels, made if need be; a temporary one if it cannot be."""
    digest = hashlib.sha256()
    for source in sorted(Path(__file__).parent.glob("*.py")):
        text = source.read_bytes()
        if b"metrics.compiled" in text:
            digest.update(text)
    root = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    base = Path(root) if root else Path.home() / ".cache"
    folder = base / "rerender" / "kernels" / digest.hexdigest()[:16]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="rerender-kernels-"))
    return folder if os.access(folder, os.W_OK) else Path(tempfile.mkdtemp(prefix="rerender-"))
