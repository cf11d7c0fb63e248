"""What a provider's model fails with, and how often the stand-in server is asked before that."""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import time

import pytest

from benchmark.outcome import Blame, Kind
from benchmark.registry import RegistryError
from benchmark.settings import Settings
from tests.cases import case_params
from tests.servers.openai_server import answer, drop, error, hang, json_reply, raw_reply
from tests.vlms.stand_in import STAND_IN, Waits, completion, failed
from vlms.inspect_model import InspectModel
from vlms.patience import Patience


class TestFailuresOfTheModel:
    def test_refusal_is_not_asked_again(self, ask, server):
        got = failed(ask(answer(None, refusal="I cannot help.")), Kind.REFUSED)
        assert "I cannot help." in got.message
        assert len(server.requests) == 1

    def test_content_filter_is_a_refusal(self, ask, server):
        failed(ask(answer("", finish="content_filter")), Kind.REFUSED)
        assert len(server.requests) == 1

    def test_policy_error_is_a_refusal(self, ask, server):
        rejected = error(400, "flagged", code="content_policy_violation")
        failed(ask(rejected), Kind.REFUSED)
        assert len(server.requests) == 1

    def test_all_tokens_spent_on_reasoning_is_truncated(self, ask):
        behaviour = answer("", finish="length", usage=(9, 50, 50), reasoning_content="so long")
        got = failed(ask(behaviour), Kind.TRUNCATED)
        assert got.detail == "so long"
        assert "50 of them reasoning" in got.message

    def test_answer_in_the_reasoning_is_no_answer(self, ask, server):
        got = failed(ask(answer("", reasoning_content="{}")), Kind.NO_ANSWER)
        assert got.detail == "{}"
        assert "RERENDER_REASONING_FALLBACK" in got.message
        assert len(server.requests) == 1

    def test_answer_in_the_reasoning_counts_with_the_switch(self, ask):
        got = completion(ask(answer("", reasoning_content="{}"), reasoning_fallback=True))
        assert got.text == "{}"
        assert any("reasoning_fallback" in note for note in got.notes)

    @pytest.mark.parametrize("content", [None, "", "  \n"])
    def test_empty_answer_is_asked_again_within_bounds(self, ask, server, content):
        failed(ask(answer(content), retries=9), Kind.NO_ANSWER)
        assert len(server.requests) == 3

    def test_empty_answer_may_be_followed_by_a_good_one(self, ask):
        assert completion(ask(answer(None), answer("x"))).text == "x"

    def test_context_overflow_is_no_answer(self, ask):
        rejected = error(400, "maximum context length is 8", code="context_length_exceeded")
        failed(ask(rejected), Kind.UNSUPPORTED)

    def test_image_too_large_is_not_asked_again(self, ask, server):
        rejected = error(400, "image exceeds 5 MB maximum: 6500712 bytes > 5242880 bytes")
        failed(ask(rejected), Kind.IMAGE_TOO_LARGE)
        assert len(server.requests) == 1

    def test_payload_too_large_means_the_image_is(self, ask):
        failed(ask(error(413, "Payload Too Large")), Kind.IMAGE_TOO_LARGE)


