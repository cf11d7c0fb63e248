"""What the baseline writes of a flowchart when it is asked FlowCE's questions."""

from __future__ import annotations

import numpy as np
import pytest

from scenarios.flowce.tasks import FlowceExtraction, FlowceSummarization
from tests.scenarios.reading import read
from vlms import ocr, ocr_flowce
from vlms.reader import Line

PICTURE = np.full((90, 90, 3), 255, np.uint8)
LINES = [
    Line("Is the door", 10, 10, 70, 20),
    Line("Yes", 90, 12, 110, 22),
    Line("open?", 25, 24, 55, 34),
    Line("Close, then stop", 5, 60, 80, 70),
]


def test_lines_of_a_box_are_one_text():
    answer = read(FlowceExtraction(), ocr_flowce.write_texts(PICTURE, LINES))
    assert answer.tree == ["Is the door open?", "Yes", "Close, then stop"]
    assert answer.repairs == ()


def test_a_summary_is_the_words_themselves():
    answer = read(FlowceSummarization(), ocr_flowce.write_words(PICTURE, LINES))
    assert answer.tree == "Is the door open?. Yes. Close, then stop"


def test_nothing_read_is_nothing_written():
    assert ocr_flowce.write_texts(PICTURE, []) is None
    assert ocr_flowce.write_words(PICTURE, []) is None


@pytest.mark.parametrize("scenario", ["flowce-logic", "flowce-reasoning", "flowce-localization"])
def test_what_words_do_not_answer_is_not_answered(scenario):
    assert scenario not in ocr.WRITERS
    assert scenario not in ocr.ASKED
