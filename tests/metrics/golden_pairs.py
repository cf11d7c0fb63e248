"""The golden image pairs, brought to one size as the public code does it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from tests.cases import SHARED

GOLDEN = SHARED / "golden" / "ems"


def golden_entries() -> dict[str, dict]:
    path = GOLDEN / "values.json"
    if not path.is_file():
        return {}
    return json.loads(path.read_text(encoding="utf-8"))["pairs"]


def golden_params() -> list:
    entries = golden_entries()
    if not entries:
        mark = pytest.mark.skip(reason="no shared/golden/ems beside the checkout")
        return [pytest.param("", {}, marks=mark, id="golden-absent")]
    return [pytest.param(name, entry, id=name) for name, entry in entries.items()]


def golden_pair(entry: dict) -> tuple[np.ndarray, np.ndarray]:
    """Prediction and reference as the public code compares them: alpha dropped, one size."""
    prediction = Image.open(GOLDEN / entry["pred"]).convert("RGB")
    reference = Image.open(GOLDEN / entry["ref"]).convert("RGB")
    if prediction.size != reference.size:
        if entry["size_handling"] == "resize":
            prediction = prediction.resize(reference.size)
        else:
            size = tuple(max(sides) for sides in zip(prediction.size, reference.size, strict=True))
            prediction, reference = (_on_canvas(image, size) for image in (prediction, reference))
    assert list(reference.size) == entry["size_compared"]
    return np.asarray(prediction), np.asarray(reference)


def _on_canvas(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    canvas = Image.new("RGB", size, "white")
    canvas.paste(image, (0, 0))
    return canvas
