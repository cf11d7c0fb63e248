"""The ceiling: a model that answers with the truth of the snapshot, word for word.

What the oracle loses is lost by the road itself (reading, rendering, metrics), so its row shows how
far the benchmark can be trusted.
"""

from __future__ import annotations

from typing import Any

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Completion, Digest, Request
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from benchmark.store import BlobDamaged, BlobMissing, Store


class Oracle:
    """Returns the truth of the instance that a request names."""

    def __init__(self, name: str, store: Store, truths: dict[str, Digest | None]) -> None:
        """Keep the digest of each instance's truth; the texts stay in the store."""
        self.name = name
        self.concurrency = 1
        self.sees_truth = True
        self.needs_truth = True
        self._store = store
        self._truths = truths

    def settings(self) -> dict[str, Any]:
        """Return the version; the truth itself is in the key of a model that sees it."""
        return {"version": "1"}

    def complete(self, request: Request) -> Outcome[Completion]:
        """Return the truth; no_answer where the snapshot does not know it (nobody asks there)."""
        if request.instance not in self._truths:
            message = f"instance {request.instance!r} is not in the snapshot that the oracle knows"
            return Failed.of(Stage.QUERY, Kind.INTERNAL_ERROR, message)
        digest = self._truths[request.instance]
        if digest is None:
            message = f"the snapshot holds no truth for {request.instance!r}, only its picture"
            return Failed.of(Stage.QUERY, Kind.NO_ANSWER, message)
        try:
            text = self._store.get(digest).decode("utf-8", "replace")
        except (BlobMissing, BlobDamaged) as error:
            return Failed.of(Stage.QUERY, Kind.INTERNAL_ERROR, str(error))
        return ok(Completion(text=text, model=self.name))


def build(name: str, settings: Settings, snapshot: Snapshot) -> Oracle:
    """Build the oracle of a snapshot, reading truths from the store that the settings name."""
    truths = {instance.id: instance.truth for instance in snapshot.instances}
    return Oracle(name, Store(settings.store), truths)
