"""Pictures are untrusted, and reference and prediction are treated alike."""

from __future__ import annotations

import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from benchmark.outcome import Failed, Kind, Ok
from benchmark.protocols import Fit
from renderers import canvas
from tests.cases import hard_case, input_pair
from tests.pictures import encoded


def bomb(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


@pytest.mark.parametrize("size", [(40_000, 40_000), (2**31 - 1, 2**31 - 1), (10_000, 5001)])
def test_decompression_bombs_are_refused_by_the_header(size):
    before = Image.MAX_IMAGE_PIXELS
    outcome = canvas.decode(bomb(*size))
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT
    assert str(size[0]) in outcome.message
    assert before == Image.MAX_IMAGE_PIXELS


def test_a_bomb_in_another_format_is_refused_too():
    outcome = canvas.decode(encoded(Image.new("1", (8000, 7000)), "GIF"))
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT


@pytest.mark.parametrize(
    "pages",
    [[bomb(7000, 7000)] * 2, [bomb(3000, 2000)] * 9, [encoded(Image.new("1", (9, 9)))] * 51,
     [encoded(Image.new("1", (2000, 5000)))] * 6],
)  # fmt: skip
def test_pages_that_are_too_large_together_are_never_decoded(pages, monkeypatch):
    def decoded(image):
        pytest.fail(f"decoded {image.size}")

    monkeypatch.setattr(canvas, "_to_rgb", decoded)
    outcome = canvas.picture(pages)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT


@pytest.mark.parametrize(
    "size", [(canvas.MAX_WIDTH + 1, 10), (10, canvas.MAX_HEIGHT + 1), (100, 455_000)]
)
def test_a_side_that_is_too_long(size):
    data = encoded(Image.new("1", size))
    for outcome in (canvas.decode(data), canvas.picture([data], crop_content=False)):
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.RESOURCE_LIMIT
        assert "more than 32767 × 32767" in outcome.message


def test_a_column_of_one_pixel_gets_no_margin_beyond_the_limits(monkeypatch):
    monkeypatch.setattr(canvas, "_pad", lambda *_: pytest.fail("padded"))
    outcome = canvas.picture([encoded(Image.new("1", (1, 100_000)))])
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT


@pytest.mark.parametrize("size", [(1920, 1080), (1654, 10 * 2339 + 9 * 20), (6144, 8138)])
def test_screens_and_ten_pages_are_within_the_limits(size):
    outcome = canvas.decode(encoded(Image.new("1", size)))
    assert isinstance(outcome, Ok)
    assert outcome.value.shape == (size[1], size[0], 3)


@pytest.mark.parametrize("wide", [np.full((1, 24_576, 3), 9, np.uint8)])
def test_a_wide_picture_beside_a_high_one_is_padded_to_a_bounded_size(wide):
    high = np.ascontiguousarray(wide.transpose(1, 0, 2))
    for pair in ((wide, high), (high, wide)):
        first, second = canvas.fit(*pair, Fit.PAD)
        assert first.shape == second.shape
        assert first.shape[0] * first.shape[1] <= canvas.MAX_PIXELS
        assert first.min() == second.min() == 9, "what is in them is still there"


@given(st.lists(st.tuples(st.integers(1, 70), st.integers(1, 70)), min_size=1, max_size=4),
       st.booleans())  # fmt: skip
def test_what_is_rendered_can_be_decoded(sizes, crop_content):
    pages = [encoded(Image.new("1", size)) for size in sizes]
    with pytest.MonkeyPatch.context() as limits:
        limits.setattr(canvas, "MAX_PIXELS", 2500)
        limits.setattr(canvas, "MAX_WIDTH", 60)
        limits.setattr(canvas, "MAX_HEIGHT", 80)
        outcome = canvas.picture(pages, crop_content=crop_content)
        if isinstance(outcome, Failed):
            assert outcome.kind is Kind.RESOURCE_LIMIT
        else:
            read = canvas.decode(outcome.value.png)
            assert isinstance(read, Ok), read
            assert read.value.shape == (outcome.value.height, outcome.value.width, 3)


@pytest.mark.parametrize(
    "data",
    [b"", b"%PDF-1.5", b"\x89PNG\r\n\x1a\n", encoded(Image.new("RGB", (40, 40)))[:60],
     b"<svg xmlns='http://www.w3.org/2000/svg'/>"],
)  # fmt: skip
def test_bytes_that_are_no_picture(data):
    outcome = canvas.decode(data)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.EMPTY_RENDER


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        (Image.new("RGBA", (3, 2), (0, 0, 0, 0)), (255, 255, 255)),
        (Image.new("RGBA", (3, 2), (255, 0, 0, 128)), (255, 127, 127)),
        (Image.new("LA", (3, 2), (0, 0)), (255, 255, 255)),
        (Image.new("1", (3, 2), 1), (255, 255, 255)),
        (Image.new("L", (3, 2), 7), (7, 7, 7)),
        (Image.new("I;16", (3, 2), 65535), (255, 255, 255)),
        (Image.new("I;16", (3, 2), 257 * 100), (100, 100, 100)),
        (Image.new("RGB", (3, 2), (1, 2, 3)).quantize(2), (1, 2, 3)),
    ],
)
def test_every_mode_becomes_rgb_on_white(image, expected):
    outcome = canvas.decode(encoded(image))
    assert isinstance(outcome, Ok)
    assert outcome.value.shape == (2, 3, 3)
    assert outcome.value.dtype == np.uint8
    assert np.abs(outcome.value.astype(int) - expected).max() <= 1