class TestFailuresOfTheProvider:
    def test_waits_as_long_as_it_is_told(self, server, request_):
        model = InspectModel(STAND_IN, Settings(model_base_url=server.url), Patience(first=0.01))
        server.script(error(429, "slow down", {"retry-after": "1"}), answer("x"))
        started = time.monotonic()
        assert completion(model.complete(request_)).text == "x"
        assert time.monotonic() - started >= 1

    def test_waits_until_the_date_it_is_told(self, ask, waits):
        later = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=32)
        date = email.utils.format_datetime(later, usegmt=True)
        assert completion(ask(error(429, "slow", {"retry-after": date}), answer("x"))).text == "x"
        assert 30 <= waits[0] <= 41

    def test_rate_limit_is_bounded(self, ask, server):
        got = failed(ask(error(429, "slow", {"retry-after": "3"}), retries=2), Kind.RATE_LIMITED)
        assert len(server.requests) == 3
        assert "asked 3 times" in got.message

    def test_does_not_wait_for_an_hour(self, ask, server, waits):
        got = failed(ask(error(429, "slow", {"retry-after": "3600"})), Kind.RATE_LIMITED)
        assert "would exceed" in got.message
        assert len(server.requests) == 1
        assert waits == []

    def test_rate_limit_inside_a_200_is_found(self, ask, server):
        hidden = json_reply(200, {"error": {"message": "Rate limit exceeded", "code": 429}})
        assert completion(ask(hidden, hidden, answer("x"))).text == "x"
        failed(ask(hidden), Kind.RATE_LIMITED)
        assert len(server.requests) == 3

    def test_one_thread_that_is_told_to_wait_holds_the_others(self, server, request_):
        waits = Waits()
        settings = Settings(model_base_url=server.url)
        model = InspectModel(STAND_IN, settings, Patience(retries=1, sleep=waits))
        server.script(error(429, "slow", {"retry-after": "50"}), answer("x"))
        completion(model.complete(request_))
        waits.clear()
        completion(model.complete(request_))
        assert waits
        assert max(waits) > 40

    def test_quota_stops_the_asking(self, ask, server, request_):
        rejected = error(429, "You exceeded your current quota", code="insufficient_quota")
        got = failed(ask(rejected), Kind.QUOTA)
        assert got.blame is Blame.INFRA
        assert not got.final
        assert len(server.requests) == 1
        failed(ask.model.complete(request_), Kind.QUOTA)
        assert len(server.requests) == 1

    def test_bad_key_names_the_variable_and_stops_the_asking(self, ask, server, request_):
        got = failed(
            ask(error(401, "Incorrect API key", code="invalid_api_key")), Kind.UNAUTHORIZED
        )
        assert "STAND_IN_API_KEY" in got.message
        failed(ask.model.complete(request_), Kind.UNAUTHORIZED)
        assert len(server.requests) == 1

    def test_forbidden_is_about_this_request(self, ask, server, request_):
        failed(ask(error(403, "no access"), answer("x")), Kind.UNAUTHORIZED)
        assert completion(ask.model.complete(request_)).text == "x"

    def test_server_errors_are_asked_again(self, ask, server):
        assert completion(ask(error(500, "a"), error(503, "b"), answer("x"))).text == "x"
        got = failed(ask(error(502, "bad gateway")), Kind.PROVIDER_ERROR)
        assert "502" in got.message
        assert len(server.requests) == 3

    def test_back_off_grows(self, ask, waits):
        failed(ask(error(500, "a"), retries=4), Kind.PROVIDER_ERROR)
        assert waits == sorted(waits)
        assert waits[-1] > 4 * waits[0]

    def test_unknown_model_is_not_asked_again(self, ask, server):
        failed(
            ask(error(404, "The model does not exist", code="model_not_found")), Kind.PROVIDER_ERROR
        )
        assert len(server.requests) == 1

    @pytest.mark.parametrize(
        "behaviour",
        [
            raw_reply(200, "<html>blocked</html>", "text/html"),
            raw_reply(200, '{"choices": [', "application/json"),
            raw_reply(200, '"just a string"', "application/json"),
            json_reply(200, {"detail": "nothing here"}),
        ],
        ids=["html", "cut-json", "string", "no-answer-field"],
    )
    def test_bad_body_is_asked_again(self, ask, server, behaviour):
        assert completion(ask(behaviour, answer("x"))).text == "x"
        failed(ask(behaviour), Kind.PROVIDER_ERROR)
        assert len(server.requests) == 3

    def test_answer_without_the_field_model_is_an_answer(self, ask):
        body = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "x"}}]}
        assert completion(ask(json_reply(200, body))).text == "x"

    def test_a_hang_times_out(self, ask, server):
        failed(ask(hang(), model_timeout=0.3), Kind.PROVIDER_TIMEOUT)
        assert len(server.requests) == 2

    def test_a_dropped_connection_is_asked_again(self, ask):
        assert completion(ask(drop(), answer("x"))).text == "x"
        failed(ask(drop()), Kind.NETWORK)

    def test_nobody_listens(self, ask):
        failed(ask(answer(), base_url="http://127.0.0.1:9/v1"), Kind.NETWORK)

    def test_missing_key_sends_nothing(self, server, request_):
        settings = Settings(model_base_url=server.origin)
        model = InspectModel("anthropic/claude-sonnet-4-5", settings)
        got = failed(model.complete(request_), Kind.UNAUTHORIZED)
        assert "ANTHROPIC_API_KEY" in got.message
        assert server.requests == []

    def test_unknown_provider_is_bad_usage(self):
        with pytest.raises(RegistryError, match="nope"):
            InspectModel("nope/model", Settings())

    def test_failures_are_not_cached_as_answers(self, ask, request_):
        failed(ask(answer(None), answer(None), answer(None), answer("x")), Kind.NO_ANSWER)
        assert completion(ask.model.complete(request_)).text == "x"


EXPECTED = {
    "api-001": (Kind.REFUSED, 1),
    "api-003": (Kind.RATE_LIMITED, 3),
    "api-004": (Kind.TRUNCATED, 1),
    "api-006": (Kind.NO_ANSWER, 1),
    "api-007": (Kind.REFUSED, 1),
    "api-009": (Kind.RATE_LIMITED, 3),
    "api-010": (Kind.QUOTA, 1),
    "api-012": (Kind.PROVIDER_ERROR, 3),
    "api-013": (Kind.IMAGE_TOO_LARGE, 1),
    "api-015": (Kind.PROVIDER_ERROR, 2),
    "api-016": (Kind.NO_ANSWER, 3),
}
"""The kind that a response means when it never changes, and how many requests it takes."""


@pytest.mark.parametrize("name", [STAND_IN, "openai/gpt-4o"])
@pytest.mark.parametrize("case", case_params("api"))
def test_a_hard_case_fails_as_expected(case, name, ask, server, waits):
    response = json.loads(case["input"])
    headers, body = response["headers"], response["body"]
    if isinstance(body, str):
        behaviour = raw_reply(response["status"], body, headers["content-type"])
    else:
        behaviour = json_reply(response["status"], body, headers)
    kind, requests = EXPECTED[case["id"]]
    got = failed(ask(behaviour, name=name, retries=2), kind)
    assert len(server.requests) == requests
    if "retry-after" in headers:
        assert min(waits) >= float(headers["retry-after"]) - 0.01
    if case["id"] in {"api-004", "api-006"}:
        assert got.detail == body["choices"][0]["message"]["reasoning_content"]
