"""Every kind of answer of a site, as the client's value for it; all over real connections."""

from __future__ import annotations

import datetime as dt
import email.utils

import pytest

from benchmark.outcome import Blame, Kind, Ok
from sources.http import Claim, Client, Keep
from sources.http_wire import user_agent
from tests.servers import site as stand_ins
from tests.servers.site import Answer, gzipped, html, json_answer, redirect, truncated
from tests.sources.http_fixtures import (
    NOON,
    SITE,
    TOKEN,
    WITH_TOKEN,
    StoppedClock,
    client_for,
    kind_of,
)

ROOT = "https://shop.example"


def body_of(outcome):
    assert isinstance(outcome, Ok), outcome
    return outcome.value.body


def test_an_answer_is_what_was_sent_and_says_where_it_came_from(site, client):
    site.on("/a", json_answer({"a": 1}, x_total="7"))
    outcome = client.get(SITE, f"{ROOT}/a", params={"q": "b c&d", "page": 2}, claims=[Claim.JSON])
    assert isinstance(outcome, Ok)
    answer = outcome.value
    assert (answer.status, answer.body, answer.from_cache) == (200, b'{"a": 1}', False)
    assert answer.headers["x-total"] == "7"
    assert answer.fetched == NOON
    assert answer.url == f"{ROOT}/a?q=b+c%26d&page=2"
    assert site.asked[0].query == {"q": "b c&d", "page": "2"}


def test_the_client_says_who_it_is(site, tmp_path):
    site.on("/a", html("<html>"))
    for number, contact in enumerate((None, "mailto:me@lab.example")):
        client_for(site, tmp_path / str(number), contact=contact).get(SITE, f"{ROOT}/a")
    silent, named = (asked.headers["user-agent"] for asked in site.asked)
    assert silent.startswith("Rerender/")
    assert " " not in silent
    assert named == f"{silent} (+mailto:me@lab.example)"
    hostile = user_agent("Zoë\r\nX-Evil: 1)")
    assert hostile.isascii()
    assert not {"\r", "\n", ")"} & set(hostile[:-1])


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (404, Kind.GONE),
        (410, Kind.GONE),
        (401, Kind.FORBIDDEN),
        (403, Kind.FORBIDDEN),
        (451, Kind.FORBIDDEN),
        (400, Kind.NOT_AS_CLAIMED),
        (422, Kind.NOT_AS_CLAIMED),
        (204, Kind.NOT_AS_CLAIMED),
        (304, Kind.NOT_AS_CLAIMED),
    ],
)
def test_a_refusal_is_final_and_asked_once(site, client, status, kind):
    site.on("/a", Answer(status, b"no"))
    outcome = client.get(SITE, f"{ROOT}/a")
    assert kind_of(outcome) is kind
    assert outcome.blame is Blame.MATERIAL
    assert outcome.subject == f"{ROOT}/a"
    assert site.count("/a") == 1


@pytest.mark.parametrize("status", [500, 502, 503, 504, 521, 408])
def test_a_site_that_fails_is_asked_again_and_then_it_is_ours(site, client, status):
    site.on("/a", Answer(status))
    outcome = client.get(SITE, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.NETWORK
    assert outcome.blame is Blame.INFRA
    assert site.count("/a") == 5
    site.on("/a", Answer(status), json_answer([]))
    assert body_of(client.get(SITE, f"{ROOT}/a")) == b"[]"


def test_a_token_that_is_refused_is_ours(site, client):
    site.on("/a", json_answer({"message": "Bad credentials"}, 401))
    outcome = client.get(WITH_TOKEN, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.UNAUTHORIZED
    assert "sesame" not in str(outcome.model_dump())
    assert site.asked[0].headers["authorization"] == TOKEN


def test_a_status_that_the_caller_accepts_is_an_answer_but_not_kept(site, client):
    site.on("/a", json_answer({"message": "Only the first 1000"}, 422))
    for _ in range(2):
        outcome = client.get(SITE, f"{ROOT}/a", accept=[422], keep=Keep.FOR_EVER)
        assert isinstance(outcome, Ok)
        assert outcome.value.status == 422
    assert site.count("/a") == 2


LIMITS = {
    "primary": (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "{reset}"}, b"{}", 91),
    "primary as 429": (
        429,
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "{reset}"},
        b"",
        91,
    ),
    "secondary": (403, {"Retry-After": "70"}, b"{}", 70),
    "secondary by its message": (
        403,
        {"x-ratelimit-remaining": "12"},
        b'{"message": "You have exceeded a secondary rate limit. Please wait"}',
        60,
    ),
    "bare": (429, {}, b"<html>slow down", 60),
    "a date": (429, {"Retry-After": "{date}"}, b"", 90),
    "busy": (503, {"Retry-After": "30"}, b"", 30),
}