def test_palette_with_a_transparent_colour_is_put_on_white():
    image = Image.new("P", (4, 4), 0)
    image.putpalette([0, 0, 0, 200, 0, 0])
    outcome = canvas.decode(encoded(image, transparency=0))
    assert isinstance(outcome, Ok)
    assert (outcome.value == 255).all()


def test_a_lossy_scan_is_read():
    outcome = canvas.decode(encoded(Image.new("CMYK", (30, 20), (0, 0, 0, 0)), "JPEG"))
    assert isinstance(outcome, Ok)
    assert outcome.value.shape == (20, 30, 3)


def test_encoding_is_deterministic_and_keeps_no_metadata():
    array = np.random.default_rng(0).integers(0, 256, (20, 30, 3), np.uint8)
    info = PngInfo()
    info.add_text("Author", "somebody")
    read = canvas.decode(encoded(Image.fromarray(array), pnginfo=info, dpi=(300, 300)))
    assert isinstance(read, Ok)
    data = canvas.encode(read.value)
    assert data == canvas.encode(array)
    chunks = [data[i : i + 4] for i in range(12, len(data)) if data[i : i + 4].isalpha()]
    assert b"tEXt" not in chunks
    assert b"pHYs" not in chunks
    assert b"somebody" not in data


def test_crop_leaves_an_exact_margin():
    page = np.full((100, 200, 3), 255, np.uint8)
    page[40:50, 60:90] = 0
    cut = canvas.crop(page).value
    assert cut.shape == (10 + 2 * canvas.MARGIN, 30 + 2 * canvas.MARGIN, 3)
    assert (cut[canvas.MARGIN : -canvas.MARGIN, canvas.MARGIN : -canvas.MARGIN] == 0).all()
    assert (cut[: canvas.MARGIN] == 255).all()


def test_crop_does_not_depend_on_where_the_content_was():
    first, second = (np.full((80, 80, 3), 255, np.uint8) for _ in range(2))
    first[0:5, 0:7] = 9
    second[75:80, 73:80] = 9
    np.testing.assert_array_equal(canvas.crop(first).value, canvas.crop(second).value)


def test_pages_are_stacked_in_order_and_counted():
    pages = []
    for shade in (10, 20, 30):
        page = np.full((50, 40, 3), 255, np.uint8)
        page[10:15, 5:30] = shade
        pages.append(canvas.encode(page))
    blank = canvas.encode(np.full((50, 40, 3), 255, np.uint8))
    outcome = canvas.picture([*pages, blank])
    assert isinstance(outcome, Ok)
    assert outcome.value.pages == 4
    array = canvas.decode(outcome.value.png).value
    assert array.shape == (outcome.value.height, outcome.value.width, 3)
    middle = array[:, canvas.MARGIN + 1, 0]
    assert [int(value) for value in dict.fromkeys(middle[middle < 255])] == [10, 20, 30]
    assert array.shape[0] == 3 * 5 + 2 * 2 * canvas.MARGIN + 2 * canvas.MARGIN


def test_too_many_pages_are_too_large():
    page = np.zeros((7000, 1000, 3), np.uint8)
    outcome = canvas.stack([page] * 8)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT


@pytest.mark.parametrize("pages", [[], [encoded(Image.new("RGB", (30, 30), "white"))],
                                   [encoded(Image.new("RGBA", (1, 1), (0, 0, 0, 0)))]])  # fmt: skip
def test_nothing_visible_is_an_empty_render(pages):
    outcome = canvas.picture(pages)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.EMPTY_RENDER


def test_a_coloured_background_is_content():
    outcome = canvas.picture(
        [encoded(Image.new("RGB", (30, 20), (200, 220, 255)))], crop_content=False
    )
    assert isinstance(outcome, Ok)
    assert (outcome.value.width, outcome.value.height) == (30, 20)


sizes = st.tuples(st.integers(1, 40), st.integers(1, 40))


@given(sizes, sizes, st.sampled_from(list(Fit)))
def test_fit_gives_one_size_and_keeps_equal_pictures_equal(first, second, how):
    a, b = (np.full((*size, 3), 90, np.uint8) for size in (first, second))
    prediction, reference = canvas.fit(a, b, how)
    assert prediction.shape == reference.shape
    assert prediction.dtype == reference.dtype == np.uint8
    same, other = canvas.fit(a, a.copy(), how)
    np.testing.assert_array_equal(same, other)
    np.testing.assert_array_equal(same, a)


def test_fit_resizes_the_prediction_and_pads_both_with_white():
    prediction, reference = np.zeros((10, 40, 3), np.uint8), np.zeros((20, 30, 3), np.uint8)
    resized, kept = canvas.fit(prediction, reference, Fit.RESIZE)
    assert kept is reference
    assert resized.shape == (20, 30, 3)
    padded, other = canvas.fit(prediction, reference, Fit.PAD)
    assert padded.shape == other.shape == (20, 40, 3)
    assert (padded[10:] == 255).all()
    assert (other[:, 30:] == 255).all()
    assert not padded[:10].any()


@pytest.mark.parametrize("name", ["metric-009", "metric-012", "metric-013"])
def test_hard_pairs_come_out_comparable(name, tmp_path):
    paths = input_pair(hard_case(name), tmp_path)
    decoded = [canvas.decode(path.read_bytes()) for path in paths]
    assert all(isinstance(outcome, Ok) for outcome in decoded)
    prediction, reference = canvas.fit(*(outcome.value for outcome in decoded), Fit.PAD)
    assert prediction.shape == reference.shape
    if name != "metric-013":  # the first two pairs show the same
        np.testing.assert_array_equal(prediction, reference)


def test_hard_bomb_is_refused(tmp_path):
    outcome = canvas.decode(input_pair(hard_case("metric-015"), tmp_path)[0].read_bytes())
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.RESOURCE_LIMIT
