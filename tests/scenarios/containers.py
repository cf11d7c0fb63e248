"""Renderers with real containers for the tests of scenarios; they fail where there is no engine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmark.outcome import Failed, Ok
from benchmark.protocols import Renderer
from benchmark.records import Answer, Picture
from scenarios.roundtrip import Repairs, render_answer


def ready(renderer: Renderer) -> Iterator[Renderer]:
    """Yield an open renderer, or fail: `make test` has made the images before it comes here."""
    with renderer:
        digest = renderer.image_digest()
        if isinstance(digest, Failed):
            pytest.fail(str(digest))
        yield renderer


def rendered(reader: Repairs, renderer: Renderer, answer: Answer) -> tuple[Answer, Picture]:
    """Render with repairs; a failure fails the test."""
    outcome = render_answer(reader, renderer, answer)
    assert isinstance(outcome, Ok), outcome
    return outcome.value
