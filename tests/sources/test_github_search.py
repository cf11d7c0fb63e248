"""The search for repositories: windows, the cap of 1,000, and what it hides."""

from __future__ import annotations

import datetime as dt
import json
from itertools import pairwise

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from sources import github_search
from sources.github_api import search_site
from sources.github_search import FIRST, Search, Window
from sources.http import Client
from tests.servers.github_server import Canned, Repo, github

FIRST_DAY, TODAY = dt.date(2026, 11, 1), dt.date(2026, 11, 30)
START = dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def repos(count, day=START, step=dt.timedelta(minutes=1)):
    return [
        Repo(f"o{n}/o{n}.github.io", created=f"{day + n * step:%Y-%m-%dT%H:%M:%SZ}")
        for n in range(count)
    ]


@pytest.fixture
def hub(monkeypatch, tmp_path):
    with github([]) as state:
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(state.mirrors))
        monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
        monkeypatch.setenv("RERENDER_HTTP_RETRIES", "1")
        monkeypatch.delenv("RERENDER_GITHUB_TOKEN", raising=False)
        yield state


def find(since=FIRST_DAY, language="html"):
    settings = Settings()
    with Client(settings) as client:
        return list(Search(client, search_site(settings), language).find(since, TODAY))


def names(outcomes):
    return [outcome.value.full_name for outcome in outcomes if isinstance(outcome, Ok)]


def asked_windows(hub):
    for asked in hub.asked:
        created = asked.query["q"].split("created:")[1].split()[0]
        yield tuple(dt.datetime.fromisoformat(edge) for edge in created.split(".."))


class TestWindow:
    def test_parts_cover_a_window_without_a_gap_or_an_overlap(self):
        whole = Window(START, START + dt.timedelta(days=3, seconds=-1))
        parts = whole.split(7)
        assert (parts[0].start, parts[-1].end, len(parts)) == (whole.start, whole.end, 7)
        assert all(a.end + dt.timedelta(seconds=1) == b.start for a, b in pairwise(parts))

    def test_no_part_is_shorter_than_a_second(self):
        parts = Window(START, START + dt.timedelta(seconds=2)).split(400)
        assert [part.length.total_seconds() for part in parts] == [1, 1, 1]


class TestFinding:
    def test_the_newest_come_first_and_each_once(self, hub):
        hub.repositories = repos(250, step=dt.timedelta(hours=2))
        found = find()
        assert names(found) == [repo.full_name for repo in reversed(hub.repositories)]

    def test_windows_never_overlap_and_reach_back_to_the_day(self, hub):
        find(since=dt.date(2025, 1, 1))
        windows = list(asked_windows(hub))
        assert windows[0][1] == dt.datetime(2026, 11, 30, 23, 59, 59, tzinfo=dt.UTC)
        assert windows[-1][0] == dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
        assert all(b[1] + dt.timedelta(seconds=1) == a[0] for a, b in pairwise(windows))

    def test_without_a_day_it_ends_where_such_pages_began(self, hub):
        find(since=None)
        windows = list(asked_windows(hub))
        assert windows[-1][0].date() == FIRST
        assert len(windows) < 12  # empty ones make the next one longer

    def test_a_day_in_the_future_asks_nothing(self, hub):
        assert find(since=TODAY + dt.timedelta(days=1)) == []
        assert hub.asked == []

    def test_only_the_language_and_size_that_were_asked_for(self, hub):
        hub.repositories = [
            Repo("a/a.github.io", language="CSS"),
            Repo("b/b.github.io", size=github_search.SIZE_KB + 1),
            Repo("c/c.github.io"),
        ]
        assert names(find()) == ["c/c.github.io"]
        assert names(find(language="css")) == ["a/a.github.io"]


