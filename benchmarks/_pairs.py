"""Pairs of pictures to measure metrics on: the golden ones where they are, or drawn ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

GOLDEN = Path(__file__).resolve().parents[2] / "shared" / "golden" / "ems"

TEXT = (
    "structure picture patch measure background reference margin column figure table render score "
    "model answer page line note chart branch leaf arrow label colour grey weight flow mass bound"
)

Pair = tuple[np.ndarray, np.ndarray]


def golden_pairs() -> Iterator[tuple[str, Pair]]:
    """Yield the golden pairs by name, alpha dropped and sizes brought together as in HELM."""
    path = GOLDEN / "values.json"
    if not path.is_file():
        return
    entries = json.loads(path.read_text(encoding="utf-8"))["pairs"]
    for name, entry in entries.items():
        pair = [Image.open(GOLDEN / entry[side]).convert("RGB") for side in ("pred", "ref")]
        size = tuple(entry["size_compared"])
        if entry["size_handling"] == "resize":
            pair = [image.resize(size) if image.size != size else image for image in pair]
        else:
            pair = [padded(image, size) for image in pair]
        yield name, (np.asarray(pair[0]), np.asarray(pair[1]))


def padded(image: Image.Image, size: tuple[int, int]) -> Image.Image:
    """Put a picture on a white canvas."""
    canvas = Image.new("RGB", size, "white")
    canvas.paste(image, (0, 0))
    return canvas


def drawn_pairs(count: int, width: int, height: int, first: int = 0) -> Iterator[tuple[str, Pair]]:
    """Yield pages with headings, text and boxes, each with an imperfect copy."""
    for seed in range(first, first + count):
        reference = page(width, height, seed, 0)
        prediction = page(width, height, seed, 1 + seed % 3)
        yield f"drawn {seed}", (prediction, reference)


def page(width: int, height: int, seed: int, errors: int) -> np.ndarray:
    """Draw a page; with errors, words change, blocks move and some are left out."""
    vocabulary = TEXT.split()
    layout, slips = np.random.default_rng(seed), np.random.default_rng((seed, errors))
    image = Image.new("RGB", (width, height), "white" if seed % 4 else (250, 248, 240))
    draw = ImageDraw.Draw(image)
    top = 20
    while top < height - 60:
        kind, left = layout.integers(4), int(layout.integers(20, 80))
        tall = int(layout.integers(40, 130))
        shift = int(slips.integers(-6, 7)) if errors else 0
        skipped = errors > 1 and slips.random() < 0.1
        colour = tuple(int(level) for level in layout.integers(0, 200, 3))
        words = layout.choice(vocabulary, 60)
        if errors:
            changed = slips.random(60) < 0.1
            words = np.where(changed, slips.choice(vocabulary, 60), words)
        if skipped:
            top += tall + 15
            continue
        if kind == 0:
            draw.rectangle((left + shift, top, width - left, top + tall), fill=colour)
        else:
            size = 30 if kind == 1 else 14
            draw.multiline_text(
                (left + shift, top),
                lines(words, width - 2 * left, size),
                fill=colour if kind == 1 else "black",
                font=ImageFont.load_default(size),
            )
        top += tall + 15
    return np.asarray(image)


def lines(words: np.ndarray, width: int, size: int) -> str:
    """Break words into at most three lines of roughly a width in pixels."""
    letters = max(8, int(width / (0.55 * size)))
    broken, line = [], ""
    for word in words:
        if len(line) + len(word) > letters:
            broken.append(line)
            line = ""
        line += f"{word} "
    return "\n".join(broken[:3])
