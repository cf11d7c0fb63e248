"""The chain of lines that the baseline writes of a flowchart."""

from __future__ import annotations

import numpy as np

from scenarios.flowchart import Flowchart
from tests.scenarios.reading import read
from vlms import ocr_flowchart
from vlms.reader import Line

PICTURE = np.full((90, 90, 3), 255, np.uint8)


def test_lines_become_a_chain():
    lines = [
        Line(text, 5, 30 * n, 60, 30 * n + 10) for n, text in enumerate(['Say "a\\b"', "是", "&"])
    ]
    answer = read(Flowchart(), ocr_flowchart.write(PICTURE, lines))
    assert answer.repairs == ()
    assert [node["text"] for node in answer.tree["nodes"]] == ['Say "a\\b"', "是", "&"]
    ends = [(edge["source"], edge["target"]) for edge in answer.tree["edges"]]
    assert ends == [("n0", "n1"), ("n1", "n2")]


def test_nothing_read_is_nothing_written():
    assert ocr_flowchart.write(PICTURE, []) is None
