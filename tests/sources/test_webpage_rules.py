"""Which files of a repository are a site, whether it is wanted, and what it needs."""

from __future__ import annotations

import json

import pytest

from benchmark.outcome import Failed, Kind, Ok
from scenarios.webpage import Webpage
from sources.webpage_files import sort_files
from sources.webpage_filter import Bounds, check_bounds, measure
from sources.webpage_needs import check_needs, needs_jekyll
from tests.servers.github_content import JEKYLL, PLAIN, page, picture


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def site(files):
    outcome = sort_files(files)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def drop(outcome):
    assert isinstance(outcome, Failed), outcome
    return outcome


class TestFiles:
    def test_texts_assets_and_what_has_no_part_in_the_page(self):
        found = site({**PLAIN, "cv.pdf": b"%PDF", "app.py": b"", "fonts/a.woff2": b"\x00\xff"})
        assert set(found.texts) == {"index.html", "css/site.css"}
        assert set(found.assets) == {"boat.png", "fonts/a.woff2"}
        assert set(found.left_out) == {"README.md", "LICENSE", ".gitignore", "cv.pdf", "app.py"}

    def test_the_truth_is_read_as_a_perfect_answer(self):
        found = site(PLAIN)
        answer = Webpage().read(found.truth).value
        assert (answer.repairs, answer.flags) == ((), ())
        assert answer.structure.entry == "index.html"
        assert answer.structure.files == {n: t.encode() for n, t in found.texts.items()}
        assert json.loads(found.truth)[0]["filename"] == "index.html"

    def test_the_folder_docs_is_published_where_the_top_has_no_page(self):
        found = site({**{f"docs/{n}": data for n, data in PLAIN.items()}, "main.js": b"1"})
        assert (found.folder, found.entry) == ("docs", "index.html")
        assert set(found.texts) == {"index.html", "css/site.css"}
        assert "main.js" in found.left_out

    @pytest.mark.parametrize("name", ["readme.md", "README.md", "index.markdown", "INDEX.htm"])
    def test_every_page_that_is_shown_first_is_an_entry(self, name):
        assert site({name: b"x"}).entry == name

    def test_a_site_without_an_index_is_dropped(self):
        assert "no index page" in drop(sort_files({"a.html": b"x"})).message

    def test_a_text_in_another_encoding_is_dropped(self):
        failure = drop(sort_files({**PLAIN, "index.html": "Café".encode("latin-1")}))
        assert (failure.kind, failure.message) == (Kind.UNSUITABLE, "index.html is not UTF-8")

    def test_a_page_that_has_the_name_of_a_document_stays(self):
        assert "history.html" in site({**PLAIN, "history.html": b"<h1>x</h1>"}).texts
        assert "security.md" in site({**PLAIN, "security.md": b"---\n---\nx"}).texts


class TestBounds:
    @pytest.mark.parametrize(
        ("files", "said"),
        [
            ({"index.html": b"<h1>x</h1>\n" * 9}, "9 lines of code, fewer than 10"),
            ({f"{n}.html": page("x") for n in ("index", *"abcde")}, "6 code files, more than 5"),
            ({"index.html": b"<p>x</p>\n" * 1001}, "1001 lines of code, more than 1000"),
            ({**PLAIN, "a.css": b"a {}\n" * 2001}, "2004 lines of style, more than 2000"),
            ({**PLAIN, **{f"{n}.svg": b"<svg/>" for n in range(5)}},
             "6 pictures and films, more than 5"),
            ({**PLAIN, "jquery.min.js": b"x" * 200_000}, "bytes of text, more than 200000"),
            ({"README.md": b"# x\n" * 20}, "nothing but a read-me"),
        ],
    )  # fmt: skip
    def test_the_number_and_the_bound_that_it_breaks_are_said(self, files, said):
        failure = check_bounds(site(files))
        assert failure.kind is Kind.UNSUITABLE
        assert said in failure.message

    def test_what_is_on_the_bounds_is_within_them(self):
        files = {"index.html": b"<p>x</p>\n" * 10}
        assert check_bounds(site(files)) is None
        files = {"a.css": b"a {}\n" * 2000, "index.html": b"<p>x</p>\n" * 996}
        files |= {f"{n}.svg": b"<svg/>" for n in range(5)}
        files |= {f"{n}.js": b"1\n" for n in range(4)}
        assert check_bounds(site(files)) is None

    def test_every_broken_bound_is_said_at_once(self):
        failure = check_bounds(site(PLAIN), Bounds(code_files=0, assets=0))
        assert failure.message == "1 code files, more than 0; 1 pictures and films, more than 0"

    def test_fonts_are_not_counted(self):
        files = {**PLAIN, **{f"{n}.woff": b"\x00" for n in range(9)}}
        assert measure(site(files)).assets == 1

    def test_a_last_line_without_a_line_feed_counts(self):
        assert measure(site({"index.html": b"a\nb"})).code_lines == 2


