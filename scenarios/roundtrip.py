"""From a read answer to a picture, with repairs in between; the same road for truth and answer."""

from __future__ import annotations

from typing import Protocol

from benchmark.outcome import Failed, Ok, Outcome, ok
from benchmark.protocols import Renderer
from benchmark.records import Answer, Picture

MOST_REPAIRS = 4
"""Rendering is tried again at most so many times, each time after one more repair."""


class Repairs(Protocol):
    """What a scenario and a language have in common here."""

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """Return a repaired answer, or None when nothing harmless is left to try."""


def render_answer(
    reader: Repairs, renderer: Renderer, answer: Answer
) -> Outcome[tuple[Answer, Picture]]:
    """Render an answer; while it fails by its own fault, repair it and try again.

    Returns the answer as it was rendered (with all repairs recorded) and its picture. When no
    repair helps, the first failure is returned: it is the one that the answer's author caused.
    An infra failure is returned at once.
    """
    attempt, first = answer, None
    for _ in range(MOST_REPAIRS + 1):
        outcome = renderer.render(attempt.structure)
        if isinstance(outcome, Ok):
            return ok((attempt, outcome.value))
        if not outcome.final:
            return outcome
        first = first or outcome
        repaired = reader.repair(attempt, outcome)
        if repaired is None or repaired.structure.digest == attempt.structure.digest:
            break
        attempt = repaired
    assert first is not None  # noqa: S101 - the loop runs at least once
    return first
