"""IMSLP against a loopback stand-in; the pages of its files are drawn on paper."""

from __future__ import annotations

import datetime as dt
import io
import json
import time

import numpy as np
import pytest
from PIL import Image

from benchmark import workbench
from benchmark.outcome import Failed, Kind, Ok
from sources.http_pace import Clock
from sources.imslp import METRICS, Imslp, _slug
from sources.imslp_page import read_entries
from sources.imslp_site import SITE
from tests.contracts.source_contract import SourceContract
from tests.servers.imslp_server import FIRST, NAME, NEXT, PASSWORD, SECOND, imslp
from tests.servers.site import Answer, json_answer
from tests.sources.benches import PaperBench, page


class Hurried(Clock):
    """Waits for nothing, and remembers how long it would have."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)


TITLE = np.full((1100, 800), 255, np.uint8)
TITLE[300:340, 200:600] = 0
MUSIC = page(7, width=1000)


@pytest.fixture
def site(monkeypatch, tmp_path):
    bench = PaperBench(pages=[TITLE, MUSIC, MUSIC])
    with imslp() as there, workbench.laid(bench):
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(there.mirrors))
        monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
        monkeypatch.setenv("RERENDER_HTTP_RETRIES", "1")
        monkeypatch.setenv("RERENDER_HTTP_LONGEST_WAIT", "0")
        monkeypatch.setenv("RERENDER_IMSLP_USERNAME", NAME)
        monkeypatch.setenv("RERENDER_IMSLP_PASSWORD", PASSWORD)
        monkeypatch.setenv("RERENDER_IMSLP_ACCEPT_TERMS", "true")
        yield there


def collected(source: Imslp | None = None, **options) -> tuple[dict, dict]:
    outcomes = list((source or Imslp()).collect(**options))
    good = {
        found.value.id.split("/")[1]: found.value for found in outcomes if isinstance(found, Ok)
    }
    return good, {
        found.subject.rpartition("/")[2].rpartition(":")[2]: found
        for found in outcomes
        if isinstance(found, Failed)
    }


@pytest.mark.usefixtures("contract_site")
class TestContract(SourceContract):
    source = Imslp()

    @pytest.fixture
    def contract_site(self, site):
        return site


def test_is_off_until_the_user_accepts_and_then_asks_nothing(site, monkeypatch):  # pitfall 33
    for name in ("USERNAME", "PASSWORD", "ACCEPT_TERMS"):
        with monkeypatch.context() as without:
            without.delenv(f"RERENDER_IMSLP_{name}")
            (outcome,) = Imslp().collect()
            assert outcome.kind is Kind.FORBIDDEN
            assert "imslp_accept_terms" in outcome.message
    assert site.site.asked == []


def test_is_asked_no_faster_than_its_crawl_delay():  # pitfall 33
    assert SITE.interval >= 2


def test_gives_one_system_of_each_scan_and_says_why_not_the_rest(site):
    good, failed = collected()
    assert set(good) == {"PMLP1-sonata", "PMLP2-songs", "PMLP3-trio", "PMLP5-nc"}
    assert {name: failure.kind for name, failure in failed.items()} == {
        "PMLP1-parts.zip": Kind.UNSUITABLE,
        "PMLP2-new.pdf": Kind.NO_LICENCE,
        "PMLP3-cut.pdf": Kind.NOT_AS_CLAIMED,
        "PMLP3-big.pdf": Kind.TOO_LARGE,
        "PMLP3-mxl.pdf": Kind.NOT_AS_CLAIMED,
        "PMLP4-mine.pdf": Kind.NO_LICENCE,
    }


def test_scans_are_pictures_without_truth(site):
    good, _ = collected()
    sonata = good["PMLP1-sonata"]
    assert sonata.truth is None
    assert sonata.metrics == METRICS
    cut = np.asarray(Image.open(io.BytesIO(sonata.picture)))
    assert cut.shape[0] < 100 < cut.shape[1]
    assert sonata.attributes["systems_on_page"] == 7
    assert sonata.provenance.recipe["page"] in (2, 3)  # page 1 is a title


def test_rights_are_kept_file_by_file(site):  # pitfall 37
    good, _ = collected()
    assert good["PMLP2-songs"].provenance.licence == "CC-BY-4.0"
    assert good["PMLP2-songs"].provenance.created == SECOND
    assert good["PMLP1-sonata"].provenance.licence == "LicenseRef-PublicDomain"
    restricted = good["PMLP5-nc"].provenance
    assert (restricted.licence, restricted.publishable) == ("CC-BY-NC-3.0", False)
    assert "PMLP2-new.pdf" not in site.downloads  # Non-PD US
    assert "PMLP3-big.pdf" not in site.downloads


def test_a_disclaimer_is_no_score(site):  # pitfall 34
    path = site.files()["PMLP1-sonata.pdf"].path
    site.site.on(path, Answer(body=b"<!DOCTYPE html><html>I accept</html>"))
    good, failed = collected()
    assert failed["PMLP1-sonata.pdf"].kind is Kind.NOT_AS_CLAIMED
    assert "PMLP1-sonata" not in good


def test_the_countdown_is_waited_for_once(site):  # pitfall 35
    site.countdown = 1
    clock = Hurried()
    good, _ = collected(Imslp(clock=clock), limit=1)
    assert set(good) == {"PMLP1-sonata"}
    assert clock.waited == [15]


def test_the_end_of_the_days_downloads_ends_the_source(site):  # pitfall 35
    site.used_up = True
    good, failed = collected()
    assert not good
    assert failed["PMLP1-sonata.pdf"].kind is Kind.QUOTA
    assert site.downloads == ["PMLP1-sonata.pdf"]


def test_a_refused_account_ends_the_source(site):  # pitfall 36
    site.refuses = True
    (outcome,) = Imslp().collect()
    assert outcome.kind is Kind.UNAUTHORIZED
    assert PASSWORD not in outcome.message


def test_a_lasting_error_is_no_endless_loop(site):  # pitfall 36
    site.site.on("/imslpscripts/API.ISCR.php", Answer(503))
    (outcome,) = Imslp().collect()
    assert not outcome.final
    assert site.site.count("/imslpscripts/API.ISCR.php") <= 3


def test_an_empty_page_of_the_list_is_no_endless_loop(site):  # pitfall 36
    more = {"metadata": {"moreresultsavailable": True, "start": 0}}
    site.site.on("/imslpscripts/API.ISCR.php", json_answer(more))
    (outcome,) = Imslp().collect()
    assert outcome.kind is Kind.NOT_AS_CLAIMED
    assert site.site.count("/imslpscripts/API.ISCR.php") == 1


def test_the_list_is_read_on_by_what_came(site):
    collected()
    starts = [
        one.target.split("start=")[1].split("/")[0]
        for one in site.site.of("/imslpscripts/API.ISCR.php")
    ]
    assert starts == ["0", "2", "4"]


def test_only_what_is_new_is_fetched(site):
    fresh = site.next_day()
    good, failed = collected(since=NEXT)
    assert [f"music/{name}/" for name in good] == [fresh]
    assert not failed
    assert site.downloads == ["PMLP6-today.pdf"]


def test_a_file_without_music_is_refused(site):
    with workbench.laid(PaperBench(pages=[TITLE, TITLE])):
        _, failed = collected(limit=1)
    assert failed["PMLP1-sonata.pdf"].kind is Kind.UNSUITABLE


def test_entries_with_templates_in_them_are_read():
    text = (
        "{{#fte:imslpfile|File Name 1=a.pdf|Page Count 1=12|Editor={{LinkEd|X|Copyright=no}}"
        "|File Name 2=b.pdf|Copyright=Public Domain}} {{#fte:imslpfile|File Name 1=c.pdf"
    )
    first, second, third = read_entries(text)
    assert (first.name, first.pages, first.copyright) == ("a.pdf", 12, "Public Domain")
    assert (second.name, second.copyright) == ("b.pdf", "Public Domain")
    assert third.licence is None
    assert read_entries("{{" * 50_000 + "{{#fte:imslpfile") == []


def test_days_are_those_of_the_upload(site):
    good, _ = collected()
    assert good["PMLP1-sonata"].provenance.created == FIRST > dt.date(2026, 1, 1)


def test_names_that_differ_in_any_letter_have_ids_of_their_own():
    names = ("PMLP1-Соната", "PMLP1-Квартет", "PMLP1-Sonata (1)", "PMLP1-Sonata-1", "ソナタ", "歌")
    slugs = [_slug(name) for name in names]
    assert len(set(slugs)) == len(names)
    assert _slug("PMLP1-Two words") == _slug("PMLP1-Two_words") == "PMLP1-Two_words"
    assert all(slug.isascii() and not slug.startswith("-") for slug in slugs)


def test_a_page_of_any_size_is_read_in_no_time():
    started = time.process_time()
    crowded = "{{#fte:imslpfile " + "|a b 1=" * 2_800 + "|File Name 1=x.pdf}}"
    assert 90 < len(read_entries(crowded * 200)) < 110  # what is left of the first 2 MB
    assert read_entries("{{#fte:imslpfile" * 1_000_000) == []
    assert time.process_time() - started < 20
