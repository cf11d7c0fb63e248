"""A provider's model against the stand-in server: what is sent, and what comes back."""

from __future__ import annotations

import base64
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmark.outcome import Kind, Ok
from benchmark.records import Usage
from benchmark.settings import Settings
from tests.contracts.model_contract import ModelContract
from tests.servers.openai_server import answer, error, json_reply, reject_parameter
from tests.vlms.stand_in import STAND_IN, completion, failed
from vlms import inspect_model
from vlms.inspect_model import InspectModel
from vlms.patience import Patience


class TestContract(ModelContract):
    @pytest.fixture
    def model(self, server):
        server.script(answer("{}"))
        return inspect_model.build(STAND_IN, Settings(model_base_url=server.url), None)


class TestRequest:
    def test_holds_picture_prompt_and_settings(self, ask, server, request_):
        ask(answer(), model_max_tokens=1234, seed=5)
        (received,) = server.requests
        assert received.path == "/v1/chat/completions"
        assert received.headers["authorization"] == "Bearer test-key"
        assert received.body["model"] == "vision-1"
        assert received.body["temperature"] == 0
        assert received.body["max_tokens"] == 1234
        assert received.body["seed"] == 5
        kind, data = received.image_url.split(",", 1)
        assert kind == "data:image/png;base64"
        assert base64.b64decode(data) == request_.image
        texts = [part["text"] for part in received.parts if part["type"] == "text"]
        assert texts == [request_.prompt]

    def test_keeps_text_usage_model_and_finish_reason(self, ask):
        got = completion(ask(answer("x^2", usage=(100, 20, 5))))
        assert got.text == "x^2"
        assert got.usage == Usage(input_tokens=100, output_tokens=20, reasoning_tokens=5)
        assert got.model == "stand-in-2026"
        assert got.finish_reason == "stop"
        assert got.notes == ()
        assert got.seconds > 0

    def test_reasoning_is_kept_apart(self, ask):
        got = completion(ask(answer("x^2", reasoning_content="first, look")))
        assert (got.text, got.reasoning) == ("x^2", "first, look")

    def test_think_tags_are_reasoning_too(self, ask):
        got = completion(ask(answer("<think>look</think>x^2")))
        assert (got.text, got.reasoning) == ("x^2", "look")

    def test_cut_off_text_is_a_completion(self, ask):
        got = completion(ask(answer("\\begin{tab", finish="length")))
        assert (got.text, got.finish_reason) == ("\\begin{tab", "length")

    def test_openai_without_a_key_reaches_a_server_of_ours(self, ask, server):
        assert completion(ask(answer(), name="openai/local")).text == "an answer"
        assert server.requests[0].path == "/v1/chat/completions"

    def test_reasoning_models_of_openai_use_the_responses_api(
        self, server, waits, request_, monkeypatch
    ):
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        server.script(answer("x", finish="length"))
        model = InspectModel("openai/gpt-5", Settings(), Patience(retries=0, sleep=waits))
        got = completion(model.complete(request_))
        assert server.requests[0].path == "/v1/responses"
        assert (got.text, got.finish_reason) == ("x", "length")
        assert "temperature is not accepted: sent without it" in got.notes

    def test_anthropic_is_asked_in_its_own_form(self, ask, server, monkeypatch, request_):
        monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
        body = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": "claude-stand-in",
            "content": [{"type": "text", "text": "x"}],
            "stop_reason": "max_tokens",
            "stop_sequence": None,
            "usage": {"input_tokens": 5, "output_tokens": 3},
        }
        name = "anthropic/claude-sonnet-4-5"
        got = completion(ask(json_reply(200, body), name=name, base_url=server.origin))
        assert (got.text, got.finish_reason, got.model) == ("x", "length", "claude-stand-in")
        picture = server.requests[0].body["messages"][0]["content"][0]
        assert base64.b64decode(picture["source"]["data"]) == request_.image

    def test_google_is_asked_in_its_own_form(self, ask, server, monkeypatch):
        monkeypatch.setenv("GOOGLE_API_KEY", "k")
        candidate = {
            "content": {"parts": [{"text": "x"}], "role": "model"},
            "finishReason": "STOP",
            "index": 0,
        }
        usage = {"promptTokenCount": 5, "candidatesTokenCount": 3, "totalTokenCount": 8}
        body = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "g"}
        name = "google/gemini-2.0-flash"
        got = completion(ask(json_reply(200, body), name=name, base_url=server.origin))
        assert (got.text, got.usage.output_tokens) == ("x", 3)
        assert server.requests[0].body["generationConfig"]["temperature"] == 0


class TestParameters:
    def test_max_tokens_is_renamed_once(self, ask, server, request_):
        first = completion(ask(reject_parameter("max_tokens", answer("x")), model_max_tokens=77))
        assert first.notes == ("max_tokens is not accepted: sent as max_completion_tokens",)
        assert "max_tokens" not in server.requests[1].body
        assert server.requests[1].body["max_completion_tokens"] == 77
        completion(ask.model.complete(request_))
        assert len(server.requests) == 3
        assert ask.model.adjustments == first.notes

    def test_temperature_is_dropped(self, ask, server):
        words = "Unsupported value: 'temperature' does not support 0 with this model."
        reject = reject_parameter("temperature", answer("x"), words, "unsupported_value")
        got = completion(ask(reject))
        assert got.notes == ("temperature is not accepted: sent without it",)

    def test_both_are_dropped_without_using_up_retries(self, ask):
        inner = reject_parameter("max_tokens", answer("x"))
        got = completion(ask(reject_parameter("temperature", inner), retries=0))
        assert len(got.notes) == 2

    def test_parameter_rejected_in_vain_is_not_asked_for_ever(self, ask, server):
        always = error(
            400, "Unsupported parameter", param="max_tokens", code="unsupported_parameter"
        )
        failed(ask(always), Kind.PROVIDER_ERROR)
        assert len(server.requests) == 2

    def test_key_does_not_change_with_what_was_dropped(self, ask):
        completion(ask(reject_parameter("max_tokens", answer("x"))))
        fresh = InspectModel(STAND_IN, ask.model._settings)
        assert ask.model.settings() == fresh.settings()

    def test_settings_that_change_answers_change_the_key(self):
        plain = InspectModel(STAND_IN, Settings(model_base_url="http://a/v1")).settings()
        for change in ({"model_max_tokens": 9}, {"seed": 9}, {"reasoning_fallback": True}):
            settings = Settings(model_base_url="http://a/v1", **change)
            assert InspectModel(STAND_IN, settings).settings() != plain


class TestThreads:
    def test_at_most_so_many_requests_are_under_way_at_once(self, server, request_):
        inside, most = [], []

        def slow(received):
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.05)
            inside.pop()
            return answer("x")(received)

        server.script(slow)
        model = InspectModel(STAND_IN, Settings(model_base_url=server.url, model_concurrency=3))
        with ThreadPoolExecutor(12) as pool:
            outcomes = list(pool.map(model.complete, [request_] * 24))
        assert all(isinstance(outcome, Ok) for outcome in outcomes)
        assert 2 <= max(most) <= 3
