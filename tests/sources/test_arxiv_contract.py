"""The source `arxiv` keeps the contract, against the loopback arXiv with its default papers."""

from __future__ import annotations

import datetime as dt

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import digest_bytes
from benchmark.settings import Settings
from sources.arxiv import Arxiv
from sources.arxiv_pieces import Again, fetch_again
from sources.http import Client
from tests.contracts.source_contract import SourceContract
from tests.servers.arxiv_papers import real_papers
from tests.servers.arxiv_server import SOURCES, ArxivServer, arxiv_server


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The stand-in with its default papers, and the settings that lead to it."""
    with arxiv_server() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RERENDER_MIRRORS", server.mirrors)
        patch.setenv("RERENDER_HTTP_CACHE", str(tmp_path_factory.mktemp("http")))
        patch.setenv("RERENDER_ARXIV_CATEGORIES", '["cs.*", "math.*", "physics.*"]')
        yield server


@pytest.fixture
def server(served: ArxivServer):
    """The stand-in, with an empty record."""
    served.site.forget()
    return served


@pytest.mark.usefixtures("served")
class TestContract(SourceContract):
    source = Arxiv()


def test_yields_every_sort_and_says_what_became_of_every_paper(server: ArxivServer):
    outcomes = list(Arxiv().collect())
    subsets = [each.value.subset for each in outcomes if isinstance(each, Ok)]
    assert subsets[:5] == ["plot", "algorithm", "table", "figure", "equation"]
    dropped = {
        each.subject.rpartition("/")[2]: each.kind for each in outcomes if isinstance(each, Failed)
    }
    assert dropped == {
        "2611.00003v1": Kind.NO_SOURCE,
        "2611.00004v2": Kind.WITHDRAWN,
        "2611.00005v3": Kind.WITHDRAWN,
        "2611.00006v1": Kind.UNSUITABLE,
        "2611.00007v1": Kind.PARSE_ERROR,
        "2611.00008v1": Kind.UNSUITABLE,
        "2611.00009v1": Kind.UNSUITABLE,
    }


def test_what_may_not_be_passed_on_is_fetched_again_by_its_recipe(server: ArxivServer):
    found = [each.value for each in Arxiv().collect() if isinstance(each, Ok)]
    assert {m.provenance.licence: m.provenance.publishable for m in found} == {
        "CC-BY-4.0": True,
        "LicenseRef-arXiv-nonexclusive": False,
    }
    (figure,) = (material for material in found if material.subset == "figure")
    assert figure.provenance.recipe["assets"] == [
        {"path": path, "member": member, "sha256": digest_bytes(figure.assets[path])}
        for path, member in (
            ("figure1.png", "pictures/ebb.png"),
            ("figure2.jpg", "pictures/flood.jpeg"),
        )
    ]
    with Client() as client:
        for material in found:
            again = fetch_again(client, material.provenance.recipe)
            assert again == Ok(Again(material.truth, material.assets))
        of_text = {**found[0].provenance.recipe, "sha256": "0" * 64}
        of_file = {**figure.provenance.recipe, "assets": []}
        gone = [fetch_again(client, changed) for changed in (of_text, of_file)]
    assert [each.kind for each in gone if isinstance(each, Failed)] == [Kind.GONE] * 2


def test_the_next_day_asks_only_for_what_is_new(server: ArxivServer):
    before = {each.value.id for each in Arxiv().collect() if isinstance(each, Ok)}
    server.site.forget()
    paper = server.next_day()
    again = list(Arxiv().collect(since=paper.submitted.date()))
    new = [each.value for each in again if isinstance(each, Ok)]
    assert [m.attributes["arxiv"] for m in new] == [paper.identifier] * 2
    assert {m.provenance.licence for m in new} == {"CC0-1.0"}
    assert not before & {m.id for m in new}
    fetched = [asked.path for asked in server.site.asked if asked.path.startswith(SOURCES)]
    assert fetched == [SOURCES + paper.name]


def test_the_same_day_nothing_is_asked_for_twice(server: ArxivServer):
    first = list(Arxiv().collect())
    server.site.forget()
    assert list(Arxiv().collect()) == first
    again = {asked.path for asked in server.site.asked}
    assert again == set()


def test_nothing_is_asked_for_before_it_is_needed(server: ArxivServer, tmp_path):
    settings = Settings(http_cache=tmp_path)
    next(iter(Arxiv(settings=settings, today=server.day).collect(limit=1)))
    assert [asked.path for asked in server.site.asked] == [
        "/api/query",
        SOURCES + "2611.00001v1",
        "/oai",
    ]


def test_real_papers_give_pieces_of_several_sorts(monkeypatch, tmp_path, shared):
    day = dt.date(2026, 11, 20)
    with arxiv_server(real_papers(shared, day), day) as server:
        monkeypatch.setenv("RERENDER_MIRRORS", server.mirrors)
        settings = Settings(http_cache=tmp_path, arxiv_categories=("cs.*",))
        outcomes = list(Arxiv(settings=settings, today=day).collect(since=day))
    found = [each.value for each in outcomes if isinstance(each, Ok)]
    assert {material.subset for material in found} == {"algorithm", "equation", "figure", "table"}
    assert {material.provenance.publishable for material in found} == {False}
    assert all("??" not in material.truth for material in found)
    assert not any(r"\ref" in m.truth or r"\cite" in m.truth for m in found)
    assert all(each.subject for each in outcomes if isinstance(each, Failed))
