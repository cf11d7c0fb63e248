"""Jekyll sites: what is built, what is dropped, what is named, and what never runs."""

from __future__ import annotations

import pytest

from benchmark.outcome import Kind
from tests.contracts.renderer_contract import fail, render
from tests.pictures import flagged, has_colour
from tests.renderers.web_sites import JEKYLL, page, site


class TestJekyll:
    def test_layouts_includes_data_and_sass_are_built(self, web):
        picture = render(web, JEKYLL)
        assert has_colour(picture, (200, 30, 10))
        plain = (
            "<style>h1{background: rgb(200, 30, 10)}</style><h1>Tea</h1>"
            "<p>Some <em>teas</em>: <b>Assam</b> <b>Sencha</b></p>"
        )
        assert picture.png == render(web, page(plain)).png

    @pytest.mark.parametrize(
        ("config", "name"),
        [("theme: jekyll-theme-nowhere", "jekyll-theme-nowhere"), ("remote_theme: a/b", "a/b")],
    )
    def test_a_theme_that_is_not_there_is_named(self, web, config, name):
        failure = fail(web, page("---\n---\nx", _config_dot_yml=config))
        assert failure.kind is Kind.MISSING_RESOURCE
        assert name in failure.message

    def test_a_theme_beside_own_layouts_is_dropped(self, web):
        own = page(
            "---\nlayout: a\n---\nx",
            _config_dot_yml="theme: jekyll-theme-nowhere",
            _layouts__a_dot_html="<b>{{ content }}</b>",
        )
        picture = render(web, own)
        assert flagged(picture, "jekyll-theme-nowhere")
        assert picture.png == render(web, page("<b>x</b>")).png

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
    def test_a_site_that_cannot_be_built_says_why(self, web, kind, text, structure):
        failure = fail(web, structure)
        assert (failure.kind, text in failure.message) == (kind, True), failure
        assert "/work" not in failure.message

    def test_plugins_and_gemfiles_of_the_site_never_run(self, web):
        evil = "File.write('/work/source/index.html', 'owned'); raise 'ran'"
        structure = page(
            "---\n---\nharmless",
            _config_dot_yml="safe: false\nplugins_dir: [_plugins]\nplugins: [evil]\n"
            "whitelist: [evil]\nsource: /etc\ndestination: /work/source\n",
            _plugins__evil_dot_rb=evil,
            Gemfile="raise 'ran'",
        )
        picture = render(web, structure)
        assert picture.png == render(web, page("harmless")).png
        assert flagged(picture, "'evil'")

    def test_a_site_below_a_path_finds_its_files(self, web):
        structure = page(
            "---\n---\n<link rel=stylesheet href=\"{{ '/a.css' | relative_url }}\"><h1>x</h1>",
            _config_dot_yml="baseurl: /project\nurl: https://real.example\n",
            a_dot_css="h1 { background: rgb(9, 8, 7) }",
        )
        assert has_colour(render(web, structure), (9, 8, 7))
