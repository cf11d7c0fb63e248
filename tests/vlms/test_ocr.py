"""The reading baseline: what it writes in each notation, and that the road accepts it."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Request
from benchmark.settings import Settings
from scenarios.languages.lilypond import Lilypond
from scenarios.languages.tex import Tex
from scenarios.languages.web import Web
from scenarios.mindmap import Mindmap
from tests.contracts.model_contract import ModelContract
from tests.scenarios.containers import ready, rendered
from tests.vlms.pictures import Sheet, bar, staff
from vlms import ocr, ocr_latex, ocr_mindmap, ocr_music, ocr_webpage
from vlms.reader import Line


@pytest.fixture(scope="module")
def model():
    return ocr.build("ocr", Settings(workers=2), None)


def ask(model, scenario: str, png: bytes):
    return model.complete(Request(instance="i", scenario=scenario, prompt="?", image=png))


def written(outcome) -> str:
    assert isinstance(outcome, Ok), outcome
    return outcome.value.text


class TestContract(ModelContract):
    @pytest.fixture
    def model(self):
        return ocr.build("ocr", Settings(workers=2), None)


class TestModel:
    def test_says_what_it_reads_with(self, model):
        digests = model.settings()["models"].split()
        assert [len(digest) for digest in digests] == [64, 64]
        assert not model.sees_truth

    def test_unknown_scenario(self, model):
        outcome = ask(model, "sculpture", Sheet(9, 9).png)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSUPPORTED

    @pytest.mark.parametrize("scenario", ["latex", "music", "mindmap"])
    def test_nothing_found_is_a_failure_not_an_empty_answer(self, model, scenario):
        outcome = ask(model, scenario, Sheet(200, 100).png)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.NO_ANSWER
        assert ocr.FOUND[scenario] in outcome.message

    def test_a_page_without_text_is_still_a_page(self, model):
        page = Web().read(written(ask(model, "webpage", Sheet(200, 100, "#102030").png)))
        assert "#102030" in page.value.text

    def test_unreadable_picture_is_our_fault(self, model):
        outcome = ask(model, "webpage", b"no picture")
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.INTERNAL_ERROR

    def test_missing_models_fail_every_request(self, monkeypatch):
        def missing() -> None:
            raise ocr.ModelsMissing("install it again")

        monkeypatch.setattr(ocr, "find_weights", missing)
        outcome = ask(ocr.build("ocr", Settings(), None), "latex", Sheet(9, 9).png)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.MISSING_WEIGHTS

    def test_answers_are_equal_to_the_letter(self, model):
        page = Sheet(400, 120)
        page.text(20, 20, "Harbour guide", size=30, colour="#aa2200")
        assert written(ask(model, "webpage", page.png)) == written(ask(model, "webpage", page.png))


class TestWebpage:
    @pytest.fixture(scope="class")
    def page(self) -> Sheet:
        page = Sheet(800, 600, "#f4f4f0")
        page.box(0, 0, 800, 80, "#0b5c5a")
        page.text(40, 22, "River museum", size=32, colour="white")
        page.text(40, 200, "Open all year", size=20, colour="#aa2200")
        return page

    def test_lines_keep_place_size_and_colour(self, model, page):
        html = Web().read(written(ask(model, "webpage", page.png))).value.text
        style = re.search(r'style="([^"]*)">Open all year', html)[1]
        found = dict(item.split(": ") for item in style.split("; "))
        assert abs(int(found["left"][:-2]) - 40) <= 3
        assert 17 <= float(found["font-size"][:-2]) <= 23
        assert colours_differ(found["color"], "#aa2200") <= 40
        assert colours_differ(found["background"], "#f4f4f0") <= 8

    def test_rectangles_are_found_behind_text(self, page):
        background, rectangles = ocr_webpage.find_rectangles(page.pixels)
        assert background == "#f4f4f0"
        box = "left: 0px; top: 0px; width: 800px; height: 80px; background: #0b5c5a"
        assert rectangles == [f'<div style="{box}"></div>']

    def test_text_is_escaped(self):
        sheet = Sheet(200, 40)
        html = ocr_webpage.document(sheet.pixels, [Line("<script>&", 5, 5, 90, 30)])
        assert "<script>" not in html
        assert "&lt;script&gt;&amp;" in html

    def test_a_wide_text_gets_a_larger_size(self):
        assert ocr_webpage.font_size("abc", 60, 40) > ocr_webpage.font_size("abc", 40, 40)
        assert ocr_webpage.font_size("", 40, 40) > 0
        assert ocr_webpage.font_size("日本語", 60, 30) == pytest.approx(20, abs=1)


def colours_differ(one: str, other: str) -> int:
    channels = [[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in (one, other)]
    return max(abs(a - b) for a, b in zip(*channels, strict=True))


class TestLatex:
    def test_rows_are_paragraphs_and_columns_are_quads(self):
        lines = [
            Line("Sun", 90, 0, 120, 20),
            Line("Rain", 10, 2, 50, 22),
            Line("763", 10, 40, 50, 60),
        ]
        text = ocr_latex.write(np.zeros((1, 1, 3), np.uint8), lines)
        assert text == "\\noindent Rain \\quad Sun\\par\n\\noindent 763\\par"

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("50 % & #1", r"50 \% \& \#1"),
            (r"a\b{c}", r"a\textbackslash{}b\{c\}"),
            ("x^2_i", r"x\textasciicircum{}2\_i"),
            ("α ≤ β", r"\ensuremath{\alpha} \ensuremath{\leq} \ensuremath{\beta}"),
            ("café", "café"),
            ("数学 a", "a"),
            ("“so”", "``so''"),
        ],
    )
    def test_escapes(self, text, expected):
        assert ocr_latex.escape(text) == expected

    def test_text_that_latex_cannot_set_is_no_answer(self):
        assert ocr_latex.write(np.zeros((1, 1, 3), np.uint8), [Line("数学", 0, 0, 9, 9)]) is None


class TestMusic:
    def test_staves_systems_and_bars(self):
        sheet = Sheet(600, 300)
        for top in (20, 90, 200, 270 - 32):
            staff(sheet, top)
        ink = sheet.pixels.mean(axis=2) < ocr_music.DARK
        assert [s.top for s in ocr_music.staves(ink)] == [20, 90, 200, 238]

    def test_joined_staves_are_one_system(self):
        sheet = Sheet(600, 400)
        for top in (20, 80, 220, 280):
            staff(sheet, top)
        bar(sheet, 20, 20, 112)
        bar(sheet, 20, 220, 312)
        for x in (200, 400, 578):
            bar(sheet, x, 20, 52)
            bar(sheet, x, 220, 252)
        text = ocr_music.write(sheet.pixels, [])
        assert text.count(r"\new Staff") == 2
        assert text.count(r"\break") == 2
        assert text.count("s1 |") == 12
        assert r"\new PianoStaff" in text

    def test_single_staves_are_systems_of_their_own(self):
        sheet = Sheet(600, 400)
        for top in (20, 120, 220):
            staff(sheet, top)
        text = ocr_music.write(sheet.pixels, [])
        assert text.count(r"\new Staff") == 1
        assert text.count(r"\break") == 2

    def test_pale_thin_lines_are_found(self):
        sheet = Sheet(600, 100)
        for number in range(5):
            y = 20 + 8 * number
            sheet.box(20, y, 580, y + 2 if number == 1 else y + 1, "#b0b0b0")
        assert ocr_music.write(sheet.pixels, []) is not None

    def test_a_table_is_no_staff(self):
        sheet = Sheet(600, 300)
        for y in (10, 40, 110, 130, 290):
            sheet.box(0, y, 600, y + 1, "black")
        assert ocr_music.write(sheet.pixels, []) is None

    def test_stems_are_no_bar_lines(self):
        sheet = Sheet(600, 100)
        staff(sheet, 30)
        bar(sheet, 578, 30, 62)
        bar(sheet, 200, 14, 62)
        (found,) = ocr_music.staves(sheet.pixels.mean(axis=2) < ocr_music.DARK)
        assert ocr_music.count_bars(sheet.pixels.mean(axis=2) < ocr_music.DARK, found) == 1


class TestMindmap:
    @pytest.fixture(scope="class")
    def sheet(self) -> Sheet:
        """Root left, two branches, one of them with two leaves, a label of two lines."""
        sheet = Sheet(760, 320)
        sheet.box(20, 130, 190, 180, "#26323f")
        sheet.text(38, 142, "Garden", size=26, colour="white")
        for y, name in ((40, "Soil"), (230, "Plants")):
            sheet.frame(290, y, 400, y + 36, "#2563a8")
            sheet.text(310, y + 7, name, size=20)
            sheet.line(190, 155, 290, y + 18, "#2563a8")
        for y, name in ((190, "Herbs"), (250, "Roses that climb")):
            sheet.text(540, y, name, size=18)
            sheet.line(400, 248, 531, y + 10, "#2f7d4f")
        sheet.text(548, 270, "the old wall", size=18)
        return sheet

    def test_tree_from_boxes_and_strokes(self, model, sheet):
        tree = json.loads(written(ask(model, "mindmap", sheet.png)))
        assert tree == {
            "text": "Garden",
            "children": [
                {"text": "Soil", "children": []},
                {
                    "text": "Plants",
                    "children": [
                        {"text": "Herbs", "children": []},
                        {"text": "Roses that climb the old wall", "children": []},
                    ],
                },
            ],
        }

    def test_without_strokes_the_nearest_on_the_left_is_the_parent(self):
        lines = [
            Line("Root", 10, 90, 80, 120),
            Line("one", 150, 40, 200, 60),
            Line("two", 150, 150, 200, 170),
            Line("three", 260, 150, 310, 170),
        ]
        tree = json.loads(ocr_mindmap.write(Sheet(320, 220).pixels, lines))
        assert tree["text"] == "Root"
        assert [child["text"] for child in tree["children"]] == ["one", "two"]
        assert tree["children"][1]["children"][0]["text"] == "three"

    def test_every_line_is_somewhere_in_the_tree(self):
        lines = [
            Line(f"n{i}", 40 * (i % 7), 50 * (i // 7), 40 * (i % 7) + 30, 50 * (i // 7) + 18)
            for i in range(40)
        ]
        text = ocr_mindmap.write(Sheet(300, 320).pixels, lines)
        assert all(f'"n{i}"' in text for i in range(40))

    def test_chinese_lines_are_joined_without_a_space(self):
        lines = [Line("学习", 10, 10, 60, 30), Line("计划", 10, 34, 60, 54)]
        nodes = ocr_mindmap.merge(lines)
        assert [node.text for node in nodes] == ["学习计划"]


class TestRoad:
    """What the reader writes, rendered in real containers."""

    @pytest.fixture(scope="class")
    def tex(self):
        from renderers.tex import TexRenderer

        yield from ready(TexRenderer())

    @pytest.fixture(scope="class")
    def lilypond(self):
        from renderers.lilypond import LilypondRenderer

        yield from ready(LilypondRenderer())

    @pytest.mark.parametrize(
        "text",
        [
            "".join(map(chr, range(32, 127))),
            "".join(ocr_latex.SYMBOLS),
            "“quoted” ‘so’ – or — so…",
            " ".join(map(chr, range(0xA0, 0x180))),
            "½ x² ﬁ ① 数学 ﷽ end",
        ],
        ids=["ascii", "symbols", "quotes", "latin", "compatibility"],
    )
    def test_whatever_was_read_compiles(self, tex, text):
        answer = ocr_latex.write(np.zeros((1, 1, 3), np.uint8), [Line(text, 0, 0, 9, 9)])
        read = Tex().read(answer)
        final, picture = rendered(Tex(), tex, read.value)
        assert final.repairs == read.value.repairs
        assert picture.flags == ()

    def test_empty_staves_render_as_wide_as_they_were_read(self, lilypond, model):
        sheet = Sheet(700, 200)
        for top in (20, 110):
            staff(sheet, top, right=680)
        text = written(ask(model, "music", sheet.png))
        _, picture = rendered(Lilypond(), lilypond, Lilypond().read(text).value)
        again = ocr_music.write(pixels(picture.png), [])
        assert again.count(r"\break") == 1

    def test_the_scenario_reads_the_tree(self, model):
        sheet = Sheet(300, 80)
        sheet.text(20, 20, "Root", size=24)
        read = Mindmap().read(written(ask(model, "mindmap", sheet.png)))
        assert read.value.tree == {"text": "Root"}


def pixels(png: bytes) -> np.ndarray:
    return ocr._pixels(png)
