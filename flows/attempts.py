"""What the attempts of one flow run tell each other, so that a retry is of the same.

"The newest snapshot" is another one a week later, and what was new is not new once it is frozen. So
what an attempt has chosen is noted in the store under the flow run's identifier, which a retry has
too.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from prefect.context import FlowRunContext

from benchmark.store import Store


def same(store: Store, what: str, choose: Callable[[], str]) -> str:
    """Return what an earlier attempt has chosen; choose and note it where there is none."""
    known = recall(store, what)
    if known is None:
        known = choose()
        note(store, what, known)
    return known


def recall(store: Store, what: str) -> str | None:
    """Return what an earlier attempt of this flow run has noted, if there is anything."""
    document = _document(what)
    if document is None:
        return None
    try:
        value: str = json.loads(store.read_document(document))
    except FileNotFoundError:
        return None
    return value


def note(store: Store, what: str, value: str) -> None:
    """Note something for a later attempt of this flow run."""
    document = _document(what)
    if document is not None:
        store.write_document(document, json.dumps(value))


def _document(what: str) -> str | None:
    context = FlowRunContext.get()
    run = None if context is None else context.flow_run
    return None if run is None else f"attempts/{run.id}-{what}.json"