class TestTheCap:
    def test_more_than_a_thousand_results_are_split_and_all_found(self, hub):
        hub.repositories = repos(2_500)
        found = find()
        assert len(set(names(found))) == len(found) == 2_500

    def test_a_page_beyond_the_thousandth_is_never_asked_for(self, hub):
        hub.repositories = repos(1_000)
        assert len(names(find())) == 1_000
        assert max(int(asked.query["page"]) for asked in hub.asked) == 10

    def test_seconds_are_told_apart_where_a_minute_holds_too_many(self, hub):
        hub.repositories = repos(1_800, step=dt.timedelta(milliseconds=25))
        assert len(names(find())) == 1_800

    def test_a_window_that_cannot_be_split_ends_the_search_loudly(self, hub):
        hub.repositories = repos(1_001, step=dt.timedelta())
        failure = find()[-1]
        assert failure.kind is Kind.PROVIDER_ERROR
        assert "1001 repositories of one second" in failure.message
        assert "2026-11-01T00:00:00Z..2026-11-01T00:00:00Z" in failure.subject

    def test_a_search_that_heeds_no_window_is_found_out(self, hub):
        hub.repositories = repos(1_500)
        hub.heedless = True
        outcomes = find()
        assert [outcome.kind for outcome in outcomes] == [Kind.PROVIDER_ERROR]
        assert len(hub.asked) < 40

    def test_a_count_beyond_all_measure_is_found_out_soon(self, hub):
        body = {"total_count": 10**15, "incomplete_results": False, "items": []}
        hub.canned = [Canned("/search", 200, body)]
        assert [outcome.kind for outcome in find(since=None)] == [Kind.PROVIDER_ERROR]
        assert len(hub.asked) < 20


class TestWhatIsHidden:
    def test_results_that_were_counted_but_not_sent_are_told(self, hub):
        hub.repositories = repos(5)
        hub.hidden = {"o3/o3.github.io"}
        outcomes = find()
        assert len(names(outcomes)) == 4
        assert outcomes[-1].kind is Kind.NOT_AS_CLAIMED
        assert "counted 5 repositories but sent 4" in outcomes[-1].message

    def test_a_search_that_ran_out_of_time_is_asked_again(self, hub):
        hub.repositories = repos(5, day=START + dt.timedelta(days=29))
        hub.incomplete = 1
        assert len(names(find())) == len(find()) == 5
        assert hub.asked[0].query == hub.asked[1].query

    def test_one_that_ran_out_of_time_twice_is_told(self, hub):
        hub.repositories = repos(5, day=START + dt.timedelta(days=29))
        hub.incomplete = 2
        outcomes = find()
        assert len(names(outcomes)) == 5
        assert [o.message for o in outcomes if isinstance(o, Failed)] == [
            "GitHub's search broke the search off twice; what it had found is used"
        ]

    def test_an_item_that_is_no_repository_is_a_value(self, hub):
        item = Repo("a/a.github.io").item()
        bad = [
            {**item, "id": None}, {**item, "id": 2, "full_name": "../../etc"}, "text",
            {**item, "id": 3, "created_at": "yesterday"},
        ]  # fmt: skip
        body = {"total_count": 5, "incomplete_results": False, "items": [*bad, item]}
        hub.canned = [Canned("/search", 200, body, always=False)]
        outcomes = find(since=TODAY)
        assert names(outcomes) == ["a/a.github.io"]
        assert [o.kind for o in outcomes[1:]] == [Kind.NOT_AS_CLAIMED] * 4


class TestRefusals:
    @pytest.mark.parametrize(
        ("status", "body", "said"),
        [
            (422, {"message": "Validation Failed"}, "Validation Failed"),
            (403, {"message": "Resource not accessible"}, "403"),
            (404, {"message": "Not Found"}, "404"),
            (200, {"items": []}, "total_count"),
            (200, {"total_count": 10**6, "items": [{}] * 101}, "items"),
        ],
    )
    def test_an_answer_that_is_none_ends_the_search_as_ours(self, hub, status, body, said):
        hub.canned = [Canned("/search", status, body)]
        (failure,) = find()
        assert failure.kind is Kind.PROVIDER_ERROR
        assert said in failure.message

    def test_a_page_that_fails_ends_the_search(self, hub):
        hub.repositories = repos(150, step=dt.timedelta(seconds=1))
        hub.canned = []
        search = hub.search
        hub.search = lambda query: (
            (500, {"message": "oops"}) if query["page"] == "2" else search(query)
        )
        (failure,) = find()
        assert failure.kind is Kind.NETWORK
