"""What is kept on disk, for how long, and that it is never another's answer."""

from __future__ import annotations

import datetime as dt
import errno
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmark.outcome import Blame, Failed, Kind, Ok
from sources.http import Claim, Keep, Site
from sources.http_cache import LEFT_BEHIND, Cache
from tests.servers import site as stand_ins
from tests.servers.site import Answer, html, json_answer, redirect
from tests.sources.http_fixtures import NOON, SITE, TOKEN, WITH_TOKEN, StoppedClock, client_for

ROOT = "https://shop.example"
PROJECT = Path(__file__).resolve().parents[2]


@pytest.fixture
def site():
    with stand_ins.serving() as served:
        yield served


def numbered(asked):
    """Answer with what was asked, so that a mix-up shows."""
    return json_answer({"target": asked.target, "accept": asked.headers["accept"]})


def got(client, path, site=SITE, **arguments):
    outcome = client.get(site, f"{ROOT}{path}", **arguments)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def kept_files(folder):
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_one_address_names_for_ever_is_asked_once(site, tmp_path):
    site.on("/a", json_answer([1]), json_answer([2]))
    for day in range(3):
        clock = StoppedClock(NOON + dt.timedelta(days=400 * day))
        with client_for(site, tmp_path, clock=clock) as client:
            answer = got(client, "/a", keep=Keep.FOR_EVER)
            assert (answer.body, answer.from_cache, answer.fetched) == (b"[1]", day > 0, NOON)
            assert answer.headers["content-type"] == "application/json"
    assert site.count("/a") == 1


def test_what_changes_once_a_day_is_asked_again_after_midnight_utc(site, tmp_path):
    site.on("/a", json_answer([1]), json_answer([2]))
    evening = dt.datetime(2026, 11, 30, 23, 59, tzinfo=dt.UTC)
    elsewhere = dt.timezone(dt.timedelta(hours=14))
    for now, body in (
        (dt.datetime(2026, 11, 30, 0, 1, tzinfo=dt.UTC), b"[1]"),
        (evening, b"[1]"),
        (evening.astimezone(elsewhere), b"[1]"),
        (evening + dt.timedelta(minutes=2), b"[2]"),
        (evening - dt.timedelta(days=9), b"[2]"),
    ):
        with client_for(site, tmp_path, clock=StoppedClock(now)) as client:
            assert got(client, "/a", keep=Keep.TODAY).body == body
    assert site.count("/a") == 3, "a clock that was set back asks too"


def test_a_mark_is_sent_and_304_keeps_the_answer(site, tmp_path):
    def changed(asked):
        if asked.headers.get("if-none-match") == '"1"':
            assert asked.headers["if-modified-since"] == "Mon, 30 Nov 2026 10:00:00 GMT"
            return Answer(304)
        return json_answer([1], etag='"1"', last_modified="Mon, 30 Nov 2026 10:00:00 GMT")

    site.on("/a", changed)
    clock = StoppedClock()
    with client_for(site, tmp_path, clock=clock) as client:
        assert not got(client, "/a").from_cache
        clock.passed = 3600
        again = got(client, "/a", claims=[Claim.JSON])
    assert (again.body, again.from_cache, again.status) == (b"[1]", True, 200)
    assert again.fetched == NOON, "when the site sent it"
    assert site.count("/a") == 2


def test_a_304_counts_for_the_rest_of_the_day(site, tmp_path):
    site.on("/a", json_answer([1], etag='"1"'), Answer(304))
    for hours, count in ((0, 1), (24, 2), (25, 2), (48, 3)):
        clock = StoppedClock(NOON + dt.timedelta(hours=hours))
        with client_for(site, tmp_path, clock=clock) as client:
            answer = got(client, "/a", keep=Keep.TODAY)
        assert (answer.body, answer.fetched) == (b"[1]", NOON)
        assert site.count("/a") == count


def test_a_changed_answer_takes_the_place_of_the_old_one(site, tmp_path):
    site.on("/a", json_answer([1], etag='"1"'), json_answer([2], etag='"2"'), Answer(304))
    with client_for(site, tmp_path) as client:
        assert [got(client, "/a").body for _ in range(3)] == [b"[1]", b"[2]", b"[2]"]
    assert site.asked[2].headers["if-none-match"] == '"2"'
    assert len(kept_files(tmp_path)) == 1


def test_marks_go_to_the_address_that_gave_them(site, tmp_path):
    site.on("/a", redirect("/b"))
    site.on("/b", json_answer([1], etag='"1"'), Answer(304))
    with client_for(site, tmp_path) as client:
        assert [got(client, "/a").from_cache for _ in range(2)] == [False, True]
    assert all("if-none-match" not in asked.headers for asked in site.of("/a"))
    assert site.of("/b")[1].headers["if-none-match"] == '"1"'


