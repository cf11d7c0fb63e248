"""The web language and the webpage scenario: answers as models write them."""

from __future__ import annotations

import json
import tarfile
from functools import partial
from pathlib import Path

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Asset
from scenarios.languages.web import Web, write
from scenarios.webpage import Webpage
from tests.cases import case_params, input_file
from tests.contracts.language_contract import LanguageContract
from tests.contracts.scenario_contract import ScenarioContract, instance
from tests.scenarios import reading

BUNDLED = Path(__file__).resolve().parents[2] / "sources" / "material" / "webpage"
read, failure = partial(reading.read, Web()), partial(reading.failure, Web())

SITE = {
    "index.html": '<!DOCTYPE html>\n<link rel=stylesheet href="css/site.css">\n<h1>Café ☕</h1>\n',
    "css/site.css": "h1 { color: teal; }\n",
}


def some(area, *numbers):
    """Return the hard cases that concern reading alone (or the skipped one without shared data)."""
    known = case_params(area)
    return [case for case in known if case.id.partition("-")[2] in numbers or case.marks]


def files(text, **options):
    structure = read(text, **options).structure
    return {name: data.decode() for name, data in structure.files.items()}


class TestContract(LanguageContract):
    language = Web()
    sample = write(SITE)
    words = ('"filename"', '"content"', "<html>", "index.html", "</body>", "{% include a.html %}")


class TestScenario(ScenarioContract):
    scenario = Webpage()
    sample = write(SITE)


class TestUnsafeNames:
    @pytest.mark.parametrize(
        "name",
        [
            "../evil.html", "a/../../evil.html", "/etc/passwd", "C:\\x.html", "c:/x.html",
            "a\\..\\..\\b.html", "a\x00.html", "\n", "..", "a/", "x" * 600,
        ],
    )  # fmt: skip
    def test_a_name_that_leaves_the_folder_is_refused_and_named(self, name):
        text = json.dumps([
            {"filename": "index.html", "content": "ok"}, {"filename": name, "content": "x"},
        ])  # fmt: skip
        outcome = failure(text)
        assert outcome.kind is (Kind.UNSAFE_INPUT if name.strip() else Kind.PARSE_ERROR)

    def test_dots_and_empty_parts_are_tidied(self):
        text = write({"./index.html": "x", "css//./a.css": "y"})
        assert set(files(text)) == {"index.html", "css/a.css"}

    def test_symbolic_links_in_a_folder_are_refused(self, tmp_path):
        (tmp_path / "index.html").write_text("x")
        (tmp_path / "leak.html").symlink_to("/etc/passwd")
        outcome = Web().from_folder(tmp_path)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSAFE_INPUT
        assert "leak.html" in outcome.message

    def test_a_linked_folder_is_refused(self, tmp_path):
        (tmp_path / "index.html").write_text("x")
        (tmp_path / "_includes").symlink_to("/etc")
        outcome = Web().from_folder(tmp_path)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSAFE_INPUT


class TestJson:
    def test_synonyms_and_wrappers_are_recorded(self):
        answer = read('{"files": [{"path": "index.html", "code": "<p>x"}]}')
        assert answer.structure.text == "<p>x"
        assert answer.repairs == (
            "list of files taken from its wrapper", "path read as filename", "code read as content",
        )  # fmt: skip

    def test_an_object_of_files_is_read(self):
        assert files('{"index.html": "<p>x", "a.css": "p{}"}') == {
            "index.html": "<p>x", "a.css": "p{}",
        }  # fmt: skip

    @pytest.mark.parametrize("text", ["[]", "{}", '["a", "b"]', '{"title": "x"}', "[1, 2"])
    def test_json_that_is_no_list_of_files_fails(self, text):
        assert failure(text).kind is Kind.PARSE_ERROR

    def test_of_two_files_with_one_name_the_last_stays_flagged(self):
        answer = read(
            '[{"filename": "index.html", "content": "a"}, {"filename": "./index.html", '
            '"content": "b"}]'
        )
        assert answer.structure.text == "b"
        assert "written twice" in answer.flags[0].message

    def test_a_picture_written_as_text_is_left_out_so_that_the_asset_stays(self):
        answer = read(write(SITE)[:-2] + ',\n{"filename": "a/b.PNG", "content": "<binary>"}\n]')
        assert set(answer.structure.files) == set(SITE)
        assert "a/b.PNG" in answer.flags[0].message

    def test_a_cut_off_list_keeps_its_whole_files(self):
        whole = '[{"filename": "index.html", "content": "<p>x</p>"}, {"filename": "a.cs'
        answer = read(f"```json\n{whole}", truncated=True)
        assert set(answer.structure.files) == {"index.html"}
        assert {flag.kind for flag in answer.flags} == {Kind.TRUNCATED}

    def test_a_cut_off_content_is_read_as_far_as_it_goes(self):
        answer = read('[{"filename": "index.html", "content": "<h1>Half a', truncated=True)
        assert answer.structure.text == "<h1>Half a"
        assert answer.flags[0].kind is Kind.TRUNCATED

    def test_prose_around_json_without_a_fence(self):
        assert files(f"Sure! {write(SITE)}\nI hope this helps.") == SITE


