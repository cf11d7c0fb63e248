"""Loopback stand-ins of the mind-map sites: XMind's share pages, Biggerplate, Zhixi, and a CDN.

One server; each host has a folder of its own, which ``mirrors`` names. The shapes of the listings
are those that docs/sources.md describes, their content is written in ``map_files``.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from tests.servers import map_files as files

XMIND, BIGGERPLATE, ZHIXI = "www.xmind.net", "www.biggerplate.com", "www.zhixi.com"
CDN = "xmindshare.s3.amazonaws.com"
ELSEWHERE = "files.example.org"
HOSTS = (XMIND, BIGGERPLATE, ZHIXI, CDN, ELSEWHERE)
COMMONS = "https://creativecommons.org/licenses/by-sa/4.0/"
MODIFIED = "Wed, 11 Nov 2026 08:00:00 GMT"


@dataclass
class Answer:
    """What is sent for a path."""

    body: bytes = b""
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


def page(body: str = "", head: str = "", title: str = "A map") -> Answer:
    text = (
        f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    )
    return Answer(text.encode())


def moved(to: str) -> Answer:
    return Answer(status=302, headers={"Location": to})


def published(day: str, author: str = "Ada Example") -> str:
    """JSON-LD that says when a map was made and by whom."""
    data = {"@type": "CreativeWork", "datePublished": day, "author": {"name": author}}
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


LOGIN = page(
    '<form action="/login"><input name="user"><input type="password"></form>', title="Log in"
)
NOTHING = page()
GONE = Answer(b"<html>not found</html>", status=404)


def file(data: bytes, **headers: str) -> Answer:
    return Answer(data, "application/octet-stream", headers=headers)


@dataclass
class MapSites:
    """The sites; change ``answers`` or ``robots`` between two collections, or go to `next_day`."""

    address: str = ""
    later: bool = False
    asked: list[str] = field(default_factory=list)
    """Host and path of every request, in order."""
    sent: list[str] = field(default_factory=list)
    """Host and path of every request that was answered with a body and status 200."""
    robots: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)
    listed: list[dict] = field(default_factory=list)
    """XMind's listing, three items a page."""
    pages: dict[str, list[list[str]]] = field(default_factory=dict)
    """The links of the listings in HTML, by host and page."""
    fresh: dict[str, list[str]] = field(default_factory=dict)
    """What is listed first on the next day."""

    @property
    def mirrors(self) -> dict[str, str]:
        """Host to address, for ``RERENDER_MIRRORS``."""
        return {host: f"{self.address}/{host}" for host in HOSTS}

    def next_day(self) -> None:
        """List on each site what was made on 2026-11-29."""
        self.later = True

    def answer(self, host: str, target: str) -> Answer:
        parts = urlsplit(target)
        if parts.path == "/robots.txt":
            rules = self.robots.get(host)
            return GONE if rules is None else Answer(rules.encode(), "text/plain")
        found = self.answers.get(f"{host}{parts.path}")
        if found is not None:
            return found
        if host == XMIND and parts.path == "/_api/share/maps":
            return self._xmind(int(parse_qs(parts.query)["start"][0]) // 50)
        if host == XMIND and parts.path == "/_api/share/featured-maps":
            chosen = [one for one in self.listed if one.get("featured")]
            return Answer(json.dumps({"mapList": chosen}).encode(), "application/json")
        if parts.path == {BIGGERPLATE: "/mindmaps", ZHIXI: "/tpl"}.get(host):
            return self._links(host, int(parse_qs(parts.query).get("page", ["1"])[0]))
        return GONE

    def _xmind(self, number: int) -> Answer:
        shown = [one for one in self.listed if self.later or not one.get("tomorrow")]
        chunk = shown[number * 3 : number * 3 + 3]
        return Answer(json.dumps({"mapList": chunk}).encode(), "application/json")

    def _links(self, host: str, number: int) -> Answer:
        pages = self.pages.get(host, [])
        links = pages[number - 1] if number <= len(pages) else []
        if number == 1 and self.later:
            links = [*self.fresh.get(host, []), *links]
        return page("".join(f'<p><a href="{link}">a map</a></p>' for link in links), title="Maps")


def _item(ident: str, created: str, author: str = "Ada Example", **more: object) -> dict:
    return {
        "id": ident,
        "topic": ident,
        "created": f"{created}T05:49:04",
        "profileName": author,
    } | more


def _xmind(sites: MapSites) -> None:
    sites.listed = [
        _item("Fern9", "2026-11-29", tomorrow=True),
        _item("Tea01", "2026-11-20", downloadable=True, featured=True),
        _item("Kept2", "2026-11-19", downloadable=False),
        _item("Stub3", "2026-11-18"),
        _item("Bike4", "2026-11-17", "王小明"),
        _item("Lone5", "2026-11-16"),
        _item("Gone6", "2026-11-15"),
        _item("Html7", "2026-11-14"),
        _item("Old08", "2020-01-01"),
    ]
    maps = {
        "Fern9": files.xmind(files.HARBOUR),
        "Tea01": files.xmind(files.TEA),
        "Stub3": files.stub(),
        "Bike4": files.xmind(files.BICYCLE),
        "Lone5": files.xmind(files.topic("Alone")),
        "Old08": files.xmind8("Old", "way", "times", entry="/content.xml"),
    }
    for ident, data in maps.items():
        sites.answers[f"{XMIND}/m/{ident}/"] = page()
        named = {"downloadUrl": f"https://{CDN}/maps/{ident}.xmind"}
        asked = Answer(json.dumps(named).encode(), "application/json")
        sites.answers[f"{XMIND}/_api/share/maps/{ident}/downloadurl"] = asked
        sites.answers[f"{CDN}/maps/{ident}.xmind"] = file(data)
    sites.answers[f"{XMIND}/m/Tea01/"] = page(f'<a rel="license" href="{COMMONS}">CC BY-SA</a>')
    sites.answers[f"{XMIND}/m/Bike4/"] = page('<a href="/files/Bike4.xmind">Download</a>')
    sites.answers[f"{XMIND}/files/Bike4.xmind"] = moved(f"https://{CDN}/maps/Bike4.xmind")
    sites.answers[f"{XMIND}/m/Html7/"] = page('<a data-file="/files/Html7.xmind">Download</a>')
    sites.answers[f"{XMIND}/files/Html7.xmind"] = page("Please wait 15 seconds")


def _biggerplate(sites: MapSites) -> None:
    def at(ident: str) -> str:
        return f"/mindmaps/{ident}/some-title"

    sites.pages[BIGGERPLATE] = [
        [at("gard01"), at("gard01"), "/mindmaps", "/about"],
        [at("dateless2"), at("changed3"), at("locked4"), at("empty5")],
        [at("away6"), at("bare7")],
    ]
    sites.fresh[BIGGERPLATE] = [at("morrow8")]
    bodies = {
        "gard01": ("/mindmaps/gard01/download", published("2026-11-12")),
        "dateless2": ("/files/dateless2.mmap", ""),
        "changed3": ("/files/changed3.mmap", ""),
        "away6": (f"https://{ELSEWHERE}/away6.mmap", published("2026-11-13")),
        "bare7": ("/files/bare7.mmap", published("2026-11-13")),
        "morrow8": ("/files/morrow8.mmap", published("2026-11-29", "Grace Example")),
    }
    for ident, (link, head) in bodies.items():
        sites.answers[f"{BIGGERPLATE}{at(ident)}"] = page(f'<a href="{link}">Download</a>', head)
    sites.answers[f"{BIGGERPLATE}{at('locked4')}"] = LOGIN
    sites.answers[f"{BIGGERPLATE}{at('empty5')}"] = NOTHING
    host = f"{BIGGERPLATE}/"
    sites.answers[f"{host}mindmaps/gard01/download"] = moved("/files/gard01.xmind")
    sites.answers[f"{host}files/gard01.xmind"] = file(files.xmind(files.GARDEN, sheets=2))
    sites.answers[f"{host}files/dateless2.mmap"] = file(files.mmap("Plan", "Now", "Later"))
    changed = file(files.mmap("Trip", "Pack", "Drive", "Rest"), **{"Last-Modified": MODIFIED})
    sites.answers[f"{host}files/changed3.mmap"] = changed
    sites.answers[f"{host}files/bare7.mmap"] = file(files.mmap(""))
    sites.answers[f"{host}files/morrow8.mmap"] = file(files.mmap("Soon", "One", "Two", "Three"))


def _zhixi(sites: MapSites) -> None:
    view, template, bare = "/view/0a1b2c3d", f"/tpl/{'0f' * 16}", "/view/ffffffff"
    sites.pages[ZHIXI] = [[view, template, bare]]
    sites.fresh[ZHIXI] = ["/view/11112222"]
    tree = files.minder("面包", files.minder("面粉", files.minder("小麦")), files.minder("水"))
    state = f"<script>window.__STATE__ = {json.dumps({'file': {'root': tree}})};</script>"
    sites.answers[f"{ZHIXI}{view}"] = page(head=state + published("2026-11-10", "李雷"))
    sites.answers[f"{ZHIXI}{template}"] = page(
        '<a href="/export/bread.md">导出</a><time datetime="2026-11-09">昨天</time>'
    )
    sites.answers[f"{ZHIXI}/export/bread.md"] = Answer(files.OUTLINE.encode(), "text/markdown")
    sites.answers[f"{ZHIXI}{bare}"] = page('<div id="app"></div>')
    morning = files.minder("早晨", files.minder("起床"), files.minder("早饭"))
    state = f'<script type="application/json">{json.dumps({"root": morning})}</script>'
    sites.answers[f"{ZHIXI}/view/11112222"] = page(head=state + published("2026-11-29"))


def default() -> MapSites:
    """Return the sites with their usual content."""
    sites = MapSites()
    _xmind(sites)
    _biggerplate(sites)
    _zhixi(sites)
    return sites


@contextmanager
def map_sites(sites: MapSites | None = None) -> Iterator[MapSites]:
    """Serve the sites on loopback; set ``RERENDER_MIRRORS`` to their ``mirrors``."""
    served = sites or default()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # or each body waits for a delayed acknowledgement

        def log_message(self, *args):
            pass

        def do_GET(self):
            host, _, target = self.path[1:].partition("/")
            served.asked.append(f"{host}/{target}")
            answer = served.answer(host, f"/{target}")
            tag = f'"{hashlib.sha256(answer.body).hexdigest()}"'
            if answer.status == 200 and self.headers.get("If-None-Match") == tag:
                answer = Answer(status=304)
            if answer.status == 200:
                served.sent.append(f"{host}/{target}")
            self.send_response(answer.status)
            self.send_header("Content-Length", str(len(answer.body)))
            self.send_header("Content-Type", answer.type)
            self.send_header("ETag", tag)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    served.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
