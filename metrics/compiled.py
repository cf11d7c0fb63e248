"""How numeric kernels are compiled: numba, cached on disk, without the interpreter lock.

Modules with kernels are imported by the function that needs them, never by a metric's own module,
because importing numba takes a while. The compiled code lies beside the module, or in the user's
cache where the checkout is read-only (``NUMBA_CACHE_DIR`` overrides both).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_FLAGS = {"nnan", "nsz"}
"""No kernel sees a NaN, so minima can be vectorised; sums are never reordered."""


def compiled(function: F) -> F:
    """Compile a kernel on its first call; other threads may run meanwhile."""
    return cast("F", numba.njit(cache=True, nogil=True, fastmath=_FLAGS)(function))


def compiled_bound(function: F) -> F:
    """Compile as ``compiled``, but let sums be reordered, and so vectorised.

    Only for bounds with a margin: they steer which exact values are computed, and are no part of
    any result.
    """
    flags = {*_FLAGS, "reassoc", "contract"}
    return cast("F", numba.njit(cache=True, nogil=True, fastmath=flags)(function))
