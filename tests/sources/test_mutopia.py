"""Mutopia against a loopback stand-in, with the drawing done on paper and, once, in containers."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter

import pytest

from benchmark import workbench
from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from flows.workbench import laid_ready
from flows.workshop import Workshop
from sources.mutopia import Mutopia
from tests.contracts.source_contract import SourceContract
from tests.servers.mutopia_server import FIRST, MELODY, NEXT, SECOND, V, header, mutopia, score
from tests.servers.site import Answer, json_answer
from tests.sources.benches import PaperBench

GOOD = {
    "music/ExampleA/O1/melody/melody",
    "music/ExampleA/O2/piano/piano",
    "music/ExampleB/O3/song/song",
    "music/ExampleB/O4/two/two",
    "music/ExampleC/O5/rights/rights",
}


@pytest.fixture
def site(monkeypatch, tmp_path):
    with mutopia() as repository, workbench.laid(PaperBench()):
        _lead(monkeypatch, tmp_path, repository)
        yield repository


def _lead(monkeypatch, tmp_path, repository) -> None:
    monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(repository.mirrors))
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
    monkeypatch.setenv("RERENDER_HTTP_RETRIES", "1")
    monkeypatch.setenv("RERENDER_HTTP_LONGEST_WAIT", "0")


def collected(**options) -> tuple[dict, dict]:
    outcomes = list(Mutopia().collect(**options))
    good = {found.value.id: found.value for found in outcomes if isinstance(found, Ok)}
    return good, {found.subject: found for found in outcomes if isinstance(found, Failed)}


def one(site, text: str, **more):
    """Collect a repository of one piece."""
    site.pieces.clear()
    site.days.clear()
    site.add("ftp/X/x.ly", text, SECOND)
    (outcome,) = Mutopia().collect(**more)
    return outcome


@pytest.mark.usefixtures("contract_site")
class TestContract(SourceContract):
    source = Mutopia()

    @pytest.fixture
    def contract_site(self, site):
        return site


def test_gives_what_can_be_used_and_says_why_not_the_rest(site):
    good, failed = collected()
    assert set(good) == GOOD
    kinds = {subject.rpartition("/")[2]: failure.kind for subject, failure in failed.items()}
    assert kinds == {
        "part.ly": Kind.UNSUITABLE,
        "nolicence.ly": Kind.NO_LICENCE,
        "scheme.ly": Kind.UNSUITABLE,
        "lost.ly": Kind.NO_SOURCE,
        "free.ly": Kind.UNSUITABLE,
    }
    assert "Scheme" in next(f.message for s, f in failed.items() if s.endswith("scheme.ly"))


def test_provenance_says_licence_day_and_place(site):
    good, _ = collected()
    piano = good["music/ExampleA/O2/piano/piano"]
    assert piano.subset == "piano"
    assert piano.provenance.licence == "CC-BY-SA-4.0"
    assert piano.provenance.created == SECOND
    assert piano.provenance.publishable
    assert "Ada Example; typeset by Tim Typesetter" in piano.provenance.author
    assert piano.provenance.recipe["path"] == "ftp/ExampleA/O2/piano/piano.ly"
    assert piano.provenance.recipe["commit"] in piano.provenance.recipe["url"]


def test_a_licence_against_commerce_is_kept_and_not_passed_on(site):  # pitfall 37
    good, _ = collected()
    rights = good["music/ExampleC/O5/rights/rights"].provenance
    assert (rights.licence, rights.publishable) == ("CC-BY-NC-4.0", False)


def test_an_edition_with_rights_of_its_own_is_not_passed_on(site):  # pitfall 37
    text = V + header("New", edition="Urtext, copyright 1999 by a publisher") + score(MELODY)
    found = one(site, text)
    assert found.value.provenance.licence == "LicenseRef-PublicDomain"
    assert not found.value.provenance.publishable


def test_the_truth_is_the_excerpt_and_nothing_else(site):
    good, _ = collected()
    truth = good["music/ExampleA/O1/melody/melody"].truth
    assert truth.startswith('\\version "2.24.0"')
    assert "header" not in truth
    assert "midi" not in truth
    song = good["music/ExampleB/O3/song/song"]
    assert song.subset == "lyrics"
    assert "Sing a lit -- tle song now" in song.truth
    assert good["music/ExampleB/O4/two/two"].attributes["files"] == 2


def test_fewer_bars_are_taken_until_two_systems_are_left(site):
    with workbench.laid(PaperBench(systems=3)):
        _, failed = collected()
    reasons = [failure.message for failure in failed.values()]
    assert any("bars give 3 systems" in reason for reason in reasons)


def test_only_what_is_new_is_fetched(site):
    good, _ = collected(since=SECOND)
    assert {material.provenance.created for material in good.values()} == {SECOND}
    asked = [one.path for one in site.site.asked if one.path.startswith("/MutopiaProject")]
    assert len(asked) == 3  # what the last commit changed, not all ten


def test_the_next_day_brings_one_more_and_asks_for_no_file_twice(site, monkeypatch, tmp_path):
    collected()
    before = Counter(one.path for one in site.site.asked)
    fresh = site.next_day()
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "tomorrow"))  # "today" is over
    good, failed = collected(since=NEXT)
    assert set(good) == {fresh}
    assert not failed
    again = Counter(one.path for one in site.site.asked) - before
    assert sum("raw" in path or path.startswith("/MutopiaProject") for path in again) == 1


def test_more_changes_than_github_names_are_found_in_the_whole_list(site):
    for number in range(310):
        site.add(f"ftp/Z/{number}.txt", "no score", NEXT)
    site.next_day()
    good, failed = collected(since=NEXT)
    assert set(good) == {"music/ExampleD/O1/today/today"}
    assert {failure.kind for failure in failed.values()} >= {Kind.OUT_OF_DATE}


def test_a_list_that_is_cut_short_ends_the_source(site):
    site.truncated = True
    _, failed = collected()
    (failure,) = failed.values()
    assert not failure.final
    assert "--since" in failure.message


def test_a_rate_limit_ends_the_source(site):
    body = json.dumps({"message": "API rate limit exceeded"}).encode()
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4102444800"}
    site.site.on(
        "/repos/MutopiaProject/MutopiaProject/commits",
        Answer(403, body, {"Content-Type": "application/json", **headers}),
    )
    (outcome,) = Mutopia().collect()
    assert outcome.kind is Kind.RATE_LIMITED


def test_an_answer_of_another_form_is_a_failure(site):
    site.site.on("/repos/MutopiaProject/MutopiaProject/commits", json_answer({"sha": "x"}))
    (outcome,) = Mutopia().collect()
    assert outcome.kind is Kind.NOT_AS_CLAIMED


def test_a_later_version_is_refused(site):  # pitfall 39
    text = '\\version "2.25.3"\n' + header("Of tomorrow") + score(MELODY)
    assert one(site, text).kind is Kind.UNSUPPORTED


def test_no_version_is_tried(site):  # pitfall 38
    assert isinstance(one(site, header("Undated source") + score(MELODY)), Ok)


def test_a_piece_without_an_imprint_is_dated_by_its_commit(site):
    text = V + header("Of this week").replace("Mutopia-", "Draft-") + score(MELODY)
    found = one(site, text)
    assert found.value.provenance.created == SECOND
    assert found.value.attributes["dated_by"] == "commit"
    assert one(site, text, since=SECOND).value.provenance.created == SECOND


def test_files_that_include_each_other_are_refused(site):
    text = V + header("Circle") + '\\include "x.ly"\n' + score(MELODY)
    assert one(site, text).kind is Kind.UNSUITABLE


def test_without_sandboxes_nothing_is_collected(monkeypatch, tmp_path):
    with mutopia() as repository:
        _lead(monkeypatch, tmp_path, repository)
        outcomes = list(Mutopia().collect())
    assert outcomes[-1].kind is Kind.ENGINE_UNAVAILABLE
    assert sum(isinstance(found, Failed) and not found.final for found in outcomes) == 1


def test_real_pieces_in_real_containers(shared, monkeypatch, tmp_path):
    names = ("HeidenroesleinM", "GiulianiOp100No1", "KV331_1_1_tema", "spirit-of-god-bellow-falls")
    real = shared / "real" / "ly"
    pieces = {f"ftp/Real/{name}/{name}.ly": (real / f"{name}.ly").read_text() for name in names}
    pieces["ftp/kv487/kv487-lys/no2.ly"] = (real / "multi_kv487-lys" / "no2.ly").read_text()
    pieces["ftp/kv487/kv487-lys/header.ly"] = (real / "multi_kv487-lys" / "header.ly").read_text()
    workshop = Workshop(Settings(store=str(tmp_path / "store"), workers=1))
    with mutopia(pieces) as repository, laid_ready(workshop):
        _lead(monkeypatch, tmp_path, repository)
        good, failed = collected()
    workshop.close()
    assert len(good) == 5, failed
    for material in good.values():
        assert 1 <= material.attributes["systems"] <= 2
    song = good["music/Real/HeidenroesleinM/HeidenroesleinM"]
    assert song.provenance.created == dt.date(2014, 3, 23)
    assert song.provenance.licence == "CC-BY-4.0"
    assert good["music/kv487/kv487-lys/no2"].attributes["lilypond"] == "1.9.8"
    assert FIRST not in {material.provenance.created for material in good.values()}