class TestHtml:
    def test_a_bare_document(self):
        answer = read("<!DOCTYPE html><html><body>x</body></html>\n")
        assert answer.structure.entry == "index.html"
        assert answer.repairs == ("HTML without a file name read as index.html",)

    def test_front_matter_belongs_to_the_page(self):
        text = "---\nlayout: home\n---\n<p>{{ page.title }}</p>\n"
        assert files(text) == {"index.html": text}

    def test_a_document_amid_prose(self):
        answer = read("Here you are:\n<html><p>x</p></html>\nEnjoy < this!")
        assert answer.structure.text == "<html><p>x</p></html>\n"

    def test_a_fragment_amid_prose(self):
        assert files("Well: <div><p>x</p></div> done") == {"index.html": "<div><p>x</p></div>\n"}

    def test_text_after_the_last_tag_stays_and_a_remark_goes(self):
        assert files("<h1>a</h1><p>b") == {"index.html": "<h1>a</h1><p>b"}
        assert files("<h1>a</h1>\n\nI left out the logo.") == {"index.html": "<h1>a</h1>\n"}

    def test_a_fence_wins_over_the_prose(self):
        assert files("Use <b>bold</b>:\n```html\n<p>x</p>\n```") == {"index.html": "<p>x</p>"}

    def test_the_last_full_page_wins_over_snippets(self):
        text = "```html\n<h1>draft one</h1>\n```\nbetter:\n```html\n<h1>final!</h1>\n```\n"
        assert files(text + "```html\n<b>s\n```") == {"index.html": "<h1>final!</h1>"}

    def test_prose_alone_fails(self):
        assert failure("I cannot see any page here, a < b.").kind is Kind.PARSE_ERROR

    def test_cut_off_html_is_flagged(self):
        answer = read("```html\n<h1>x</h1><p>and", truncated=True)
        assert answer.structure.text == "<h1>x</h1><p>and"
        assert answer.flags[0].kind is Kind.TRUNCATED

    def test_endless_repetition_is_truncated(self):
        outcome = failure("```html\n<ul>" + "<li>again</li>\n" * 5000, truncated=True)
        assert outcome.kind is Kind.TRUNCATED
        assert "degenerate_repetition" in outcome.message


class TestBlocks:
    @pytest.mark.parametrize(
        "text",
        [
            "**index.html**\n```html\n<p>x\n```\n**css/a.css**\n```css\np{}\n```",
            "```html index.html\n<p>x\n```\n```css:css/a.css\np{}\n```",
            '```html title="index.html"\n<p>x\n```\n```css filename=css/a.css\np{}\n```',
            "### 1. `index.html`\n```html\n<p>x\n```\n\nFile: css/a.css\n```css\np{}\n```",
            "index.html:\n```\n<p>x\n```\n- `css/a.css` (styles)\n```\np{}\n```",
        ],
    )
    def test_file_names_beside_the_fences(self, text):
        assert files(text) == {"index.html": "<p>x", "css/a.css": "p{}"}

    def test_names_in_first_comments(self):
        text = "```html\n<!-- index.html -->\n<p>x\n```\n```css\n/* a.css */\np{}\n```"
        assert set(files(text)) == {"index.html", "a.css"}

    def test_an_unnamed_style_sheet_takes_the_name_that_the_page_links(self):
        page = '<link rel="stylesheet" href="./css/main.css"><script src="app.js"></script>'
        text = f"```html\n{page}\n```\n```css\np{{}}\n```\n```js\nlet a;\n```"
        assert set(files(text)) == {"index.html", "css/main.css", "app.js"}

    def test_prose_that_ends_in_a_name_is_no_name(self):
        assert set(files("Save this as a file called index.html\n```html\n<p>x\n```")) == {
            "index.html"
        }

    def test_unsafe_names_beside_fences_are_refused(self):
        text = "```html index.html\nx\n```\n```css a/../../b.css\np{}\n```"
        assert failure(text).kind is Kind.UNSAFE_INPUT


