"""A judge model against the stand-in server: what is sent, retried and failed."""

from __future__ import annotations

import pytest

from benchmark.outcome import Kind
from benchmark.settings import Settings
from tests.servers.openai_server import answer, drop, error, reject_parameter
from tests.vlms.stand_in import STAND_IN, completion, failed
from vlms.judge import JudgeModel
from vlms.patience import Patience

SCHEMA = {
    "type": "object",
    "properties": {"points": {"type": "integer"}},
    "required": ["points"],
    "additionalProperties": False,
}


@pytest.fixture
def judge(server, waits):
    """Script the server, then ask once."""

    def run(*behaviours, **settings):
        chosen = Settings(judge_base_url=server.url, model_timeout=20, **settings)
        run.model = JudgeModel(STAND_IN, chosen, SCHEMA, Patience(retries=2, sleep=waits))
        server.script(*behaviours)
        return run.model.ask("the rubric", "the case", "flowce/1")

    return run


def test_rubric_case_schema_and_no_picture_are_sent(judge, server):
    assert completion(judge(answer('{"points": 3}'))).text == '{"points": 3}'
    body = server.requests[0].body
    system, user = body["messages"]
    assert (system["role"], system["content"]) == ("system", "the rubric")
    assert user["role"] == "user"
    assert "the case" in str(user["content"])
    assert "image_url" not in str(body)
    assert body["temperature"] == 0
    form = body["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"]["strict"] is True
    assert form["json_schema"]["schema"]["required"] == ["points"]


@pytest.mark.parametrize(
    "message",
    ["", "This model does not support response format `json_schema`.",
     "output_format: Extra inputs are not permitted"],
)  # fmt: skip
def test_a_provider_without_schemas_is_asked_without(judge, server, message):
    got = completion(judge(reject_parameter("response_format", answer("{}"), message)))
    assert "response_format" not in server.requests[1].body
    assert "response_format is not accepted: sent without it" in got.notes


def test_a_rate_limit_is_waited_for(judge, waits):
    got = judge(error(429, "slow down", {"retry-after": "7"}), answer("{}"))
    assert completion(got).text == "{}"
    assert waits
    assert waits[0] >= 7


def test_a_server_error_is_asked_again(judge, server):
    completion(judge(error(500, "oops"), answer("{}")))
    assert len(server.requests) == 2


def test_what_lasts_is_a_failure(judge, server):
    failed(judge(error(500, "oops")), Kind.PROVIDER_ERROR)
    assert len(server.requests) == 3
    failed(judge(drop()), Kind.NETWORK)


def test_settings_tell_judges_apart():
    one = JudgeModel(STAND_IN, Settings(judge_base_url="http://a/v1"), SCHEMA).settings()
    for settings in (
        Settings(judge_base_url="http://b/v1"),
        Settings(judge_base_url="http://a/v1", seed=1),
        Settings(judge_base_url="http://a/v1", model_max_tokens=9),
    ):
        assert JudgeModel(STAND_IN, settings, SCHEMA).settings() != one
