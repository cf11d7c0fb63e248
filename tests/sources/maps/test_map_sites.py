"""Mind maps from XMind, Biggerplate and Zhixi, against loopback stand-ins with their states."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter

import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage
from sources import map_sites as sources
from tests.contracts.source_contract import SourceContract
from tests.servers import map_files as files
from tests.servers import map_sites_server as server


def collect(source, **options):
    found = list(source.collect(**options))
    good = {one.value.id: one.value for one in found if isinstance(one, Ok)}
    lost = {one.subject: one for one in found if isinstance(one, Failed)}
    return good, lost


class SiteContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _sites(self, sites):
        pass


class TestXmindShare(SiteContract):
    source = sources.XmindShare()


class TestBiggerplate(SiteContract):
    source = sources.Biggerplate()


class TestZhixi(SiteContract):
    source = sources.Zhixi()


@pytest.mark.parametrize("name", ["xmind-share", "biggerplate", "zhixi"])
def test_the_sources_are_registered_and_say_what_was_not_tried(name):
    source = registry.sources.get(name)
    assert source.name == name
    assert source.live
    assert "docs/sources.md" in source.about


def test_xmind_names_the_file_on_another_address(sites):
    good, lost = collect(sources.XmindShare())
    assert set(good) == {f"mindmap/xmind-share/{name}" for name in ("Tea01", "Bike4", "Old08")}
    tea = good["mindmap/xmind-share/Tea01"]
    assert json.loads(tea.truth)["children"][0]["children"] == [
        {"text": "Sencha"},
        {"text": "Matcha"},
    ]
    assert tea.provenance.author == "Ada Example"
    assert tea.provenance.licence == "CC-BY-SA-4.0"
    assert tea.provenance.created == dt.date(2026, 11, 20)
    assert "the site's listing" in tea.provenance.made
    assert tea.provenance.url == "https://www.xmind.net/m/Tea01/"
    assert not tea.provenance.publishable
    assert tea.provenance.recipe["file"] == f"https://{server.CDN}/maps/Tea01.xmind"
    assert len(tea.provenance.recipe["sha256"]) == 64
    assert good["mindmap/xmind-share/Bike4"].subset == "zh"
    assert good["mindmap/xmind-share/Bike4"].provenance.licence == "LicenseRef-unknown"
    told = {subject.rstrip("/").split("/")[-1]: one.kind for subject, one in lost.items()}
    assert told == {
        "Kept2": Kind.FORBIDDEN,
        "Stub3": Kind.UNSUPPORTED,
        "Lone5": Kind.UNSUITABLE,
        "Gone6": Kind.GONE,
        "Html7.xmind": Kind.NOT_AS_CLAIMED,
    }
    assert all(one.final for one in lost.values())


def test_biggerplate_links_to_files_of_two_programs(sites):
    good, lost = collect(sources.Biggerplate())
    assert set(good) == {
        "mindmap/biggerplate/gard01#1",
        "mindmap/biggerplate/gard01#2",
        "mindmap/biggerplate/dateless2",
        "mindmap/biggerplate/changed3",
    }
    assert good["mindmap/biggerplate/gard01#1"].attributes["format"] == "xmind"
    assert good["mindmap/biggerplate/gard01#2"].provenance.recipe["sheet"] == 2
    changed = good["mindmap/biggerplate/changed3"]
    assert changed.attributes["format"] == "mmap"
    assert changed.provenance.created == dt.date(2026, 11, 11)
    assert "Last-Modified" in changed.provenance.made
    assert "none is stated" in good["mindmap/biggerplate/dateless2"].provenance.made
    told = {subject.split("/mindmaps/")[-1]: one for subject, one in lost.items()}
    assert told["locked4/some-title"].kind is Kind.FORBIDDEN
    assert "login" in told["locked4/some-title"].message
    assert told["empty5/some-title"].kind is Kind.NO_SOURCE
    assert server.ELSEWHERE in told["away6/some-title"].message
    assert not any(asked.startswith(server.ELSEWHERE) for asked in sites.asked)


def test_zhixi_keeps_the_tree_in_the_page_or_links_to_an_outline(sites):
    good, lost = collect(sources.Zhixi())
    page, outline = good.values()
    assert json.loads(page.truth) == {
        "text": "面包",
        "children": [{"text": "面粉", "children": [{"text": "小麦"}]}, {"text": "水"}],
    }
    assert (page.attributes["format"], outline.attributes["format"]) == ("kityminder", "outline")
    assert page.provenance.author == "李雷"
    assert page.provenance.recipe["file"] == page.provenance.url
    assert "time element" in outline.provenance.made
    (bare,) = lost.values()
    assert bare.kind is Kind.NO_SOURCE


@pytest.mark.parametrize("levels", [70, 300, 450, 480, 490, 495, 5_000])
def test_a_tree_that_is_nested_too_deeply_is_dropped(sites, levels):
    level = '{"data": {"text": "a"}, "children": ['
    state = f'{{"root": {level * levels}{"]}" * levels}}}'
    page = server.page(head=f'<script type="application/json">{state}</script>')
    sites.answers[f"{server.ZHIXI}/view/0a1b2c3d"] = page
    good, lost = collect(sources.Zhixi())
    assert not any("0a1b2c3d" in name for name in good)
    assert any("0a1b2c3d" in subject for subject in lost)


def test_a_map_without_a_date_is_dropped_when_a_day_is_asked_for(sites):
    good, lost = collect(sources.Biggerplate(), since=dt.date(2026, 11, 1))
    assert "mindmap/biggerplate/dateless2" not in good
    dropped = lost["mindmap/biggerplate/dateless2"]
    assert (dropped.stage, dropped.kind) == (Stage.FILTER, Kind.OUT_OF_DATE)


def test_what_the_listing_dates_before_the_day_is_not_asked_for(sites):
    good, lost = collect(sources.XmindShare(), since=dt.date(2026, 11, 20))
    assert list(good) == ["mindmap/xmind-share/Tea01"]
    assert lost["mindmap/xmind-share/Stub3"].kind is Kind.OUT_OF_DATE
    assert not any("Bike4" in asked for asked in sites.asked)
    assert sum("share/maps?" in asked for asked in sites.asked) == 2, (
        "a page of older maps is the last"
    )


SITES = [
    (sources.XmindShare, "Fern9"),
    (sources.Biggerplate, "morrow8"),
    (sources.Zhixi, "11112222"),
]


@pytest.mark.parametrize(("source", "new"), SITES)
def test_the_next_day_only_what_is_new_is_sent(sites, source, new):
    before, _ = collect(source())
    sites.next_day()
    sites.sent.clear()
    after, _ = collect(source())
    (added,) = set(after) - set(before)
    assert added.endswith(new)
    again = ("/mindmaps?page=1", "/tpl?page=1", "share/maps?", "featured-maps", "Html7.xmind")
    rest = [
        sent for sent in sites.sent if new not in sent and not any(one in sent for one in again)
    ]
    assert rest == []


@pytest.mark.parametrize(("source", "new"), SITES)
def test_the_next_day_lists_one_more(sites, source, new):
    sites.next_day()
    good, _ = collect(source(), since=dt.date(2026, 11, 29))
    assert [name.rpartition("/")[2] for name in good] == [new]


@pytest.mark.parametrize("source", [sources.XmindShare, sources.Biggerplate, sources.Zhixi])
def test_robots_txt_is_asked_first_and_kept_to(sites, source):
    sites.robots = dict.fromkeys(server.HOSTS, "User-agent: *\nDisallow: /\n")
    found = list(source().collect())
    assert {one.kind for one in found} == {Kind.FORBIDDEN}
    assert all("robots.txt" in one.message for one in found)
    assert {asked.partition("/")[2] for asked in sites.asked} == {"robots.txt"}


def test_robots_txt_may_forbid_the_downloads_only(sites):
    sites.robots[server.XMIND] = "User-agent: *\nDisallow: /files/\n"
    good, lost = collect(sources.XmindShare())
    assert "mindmap/xmind-share/Tea01" in good
    assert "robots.txt" in lost[f"https://{server.XMIND}/files/Bike4.xmind"].message
    assert not any("/files/" in asked for asked in sites.asked)


def test_an_answer_that_is_no_listing_says_so(sites):
    sites.answers[f"{server.XMIND}/_api/share/maps"] = server.page("maintenance")
    first, *rest = sources.XmindShare().collect()
    assert first.kind is Kind.NOT_AS_CLAIMED
    assert [one.value.id for one in rest] == ["mindmap/xmind-share/Tea01"], "the featured maps"
    sites.answers[f"{server.BIGGERPLATE}/mindmaps"] = server.LOGIN
    (only,) = sources.Biggerplate().collect()
    assert only.kind is Kind.FORBIDDEN
    sites.answers[f"{server.ZHIXI}/tpl"] = server.NOTHING
    (only,) = sources.Zhixi().collect()
    assert "names no map" in only.message


def test_a_site_that_is_down_is_told_once_and_ends_the_source(sites):
    sites.answers[f"{server.XMIND}/m/Bike4/"] = server.Answer(b"", status=503)
    found = list(sources.XmindShare().collect())
    assert not found[-1].final
    assert Counter(isinstance(one, Failed) and not one.final for one in found)[True] == 1


def test_a_redirect_to_a_host_that_is_not_the_sites_is_refused(sites):
    sites.answers[f"{server.XMIND}/files/Bike4.xmind"] = server.moved(
        f"https://{server.ELSEWHERE}/x"
    )
    _, lost = collect(sources.XmindShare())
    assert lost[f"https://{server.XMIND}/files/Bike4.xmind"].kind is Kind.NOT_AS_CLAIMED


PITFALLS = {
    "only the warning page (43)": (files.stub(), Kind.UNSUPPORTED),
    "an empty node is all there is (46)": (files.mmap(""), Kind.PARSE_ERROR),
    "one node is all there is (46)": (files.mmap("Alone"), Kind.UNSUITABLE),
    "a zip without a map (48)": (files.archive({"mindmap.dat": "x"}), Kind.UNSUPPORTED),
    "a zip that is cut off": (files.xmind(files.TEA)[:200], Kind.PARSE_ERROR),
    "a bomb": (
        files.archive({"content.json": b"[" + b" " * 9_000_000 + b"]"}),
        Kind.RESOURCE_LIMIT,
    ),
    "names that leave the zip": (files.archive({"../content.json": "[]"}), Kind.UNSAFE_INPUT),
    "entities": (
        b'<!DOCTYPE map [<!ENTITY a "b">]><map><node TEXT="&a;"/></map>',
        Kind.UNSAFE_INPUT,
    ),
}


@pytest.mark.parametrize("case", PITFALLS)
def test_a_file_of_no_use_is_dropped_with_its_reason(sites, case):
    data, kind = PITFALLS[case]
    sites.answers[f"{server.CDN}/maps/Tea01.xmind"] = server.file(data)
    good, lost = collect(sources.XmindShare())
    assert lost["mindmap/xmind-share/Tea01"].kind is kind
    assert "mindmap/xmind-share/Bike4" in good


RICH = (
    '<map><node TEXT=""><richcontent TYPE="NODE"><html><body><p>Rich</p></body></html>'
    "</richcontent>"
    '<node TEXT="one"/><node TEXT="two"/></node></map>'
)
BESIDE = files.topic("Root", files.topic("a"), files.topic("b")) | {
    "children": {
        "attached": [files.topic("b"), files.topic("a"), files.topic("")],
        "detached": [files.topic("floating")],
        "summary": [files.topic("summary")],
    }
}
READ = {
    "content.json before the warning page (43)": (files.xmind(files.TEA), "Tea", 3),
    "a leading slash (44)": (files.xmind8("Slash", "a", "b", entry="/content.xml"), "Slash", 2),
    "no manifest, no metadata (45)": (files.xmind8("Bare", "a", "b"), "Bare", 2),
    "rich content (47)": (RICH.encode(), "Rich", 2),
    "the order of siblings; what floats is no child; empty nodes go (49, 50)": (
        files.xmind(BESIDE),
        "Root",
        2,
    ),
}


@pytest.mark.parametrize("case", READ)
def test_a_file_of_an_odd_shape_is_read(sites, case):
    data, root, children = READ[case]
    sites.answers[f"{server.CDN}/maps/Tea01.xmind"] = server.file(data)
    good, _ = collect(sources.XmindShare(), limit=1)
    tree = json.loads(good["mindmap/xmind-share/Tea01"].truth)
    assert (tree["text"], len(tree["children"])) == (root, children)
    if root == "Root":
        assert [one["text"] for one in tree["children"]] == ["b", "a"]


def test_maps_that_people_made_come_through(sites, shared):
    """Every real file of XMind and MindManager, served as downloads of Biggerplate."""
    real = [*sorted((shared / "real/xmind").iterdir()), *sorted((shared / "real/mmap").iterdir())]
    links = []
    for number, path in enumerate(real):
        links.append(f"/mindmaps/real{number:03}/a")
        name = f"/files/{number:03}{path.suffix}"
        host = server.BIGGERPLATE
        sites.answers[f"{host}{links[-1]}"] = server.page(f'<a href="{name}">Download</a>')
        sites.answers[f"{host}{name}"] = server.file(path.read_bytes())
    sites.pages[server.BIGGERPLATE] = [links]
    good, lost = collect(sources.Biggerplate())
    assert len({name.partition("#")[0] for name in good}) >= len(real) - 3
    assert all(one.stage in (Stage.FETCH, Stage.FILTER) and one.final for one in lost.values())
    assert all(material.attributes["nodes"] >= 2 for material in good.values())