def test_a_304_from_another_address_says_nothing_of_ours(site, tmp_path):
    site.on("/a", redirect("/b"), Answer(304))
    site.on("/b", json_answer([1], etag='"1"'))
    with client_for(site, tmp_path) as client:
        got(client, "/a")
        outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.NOT_AS_CLAIMED


def test_what_is_not_to_be_kept_is_neither_written_nor_read(site, tmp_path):
    site.on("/a", json_answer([1]), json_answer([2]))
    with client_for(site, tmp_path) as client:
        assert got(client, "/a", keep=Keep.NOT).body == b"[1]"
        assert kept_files(tmp_path) == []
        assert got(client, "/a", keep=Keep.FOR_EVER).body == b"[2]"
        assert not got(client, "/a", keep=Keep.NOT).from_cache


def test_a_page_in_the_place_of_a_file_is_not_kept_and_the_file_is(site, tmp_path):
    file = Answer(body=b"%PDF-1.7 a score", headers={"Content-Type": "application/pdf"})
    site.on("/score", html("<html>in 15 seconds</html>"), file, html("<html>no more</html>"))
    with client_for(site, tmp_path) as client:
        wanted = {"keep": Keep.FOR_EVER, "kept": [Claim.PDF]}
        assert got(client, "/score", **wanted).body.startswith(b"<html>")
        assert got(client, "/score", **wanted).body == file.body
        assert got(client, "/score", **wanted).from_cache
    assert site.count("/score") == 2


def test_questions_that_differ_have_answers_of_their_own(site, tmp_path):
    site.under("/", numbered)
    questions = [
        ("/a", {"params": {"page": 1}}),
        ("/a", {"params": {"page": 2}}),
        ("/a", {"params": {"page": "1", "x": "&page=2"}}),
        ("/a?page=1%26x", {}),
        ("/a", {"params": {"token": "one"}}),
        ("/a", {"params": {"token": "two"}}),
        ("/a", {"headers": {"Accept": "text/html"}}),
        ("/a", {"headers": {"ACCEPT": "text/plain"}}),
        ("/a/", {}),
        ("/A", {}),
        ("/a%2Fb", {}),
        ("/a/b", {}),
    ]
    with client_for(site, tmp_path) as client:
        first = [got(client, path, keep=Keep.FOR_EVER, **more).body for path, more in questions]
        again = [got(client, path, keep=Keep.FOR_EVER, **more) for path, more in questions]
    assert len(set(first)) == len(questions)
    assert [answer.body for answer in again] == first
    assert all(answer.from_cache for answer in again)


def test_a_token_neither_chooses_the_answer_nor_lies_on_disk(site, tmp_path):
    site.on("/a", Answer(200, b"[]", {"ETag": "x"}, cookies=("id=sesame; Path=/",)))
    with client_for(site, tmp_path) as client:
        got(client, "/a", WITH_TOKEN, keep=Keep.FOR_EVER, params={"key": "sesame"})
        other = Site("shop", SITE.hosts, 2.0, {"Authorization": "other", "x-version": "3"})
        again = got(client, "/a", other, keep=Keep.FOR_EVER, params={"key": "sesame"})
    assert again.from_cache
    for path in kept_files(tmp_path):
        assert b"sesame" not in path.read_bytes()
        assert TOKEN.encode() not in path.read_bytes()


def test_what_a_mirror_said_is_not_the_sites_answer(tmp_path):
    with stand_ins.serving() as one, stand_ins.serving() as two:
        for number, site in enumerate((one, two)):
            site.on("/a", json_answer([number]))
            with client_for(site, tmp_path) as client:
                assert got(client, "/a", keep=Keep.FOR_EVER).body == f"[{number}]".encode()


def test_an_answer_from_a_host_that_the_site_no_longer_has_is_asked_for_again(site, tmp_path):
    site.on("/a", redirect("https://files.example/b"), json_answer([2]))
    site.on("/files.example/b", json_answer([1]))
    with client_for(site, tmp_path) as client:
        assert got(client, "/a", keep=Keep.FOR_EVER).body == b"[1]"
        less = Site("shop", frozenset({"shop.example"}), 2.0)
        assert got(client, "/a", less, keep=Keep.FOR_EVER).body == b"[2]"