@pytest.mark.parametrize("name", LIMITS)
def test_a_limit_is_waited_for_as_the_site_asks(site, tmp_path, name):
    status, headers, body, seconds = LIMITS[name]
    later = NOON + dt.timedelta(seconds=90)
    told = {"{reset}": str(int(later.timestamp())), "{date}": email.utils.format_datetime(later)}
    headers = {key: told.get(value, value) for key, value in headers.items()}
    site.on("/a", Answer(status, body, headers), json_answer({}))
    clock = StoppedClock()
    with client_for(site, tmp_path, clock=clock) as client:
        assert body_of(client.get(SITE, f"{ROOT}/a")) == b"{}"
    assert clock.slept == [seconds]


def test_a_wait_that_is_too_long_says_until_when(site, tmp_path):
    reset = str(int(NOON.timestamp()) + 3000)
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    site.on("/a", Answer(403, b"{}", headers))
    clock = StoppedClock()
    with client_for(site, tmp_path, clock=clock) as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.RATE_LIMITED
    assert "2026-11-30 12:50:01 UTC" in outcome.message
    assert clock.slept == []
    assert site.count("/a") == 1


@pytest.mark.parametrize("reset", ["9999999999", "999999999999"])
def test_a_wait_beyond_the_calendar_is_too_long_as_well(site, tmp_path, reset):
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": reset}
    site.on("/a", Answer(403, b"{}", headers))
    with client_for(site, tmp_path) as client:
        assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.RATE_LIMITED


def test_a_limit_without_a_time_is_waited_for_longer_each_time_and_then_given_up(site, tmp_path):
    site.on("/a", Answer(429))
    clock = StoppedClock()
    with client_for(site, tmp_path, clock=clock) as client:
        assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.RATE_LIMITED
    assert clock.slept == [60, 120], "the third wait would be longer than http_longest_wait"


def test_a_403_that_only_speaks_of_limits_in_a_page_is_a_refusal(site, client):
    site.on("/a", html("<html>our rate limit policy", 403))
    assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.FORBIDDEN
    assert site.count("/a") == 1


def test_another_kind_of_content_than_claimed_is_not_kept(site, client):
    site.on("/a.pdf", html("<!DOCTYPE html><title>Disclaimer"), Answer(body=b"%PDF-1.7 ..."))
    ask = {"claims": [Claim.PDF], "keep": Keep.FOR_EVER}
    outcome = client.get(SITE, f"{ROOT}/a.pdf", **ask)
    assert kind_of(outcome) is Kind.NOT_AS_CLAIMED
    assert outcome.message == "html instead of pdf"
    assert body_of(client.get(SITE, f"{ROOT}/a.pdf", **ask)) == b"%PDF-1.7 ..."


@pytest.mark.parametrize(
    "answer",
    [
        truncated(html("<p>half")),
        truncated(Answer(body=b"x" * 90_000, chunked=True)),
        truncated(gzipped(html("<p>half"))),
    ],
    ids=["length", "chunks", "gzip"],
)
def test_a_body_that_breaks_off_is_asked_for_again(site, client, answer):
    site.on("/a", answer)
    assert kind_of(client.get(SITE, f"{ROOT}/a")) is Kind.NETWORK
    assert site.count("/a") == 5
    site.on("/a", answer, html("<p>whole"))
    assert body_of(client.get(SITE, f"{ROOT}/a")) == b"<p>whole"


