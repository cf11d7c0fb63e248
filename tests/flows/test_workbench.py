"""The tools for sources, in real containers."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from benchmark import workbench
from benchmark.outcome import Failed, Kind, Ok, Stage
from benchmark.settings import Settings
from flows.workbench import Tools, laid_ready
from flows.workshop import Workshop
from tests.renderers.pdfs import locked_pdf, pdf


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    store = tmp_path_factory.mktemp("store")
    workshop = Workshop(Settings(store=str(store), workers=1))
    yield Tools(workshop)
    workshop.close()


def kind(outcome) -> Kind:
    assert isinstance(outcome, Failed), outcome
    assert outcome.stage is Stage.FETCH
    return outcome.kind


def test_lays_ready_what_sources_ask_for(tmp_path):
    workshop = Workshop(Settings(store=str(tmp_path)))
    assert kind(workbench.current().count_pages(b"")) is Kind.ENGINE_UNAVAILABLE
    with laid_ready(workshop):
        assert isinstance(workbench.current(), Tools)
    workshop.close()


def test_draws_the_pages_that_are_asked_for(tools):
    assert tools.count_pages(pdf(pages=3)) == Ok(3)
    drawn = tools.draw_pages(pdf(pages=3), [3, 1], dpi=72)
    assert isinstance(drawn, Ok), drawn
    for page in drawn.value:
        grey = np.asarray(Image.open(io.BytesIO(page)).convert("L"))
        assert grey.shape == (100, 200)
        assert grey[60, 50] == 0
        assert grey[5, 5] == 255


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"<html>subscribe</html>", Kind.PARSE_ERROR),
        (b"%PDF-1.4\n" + b"\x00" * 500, Kind.PARSE_ERROR),
        (locked_pdf(), Kind.UNSUPPORTED),
        (pdf(pages=0), Kind.EMPTY_RENDER),
        (pdf(pages=10_000), Kind.RESOURCE_LIMIT),
    ],
    ids=["html", "damaged", "locked", "empty", "endless"],
)
def test_files_that_are_no_use_are_typed_failures(tools, data, expected):
    assert kind(tools.count_pages(data)) is expected


def test_pages_that_cannot_be_drawn_are_typed_failures(tools):
    assert kind(tools.draw_pages(pdf(), [2], dpi=72)) is Kind.NOT_AS_CLAIMED
    wide = tools.draw_pages(pdf(box=(90_000, 90_000)), [1], dpi=300)
    assert kind(wide) is Kind.RESOURCE_LIMIT
    assert "375000 x 375000" in wide.message
    assert kind(tools.draw_pages(pdf(), range(1, 100), dpi=72)) is Kind.RESOURCE_LIMIT


def test_old_source_is_brought_up_to_date_and_the_log_is_kept(tools):
    old = '\\version "2.2.0"\n\\score { \\notes \\relative c\' { c4 d e f } \\paper { } }\n'
    updated = tools.update_lilypond(old)
    assert isinstance(updated, Ok), updated
    assert '\\version "2.24' in updated.value.source
    assert "\\layout" in updated.value.source
    assert updated.value.version == "2.2.0"
    assert "Applying conversion" in updated.value.log
    assert isinstance(tools.draw_lilypond(updated.value.source), Ok)


def test_newer_source_is_refused_and_never_downgraded(tools):
    new = tools.update_lilypond('% \\version "2.2.0"\n\\version "2.25.1"\n{ c\'4 }\n')
    assert kind(new) is Kind.UNSUPPORTED
    assert "needs LilyPond 2.25.1" in new.message


def test_what_convert_ly_cannot_do_is_a_failure_with_its_reason(tools):
    beams = "\\property Score.autoBeamSettings \\set #'(end * * 3 4) = #(ly:make-moment 1 4)"
    old = f'\\version "1.9.8"\n\\score {{ \\notes {{ {beams} c\'4 }} }}\n'
    failed = tools.update_lilypond(old)
    assert kind(failed) is Kind.PARSE_ERROR
    assert "not smart enough to convert auto beam settings" in failed.message
    assert "Applying conversion" in failed.detail


def test_source_without_version_stays_as_it_is(tools):
    updated = tools.update_lilypond("{ c'4 }\n")
    assert isinstance(updated, Ok)
    assert (updated.value.source, updated.value.version) == ("{ c'4 }\n", None)


def test_a_score_with_errors_is_not_drawn(tools):
    drawn = tools.draw_lilypond("\\version \"2.24.0\"\n{ c'4 \\fancyslide d' }\n")
    assert kind(drawn) is Kind.COMPILE_ERROR
    assert "score.ly:2" in drawn.message
