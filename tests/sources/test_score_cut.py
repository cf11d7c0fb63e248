r"""Scores are cut at bars, exactly or not at all."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from benchmark.outcome import Ok, ok
from sources import score_cut, score_header, score_includes
from sources.score_file import read_file
from sources.score_tokens import MOST_CHARACTERS, Kind, Unreadable, tokenize

BAR = Fraction(1)


def cut(source: str, bars: int) -> str:
    file = read_file(source)
    return score_cut.cut(file, score_cut.bar_ends(file)[bars - 1])


def music(source: str, bars: int) -> str:
    """The music that is left, on one line."""
    inner = cut(source, bars).partition("\\score {")[2].rpartition("\\layout")[0]
    return " ".join(inner.split())


def refused(source: str, bars: int = 1) -> str:
    with pytest.raises(Unreadable) as reason:
        cut(source, bars)
    return str(reason.value)


def ends(source: str) -> list[Fraction]:
    return score_cut.bar_ends(read_file(source))


def test_bars_are_counted_with_pickups_and_changes_of_metre():
    source = r"{ \time 3/4 \partial 4 c4 | d e f | \time 2/4 g2 | a4. b8 | }"
    assert ends(source) == [Fraction(1, 4), BAR, Fraction(3, 2), Fraction(2)]


def test_a_bar_check_at_the_wrong_place_ends_what_is_certain():
    assert ends(r"{ c1 | d1 | e2 | f1 | g1 }") == [BAR, 2 * BAR]


def test_nothing_is_certain_beyond_the_first_ending():
    source = r"{ \repeat volta 2 { c1 d1 } \alternative { { e1 } { f1 } } g1 }"
    assert ends(source) == [BAR, 2 * BAR]


@pytest.mark.parametrize(
    ("source", "bars", "left"),
    [
        (r"{ c4 d e f | g1 | a1 }", 1, "{ c4 d e f | }"),
        (r"{ \tuplet 3/2 { c4 d e } f2 | g1 }", 1, r"{ \tuplet 3/2 { c4 d e } f2 | }"),
        (r"{ c2( d | e1) }", 1, "{ c2 d | }"),
        (r"{ c2 d~ | d1 }", 1, "{ c2 d | }"),
        (r"{ c2-\< d | e1\! }", 1, "{ c2 d | }"),
        (r"{ { c1~ \stemUp } c1 }", 1, "{ { c1 } }"),
        (r"{ \tuplet 3/2 { c2 d e~ } e1 }", 1, r"{ \tuplet 3/2 { c2 d e } }"),
        (r"{ << c1~ { e2~ e~ } >> <c e>1 }", 1, "{ << c1 { e2~ e } >> }"),
        (r"{ c1\glissando d1 }", 1, "{ c1 }"),
        (r"{ R1*4 | c1 }", 2, "{ R1*2 }"),
        (r"{ \repeat volta 2 { c1 d1 } e1 }", 1, "{ { c1 } }"),
        (r"{ \repeat volta 2 { c1 d1 } e1 }", 2, r"{ \repeat volta 2 { c1 d1 } }"),
        (r"{ \repeat unfold 4 { c1 } }", 3, r"{ \repeat unfold 3 { c1 } }"),
        (r"<< { c1 d1 } \\ { e2 f g1 } >>", 1, r"<< { c1 } \\ { e2 f } >>"),
        (r"{ c1 \break d1 \bar " + '"|."' + r" }", 1, "{ c1 }"),
        (r"{ \grace { d16 e } c1 d1 }", 1, r"{ \grace { d16 e } c1 }"),
        (r"<c e g>4 q q q c1", 1, "<c e g>4"),
        (r"{ c4-1^\markup { \bold " + '"a"' + r" } 4 4 4 | d1 }", 1,
         r"{ c4-1^\markup { \bold " + '"a"' + " } 4 4 4 | }"),
    ],
)  # fmt: skip
def test_music_ends_with_the_bar(source, bars, left):
    if source.startswith("<c"):
        source, left = "{ " + source + " }", "{ <c e g>4 q q q }"
    assert music(source, bars).replace("| }", "}") == left.replace("| }", "}")


def test_names_keep_their_meaning_and_unused_ones_go():
    source = (
        r"a = \relative c' { c4 d e f | g1 }  b = { e1 }  dol = ^\markup { dolce }"
        "\n\\score { << \\new Staff \\a \\new Staff { c1\\dol d1 } >> \\layout { indent = 0 } }"
    )
    left = cut(source, 1)
    assert "a = \\relative c' {" in left
    assert "g1" not in left
    assert "b = " not in left
    assert "dol = ^" in left
    assert "indent" not in left


def test_a_length_that_was_implied_is_written():
    left = cut(r"\score { << { c1 d2 e } { f g } { a8 b c d c d e f c1 } >> }", 1)
    assert "{ f1" in left or "{ f2" in left  # f took the length of e, which is gone
    file = read_file(left)
    assert file.music.length == read_file(left).music.children[0].length


def test_lyrics_end_with_the_notes():
    source = (
        r"\score { << \new Voice = " + '"v"' + r" { c4( d) e~ e | f8[ g] a4 b2 } "
        r"\new Lyrics \lyricsto v \lyricmode { One two3 -- more words here } >> }"
    )
    assert "{ One two3 }" in music(source, 1)


@pytest.mark.parametrize(
    ("voice", "heard"),
    [
        (r"\repeat unfold 8 { c4 d }", 4),
        (r"\repeat percent 8 { c4 d }", 2),
        (r"c4 d\melisma e\melismaEnd f", 3),
    ],
)
def test_words_are_those_of_the_notes_that_take_one(voice, heard):
    words = "one two three four five six seven eight"
    source = (
        r"\score { << \new Voice = " + f'"v" {{ {voice} g1 }} '
        r"\new Lyrics \lyricsto v \lyricmode { " + words + " } >> }"
    )
    assert f"{{ {' '.join(words.split()[:heard])} }}" in music(source, 1)


SUNG = r"\score {{ << \new Voice = v {{ {} c1 d1 }} \new Lyrics \lyricsto v {{ {} a b }} >> }}"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (r"{ c2 d1 e2 }", "lasts beyond"),
        (r"\relative c' << { c1 d1 } \\ { e1 f1 } >>", "relative to notes beyond"),
        (r"f = #(define-music-function (m) (ly:music?) m)" + "\n{ \\f c1 }", "Scheme"),
        (r"{ \cadenzaOn c1 d1 }", "cadenzaOn"),
        (r"{ c1 #(system " + '"id"' + ") }", "not followed"),
        (r"x = { c1 d1 } \score { { \x \x } }", "two places"),
        ("{ " * 200 + "c1" + " }" * 200, "too deep"),
        ('a = { c1 }\n\\language "english"\n{ cs1 }', "two languages"),
        ("{ c1", "not closed"),
        ("", "no score"),
        ("#(" * 50, "does not end"),
        (SUNG.format(r"\set ignoreMelismata = ##t", ""), "melismata that are set by hand"),
        (SUNG.format("", r"\set ignoreMelismata = ##t"), "more than words"),
        (r"{ \set Score.measureLength = #(ly:make-moment 1 4) c1 }", "set by hand"),
        (r"{ \set Timing.timing = ##f c1 }", "set by hand"),
    ],
)
def test_what_cannot_be_cut_exactly_is_refused(source, reason):
    bars = 3 if "two places" in reason else 1
    assert reason in refused(source, bars)


def test_reading_takes_no_longer_than_the_source_is_long():
    with pytest.raises(Unreadable):
        tokenize("x" * (MOST_CHARACTERS + 1))
    for hostile in ("%{" * 90_000, '"' + "\\" * 90_000, "#'" * 90_000, "{" * 90_000):
        with pytest.raises(Unreadable):
            read_file(hostile)


@pytest.mark.parametrize("begins", ["", "#( ", "#", "{ c4 "])
def test_a_string_that_is_not_closed_is_read_once(begins):
    hostile = begins + '"' + '\\"' * 150_000
    started = time.process_time()
    with pytest.raises(Unreadable):
        read_file(hostile)
    joined = score_includes.join("a.ly", hostile, ok)
    assert isinstance(joined, Ok)
    assert time.process_time() - started < 10


def test_notes_under_words_are_not_counted_for_ever():
    doubled = "xa = { c8 c c }\n"
    for number in range(25):
        doubled += f"x{chr(98 + number)} = {{ \\x{chr(97 + number)} \\x{chr(97 + number)} }}\n"
    with pytest.raises(Unreadable, match="too often"):
        cut(doubled + SUNG.format(r"\scaleDurations 1/12582912 { \xz }", ""), 1)


def test_tokens_keep_articulation_scheme_and_strings_whole():
    tokens = tokenize('c4-> #\'(a . b) "x \\" y" % note\n\\p')
    assert [token.text for token in tokens] == ["c", "4", "->", "#'(a . b)", '"x \\" y"', "\\p"]
    assert tokens[3].kind is Kind.SCHEME
    assert tokens[-1].gap == "\n"


@pytest.mark.parametrize(
    ("text", "spdx"),
    [
        ("Public Domain", "LicenseRef-PublicDomain"),
        ("Creative Commons Attribution 4.0", "CC-BY-4.0"),
        ("Creative Commons Attribution-ShareAlike 3.0", "CC-BY-SA-3.0"),
        ("Creative Commons Attribution-NonCommercial 2.5", "CC-BY-NC-2.5"),
        ("CC0 1.0", "CC0-1.0"),
        ("Creative Commons Attribution", "LicenseRef-CC-BY"),
        ("Copyright 2003 by its author", None),
        ("", None),
    ],
)
def test_licences_are_read_as_spdx(text, spdx):
    assert score_header.spdx(text) == spdx
