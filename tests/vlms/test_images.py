"""Pictures brought within a provider's limits."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from tests.pictures import encoded
from tests.servers.openai_server import answer
from vlms.images import ImageTooLarge, Limits, base64_size, fit
from vlms.inspect_model import InspectModel
from vlms.providers import PROVIDERS, Provider, provider_of


def noise(width: int, height: int) -> bytes:
    """Return a PNG that does not compress."""
    pixels = np.random.default_rng(0).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return encoded(Image.fromarray(pixels))


def size_of(png: bytes) -> tuple[int, int]:
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.size


@pytest.mark.parametrize("length", range(8))
def test_size_in_base64_is_exact(length):
    assert base64_size(b"x" * length) == len(base64.b64encode(b"x" * length))


def test_picture_within_limits_is_untouched():
    png = noise(60, 40)
    fitted = fit(png, Limits(base64_bytes=base64_size(png), side=60, pixels=2400))
    assert fitted.png is png
    assert fitted.note == ""


def test_bytes_are_counted_in_base64():
    png = noise(60, 40)
    assert len(png) <= base64_size(png) - 1
    assert fit(png, Limits(base64_bytes=base64_size(png) - 1)).note


def test_too_many_bytes():
    png = noise(300, 200)
    fitted = fit(png, Limits(base64_bytes=60_000))
    width, height = size_of(fitted.png)
    assert base64_size(fitted.png) <= 60_000
    assert width / height == pytest.approx(1.5, rel=0.03)
    assert width > 90
    assert fitted.note == (
        f"image resized from 300x200 to {width}x{height} "
        "for provider limit of 60000 bytes of base64"
    )


def test_too_long_a_side():
    fitted = fit(encoded(Image.new("RGB", (9000, 90))), Limits(base64_bytes=10**7, side=8000))
    assert size_of(fitted.png) == (8000, 80)
    assert "8000 pixels on a side" in fitted.note


def test_too_many_pixels():
    fitted = fit(encoded(Image.new("RGB", (400, 100))), Limits(base64_bytes=10**7, pixels=10_000))
    assert size_of(fitted.png) == (200, 50)


def test_palette_pictures_are_resized_in_full_colour():
    image = Image.new("P", (400, 100))
    fitted = fit(encoded(image), Limits(base64_bytes=10**7, side=100))
    with Image.open(io.BytesIO(fitted.png)) as small:
        assert small.mode == "RGB"


def test_impossible_limits_are_an_error():
    with pytest.raises(ImageTooLarge, match="100 bytes"):
        fit(noise(300, 200), Limits(base64_bytes=100))


def test_same_picture_same_bytes():
    png = noise(120, 80)
    limits = Limits(base64_bytes=9000)
    assert fit(png, limits) == fit(png, limits)


@pytest.fixture
def small_limit(monkeypatch):
    limited = Provider(limits=Limits(base64_bytes=20_000), client="openai", any_endpoint=True)
    monkeypatch.setitem(PROVIDERS, "openai-api", limited)


def test_model_sends_the_smaller_picture_and_says_so(server, request_, small_limit):
    server.script(answer("x"))
    model = InspectModel("openai-api/stand-in/m", Settings(model_base_url=server.url))
    outcome = model.complete(request_.model_copy(update={"image": noise(200, 100)}))
    assert isinstance(outcome, Ok)
    sent = base64.b64decode(server.requests[0].image_url.split(",", 1)[1])
    width, height = size_of(sent)
    assert base64_size(sent) <= 20_000
    (note,) = outcome.value.notes
    assert note.startswith(f"image resized from 200x100 to {width}x{height} for provider limit")
    assert model.settings()["image_limits"]["base64_bytes"] == 20_000


def test_model_that_cannot_shrink_enough_sends_nothing(server, request_, monkeypatch):
    monkeypatch.setitem(PROVIDERS, "openai-api", Provider(limits=Limits(base64_bytes=60)))
    server.script(answer("x"))
    model = InspectModel("openai-api/stand-in/m", Settings(model_base_url=server.url))
    outcome = model.complete(request_.model_copy(update={"image": noise(200, 100)}))
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.IMAGE_TOO_LARGE
    assert server.requests == []


def test_services_have_their_own_key():
    assert provider_of("openai-api/my-lab/m").keys == ("MY_LAB_API_KEY",)
    assert provider_of("anthropic/claude").limits.base64_bytes == 5 * 1024 * 1024
    assert provider_of("never-heard-of/m").limits.base64_bytes > 0
