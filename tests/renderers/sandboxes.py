"""Short scripts in real containers, for the tests of the sandbox."""

from __future__ import annotations

from benchmark.outcome import Ok
from renderers.image_digest import reference
from renderers.sandbox import Execution, Pool

IMAGE = reference("graphviz")


def shell(pool: Pool, script: str, files=None, **options) -> Execution:
    outcome = pool.run(["sh", "-c", script], files or {}, **options)
    assert isinstance(outcome, Ok), outcome
    return outcome.value
