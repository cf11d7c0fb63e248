"""The same page gives the same picture: scripts, clocks, random numbers and what moves."""

from __future__ import annotations

from PIL import Image

from tests.contracts.renderer_contract import render
from tests.pictures import encoded, has_colour
from tests.renderers.web_sites import QuickRenderer, page, site


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

    def test_scripts_clocks_and_random_numbers_give_one_picture(self):
        with QuickRenderer(workers=1) as one, QuickRenderer(workers=2) as other:
            pictures = {render(r, page(self.MOVING)).png for r in (one, other, one, other)}
        assert len(pictures) == 1

    def test_the_clock_of_a_page_runs_in_order(self, web):
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
        picture = render(web, page(f"<body><script>{script}</script>"))
        shown = f"<body>{seen} 1735689600.9 2020-02-01T00:00:00.000Z true"
        assert picture.png == render(web, page(shown)).png

    def test_waiting_by_reading_the_clock_ends(self, web):
        script = "const t = Date.now(); while (Date.now() < t + 60000); document.write('done')"
        picture = render(web, page(f"<script>{script}</script>"))
        assert picture.png == render(web, page("done")).png

    def test_observers_have_had_their_turn(self, web):
        script = (
            "new IntersectionObserver((seen) => { if (seen[0].isIntersecting)"
            " setTimeout(() => { p.textContent = 'seen' }, 100) }).observe(p)"
        )
        picture = render(web, page(f"<p id=p>x</p><script>{script}</script>"))
        assert picture.png == render(web, page("<p>seen</p>")).png

    def test_jekylls_clock_stands_still_and_late_posts_are_published(self, web):
        structure = site(
            index_dot_html="---\n---\n{{ 'now' | date: '%s' }} {{ site.time | date: '%s' }} "
            "{{ site.posts.first.title }}",
            _posts__2098_01_01_x_dot_md="---\ntitle: Far\n---\n",
        )
        files = {name.replace("_01_01_", "-01-01-"): v for name, v in structure.files.items()}
        picture = render(web, structure.model_copy(update={"files": files}))
        plain = "1735689600 1735689600 Far"
        assert picture.png == render(web, page(plain)).png

    def test_animations_and_transitions_stand_still(self, web):
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
        assert render(web, page(html)).png == render(web, page(still)).png

    def test_a_caret_is_not_shown(self, web):
        focused = render(web, page("<input autofocus style='outline: 0'>"))
        assert focused.png == render(web, page("<input style='outline: 0'>")).png

    def test_animated_gif_shows_its_first_frame(self, web):
        frames = [Image.new("RGB", (60, 60), colour) for colour in ("#0a0b0c", "red", "blue")]
        gif = encoded(
            frames[0], "GIF", save_all=True, append_images=frames[1:], duration=20, loop=0
        )
        picture = render(web, page("<img src=a.gif>", a_dot_gif=gif))
        assert has_colour(picture, (10, 11, 12))
        assert not has_colour(picture, (255, 0, 0))
