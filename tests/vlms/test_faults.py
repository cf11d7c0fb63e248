"""Exceptions of provider libraries, told apart."""

from __future__ import annotations

import datetime as dt

import pytest

from benchmark.outcome import Kind
from vlms.faults import BadBody, Fault, by_status, classify, retry_after

NOON = dt.datetime(2026, 5, 1, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "30"}, 30),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "1"}, 0.25),
        ({"retry-after": "Fri, 01 May 2026 12:00:45 GMT"}, 45),
        ({"retry-after": "Fri, 01 May 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, 0),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers, NOON) == seconds


@pytest.mark.parametrize(
    ("status", "body", "kind", "again"),
    [
        (429, {"error": {"message": "slow down"}}, Kind.RATE_LIMITED, True),
        (429, {"error": {"code": "insufficient_quota", "message": "-"}}, Kind.QUOTA, False),
        (402, {"error": {"message": "payment required"}}, Kind.QUOTA, False),
        (400, {"error": {"message": "Your credit balance is too low"}}, Kind.QUOTA, False),
        (401, {}, Kind.UNAUTHORIZED, False),
        (403, {}, Kind.UNAUTHORIZED, False),
        (400, {"error": {"message": "API key not valid."}}, Kind.UNAUTHORIZED, False),
        (413, "Request Entity Too Large", Kind.IMAGE_TOO_LARGE, False),
        (400, {"error": {"message": "image dimensions exceed max allowed size: 8000 pixels"}},
         Kind.IMAGE_TOO_LARGE, False),
        (400, {"error": {"message": "prompt is too long: 9 tokens > 8"}}, Kind.UNSUPPORTED, False),
        (400, {"error": {"message": "no such thing"}}, Kind.PROVIDER_ERROR, False),
        (404, {"error": {"message": "model not found"}}, Kind.PROVIDER_ERROR, False),
        (500, None, Kind.PROVIDER_ERROR, True),
        (529, {"error": {"type": "overloaded_error", "message": "-"}}, Kind.PROVIDER_ERROR, True),
    ],
)  # fmt: skip
def test_statuses(status, body, kind, again):
    fault = by_status(status, body, {}, "text")
    assert (fault.kind, fault.again) == (kind, again)
    assert str(status) in fault.message


def test_a_quota_per_minute_is_a_rate_limit():
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34s"}]
    body = {"error": {"message": "You exceeded your current quota", "details": details}}
    fault = by_status(429, body, {}, "")
    assert (fault.kind, fault.wait) == (Kind.RATE_LIMITED, 34)


@pytest.mark.parametrize(
    ("message", "param", "parameter"),
    [
        (
            "Unsupported parameter: max_tokens. Use max_completion_tokens",
            "max_tokens",
            "max_tokens",
        ),
        ("'temperature' does not support 0 with this model.", "temperature", "temperature"),
        ("temperature: this field is deprecated for this model", None, "temperature"),
        ("seed: Extra inputs are not permitted", None, "seed"),
        ("max_tokens is too large: 4096, at most 2048", "max_tokens", ""),
        ("image is not supported", None, ""),
    ],
)
def test_parameters_that_a_model_does_not_accept(message, param, parameter):
    body = {"error": {"message": message, "param": param}}
    assert by_status(400, body, {}, "").parameter == parameter


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"message": "limit", "code": 429}}, Kind.RATE_LIMITED),
        ({"error": {"message": "limit", "code": "429"}}, Kind.RATE_LIMITED),
        ({"error": {"message": "-", "type": "rate_limit_error"}}, Kind.RATE_LIMITED),
        ({"error": {"message": "-", "code": "insufficient_quota"}}, Kind.QUOTA),
        ({"error": {"message": "upstream", "code": 502}}, Kind.PROVIDER_ERROR),
        ({"error": "something"}, Kind.PROVIDER_ERROR),
        (None, Kind.PROVIDER_ERROR),
    ],
)
def test_error_objects_with_status_200(body, kind):
    assert classify(BadBody("status 200 with an error object", body)).kind is kind


def test_the_cause_counts_not_the_wrapper():
    try:
        try:
            raise ConnectionRefusedError("connection refused")
        except ConnectionRefusedError as cause:
            raise RuntimeError("wrapped") from cause
    except RuntimeError as error:
        fault = classify(error)
    assert fault.kind is Kind.NETWORK
    assert "refused" in fault.message


def test_a_timeout_is_one_whatever_library_says_so():
    class ReadTimeout(Exception):
        pass

    assert classify(ReadTimeout()).kind is Kind.PROVIDER_TIMEOUT
    assert classify(TimeoutError()).kind is Kind.PROVIDER_TIMEOUT


def test_what_nobody_knows_keeps_its_traceback():
    try:
        raise KeyError("strange")
    except KeyError as error:
        fault = classify(error)
    assert isinstance(fault, Fault)
    assert fault.kind is Kind.PROVIDER_ERROR
    assert not fault.again
    assert "KeyError" in fault.message
    assert "Traceback" in fault.detail
