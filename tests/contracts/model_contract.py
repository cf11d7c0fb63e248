"""The suite that every model passes: subclass ``ModelContract`` and give a `model` fixture.

The request asks about a small picture of the scenario that the subclass names. A failure is a fine
answer as long as it is a typed value of the query stage.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from benchmark.outcome import Failed, Ok, Stage
from benchmark.protocols import Model
from benchmark.records import Completion, Request
from tests.pictures import encoded

THREADS = 4


def small_picture(width: int = 96, height: int = 48) -> bytes:
    """Return a white PNG with a grey box."""
    image = Image.new("RGB", (width, height), "white")
    image.paste((90, 90, 90), (width // 4, height // 4, width // 2, height // 2))
    return encoded(image)


class ModelContract:
    """What ``benchmark.protocols.Model`` asks of an implementation."""

    scenario = "mindmap"
    instance = "contract/1"

    @pytest.fixture
    def request_(self) -> Request:
        return Request(
            instance=self.instance,
            scenario=self.scenario,
            prompt="Write the structure of this picture.",
            image=small_picture(),
        )

    def test_is_a_model(self, model):
        assert isinstance(model, Model)
        assert model.name
        assert model.concurrency >= 1
        assert model.sees_truth in {True, False}

    def test_settings_are_stable_json(self, model, request_):
        before = json.dumps(model.settings(), sort_keys=True)
        model.complete(request_)
        assert json.dumps(model.settings(), sort_keys=True) == before

    def test_completes_or_fails_with_a_typed_value(self, model, request_):
        check(model.complete(request_))

    def test_does_not_change_the_request(self, model, request_):
        before = request_.model_dump_json()
        model.complete(request_)
        assert request_.model_dump_json() == before

    def test_answers_several_threads_alike(self, model, request_):
        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = list(pool.map(model.complete, [request_] * THREADS))
        for outcome in outcomes:
            check(outcome)
        texts = {outcome.value.text for outcome in outcomes if isinstance(outcome, Ok)}
        assert len(texts) <= 1


def check(outcome) -> None:
    """Assert that an outcome is what a model may return."""
    if isinstance(outcome, Failed):
        assert outcome.stage is Stage.QUERY
        assert outcome.message
        return
    assert isinstance(outcome, Ok)
    completion = outcome.value
    assert isinstance(completion, Completion)
    assert completion.finish_reason in {"stop", "length", "content_filter"}
    assert Completion.model_validate_json(completion.model_dump_json()) == completion