class TestEntry:
    def test_a_folder_around_all_files_is_dropped(self):
        answer = read(write({"site/index.html": "x", "site/a.css": "y"}))
        assert set(answer.structure.files) == {"index.html", "a.css"}
        assert "folder around all files dropped" in answer.repairs

    @pytest.mark.parametrize(
        ("names", "entry"),
        [
            (["a.html"], "a.html"),
            (["INDEX.html", "a.html"], "INDEX.html"),
            (["index.md", "_layouts/default.html"], "index.md"),
            (["README.md", "_config.yml"], "README.md"),
            (["about.md", "_posts/2026-01-01-a.md"], "about.md"),
            (["a.html", "sub/b.html"], "a.html"),
        ],
    )
    def test_the_entry(self, names, entry):
        assert read(write(dict.fromkeys(names, "x"))).structure.entry == entry

    @pytest.mark.parametrize("names", [["a.html", "b.html"], ["style.css"], ["_layouts/a.html"]])
    def test_no_entry(self, names):
        outcome = failure(write(dict.fromkeys(names, "x")))
        assert outcome.kind is Kind.MISSING_RESOURCE
        assert "no entry page" in outcome.message


class TestWriting:
    def test_what_is_written_is_read_again(self):
        assert files(write(SITE)) == SITE

    def test_order_and_pictures(self):
        text = write({"b.css": "", "a.js": "", "index.html": "", "i/p.png": b"\x89PNG"})
        names = [item["filename"] for item in json.loads(text)]
        assert names == ["index.html", "a.js", "b.css"]

    def test_a_folder_is_read_as_it_is(self, tmp_path):
        (tmp_path / "css").mkdir()
        (tmp_path / "css" / "site.css").write_text(SITE["css/site.css"])
        (tmp_path / "index.html").write_text(SITE["index.html"])
        (tmp_path / "logo.png").write_bytes(b"\x89PNG\xff")
        (tmp_path / ".git").mkdir()
        (tmp_path / ".git" / "config").write_text("x")
        outcome = Web().from_folder(tmp_path)
        assert isinstance(outcome, Ok)
        assert set(outcome.value.structure.files) == {*SITE, "logo.png"}
        assert outcome.value.text == read(write(SITE)).text

    @pytest.mark.parametrize(
        "folder", sorted(BUNDLED.glob("*/*")), ids=lambda path: f"{path.parent.name}/{path.name}"
    )
    def test_bundled_sites_survive_writing_and_reading(self, folder):
        outcome = Web().from_folder(folder)
        assert isinstance(outcome, Ok)
        answer = read(write(outcome.value.structure.files))
        assert answer.text == outcome.value.text
        assert answer.structure.entry == outcome.value.structure.entry
        assert answer.repairs == ()
        assert answer.flags == ()


class TestPrompt:
    def test_assets_are_named(self):
        plain = instance(Webpage(), "html")
        shown = plain.model_copy(
            update={"assets": (Asset(path="assets/cup.png", digest="0" * 64),)}
        )
        assert "assets/cup.png" in Webpage().prompt(shown)
        assert "{" not in Webpage().prompt(plain).split("```")[0]
        assert "No picture files" in Webpage().prompt(plain)


@pytest.mark.parametrize("case", some("parse", "001", "009", "013", "015", "016"))
def test_hard_answers(case):
    checks = {
        "parse-001": {"README.md": "Use ```bash``` here", "index.html": "<p>x</p>"},
        "parse-009": {"index.html": "<p>\nhi</p>"},
        "parse-015": {"index.html": "<p>x</p>"},
        "parse-016": {"index.html": "<p>\ufffd</p>"},
    }
    if case["id"] in checks:
        assert files(case["input"]) == checks[case["id"]]
    else:
        assert files(case["input"])["index.html"] in case["input"]
        assert "<think>raw</think>" in files(case["input"])["index.html"]


@pytest.mark.parametrize("case", some("web", "013", "031", "033", "034"))
def test_hard_file_lists(case, tmp_path):
    if case["id"] == "web-031":
        outcome = failure(case["input"])
        assert outcome.kind is Kind.UNSAFE_INPUT
        assert "../../evil.html" in outcome.message
        assert "/tmp/abs.html" in outcome.message  # noqa: S108
    elif case["id"] == "web-033":
        outcome = failure(case["input"])
        assert outcome.kind is Kind.PARSE_ERROR
        for item in ("item 1 (index.html)", "item 2 (style.css)", "item 3"):
            assert item in outcome.message
    elif case["id"] == "web-034":
        assert read(case["input"]).structure.entry == "home.html"
    else:
        folder = tmp_path / "site"
        with tarfile.open(input_file(case, tmp_path)) as archive:
            # the link is wanted, and Python 3.11 knows filters only since 3.11.4
            archive.extraction_filter = lambda member, path: member
            archive.extractall(folder)  # noqa: S202
        outcome = Web().from_folder(folder)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSAFE_INPUT
