"""LilyPond: what is read, what is repaired, and what is left alone."""

from __future__ import annotations

from functools import partial

import pytest

from benchmark.outcome import Failed, Kind, Ok, Stage
from renderers.lilypond import INSTALLED as INSTALLED_IN_IMAGE
from renderers.lilypond import LilypondRenderer
from scenarios.languages.lilypond import INSTALLED, Lilypond
from tests.cases import case_input
from tests.contracts.language_contract import LanguageContract
from tests.scenarios import reading
from tests.scenarios.containers import ready, rendered

LANGUAGE = Lilypond()
read, failure = partial(reading.read, LANGUAGE), partial(reading.failure, LANGUAGE)


class TestContract(LanguageContract):
    language = LANGUAGE
    sample = '\\version "2.24.0"\n\\relative c\' { % a {comment\n  <c e g>4 d8->( e) f2 }'
    words = ("\\version", '"2.18.2"', "\\score", "\\midi", "\\layout", "%{", "%}", "<<", ">>", "c4")


class TestHardCases:
    def test_ly_003_newer_version_is_lowered(self):
        answer = read(case_input("ly-003"))
        assert f'\\version "{".".join(map(str, INSTALLED))}"' in answer.text
        assert "2.26" not in answer.text
        assert "lowered from 2.26.0" in answer.repairs[0]

    def test_ly_006_fenced_equals_unfenced(self):
        text = case_input("ly-006")
        bare = text.split("```lilypond\n")[1].split("\n```")[0]
        assert read(text).structure == read(bare).structure

    def test_ly_015_midi_only_gets_a_layout(self):
        answer = read(case_input("ly-015"))
        assert "\\layout { } \\midi { }" in answer.text
        assert "\\layout" in answer.repairs[0]

    def test_ly_019_abc_is_unsupported(self):
        assert failure(case_input("ly-019")).kind is Kind.UNSUPPORTED
        fenced = failure(f"```abc\n{case_input('ly-019')}\n```")
        assert fenced.kind is Kind.UNSUPPORTED
        assert "ABC" in fenced.message


class TestVersion:
    @pytest.mark.parametrize("version", ["2.24.0", "2.24.4", "2.24"])
    def test_of_the_installed_series_is_left(self, version):
        answer = read(f'\\version "{version}"\n{{ c\'4 }}')
        assert answer.repairs == ()
        assert answer.structure.options == {}

    def test_older_is_converted(self):
        answer = read('\\version "2.18.2"\n{ c\'4 }')
        assert answer.structure.options == {"convert_from": "2.18.2"}
        assert answer.repairs == ("convert-ly from 2.18.2",)

    def test_conversion_is_given_up_when_it_does_not_compile(self):
        answer = read('\\version "2.18.2"\n{ c\'4 }')
        error = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "syntax error")
        repaired = LANGUAGE.repair(answer, error)
        assert repaired.structure.options == {}
        assert repaired.structure.text == answer.structure.text
        assert LANGUAGE.repair(repaired, error) is None

    def test_missing_is_tried_as_it_is(self):
        answer = read("{ c'4 }")
        assert answer.repairs == ()
        assert answer.structure.options == {}

    def test_in_comments_and_strings_is_no_version(self):
        comments = '% \\version "2.26.0"\n%{ \\version "2.10.0" %}\n'
        text = comments + '\\header { title = "\\version 9.9" }\n{ c\'4 }'
        assert read(text).text == text


class TestCutOff:
    def test_brackets_are_closed_and_the_partial_word_dropped(self):
        answer = read("```lilypond\n\\score { << \\new Staff { c'4 d'8 \\re", truncated=True)
        assert " ".join(answer.text.split()) == "\\score { << \\new Staff { c'4 d'8 } >> }"
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]
        assert any("closed" in repair for repair in answer.repairs)

    def test_open_chord_string_and_comment_are_dropped(self):
        for tail in ("<c' e", '\\markup "never en', "%{ a { comment", "% note {"):
            answer = read(f"{{ c'4 d' {tail}", truncated=True)
            assert " ".join(answer.text.split()) == "{ c'4 d' }"

    def test_accents_and_hairpins_are_no_brackets(self):
        answer = read("{ c'4-> d'\\< e'\\> f'\\! g'^> ", truncated=True)
        assert " ".join(answer.text.split()) == "{ c'4-> d'\\< e'\\> f'\\! g'^> }"

    def test_unmatched_brackets_of_a_complete_answer_are_left(self):
        text = "{ c'4 << d' }"
        assert read(text).text == text

    def test_wrongly_nested_brackets_are_not_guessed(self):
        answer = read("```lilypond\n{ << c'4 } >> { d'", truncated=True)
        assert answer.text == "{ << c'4 } >> { d'"


