from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from metrics.pictures import PictureError, PictureTooLargeError, as_pair, as_rgb, from_pil, read
from metrics.pixel import pixel
from metrics.ssim import ssim
from tests.cases import case_params, input_pair


def test_alpha_is_composited_on_white():
    clear = np.zeros((2, 2, 4), np.uint8)
    assert (as_rgb(clear) == 255).all()
    half = clear.copy()
    half[..., 3] = 128
    assert (as_rgb(half) == 127).all()


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "CMYK", "I;16", "I", "F"])
def test_every_mode_becomes_eight_bit_rgb(mode):
    array = from_pil(Image.new(mode, (5, 4)))
    assert (array.shape, array.dtype) == ((4, 5, 3), np.uint8)


def test_sixteen_bit_white_is_white():
    white = Image.fromarray(np.full((3, 3), 65535, np.uint16))
    assert (from_pil(white) == 255).all()


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((3,), np.uint8),
        np.zeros((3, 3, 2), np.uint8),
        np.zeros((0, 3, 3), np.uint8),
        np.zeros((3, 3, 3), np.int64),
        np.full((3, 3, 3), 255.0),
        np.full((3, 3, 3), -0.5),
        np.full((3, 3, 3), np.nan),
    ],
    ids=["1-d", "2 channels", "no pixels", "int64", "float 0..255", "negative", "nan"],
)
def test_what_is_no_picture_is_refused(wrong):
    with pytest.raises(PictureError):
        as_rgb(wrong)


def test_a_pair_has_one_size():
    with pytest.raises(PictureError, match="3×2 and 2×3"):
        as_pair(np.zeros((2, 3, 3), np.uint8), np.zeros((3, 2, 3), np.uint8))


def test_a_broken_file_is_named(tmp_path):
    path = tmp_path / "broken.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\nrubbish")
    with pytest.raises(PictureError, match=r"broken\.png is not a readable picture"):
        read(path)


@pytest.mark.parametrize("case", case_params("metric"))
def test_hard_case(case, tmp_path):
    first, second = input_pair(case, tmp_path)
    if case["id"] == "metric-015":
        with pytest.raises(PictureTooLargeError, match="limit is"):
            read(first)
        return
    pair = as_pair(read(first), read(second))
    identical = {"metric-001", "metric-004", "metric-007", "metric-009", "metric-012"}
    if case["id"] in identical:
        assert pixel(*pair) == ssim(*pair) == 1.0
    if case["id"] == "metric-006":
        assert pixel(*pair) == pixel(*pair[::-1]) == 1.0
    assert 0.0 <= ssim(*pair) <= 1.0
