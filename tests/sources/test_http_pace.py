"""Turns, pauses, and sites that ask to be left alone."""

from __future__ import annotations

import datetime as dt
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmark.outcome import Failed, Kind, Ok
from sources import http_limits, http_pace
from sources.http import Keep, Site
from sources.http_pace import Holds, Turns
from tests.servers import site as stand_ins
from tests.servers.site import Answer, json_answer, redirect
from tests.sources.http_fixtures import NOON, SITE, Counted, StoppedClock, client_for, far

ROOT = "https://shop.example"
OTHER = Site("other", frozenset({"other.example"}), 5.0)


@pytest.fixture
def site():
    with stand_ins.serving() as served:
        yield served


def test_starts_are_apart_by_the_interval_of_the_site():
    clock = StoppedClock()
    turns = Turns(clock)
    with turns.turn(SITE):
        clock.passed += 0.5  # the request itself
    with turns.turn(SITE):
        pass
    with turns.turn(OTHER):
        pass
    clock.passed += 100
    with turns.turn(SITE):
        pass
    assert clock.slept == [1.5], "another site is not waited for, nor one left alone for long"


def test_a_site_is_asked_by_one_at_a_time():
    turns, inside, most = Turns(StoppedClock()), [], []

    def ask(number):
        with turns.turn(SITE):
            inside.append(number)
            most.append(len(inside))
            inside.remove(number)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(ask, range(50)))
    assert most == [1] * 50


def test_two_sites_are_asked_side_by_side():
    turns, both = Turns(StoppedClock()), threading.Barrier(2, timeout=10)

    def ask(one):
        with turns.turn(one):
            both.wait()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(ask, [SITE, OTHER]))


def test_a_failure_gives_the_turn_back():
    turns = Turns(StoppedClock())
    with pytest.raises(ZeroDivisionError), turns.turn(SITE):
        raise ZeroDivisionError
    with turns.turn(SITE):
        pass


def test_every_request_of_a_chain_and_every_retry_takes_its_turn(site, tmp_path):
    site.on("/a", redirect("/b"))
    site.on("/b", Answer(500), json_answer([]))
    pace = Counted()
    with client_for(site, tmp_path, mirrors=far(site), pace=pace) as client:
        assert isinstance(client.get(SITE, f"{ROOT}/a", keep=Keep.FOR_EVER), Ok)
        assert isinstance(client.get(SITE, f"{ROOT}/a", keep=Keep.FOR_EVER), Ok)
    assert pace.turns == ["shop"] * 4, "and what is kept takes none"
    assert pace.most_held == 1


def test_a_mirror_on_this_machine_is_not_paced(site, tmp_path):
    site.on("/a", Answer(500), json_answer([]))
    pace, clock = Counted(), StoppedClock()
    with client_for(site, tmp_path, pace=pace, clock=clock) as client:
        assert isinstance(client.get(SITE, f"{ROOT}/a"), Ok)
    assert pace.turns == []
    assert sum(clock.slept) == 0


def test_the_pace_of_the_process_is_kept_by_all_clients_unless_they_have_their_own(site, tmp_path):
    site.on("/a", json_answer([]))
    shared = Counted()
    with http_pace.use(shared):
        for _ in range(2):
            with client_for(site, tmp_path, mirrors=far(site)) as client:
                client.get(SITE, f"{ROOT}/a")
    assert shared.turns == ["shop", "shop"]
    assert http_pace.current() is not shared


def test_back_off_doubles_up_to_a_bound(site, tmp_path):
    site.on("/a", Answer(500))
    clock = StoppedClock()
    with client_for(
        site, tmp_path, mirrors=far(site), pace=Counted(), clock=clock, http_retries=7
    ) as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Failed)
    assert clock.slept == [1, 2, 4, 8, 16, 30, 30]
    assert site.count("/a") == 8


def test_a_site_that_asks_to_be_left_alone_is_left_alone_by_all(site, tmp_path):
    site.on("/a", Answer(429, headers={"Retry-After": "3000"}))
    site.on("/b", json_answer([]))
    clock = StoppedClock()
    with client_for(site, tmp_path, mirrors=far(site), pace=Counted(), clock=clock) as client:
        for path in ("/a", "/b"):
            outcome = client.get(SITE, f"{ROOT}{path}")
            assert isinstance(outcome, Failed)
            assert outcome.kind is Kind.RATE_LIMITED
            assert "2026-11-30 12:50:00 UTC" in outcome.message
        assert site.count("/b") == 0, "it is not asked at all"
        clock.passed = 2990
        assert isinstance(client.get(SITE, f"{ROOT}/b"), Ok), "ten seconds are waited for"
        assert clock.slept == [10]


def test_a_site_that_asks_to_come_at_once_is_not_hurried(site, tmp_path):
    site.on("/a", Answer(429, headers={"Retry-After": "0"}))
    clock = StoppedClock()
    with client_for(site, tmp_path, mirrors=far(site), pace=Counted(), clock=clock) as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RATE_LIMITED
    assert clock.slept == [1, 2, 4, 8]


def test_a_shorter_wait_does_not_end_a_longer_one():
    holds = Holds()
    holds.hold(SITE, 50.0)
    holds.hold(SITE, 20.0)
    assert holds.remaining(SITE, 10.0) == 40.0
    assert holds.remaining(SITE, 60.0) == 0.0
    assert holds.remaining(OTHER, 10.0) == 0.0


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("Mon, 30 Nov 2026 12:01:00 GMT", 60.0),
        ("Mon, 30 Nov 2026 13:01:00 +0100", 60.0),
        ("Sun, 29 Nov 2026 12:00:00 GMT", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1e3", None),
        ("9" * 40, None),
        ("٣", None),
        ("Mon, 99 Nov 2026 99:01:00 GMT", None),
        (f"Mon, 30 Nov {'9' * 30} 12:01:00 GMT", None),
        (f"Mon, 30 Nov 2026 12:01:00 +{'9' * 30}", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value, seconds):
    assert http_limits.retry_after(value, NOON) == seconds


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (200, {"retry-after": "5"}, b""),
        (404, {"x-ratelimit-remaining": "0"}, b""),
        (403, {"x-ratelimit-remaining": "59"}, b'{"message": "Repository access blocked"}'),
        (403, {}, b'{"message": ["rate"]'),
        (403, {}, b'{"a":' * 9000),
        (403, {}, b"[" * 9000),
        (503, {}, b""),
        (503, {"retry-after": "later"}, b""),
    ],
)
def test_other_answers_are_no_limits(status, headers, body):
    assert http_limits.asked_wait(status, headers, body, 0, NOON) is None


def test_a_reset_that_is_past_or_no_number_still_waits():
    past = str(int((NOON - dt.timedelta(hours=1)).timestamp()))
    used_up = {"x-ratelimit-remaining": "0"}
    assert http_limits.asked_wait(403, used_up | {"x-ratelimit-reset": past}, b"", 0, NOON) == 1.0
    assert http_limits.asked_wait(403, used_up | {"x-ratelimit-reset": "x"}, b"", 1, NOON) == 120.0
    assert http_limits.asked_wait(403, used_up, b"", 99, NOON) > 1e6
