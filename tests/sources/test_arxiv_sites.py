"""What goes wrong at arXiv: each pitfall that was seen of its lists, records and sources."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import tarfile
import zipfile
from dataclasses import replace
from itertools import islice

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from sources import arxiv_oai
from sources.arxiv import PATIENCE, Arxiv, in_turns
from sources.arxiv_listing import search
from sources.arxiv_site import SITE, split_name
from sources.arxiv_source import open_source
from sources.arxiv_transport import MOST_RESULTS, read_page
from sources.http import Client
from tests.servers.arxiv_papers import ARXIV, BY, BY_NC_SA, LETTER, TIDES_SOURCE, Paper, tar_gz
from tests.servers.arxiv_server import HOSTS, OAI, QUERY, SOURCES, arxiv_server, error_feed, feed
from tests.servers.site import Answer, html, typed, xml

DAY = dt.date(2026, 11, 20)
NOON = dt.datetime(2026, 11, 20, 12)


@pytest.fixture
def server():
    with arxiv_server([], DAY) as served:
        yield served


@pytest.fixture
def settings(server, tmp_path):
    return Settings(
        mirrors=json.loads(server.mirrors),
        http_cache=tmp_path / "http",
        http_retries=1,
        http_longest_wait=0.5,
        arxiv_categories=("cs.*",),
    )


def collect(settings: Settings, since: dt.date = DAY, **options) -> list:
    return list(Arxiv(settings=settings, today=DAY).collect(since=since, **options))


def kinds(outcomes: list) -> list[Kind]:
    return [each.kind for each in outcomes if isinstance(each, Failed)]


def papers(count: int, **options) -> list[Paper]:
    return [
        Paper(f"2611.{number:05}", NOON - dt.timedelta(minutes=number), TIDES_SOURCE, **options)
        for number in range(count)
    ]


def listed(settings: Settings, category: str = "cs.*") -> list:
    with Client(settings) as client:
        return list(search(client, category, DAY))


def recorded(settings: Settings, day: dt.date = DAY) -> list:
    with Client(settings) as client:
        return list(arxiv_oai.records(client, day))


class TestSearch:
    def test_pages_are_read_to_the_end_newest_first(self, server, settings):
        server.papers = papers(250)
        found = [each.value.identifier for each in listed(settings)]
        assert found == [paper.identifier for paper in server.papers]
        starts = [asked.query["start"] for asked in server.site.of(QUERY)]
        assert starts == ["0", "100", "200"]

    def test_asks_as_arxiv_wants_to_be_asked(self, server, settings):
        listed(settings.model_copy(update={"contact": "me@example.org"}))
        asked = server.site.of(QUERY)[0]
        assert asked.query["search_query"] == (
            "cat:cs.* AND submittedDate:[202611200000 TO 202611202359]"
        )
        assert asked.query["sortBy"] == "submittedDate"
        assert "arxiv.py" not in asked.headers["user-agent"]
        assert "me@example.org" in asked.headers["user-agent"]
        assert (SITE.interval, SITE.hosts) == (3.0, set(HOSTS))

    @pytest.mark.parametrize("start", [0, 100])
    def test_a_page_that_is_empty_for_once_is_asked_for_again(self, server, settings, start):
        server.papers = papers(120)
        with Client(settings) as client:
            found = search(client, "cs.*", DAY)
            before = list(islice(found, start))
            server.empty_pages = 2
            after = list(found)
        assert len(before) + len(after) == 120
        assert not kinds([*before, *after])

    def test_a_page_that_stays_empty_is_no_end_of_the_list(self, server, settings):
        server.papers = papers(3)
        server.empty_pages = 100
        found = listed(settings)
        assert kinds(found) == [Kind.NETWORK]
        assert "RERENDER_ARXIV_LISTING" in found[0].message
        assert not found[0].final

    @pytest.mark.parametrize("status", [200, 400])
    def test_an_error_that_looks_like_a_paper_is_none(self, server, settings, status):
        server.site.on(QUERY, error_feed("incorrect_id_format", "bad id", status))
        found = listed(settings)
        assert kinds(found) == [Kind.PROVIDER_ERROR]
        assert "bad id" in found[0].message

    def test_a_list_that_is_none_ends_the_source_and_is_asked_for_again(self, server, settings):
        server.papers = papers(1)
        server.site.on(QUERY, html("<html>Maintenance</html>"), html("<html>Maintenance</html>"))
        outcomes = collect(settings, since=DAY - dt.timedelta(days=3))
        assert kinds(outcomes) == [Kind.PROVIDER_ERROR]
        assert len(server.site.of(QUERY)) == 1

    def test_an_error_that_was_kept_is_asked_for_again(self, server, settings):
        server.papers = papers(2)
        server.site.on(QUERY, error_feed("busy", "try later"), server.query)
        assert len(listed(settings)) == 2
        assert not kinds(listed(settings))

    def test_more_results_than_arxiv_gives_are_asked_for_in_smaller_slices(self, server, settings):
        server.papers = [*papers(4), Paper("2611.09999", NOON.replace(hour=1), TIDES_SOURCE)]
        server.pretended_total = MOST_RESULTS + 1
        assert [each.value.identifier for each in listed(settings)] == [
            paper.identifier for paper in server.papers
        ]
        spans = [asked.query["search_query"][-27:] for asked in server.site.of(QUERY)]
        assert spans == [
            "[202611200000 TO 202611202359]"[-27:],
            "[202611201200 TO 202611202359]"[-27:],
            "[202611200000 TO 202611201159]"[-27:],
        ]

    def test_slices_are_not_cut_for_ever(self, server, settings):
        server.site.on(QUERY, feed([], MOST_RESULTS + 1))
        found = listed(settings)
        assert kinds(found) == [Kind.PROVIDER_ERROR]
        assert not found[0].final

    def test_a_paper_titled_0_is_one(self, server, settings):
        server.papers = papers(1, title="0")
        assert len(listed(settings)) == 1

    @pytest.mark.parametrize(
        "body",
        [
            "<feed",
            "<!DOCTYPE feed [<!ENTITY a 'b'>]><feed>&a;</feed>",
            "<rss/>",
            "<feed xmlns='http://www.w3.org/2005/Atom'><entry><id>x</id><published>never</published>"
            "<updated>never</updated></entry></feed>",
        ],
    )
    def test_what_is_no_page_of_results_is_a_failure(self, server, settings, body):
        server.site.on(QUERY, xml(body))
        assert kinds(listed(settings)) == [Kind.PROVIDER_ERROR]

    def test_numbers_of_pages_are_not_believed(self):
        page = read_page(feed([], 5).body.replace(b">5<", b">" + b"9" * 5000 + b"<"))
        assert page is not None
        assert page.total == 0

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (Answer(429, headers={"Retry-After": "600"}), Kind.RATE_LIMITED),
            (Answer(503, headers={"Retry-After": "600"}), Kind.RATE_LIMITED),
            (html("<html>Forbidden</html>", 403), Kind.RATE_LIMITED),
            (html("<html>busy</html>", 500), Kind.NETWORK),
        ],
    )
    def test_a_site_that_wants_no_more_ends_the_source(self, server, settings, answer, kind):
        server.papers = papers(3)
        server.site.on(QUERY, answer)
        outcomes = collect(settings)
        assert kinds(outcomes) == [kind]
        assert len(outcomes) == 1

    def test_a_short_wait_is_waited_for(self, server, settings):
        server.papers = papers(1)
        server.site.on(QUERY, Answer(503, headers={"Retry-After": "0"}), server.query)
        assert len(listed(settings)) == 1


class TestOai:
    def test_lists_are_read_by_tokens_alone(self, server, settings):
        server.papers = papers(5)
        assert len(recorded(settings)) == 5
        questions = [dict(asked.query) for asked in server.site.of(OAI)]
        assert questions[0]["from"] == questions[0]["until"] == "2026-11-20"
        assert [set(each) for each in questions[1:]] == [{"verb", "resumptionToken"}] * 2

    def test_an_expired_token_makes_the_day_begin_again(self, server, settings):
        server.papers = papers(5)
        server.expired_tokens = 1
        found = [each.value.identifier for each in recorded(settings)]
        assert found == [paper.identifier for paper in server.papers]

    def test_tokens_that_always_expire_end_with_a_failure(self, server, settings):
        server.papers = papers(5)
        server.expired_tokens = 100
        found = recorded(settings)
        assert kinds(found) == [Kind.NETWORK]
        assert len(found) == server.page + 1

    def test_no_records_are_no_failure(self, settings):
        assert recorded(settings) == []

    def test_deleted_records_are_passed_over(self, server, settings):
        server.papers = [*papers(1), Paper("2611.00077", NOON, TIDES_SOURCE, deleted=True)]
        assert [each.value.identifier for each in recorded(settings)] == ["2611.00000"]
        with Client(settings) as client:
            gone = arxiv_oai.record(client, "2611.00077")
            assert isinstance(gone, Failed)
            assert gone.kind is Kind.GONE
            assert arxiv_oai.record(client, "2611.00088") == Ok(None)

    def test_an_old_paper_whose_record_changed_is_not_new(self, server, settings):
        old = dt.datetime(2019, 5, 1)
        server.papers = [Paper("1905.00001", old, TIDES_SOURCE, version=2, changed=DAY), *papers(1)]
        outcomes = collect(settings.model_copy(update={"arxiv_listing": "oai"}))
        assert kinds(outcomes) == [Kind.OUT_OF_DATE]
        assert {each.value.provenance.created for each in outcomes if isinstance(each, Ok)} == {DAY}

    def test_the_list_of_records_stands_in_for_a_search_that_is_down(self, server, settings):
        server.papers = papers(1)
        server.site.on(QUERY, html("<html>down</html>", 500))
        by_oai = collect(settings.model_copy(update={"arxiv_listing": "oai"}))
        server.site.on(QUERY, server.query)
        by_search = collect(settings)
        names = [each.value.id for each in by_search if isinstance(each, Ok)]
        assert names
        assert [each.value.id for each in by_oai if isinstance(each, Ok)] == names
        assert len(server.site.of(OAI)) == 2  # the list, and one record after the search

    def test_only_the_categories_that_are_wanted_are_taken_from_the_list(self, server, settings):
        server.papers = papers(1, categories=("math.AG", "hep-th"))
        oai = settings.model_copy(update={"arxiv_listing": "oai"})
        assert collect(oai) == []
        for wanted in ("hep-th", "math.*"):
            assert collect(oai.model_copy(update={"arxiv_categories": (wanted,)}))

    def test_a_hostile_record_is_a_failure(self, server, settings):
        server.site.on(OAI, xml("<!DOCTYPE a [<!ENTITY b 'c'>]><OAI-PMH>&b;</OAI-PMH>"))
        assert kinds(recorded(settings)) == [Kind.PROVIDER_ERROR]

    def test_records_that_cannot_be_read_are_told_and_end_nothing(self, server, settings):
        server.papers = papers(3)

        def undated(asked):
            answer = server.oai(asked)
            body = answer.body.replace(b"<created>", b"<created>about ", 1)
            return replace(answer, body=body)

        server.site.on(OAI, undated)
        found = recorded(settings)
        assert kinds(found) == [Kind.NOT_AS_CLAIMED] * 2  # of two pages
        assert sum(isinstance(each, Ok) for each in found) == 1

    def test_a_record_that_was_kept_damaged_is_asked_for_again(self, server, settings):
        server.papers = papers(1)
        server.site.on(OAI, xml("<OAI-PMH>"), server.oai)
        assert kinds(recorded(settings)) == [Kind.PROVIDER_ERROR]
        assert len(recorded(settings)) == 1
        assert not kinds(recorded(settings))


class TestSources:
    @pytest.mark.parametrize(
        ("body", "kind"),
        [
            (b"%PDF-1.5 x", Kind.NO_SOURCE),
            (gzip.compress(b"%PDF-1.5 x"), Kind.NO_SOURCE),
            (b"%!PS-Adobe", Kind.NO_SOURCE),
            (tar_gz({"paper.pdf": b"%PDF-1.5"}), Kind.NO_SOURCE),
            (tar_gz({"index.html": b"<html>", "fig.png": b"\x89PNG"}), Kind.NO_SOURCE),
            (tar_gz({"withdrawn.txt": b""}), Kind.NO_SOURCE),
            (tar_gz({"withdrawn.txt": b"x"}), Kind.WITHDRAWN),
            (gzip.compress(b"This submission has been withdrawn."), Kind.WITHDRAWN),
            (b"<!DOCTYPE html><html>busy</html>", Kind.NOT_AS_CLAIMED),
            (b"", Kind.NOT_AS_CLAIMED),
            (b"\0\1\2 bytes", Kind.NOT_AS_CLAIMED),
            (TIDES_SOURCE[:200], Kind.PARSE_ERROR),
            (gzip.compress(LETTER.encode())[:-12], Kind.PARSE_ERROR),
        ],
    )
    def test_sources_that_are_none(self, body, kind):
        found = open_source(body)
        assert isinstance(found, Failed)
        assert found.kind is kind

    def test_every_wrapping_is_told_by_its_bytes(self):
        text = LETTER.encode()
        zipped = io.BytesIO()
        with zipfile.ZipFile(zipped, "w") as archive:
            archive.writestr("a.tex", text)
        plain_tar = gzip.decompress(tar_gz({"a.tex": text}))
        for body in (tar_gz({"a.tex": text}), plain_tar, zipped.getvalue()):
            assert open_source(body) == Ok({"a.tex": text})
        for body in (gzip.compress(text), text):
            assert open_source(body) == Ok({"main.tex": text})

    @pytest.mark.parametrize("name", ["../evil.tex", "/evil.tex", "link", "fifo"])
    def test_entries_that_leave_the_folder_or_are_no_files_are_refused(self, name):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            member = tarfile.TarInfo(name)
            types = {"link": tarfile.SYMTYPE, "fifo": tarfile.FIFOTYPE}
            member.type = types.get(name, tarfile.REGTYPE)
            member.linkname = "/etc/passwd"
            archive.addfile(member)
        found = open_source(packed.getvalue())
        assert isinstance(found, Failed)
        assert found.kind is Kind.UNSAFE_INPUT

    def test_a_later_version_without_source_drops_the_whole_paper(self, server, settings):
        server.papers = [
            Paper("2611.00001", NOON, None, version=2, earlier={1: TIDES_SOURCE}),
            Paper("2611.00002", NOON, None),
        ]
        assert kinds(collect(settings)) == [Kind.WITHDRAWN, Kind.GONE]
        asked = [asked.path for asked in server.site.asked if asked.path.startswith(SOURCES)]
        assert asked == [f"{SOURCES}2611.00001v2", f"{SOURCES}2611.00002v1"]

    def test_a_paper_that_says_withdrawn_is_not_fetched(self, server, settings):
        server.papers = papers(1, version=2, comment="Withdrawn: an error in Lemma 3")
        assert kinds(collect(settings)) == [Kind.WITHDRAWN]
        assert not [asked for asked in server.site.asked if asked.path.startswith(SOURCES)]

    def test_a_refusal_ends_the_source(self, server, settings):
        server.papers = papers(5)
        server.site.under(SOURCES, html("<html>Access denied</html>", 403))
        outcomes = collect(settings)
        assert kinds(outcomes) == [Kind.RATE_LIMITED]
        assert "403" in outcomes[-1].message
        assert sum(asked.path.startswith(SOURCES) for asked in server.site.asked) == 1

    def test_a_refusal_comes_after_what_was_found_before(self, server, settings):
        server.papers = papers(5)
        server.site.on(f"{SOURCES}2611.00003v1", html("<html>Access denied</html>", 403))
        outcomes = collect(settings)
        assert kinds(outcomes) == [Kind.RATE_LIMITED]
        assert isinstance(outcomes[-1], Failed)
        assert {o.value.attributes["arxiv"] for o in outcomes[:-1]} == {
            "2611.00000",
            "2611.00001",
            "2611.00002",
        }

    @pytest.mark.parametrize("page", [html("<html>busy</html>"), html("<h1>busy</h1>"), html("")])
    def test_a_page_in_the_place_of_a_source_is_not_kept(self, server, settings, page):
        server.papers = papers(1)
        server.site.on(f"{SOURCES}2611.00000v1", page, server.source)
        assert kinds(collect(settings)) == [Kind.NOT_AS_CLAIMED]
        assert any(isinstance(each, Ok) for each in collect(settings))

    def test_a_huge_source_is_too_large(self, server, settings):
        server.papers = papers(1)
        server.site.under(SOURCES, typed(b"\x1f\x8b", "application/gzip", Content_Length="0"))
        server.site.under(SOURCES, Answer(body=bytes(1 << 20), repeated=60))
        assert kinds(collect(settings)) == [Kind.TOO_LARGE]


class TestLicences:
    @pytest.mark.parametrize(
        ("address", "licence", "publishable"),
        [
            (BY, "CC-BY-4.0", True),
            ("http://creativecommons.org/licenses/by-sa/4.0/", "CC-BY-SA-4.0", True),
            ("http://creativecommons.org/publicdomain/zero/1.0/", "CC0-1.0", True),
            (BY_NC_SA, "CC-BY-NC-SA-4.0", False),
            ("http://creativecommons.org/licenses/by-nc-nd/4.0/", "CC-BY-NC-ND-4.0", False),
            (ARXIV, "LicenseRef-arXiv-nonexclusive", False),
            (None, "LicenseRef-unknown", False),
        ],
    )
    def test_what_may_be_passed_on(self, server, settings, address, licence, publishable):
        server.papers = papers(1, licence=address)
        provenance = collect(settings, limit=1)[0].value.provenance
        assert (provenance.licence, provenance.publishable) == (licence, publishable)
        assert provenance.recipe["address"] == "https://arxiv.org/src/2611.00000v1"

    def test_a_deleted_record_drops_the_paper(self, server, settings):
        server.papers = papers(1, deleted=True)
        assert kinds(collect(settings)) == [Kind.GONE]

    @pytest.mark.parametrize(
        ("answer", "kind"),
        [
            (Answer(503, headers={"Retry-After": "600"}), Kind.RATE_LIMITED),
            (html("<html>Maintenance</html>"), Kind.PROVIDER_ERROR),
        ],
    )
    def test_records_that_cannot_be_had_end_the_source(self, server, settings, answer, kind):
        server.papers = papers(3)
        server.site.on(OAI, answer)
        outcomes = collect(settings)
        assert kinds(outcomes) == [kind]
        assert len(outcomes) == 1


class TestTurns:
    def test_subsets_take_turns_and_papers_are_looked_through_as_needed(self, server, settings):
        letters = [
            Paper(f"2611.1{n:04}", NOON - dt.timedelta(minutes=n), gzip.compress(LETTER.encode()))
            for n in range(12)
        ]
        server.papers = letters
        first = next(iter(Arxiv(settings=settings, today=DAY).collect(since=DAY)))
        assert first.value.subset == "equation"
        asked = sum(asked.path.startswith(SOURCES) for asked in server.site.asked)
        # a plot, an algorithm, a table and a figure were looked for
        assert asked == 4 * PATIENCE

    def test_very_many_papers_without_any_piece_end(self):
        drop = Failed.of(stage="filter", kind=Kind.UNSUITABLE, message="nothing")
        assert len(list(in_turns(iter([[drop]] * 20_000)))) == 20_000

    def test_a_paper_in_two_categories_comes_once(self, server, settings):
        server.papers = papers(2, categories=("cs.LG", "stat.ML"))
        both = settings.model_copy(update={"arxiv_categories": ("cs.*", "stat.*")})
        assert collect(both) == collect(settings)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("http://arxiv.org/abs/2601.99999v2", ("2601.99999", 2)),
        ("2601.9999", ("2601.9999", None)),
        ("http://arxiv.org/abs/quant-ph/0201082v1", ("quant-ph/0201082", 1)),
        ("math.AG/0201082", ("math.AG/0201082", None)),
        ("../../etc/passwd", None),
        ("http://arxiv.org/abs/2601.99999v2?x=1", None),
    ],
)
def test_names_of_papers(text, name):
    assert split_name(text) == name