def test_nobody_there_is_ours(tmp_path, site):
    with client_for(site, tmp_path, mirrors={"shop.example": "http://127.0.0.1:9"}) as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.NETWORK


def test_a_body_that_drips_ends(site, tmp_path):
    site.on("/a", stand_ins.slow(b"x" * 600, pause=0.05))
    with client_for(site, tmp_path, longest=0.3) as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.NETWORK
    assert "longer than" in outcome.message
    assert site.count("/a") == 1, "it is not let drip once more"


def test_something_can_be_sent(site, client):
    site.on("/score", json_answer({"score": 0.5}), method="POST")
    outcome = client.post(
        WITH_TOKEN,
        f"{ROOT}/score",
        content=b'{"text": "x"}',
        content_type="application/json",
        claims=[Claim.JSON],
    )
    assert body_of(outcome) == b'{"score": 0.5}'
    (asked,) = site.of("/score", "POST")
    assert asked.body == b'{"text": "x"}'
    assert asked.headers["content-type"] == "application/json"
    site.on("/score", redirect("/elsewhere", status=307), method="POST")
    outcome = client.post(SITE, f"{ROOT}/score", content=b"", content_type="text/plain")
    assert kind_of(outcome) is Kind.NOT_AS_CLAIMED
    assert not site.of("/elsewhere", "POST")


def test_headers_that_cannot_be_sent_are_a_value_and_show_no_token(site, client):
    outcome = client.get(SITE, f"{ROOT}/a", headers={"Accept": "x\r\nX-Evil: 1"})
    assert kind_of(outcome) is Kind.NOT_AS_CLAIMED
    broken = type(SITE)("shop", SITE.hosts, 0.0, {"Authorization": "sesame\n"})
    outcome = client.get(broken, f"{ROOT}/a")
    assert kind_of(outcome) is Kind.UNAUTHORIZED
    assert "sesame" not in str(outcome.model_dump())
    assert site.asked == []


def test_a_secret_parameter_is_in_no_failure(site, client):
    outcome = client.get(SITE, f"{ROOT}/a", params={"key": "sesame", "q": "x"})
    assert "sesame" not in str(outcome.model_dump())
    assert outcome.subject.startswith(f"{ROOT}/a?key=")
    assert site.asked[0].query == {"key": "sesame", "q": "x"}


@pytest.mark.parametrize(
    "address",
    [
        "http://ada:sesame@shop.example/a",
        "https://ada:sesame@shop.example/a?token=sesame",
        "https://elsewhere.example/?api_key=sesame",
        "https://ada:sesame@shop.example/\x01?token=sesame",
        f"https://ada:sesame@shop.example/{'a' * 9000}?token=sesame",
    ],
)
def test_an_address_that_is_refused_shows_no_secret(site, client, address):
    outcome = client.get(SITE, address)
    assert kind_of(outcome) is Kind.NOT_AS_CLAIMED
    assert "sesame" not in str(outcome.model_dump())
    assert outcome.subject.startswith("http"), "it still says which one it was"


def test_closing_twice_and_asking_again_is_fine(site, client):
    site.on("/a", json_answer([]))
    with client:
        client.get(SITE, f"{ROOT}/a", keep=Keep.NOT)
    client.__exit__(None, None, None)
    assert body_of(client.get(SITE, f"{ROOT}/a", keep=Keep.NOT)) == b"[]"


def test_a_mirror_that_is_no_address_is_said_at_once(site, tmp_path):
    for wrong in ("ftp://mirror.example", "mirror.example", "http://a:b@mirror.example", "http://"):
        with pytest.raises(ValueError, match=r"the mirror of shop\.example"):
            client_for(site, tmp_path, mirrors={"shop.example": wrong})


def test_settings_come_from_the_environment(site, tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_MIRRORS", f'{{"shop.example": "{site.address}"}}')
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path))
    site.on("/a", json_answer([]))
    with Client() as client:
        assert body_of(client.get(SITE, f"{ROOT}/a")) == b"[]"
