"""What is read of the HTML page of a map, of robots.txt, and of addresses."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from benchmark.outcome import Failed, Kind, Ok
from sources import map_pages
from sources.http import Client
from sources.map_adapters import ADAPTERS, BIGGERPLATE, XMIND, ZHIXI, find
from sources.map_pages import read_page
from sources.robots import Robots
from tests.servers import map_sites_server as server

HERE = "https://www.example.org/maps/1"


def read(text: str, url: str = HERE):
    return read_page(text.encode(), url).value


def test_links_and_data_attributes_that_end_like_map_files():
    page = read(
        '<a href="/a.XMIND?v=2#top">a</a><button data-url="b.mmap">b</button>'
        '<a href="http://other.org/c.mm">c</a><a href="javascript:x.xmind">d</a>'
        '<img src="/e.xmind"><a href="/page.html">f</a><a href="//[bad.xmind">g</a>'
    )
    assert page.files == (
        "https://www.example.org/a.XMIND?v=2",
        "https://www.example.org/maps/b.mmap",
        "https://other.org/c.mm",
    )


@pytest.mark.parametrize(
    ("text", "day"),
    [
        (server.published("2026-11-12"), "JSON-LD"),
        ('<meta property="article:published_time" content="2026-11-12T08:00:00+01:00">', "meta"),
        ('<meta itemprop="datePublished" content="2026-11-12">', "meta"),
        ('<time datetime="2026-11-12T23:00:00Z">yesterday</time>', "time"),
        ('<time datetime="last week"></time>', None),
        ('<time datetime="1066-10-14"></time>', None),
        ('<script>var user = {"created": "2020-01-01"}</script>', None),
        ('<script>var user = {"dateCreated": "2020-01-01", "author": "x"}</script>', None),
    ],
)
def test_the_date_is_what_the_page_states(text, day):
    page = read(text)
    assert page.created == (dt.date(2026, 11, 12) if day else None)
    assert bool(page.dated) == bool(day)


def test_one_licence_is_the_licence_and_two_are_none():
    commons = "https://creativecommons.org/licenses/by/4.0/"
    link = f'<a href="{commons}">CC</a>'
    other = '<a rel="license" href="https://creativecommons.org/licenses/by-nc/4.0/">CC</a>'
    assert read(link).licence == "CC-BY-4.0"
    assert read(other).licence == "CC-BY-NC-4.0"
    assert read(link + other).licence == "CC-BY-NC-4.0", "a marked link counts before a bare one"
    assert read(other + other.replace("by-nc", "by")).licence == "LicenseRef-unknown"
    assert read('<a href="https://creativecommons.org/">what is that?</a>').licence == (
        "LicenseRef-unknown"
    )
    assert read("<p>nothing</p>").licence == "LicenseRef-unknown"


def test_the_outermost_tree_of_a_pages_json_is_the_map():
    tree = {"data": {"text": "a"}, "children": [{"data": {"text": "b"}, "children": []}]}
    noise = {"text": "Save", "buttons": [{"text": "OK"}]}
    state = {"ui": noise, "deep": [{"doc": {"root": tree}}], "downloadUrl": "/f?id=1"}
    page = read(f"<script>window.__NEXT = {json.dumps(state)};</script>")
    assert page.tree == {"root": tree}
    assert page.told == ("https://www.example.org/f?id=1",)
    sheets = [{"rootTopic": {"title": "a"}}, {"rootTopic": {"title": "b"}}]
    assert read(f"<script>var a={json.dumps({'x': sheets})}</script>").tree == sheets


def test_chinese_pages_without_a_declared_encoding_are_utf_8():
    assert read("<title>知犀</title>").title == "知犀"


@pytest.mark.parametrize(
    "text",
    [
        "<script>window.a = " + "[" * 100_000 + "</script>",
        "<script>window.a = {" + '"a": {' * 50_000 + "</script>",
        "<script>" + "a." * 200_000 + " = {}</script>",
        "<div>" * 50_000,
        "<a href='" + "x" * 100_000 + ".xmind'>",
    ],
)
def test_hostile_pages_end_in_a_page_without_anything(text):
    outcome = read_page(text.encode(), HERE)
    assert isinstance(outcome, Ok)
    assert (outcome.value.files, outcome.value.tree) == ((), None)


def test_sizes_are_limited(monkeypatch):
    assert read_page(b"<p>" * 70_000, HERE).kind is Kind.RESOURCE_LIMIT
    assert read_page(b" ", HERE).kind is Kind.NOT_AS_CLAIMED
    monkeypatch.setattr(map_pages, "JSON_VALUES", 3)
    deep = json.dumps({"a": {"b": {"c": {"root": {"data": {"text": "x"}}}}}})
    assert read(f"<script>{deep}</script>").tree is None
    monkeypatch.setattr(map_pages, "PAGE_LINKS", 2)
    assert len(read("".join(f"<a href='/{n}'>n</a>" for n in range(9))).links) == 2


@pytest.mark.parametrize(
    ("url", "adapter", "ident", "page"),
    [
        ("https://www.xmind.net/m/PuDC/", XMIND, "PuDC", "https://www.xmind.net/m/PuDC/"),
        ("https://xmind.app/embed/YPMsKe", XMIND, "YPMsKe", "https://www.xmind.net/m/YPMsKe/"),
        (
            "https://www.biggerplate.com/mindmaps/z47894/les-10-etats",
            BIGGERPLATE,
            "z47894",
            "https://www.biggerplate.com/mindmaps/z47894/les-10-etats",
        ),
        (
            "https://www.zhixi.com/view/308d9a55",
            ZHIXI,
            "308d9a55",
            "https://www.zhixi.com/view/308d9a55",
        ),
        (
            f"https://www.zhixi.com/tpl/{'0' * 32}",
            ZHIXI,
            "0" * 32,
            f"https://www.zhixi.com/tpl/{'0' * 32}",
        ),
    ],
)
def test_addresses_of_the_sites_are_told(url, adapter, ident, page):
    found = find(url)
    assert found is not None
    assert (found[0], found[1].id, found[1].page) == (adapter, ident, page)


@pytest.mark.parametrize(
    "url",
    [
        "https://www.zhixi.com/view/308d9a5",
        "https://www.zhixi.com/tpl/308d9a55",
        "https://www.xmind.net/share/",
        "https://www.biggerplate.com/mindmaps/z47894",
        "https://evil.org/m/PuDC/",
        "https://www.xmind.net.evil.org/m/PuDC/",
    ],
)
def test_other_addresses_are_of_no_site(url):
    assert find(url) is None


RULES = [
    ("", True),
    ("User-agent: *\nDisallow: /m/\n", False),
    ("User-agent: *\nDisallow: /other/\n", True),
    ("User-agent: rerender\nDisallow: /\n\nUser-agent: *\nAllow: /\n", False),
    ("User-agent: somebody\nDisallow: /\n", True),
    ("<html>not rules</html>", True),
    ("User-agent: *\nCrawl-delay: 3600\n", False),
    ("User-agent: *\nDisallow: /*/Tea\n", False),
    ("User-agent: *\nDisallow: /*01/$\n", False),
    ("User-agent: *\nDisallow: /m/Tea01/$\n", False),
    ("User-agent: *\nDisallow: /*01$\n", True),
    ("User-agent: *\nDisallow: /*.xmind$\n", True),
    ("User-agent: *\nDisallow: /m$\n", True),
    ("User-agent: other\nDisallow: /*\n\nUser-agent: *\nAllow: /\n", True),
    ("User-agent: rerender\nDisallow: /a*b\n\nUser-agent: *\nDisallow: /*\n", True),
    # the longest rule decides, not the first
    ("User-agent: *\nAllow: /\nDisallow: /m/\n", False),
    ("User-agent: *\nDisallow: /\nAllow: /m/\n", True),
    ("User-agent: *\nDisallow: /m/\nAllow: /m/\n", True),
    ("User-agent: *\nDisallow: /*\nAllow: /m/Tea\n", True),
    ("User-agent: *\nDisallow:\n", True),
    # neither a blank line nor a further field ends a group, and equal groups are one
    ("User-agent: *\n\nDisallow: /m/\n", False),
    ("User-agent: a\nUser-agent: Rerender/1.0\nSitemap: /map\nDisallow: /m/ # maps\n", False),
    ("User-agent: *\nDisallow: /a/\n\nUser-agent: *\nDisallow: /m/\n", False),
    ("\ufeffUser-agent: *\nDisallow: /\n", False),
    ("User-agent: render\nDisallow:\n\nUser-agent: *\nDisallow: /\n", False),
    ("User-agent: *\nDisallow: /%6D/\n", False),
    ("User-agent: *\nCrawl-delay: 3600.5\n", False),
    ("User-agent: *\nCrawl-delay: nan\n", True),
    ("User-agent: *\n" + "Disallow: /" + "*a" * 5_000 + "\n", True),
]


@pytest.mark.parametrize(("rules", "allowed"), RULES)
def test_rules_of_robots_txt(sites, rules, allowed):
    sites.robots[server.XMIND] = rules
    with Client() as client:
        outcome = Robots(client).site(XMIND.site, "https://www.xmind.net/m/Tea01/")
    assert isinstance(outcome, Ok) is allowed
    if isinstance(outcome, Failed):
        assert outcome.kind is Kind.FORBIDDEN
        assert outcome.subject == "https://www.xmind.net/m/Tea01/"


def test_the_sites_are_asked_every_five_seconds_at_most():
    assert [adapter.site.interval for adapter in ADAPTERS] == [5.0] * 3
    assert len({adapter.site.name for adapter in ADAPTERS}) == 3


def test_a_crawl_delay_makes_the_pace_slower_and_never_faster(sites):
    sites.robots[server.XMIND] = "User-agent: *\nCrawl-delay: 11\n"
    sites.robots[server.ZHIXI] = "User-agent: *\nCrawl-delay: 1\n"
    with Client() as client:
        robots = Robots(client)
        slower = robots.site(XMIND.site, "https://www.xmind.net/m/Tea01/").value
        same = robots.site(ZHIXI.site, "https://www.zhixi.com/view/308d9a55").value
    assert (slower.interval, same.interval) == (11, 5)


def test_rules_are_asked_for_once_a_day_and_none_allow_everything(sites):
    url = "https://www.xmind.net/m/Tea01/"
    sites.robots[server.XMIND] = "User-agent: *\nAllow: /\n"
    for _ in range(2):
        with Client() as client:
            assert isinstance(Robots(client).site(XMIND.site, url), Ok)
    assert sites.asked == [f"{server.XMIND}/robots.txt"]
    with Client() as client:
        none = Robots(client).site(BIGGERPLATE.site, "https://www.biggerplate.com/mindmaps")
    assert isinstance(none, Ok)


def test_robots_txt_that_is_forbidden_or_down(sites, monkeypatch):
    url = "https://www.zhixi.com/view/308d9a55"
    served = {"status": 403}
    plain = type(sites).answer

    def answer(self, host, target):
        if target == "/robots.txt":
            return server.Answer(b"", status=served["status"])
        return plain(self, host, target)

    monkeypatch.setattr(type(sites), "answer", answer)
    for status, kind in ((403, Kind.FORBIDDEN), (500, Kind.NETWORK)):
        served["status"] = status
        with Client() as client:
            assert Robots(client).site(ZHIXI.site, url).kind is kind
