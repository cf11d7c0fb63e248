"""Reading lines of text: real models, no network, the same each time."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from tests.vlms.pictures import Sheet
from vlms import reader
from vlms.reader import Line, ModelsMissing, Reader, bands, find_weights, shared_reader

ROWS = ["Opening hours", "Monday to Friday", "9 to 17", "Closed on Sunday"]


@pytest.fixture(scope="module")
def shared() -> Reader:
    return shared_reader(find_weights(), 2)


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    page = Sheet(640, 320)
    for number, text in enumerate(ROWS):
        page.text(40, 30 + 70 * number, text, size=24)
    return page


def test_reads_lines_where_they_stand(shared, sheet):
    lines = shared.read(sheet.pixels)
    assert [line.text for line in lines] == ROWS
    for number, line in enumerate(lines):
        assert abs(line.left - 40) <= 12
        assert line.top <= 30 + 70 * number + 12
        assert line.bottom >= 30 + 70 * number + 20
        assert 0.5 <= line.score <= 1


def test_reads_light_letters_on_dark_ground(shared):
    page = Sheet(400, 80, "#26323f")
    page.text(20, 20, "Planning a garden", size=28, colour="white")
    assert [line.text for line in shared.read(page.pixels)] == ["Planning a garden"]


def test_nothing_to_read(shared):
    assert shared.read(Sheet(300, 200).pixels) == []
    assert shared.read(Sheet(1, 1).pixels) == []


def test_needs_no_network(monkeypatch, sheet):
    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError("the reader opened a connection")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert len(Reader(find_weights(), 1).read(sheet.pixels)) == len(ROWS)


def test_threads_and_engines_read_alike(shared, sheet):
    with ThreadPoolExecutor(4) as pool:
        readings = list(pool.map(shared.read, [sheet.pixels] * 4))
    assert all(reading == readings[0] for reading in readings)


def test_models_are_loaded_once_in_a_process(shared):
    assert shared_reader(find_weights(), 2) is shared


def test_missing_models_are_named(monkeypatch, tmp_path):
    class Spec:
        origin = str(tmp_path / "__init__.py")

    monkeypatch.setattr("importlib.util.find_spec", lambda name: Spec)
    with pytest.raises(ModelsMissing, match="pip install rapidocr"):
        find_weights()


class TestBands:
    def test_a_low_picture_is_one_band(self):
        assert bands(np.zeros((reader.TALLEST, 10, 3), np.uint8)) == [(0, reader.TALLEST)]

    def test_bands_cover_a_tall_picture_without_overlap(self):
        height = 3 * reader.TALLEST + 7
        found = bands(np.zeros((height, 10, 3), np.uint8))
        assert found[0][0] == 0
        assert found[-1][1] == height
        assert all(one[1] == other[0] for one, other in pairwise(found))
        assert all(bottom - top <= reader.TALLEST for top, bottom in found)

    def test_cuts_between_lines(self):
        picture = np.full((2000, 50, 3), 255, np.uint8)
        picture[1500:1650, ::2] = 0
        ((_, cut), _) = bands(picture)
        assert cut <= 1500

    def test_a_line_at_the_cut_is_read_whole(self, shared):
        page = Sheet(400, 1900)
        page.text(20, 1588, "not cut in two", size=24)
        page.text(20, 1800, "at the end", size=24)
        lines = shared.read(page.pixels)
        assert [line.text for line in lines] == ["not cut in two", "at the end"]
        assert lines[1].top > 1780


def test_a_line_knows_its_size():
    line = Line("x", 10, 20, 40, 32)
    assert (line.width, line.height, line.middle) == (30, 12, 26)
