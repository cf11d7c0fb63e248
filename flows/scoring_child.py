"""A process that scores for another one: ``python -m flows.scoring_child``.

It reads a request per line from its input and writes an answer per line to its output, both JSON,
so that nothing foreign is ever unpickled. Pictures and truths come from the store by digest. It
ends at once when its input ends, whatever it is at: when its parent dies, no process is left.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
from typing import IO, Any

from pydantic import TypeAdapter

from benchmark import registry
from benchmark.outcome import Failed, Outcome, Stage, discriminated
from benchmark.records import Instance, Record, Rendering, Score
from benchmark.settings import Settings
from benchmark.store import Store, dump
from flows.batching import unexpected
from flows.scoring import Scorer


class Request(Record):
    """One rendering to score."""

    scenario: str
    instance: Instance
    rendering: Rendering
    names: tuple[str, ...]


class Reply(Record):
    """What came of a request; `outcomes` are in the form of a journal, by metric."""

    outcomes: dict[str, Any]
    unavailable: dict[str, str]


OUTCOME: TypeAdapter[Outcome[Score]] = TypeAdapter(discriminated(Score))


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole group; our parent ends us
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what libraries print is no answer
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, requests), daemon=True).start()
    store = Store(Settings().store)
    scorers: dict[str, Scorer] = {}
    while True:
        request = Request.model_validate_json(requests.get())
        reply = answer(request, store, scorers)
        answers.write(reply.model_dump_json().encode() + b"\n")
        answers.flush()


def _read(lines: IO[bytes], requests: queue.SimpleQueue[bytes]) -> None:
    """Pass requests on; end the process with the input."""
    for line in lines:
        requests.put(line)
    os._exit(0)


def answer(request: Request, store: Store, scorers: dict[str, Scorer]) -> Reply:
    """Score one rendering; what was not expected becomes a failure of each metric."""
    name = request.scenario
    if name not in scorers:
        scorers[name] = Scorer(store, registry.scenarios.get(name))
    scorer = scorers[name]
    try:
        found = scorer.score(request.instance, request.rendering, request.names)
    except Exception as error:  # noqa: BLE001 - the per-instance boundary
        failure: Failed = unexpected(Stage.SCORE, error)
        found = dict.fromkeys(request.names, failure)
    outcomes = {metric: dump(outcome) for metric, outcome in found.items()}
    return Reply(outcomes=outcomes, unavailable=scorer.unavailable)


if __name__ == "__main__":
    main()
