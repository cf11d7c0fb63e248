"""Reading in tests: what must be read, what must not, and what its flags say."""

from __future__ import annotations

from benchmark.outcome import Failed, Ok, Stage
from benchmark.protocols import Language, Scenario
from benchmark.records import Answer


def read(reader: Scenario | Language, text: str, **options) -> Answer:
    """Read what must be readable."""
    outcome = reader.read(text, **options)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def failure(reader: Scenario | Language, text: str, **options) -> Failed:
    """Read what must not be readable."""
    outcome = reader.read(text, **options)
    assert isinstance(outcome, Failed), outcome
    assert outcome.stage is Stage.PARSE
    return outcome


def flag_text(value) -> str:
    return " ".join(flag.message for flag in value.flags)