class TestMidi:
    def test_score_with_layout_is_left(self):
        text = "\\score { { c'4 } \\layout { } \\midi { } }"
        assert read(text).text == text

    def test_layout_of_old_versions_was_called_paper(self):
        text = "\\score { \\notes { c'4 } \\paper { } \\midi { } }"
        assert read(text).text == text

    def test_second_score_for_midi_is_left(self):
        text = "\\score { { c'4 } \\layout { } }\n\\score { { c'4 } \\midi { } }"
        assert read(text).text == text


class TestProse:
    def test_around_bare_code_is_dropped(self):
        answer = read('Here is the score.\n\n\\version "2.24.0"\n{ c\'4 }\n\nEnjoy it!')
        assert answer.text == '\\version "2.24.0"\n{ c\'4 }'
        assert answer.repairs == ("prose around the code dropped",)

    def test_alone_is_a_parse_error(self):
        assert failure("I see a treble clef and four notes.").kind is Kind.PARSE_ERROR

    @pytest.mark.parametrize(
        "text",
        ["<?xml version='1.0'?>\n<score-partwise>", "\\documentclass{article}\n{x}", "**kern\n4c"],
    )
    def test_other_notations_are_unsupported(self, text):
        assert failure(text).kind is Kind.UNSUPPORTED


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "unit", ["< c%d ", "{ ", '" ', "%{ ", "X:%d\n", "\\score { \\midi ", "<< x%d"]
)
def test_hostile_length_is_read_in_bounded_time(unit):
    text = "".join(unit.replace("%d", str(n)) for n in range(60_000))
    assert isinstance(LANGUAGE.read(text, truncated=True), Ok | Failed)
    assert isinstance(LANGUAGE.read("```ly\n" + text), Ok | Failed)


@pytest.fixture(scope="module")
def renderer():
    yield from ready(LilypondRenderer())


class TestRendered:
    def test_the_installed_version_is_the_renderers(self):
        assert ".".join(map(str, INSTALLED)) == INSTALLED_IN_IMAGE

    @pytest.mark.parametrize("identifier", ["ly-003", "ly-015"])
    def test_repaired_cases_render_without_flags(self, identifier, renderer):
        answer, picture = rendered(LANGUAGE, renderer, read(case_input(identifier)))
        assert answer.repairs
        assert picture.flags == ()

    def test_ly_006_fenced_and_unfenced_are_equal_to_the_byte(self, renderer):
        text = case_input("ly-006")
        bare = text.split("```lilypond\n")[1].split("\n```")[0]
        fenced = rendered(LANGUAGE, renderer, read(text))[1]
        assert fenced.png == rendered(LANGUAGE, renderer, read(bare))[1].png

    def test_old_syntax_is_converted(self, renderer):
        old = "\\version \"2.10.0\"\n{ \\set Score.skipBars = ##t \\times 2/3 { c'8 d' e' } r4 r2 }"
        answer, picture = rendered(LANGUAGE, renderer, read(old))
        assert answer.repairs == ("convert-ly from 2.10.0",)
        assert picture.flags == ()

    def test_cut_off_score_renders(self, renderer):
        text = "```lilypond\n\\score { << \\new Staff { c'4 d' e' f' | g'4 <a' c'' \\layo"
        answer, picture = rendered(LANGUAGE, renderer, read(text, truncated=True))
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]
        assert picture.flags == ()


def test_scores_that_people_made_are_left_as_they_are(shared):
    files = sorted((shared / "real" / "ly").glob("*.ly"))
    assert len(files) > 10
    for path in files:
        source = path.read_bytes().decode("utf-8", "replace")
        answer = read(source)
        assert all(repair.startswith("convert-ly from") for repair in answer.repairs), path.name
        assert answer.flags == (), path.name
