"""The source ``mindmap-urls``: a list of addresses, good lines and bad ones."""

from __future__ import annotations

import datetime as dt

import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage
from sources.map_urls import MindmapUrls
from tests.contracts.source_contract import SourceContract
from tests.servers import map_files as files
from tests.servers import map_sites_server as server

OWN = f"https://{server.ELSEWHERE}"
LIST = f"""\ufeff# maps that somebody has found

{OWN}/bread.md\tCC-BY-4.0\tGrace Example\t2026-11-05
https://www.biggerplate.com/mindmaps/gard01/some-title
http://www.xmind.net/m/Bike4/#map
{OWN}/bread.md#again
{OWN}/old.mm\tall rights reserved\t\t2019-01-01
{OWN}/gone.xmind
{OWN}/page.xmind
{OWN}/export.html
ftp://example.org/a.xmind
http://example.org/a.xmind
{OWN}/when.mm\t\t\tyesterday
https://[broken
https://127.0.0.1/secret.mm
https://localhost/secret.mm
"""
FREEMIND = b'<map version="1.0.1"><node TEXT="Old"><node TEXT="a"/><node TEXT="b"/></node></map>'
EXPORT = (
    b'<html><body><h1 class="root"><a name="r">Export</a></h1>'
    b'<h2 class="topic"><a name="a">one</a></h2></body></html>'
)


def write(sites, tmp_path):
    path = tmp_path / "maps.txt"
    path.write_text(LIST)
    host = server.ELSEWHERE
    sites.answers[f"{host}/bread.md"] = server.file(files.OUTLINE.encode())
    sites.answers[f"{host}/old.mm"] = server.file(FREEMIND)
    sites.answers[f"{host}/page.xmind"] = server.LOGIN
    sites.answers[f"{host}/export.html"] = server.Answer(EXPORT)
    return path


class TestContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _source(self, sites, tmp_path):
        type(self).source = MindmapUrls(write(sites, tmp_path))


def collect(path, **options):
    found = list(MindmapUrls(path).collect(**options))
    good = {one.value.id: one.value for one in found if isinstance(one, Ok)}
    return good, [one for one in found if isinstance(one, Failed)]


def test_files_on_any_host_and_pages_of_the_sites(sites, tmp_path):
    good, _ = collect(write(sites, tmp_path))
    assert list(good) == [
        f"mindmap/{server.ELSEWHERE}/bread.md",
        "mindmap/biggerplate/gard01#1",
        "mindmap/biggerplate/gard01#2",
        "mindmap/xmind-share/Bike4",
        f"mindmap/{server.ELSEWHERE}/old.mm",
        f"mindmap/{server.ELSEWHERE}/export.html",
    ]
    bread, gard, *_, old, _ = good.values()
    assert bread.provenance.author == "Grace Example"
    assert bread.provenance.created == dt.date(2026, 11, 5)
    assert (bread.provenance.licence, bread.provenance.publishable) == ("CC-BY-4.0", True)
    assert (old.provenance.licence, old.provenance.publishable) == ("LicenseRef-proprietary", False)
    assert (gard.provenance.author, gard.provenance.publishable) == ("Ada Example", False)
    assert gard.provenance.source == "mindmap-urls"


def test_each_bad_line_says_its_number_and_what_is_wrong(sites, tmp_path):
    _, lost = collect(write(sites, tmp_path))
    told = {one.message.split(":")[0]: one for one in lost}
    kinds = {int(line.removeprefix("line ")): one.kind for line, one in told.items()}
    assert kinds == {
        6: Kind.DUPLICATE,
        8: Kind.GONE,
        9: Kind.NOT_AS_CLAIMED,
        11: Kind.PARSE_ERROR,
        12: Kind.PARSE_ERROR,
        13: Kind.PARSE_ERROR,
        14: Kind.PARSE_ERROR,
        15: Kind.PARSE_ERROR,
        16: Kind.PARSE_ERROR,
    }
    assert "no public host" in told["line 15"].message
    assert "line 3" in told["line 6"].message
    assert "yesterday" in told["line 13"].message
    assert all(one.final and one.subject for one in lost)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("https://ada:hunter2@example.org/tea.mm", "user name"),
        ("https://example.org:8443/tea.mm", "port"),
        ("https://example.org:99999/tea.mm", "no address"),
        ("https://ex\0ample.org/tea.mm", "signs"),
        ("https://example.org/" + "a" * 100_000, "characters"),
    ],
)
def test_an_odd_address_is_told_and_neither_asked_nor_repeated(sites, tmp_path, line, told):
    path = tmp_path / "list"
    path.write_text(line + "\n")
    (only,) = MindmapUrls(path).collect()
    assert (only.kind, only.subject) == (Kind.PARSE_ERROR, "line 1")
    assert told in only.message
    assert "hunter2" not in str(only)
    assert len(only.message) < 300
    assert not sites.asked


