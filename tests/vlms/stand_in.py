"""A model of the stand-in server, and what a test expects of its outcomes."""

from __future__ import annotations

from benchmark.outcome import Failed, Kind, Ok

STAND_IN = "openai-api/stand-in/vision-1"


class Waits(list):
    """Records waits instead of sleeping."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def failed(outcome, kind: Kind) -> Failed:
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind is kind, outcome
    return outcome


def completion(outcome):
    assert isinstance(outcome, Ok), outcome
    return outcome.value
