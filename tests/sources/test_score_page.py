"""Systems on pages: drawn by LilyPond, turned, noisy; and pages that are no music."""

from __future__ import annotations

import io
import time

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from flows.workbench import Tools
from flows.workshop import Workshop
from sources.score_page import LEAST_SHARE, cut_system, find_systems, read_grey
from tests.sources.benches import page, png

NOTES = r"\repeat unfold 4 { c'8 d' e' f' g'4. e'8 | a'2 b'4 c''4 | \break }"
SONG = (
    '\\version "2.24.0"\n#(set-default-paper-size "a5")\n'
    f"\\score {{ \\new Staff {{ {NOTES} }} \\addlyrics {{ \\repeat unfold 12 {{ la le lo }} }} }}"
)
PIANO = (
    '\\version "2.24.0"\n\\paper { paper-width = 15\\cm }\n'
    f"\\score {{ \\new PianoStaff << \\new Staff {{ {NOTES} }} "
    f"\\new Staff {{ \\clef bass {NOTES} }} >> }}"
)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    workshop = Workshop(Settings(store=str(tmp_path_factory.mktemp("store")), workers=1))
    found = {}
    for name, source in (("song", SONG), ("piano", PIANO)):
        outcome = Tools(workshop).draw_lilypond(source)
        assert isinstance(outcome, Ok), outcome
        found[name] = on_paper(read_grey(outcome.value).value)
    workshop.close()
    return found


def on_paper(grey: np.ndarray) -> np.ndarray:
    return np.pad(grey, 90, constant_values=255)


def turned(grey: np.ndarray, degrees: float) -> np.ndarray:
    image = Image.fromarray(grey).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)
    return np.asarray(image)


def noisy(grey: np.ndarray, seed: int = 0) -> np.ndarray:
    lots = np.random.default_rng(seed)
    dirty = np.clip(grey * 0.85 + 20 + lots.normal(0, 12, grey.shape), 0, 255).astype(np.uint8)
    dirty[lots.random(grey.shape) < 0.003] = 0
    return dirty


@pytest.mark.parametrize("degrees", [0, 1, -1, 1.8])
@pytest.mark.parametrize(("name", "staves"), [("song", 1), ("piano", 2)])
def test_systems_of_real_engraving_are_found(drawn, name, staves, degrees):
    grey = drawn[name] if degrees == 0 else noisy(turned(drawn[name], degrees))
    found = find_systems(grey)
    assert [len(system.staves) for system in found.systems] == [staves] * 4
    assert abs(found.turned - degrees) < 0.25
    assert found.share > LEAST_SHARE


def test_a_cut_holds_one_system_and_what_belongs_to_it(drawn):
    whole = find_systems(drawn["song"])
    for index in range(4):
        cut = cut_system(whole, index)
        again = find_systems(on_paper(cut), whole_page=False)
        assert len(again.systems) == 1
        below = cut[again.systems[0].bottom - 90 + 16 :]  # the words under the notes
        assert (below < 128).sum() > 100


def test_pages_without_music_have_no_systems():
    lots = np.random.default_rng(1)
    photo = lots.integers(0, 255, (900, 700), np.uint8)
    assert find_systems(photo).systems == ()
    assert find_systems(np.full((900, 700), 255, np.uint8)).systems == ()


def test_text_is_no_music():
    image = Image.new("L", (800, 1100), 255)
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(18)
    for line in range(40):
        pen.text((60, 40 + 24 * line), "The quick brown fox jumps over the lazy dog " * 2, 0, font)
    assert find_systems(np.asarray(image)).systems == ()


@pytest.mark.parametrize("rules", [5, 6, 12])
def test_tables_are_no_music(rules):
    grey = np.full((1100, 800), 255, np.uint8)
    for rule in range(rules):
        grey[100 + 30 * rule : 102 + 30 * rule, 60:740] = 0
    grey[100 : 100 + 30 * (rules - 1), 60::136] = 0
    assert find_systems(grey).systems == ()


def test_lines_of_writing_paper_are_no_music():
    grey = np.full((1100, 800), 255, np.uint8)
    grey[100:1000:10, 40:760] = 0
    assert find_systems(grey).systems == ()


def test_what_is_no_picture_is_a_failure():
    assert read_grey(b"<html>").kind is Kind.PARSE_ERROR
    large = io.BytesIO()
    Image.new("1", (9_000, 9_000)).save(large, "PNG")
    assert isinstance(read_grey(large.getvalue()), Failed)
    assert np.array_equal(read_grey(png(page(2))).value, page(2))


def test_a_page_of_stripes_is_no_music_and_takes_no_time():
    page = np.full((30_000, 1_500), 255, np.uint8)
    page[::2] = 0
    started = time.process_time()
    assert find_systems(page, whole_page=False).systems == ()
    assert time.process_time() - started < 20