def test_a_secret_in_an_address_does_not_stand_in_the_snapshot(sites, tmp_path):
    host = server.ELSEWHERE
    address = f"{OWN}/bread.md?v=2&X-Amz-Signature=hunter2"
    sites.answers[f"{host}/bread.md"] = server.file(files.OUTLINE.encode())
    path = tmp_path / "list"
    path.write_text(f"{address}\n{address}\n{OWN}/gone.mm?token=hunter2\n")
    good, lost = collect(path)
    (made,) = good.values()
    assert "hunter2" not in made.model_dump_json()
    assert made.provenance.url.startswith(f"{OWN}/bread.md?v=2&")
    assert {one.kind for one in lost} == {Kind.DUPLICATE, Kind.GONE}
    assert "hunter2" not in "".join(one.model_dump_json() for one in lost)
    sites.robots[host] = "User-agent: *\nDisallow: /\n"
    (refused, _, other) = MindmapUrls(path).collect()
    assert (refused.kind, other.kind) == (Kind.FORBIDDEN, Kind.FORBIDDEN)
    assert "hunter2" not in refused.model_dump_json() + other.model_dump_json()


def test_a_day_drops_what_is_older_before_it_is_asked_for(sites, tmp_path):
    good, lost = collect(write(sites, tmp_path), since=dt.date(2026, 11, 10))
    assert {name.partition("#")[0] for name in good} == {
        "mindmap/biggerplate/gard01",
    }
    kinds = {one.subject: one for one in lost}
    dropped = kinds[f"mindmap/{server.ELSEWHERE}/old.mm"]
    assert (dropped.stage, dropped.kind) == (Stage.FILTER, Kind.OUT_OF_DATE)
    assert "nothing says when" in kinds["mindmap/xmind-share/Bike4"].message
    assert not any("old.mm" in asked for asked in sites.asked)


def test_a_host_that_is_down_is_told_once_and_the_others_go_on(sites, tmp_path):
    host = server.ELSEWHERE
    path = tmp_path / "list"
    path.write_text(f"{OWN}/a.mm\n{OWN}/b.mm\nhttps://www.xmind.net/m/Tea01/\n")
    sites.answers[f"{host}/a.mm"] = server.Answer(status=503)
    good, lost = collect(path)
    assert list(good) == ["mindmap/xmind-share/Tea01"]
    (only,) = lost
    assert not only.final
    assert not any("b.mm" in asked for asked in sites.asked)


def test_robots_txt_of_any_host_is_kept_to(sites, tmp_path):
    sites.robots[server.ELSEWHERE] = "User-agent: *\nDisallow: /bread\n"
    good, lost = collect(write(sites, tmp_path))
    assert f"mindmap/{server.ELSEWHERE}/bread.md" not in good
    assert "line 3: the robots.txt" in lost[0].message


def test_the_setting_names_the_list(sites, tmp_path, monkeypatch):
    monkeypatch.delenv("RERENDER_MAP_URLS", raising=False)
    (only,) = registry.sources.get("mindmap-urls").collect()
    assert only.message == registry.sources.get("mindmap-urls").off
    assert "RERENDER_MAP_URLS" in only.message
    monkeypatch.setenv("RERENDER_MAP_URLS", str(write(sites, tmp_path)))
    assert len(list(registry.sources.get("mindmap-urls").collect(limit=1))) == 1
    assert registry.sources.get("mindmap-urls").off is None
    monkeypatch.setenv("RERENDER_MAP_URLS", str(tmp_path / "absent"))
    (only,) = registry.sources.get("mindmap-urls").collect()
    assert only.kind is Kind.MISSING_RESOURCE


def test_a_list_is_limited(tmp_path):
    path = tmp_path / "list"
    path.write_text("\n" * 20_000)
    (only,) = MindmapUrls(path).collect()
    assert only.kind is Kind.RESOURCE_LIMIT