class TestJekyll:
    def test_a_source_is_told_from_a_finished_site(self):
        assert needs_jekyll(site(JEKYLL))
        assert not needs_jekyll(site(PLAIN))
        assert needs_jekyll(site({**PLAIN, "a.css": b"\xef\xbb\xbf--- \r\n---\n"}))
        assert needs_jekyll(site({"README.md": b"x"}))

    @pytest.mark.parametrize(
        ("config", "named"),
        [
            (b"remote_theme: a/b", "a/b"),
            (b"title: x\r\nremote_theme : 'a/b@main' # new\r\n", "a/b@main"),
            (b"theme: jekyll-theme-slate\n", "jekyll-theme-slate"),
        ],
    )
    def test_a_theme_that_lies_elsewhere_drops_the_site(self, config, named):
        files = {"_config.yml": config, "index.md": b"---\nlayout: default\n---\n" + b"x\n" * 20}
        failure = drop(check_needs(site(files)))
        assert failure.kind is Kind.MISSING_RESOURCE
        assert repr(named) in failure.message

    @pytest.mark.parametrize("config", [b"theme: minima\n", b'theme: "minima"  # as ever\n'])
    def test_the_theme_that_the_renderer_has_is_kept(self, config):
        files = {"_config.yml": config, "index.md": b"---\nlayout: home\n---\n"}
        assert check_needs(site(files)).value.texts["_config.yml"].encode() == config

    def test_a_theme_beside_own_layouts_is_no_longer_named(self):
        files = {**JEKYLL, "_config.yml": b"title: x\ntheme: jekyll-theme-slate\nlang: en\n"}
        found = check_needs(site(files)).value
        assert found.texts["_config.yml"] == "title: x\nlang: en\n"
        assert "jekyll-theme-slate" in found.changes[0]

    @pytest.mark.parametrize(
        "config",
        [b"# theme: slate\n# remote_theme: a/b\n", b"theme:\n  name: slate\n", b"theme: ~\n"],
    )
    def test_what_names_no_theme_changes_nothing(self, config):
        files = {**JEKYLL, "_config.yml": config}
        assert check_needs(site(files)).value.changes == ()

    def test_a_layout_of_the_theme_beside_own_ones_drops_the_site(self):
        files = {
            **JEKYLL,
            "_config.yml": b"theme: slate\n",
            "index.md": b"---\nlayout: wide\n---\n",
        }
        assert "layout 'wide'" in drop(check_needs(site(files))).message

    @pytest.mark.parametrize("name", ["index.md", "README.md"])
    def test_markdown_without_any_layout_would_be_unstyled(self, name):
        failure = drop(check_needs(site({name: b"# x\n" * 20, "_includes/a.html": b"x"})))
        assert failure.kind is Kind.MISSING_RESOURCE
        assert "default theme" in failure.message

    @pytest.mark.parametrize("layout", [b"layout: none\n", b"layout: null\n", b""])
    def test_a_page_that_wants_no_layout_has_none(self, layout):
        files = {"index.html": b"---\n" + layout + b"---\n<h1>x</h1>"}
        assert isinstance(check_needs(site(files)), Ok)

    def test_a_layout_from_the_defaults_is_left_to_the_renderer(self):
        files = {"_config.yml": b"defaults:\n- values: {layout: a}\n", "index.md": b"x"}
        assert isinstance(check_needs(site(files)), Ok)

    @pytest.mark.parametrize("folder", ["", "docs/"])
    def test_a_source_that_says_it_is_finished_is_dropped(self, folder):
        files = {f"{folder}{name}": data for name, data in {**JEKYLL, ".nojekyll": b""}.items()}
        assert ".nojekyll" in drop(check_needs(site(files))).message