def test_an_answer_that_is_not_what_is_claimed_now_is_asked_for_again(site, tmp_path):
    site.on("/a", html("<html>Wait 15 seconds"), Answer(body=b"%PDF-1.7"))
    with client_for(site, tmp_path) as client:
        got(client, "/a", keep=Keep.FOR_EVER)
        got(client, "/a", keep=Keep.FOR_EVER, claims=[Claim.PDF])
    assert site.count("/a") == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:-1],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: data.replace(b"shop.example", b"evil.example"),
        lambda data: b"\0" * len(data),
        lambda data: data + b"more",
        lambda data: b"\n" + data,
    ],
    ids=["empty", "short", "half", "a bit", "another address", "zeros", "longer", "shifted"],
)
def test_a_damaged_answer_is_none(site, tmp_path, damage):
    site.on("/a", json_answer([1]), json_answer([2]))
    with client_for(site, tmp_path) as client:
        got(client, "/a", keep=Keep.FOR_EVER)
        (path,) = kept_files(tmp_path)
        path.write_bytes(damage(path.read_bytes()))
        assert got(client, "/a", keep=Keep.FOR_EVER).body == b"[2]"
        assert got(client, "/a", keep=Keep.FOR_EVER).from_cache


def test_an_answer_under_the_name_of_another_question_is_none(site, tmp_path):
    site.under("/", numbered)
    with client_for(site, tmp_path) as client:
        a = got(client, "/a", keep=Keep.FOR_EVER).body
        (path_a,) = kept_files(tmp_path)
        got(client, "/b", keep=Keep.FOR_EVER)
        (path_b,) = set(kept_files(tmp_path)) - {path_a}
        path_b.write_bytes(path_a.read_bytes())
        b = got(client, "/b", keep=Keep.FOR_EVER)
    assert not b.from_cache
    assert b.body != a


def test_a_second_run_asks_only_what_the_first_did_not_get(site, tmp_path):
    site.under("/item/", numbered)
    site.on("/item/7", Answer(503))
    for run in range(2):
        with client_for(site, tmp_path, http_retries=0) as client:
            outcomes = [client.get(SITE, f"{ROOT}/item/{n}", keep=Keep.TODAY) for n in range(10)]
        assert [n for n, outcome in enumerate(outcomes) if isinstance(outcome, Failed)] == [7]
        assert len(site.asked) == (10 if run == 0 else 1)
        site.forget()


def test_many_threads_share_a_client_and_a_folder(site, tmp_path):
    site.under("/", numbered)
    with client_for(site, tmp_path) as client, ThreadPoolExecutor(8) as threads:
        paths = [f"/{n % 10}" for n in range(80)]
        answers = list(threads.map(lambda p: got(client, p, keep=Keep.FOR_EVER), paths))
    for path, answer in zip(paths, answers, strict=True):
        assert json.loads(answer.body)["target"] == path


OTHER_PROCESS = """
import sys
from tests.sources.http_fixtures import SITE
from sources.http import Client, Keep
with Client() as client:
    for n in range(40):
        answer = client.get(SITE, f"https://shop.example/{n % 8}", keep=Keep.FOR_EVER).value
        assert answer.body.endswith(b"x" * 50_000), len(answer.body)
        assert answer.body.startswith(b"/%d " % (n % 8))
"""


def test_two_processes_share_a_folder(site, tmp_path):
    site.under("/", lambda asked: Answer(body=f"{asked.path} ".encode() + b"x" * 50_000))
    environment = os.environ | {
        "RERENDER_HTTP_CACHE": str(tmp_path),
        "RERENDER_MIRRORS": json.dumps({"shop.example": site.address}),
        "PYTHONPATH": str(PROJECT),
    }
    processes = [
        subprocess.Popen([sys.executable, "-c", OTHER_PROCESS], env=environment, cwd=PROJECT)
        for _ in range(2)
    ]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert 8 <= len(site.asked) <= 16
    assert len(kept_files(tmp_path)) == 8


def test_what_a_killed_process_left_half_written_is_removed_when_it_is_old(site, tmp_path):
    partial = tmp_path / "partial"
    partial.mkdir()
    old, new = partial / "old", partial / "new"
    for path in (old, new):
        path.write_bytes(b"half")
    long_ago = new.stat().st_mtime - LEFT_BEHIND - 60
    os.utime(old, (long_ago, long_ago))
    site.on("/a", json_answer([]))
    with client_for(site, tmp_path) as client:
        got(client, "/a")
    assert not old.exists()
    assert new.exists()


def test_a_full_disk_is_ours(site, tmp_path, monkeypatch):
    def full(self, kept):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Cache, "write", full)
    site.on("/a", json_answer([]))
    with client_for(site, tmp_path) as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Failed)
    assert (outcome.kind, outcome.blame) == (Kind.DISK_FULL, Blame.INFRA)


def test_a_folder_that_cannot_be_one_is_said(site, tmp_path):
    (tmp_path / "file").write_text("x")
    site.on("/a", json_answer([]))
    with client_for(site, tmp_path / "file") as client:
        outcome = client.get(SITE, f"{ROOT}/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.INTERNAL_ERROR
    assert "http_cache" in outcome.message