class TestElsewhere:
    @pytest.mark.parametrize(
        ("head", "said"),
        [
            ('<link rel="stylesheet" href="https://cdn.example/a.css">', "script of cdn.example"),
            ("<LINK REL='Stylesheet' HREF=//cdn.example/a.css>", "script of cdn.example"),
            ('<script src="http://a.example/a.js"></script><script src="http://b.example/">',
             "2 style sheets or scripts of a.example, b.example"),
        ],
    )  # fmt: skip
    def test_styles_and_scripts_of_other_hosts_drop_a_page(self, head, said):
        failure = drop(check_needs(site({"index.html": page("x", head=head)})))
        assert failure.kind is Kind.MISSING_RESOURCE
        assert said in failure.message

    @pytest.mark.parametrize(
        "head",
        [
            '<link rel="preconnect" href="https://fonts.example">',
            '<link rel="canonical" href="https://me.example/">',
            '<link rel="stylesheet" href="/css/a.css"><script src="a.js"></script>',
            '<!-- <script src="https://cdn.example/a.js"></script> -->',
            '<script>let a = "<link rel=stylesheet href=//x.example>"</script>',
            '<script src="data:text/javascript,1"></script><script src="//["></script>',
        ],
    )
    def test_what_loads_nothing_drops_nothing(self, head):
        assert isinstance(check_needs(site({"index.html": page("x", head=head)})), Ok)

    def test_a_page_of_nothing_but_open_tags_is_read(self):
        assert isinstance(check_needs(site({"index.html": b"<b>" * 60_000})), Ok)


class TestRealSites:
    @pytest.mark.parametrize(
        ("name", "said"),
        [
            ("image2struct_valid_repo", ""),
            ("image2struct_invalid_repo", "no index page"),
            ("mdn_letter", ""),
            ("mdn_layout", "6 pictures and films, more than 5"),
            ("mdn_splash", "10 pictures and films, more than 5"),
            ("mdn_birdwatch", "9 pictures and films, more than 5"),
            ("mdn_bears", "fonts.googleapis.com"),
            ("contrast", "code files, more than 5"),
            ("minima", "code files, more than 5"),
            ("cayman", ""),
        ],
    )
    def test_sites_that_people_made_come_out_as_the_rules_say(self, shared, name, said):
        sorted_ = sort_files(files_of(shared / "real" / "jekyll" / name))
        outcome = sorted_
        if isinstance(sorted_, Ok):
            outcome = check_bounds(sorted_.value) or check_needs(sorted_.value)
        if said:
            assert said in drop(outcome).message
        else:
            assert isinstance(outcome, Ok), outcome

    def test_the_repository_that_image2struct_counts_has_its_numbers(self, shared):
        found = measure(site(files_of(shared / "real" / "jekyll" / "image2struct_valid_repo")))
        assert (found.code_files, found.code_lines, found.style_lines, found.assets) == (
            2, 84, 471, 3
        )  # fmt: skip


def test_pictures_of_the_stand_in_are_pictures():
    assert picture().startswith(b"\x89PNG")
