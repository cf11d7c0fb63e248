"""A scenario like the toy one, whose pictures show their text, scored by real metrics.

It is registered as an installed package's would be, so that other processes know it too.
"""

from __future__ import annotations

import io

from PIL import Image, ImageDraw, ImageFont

from benchmark import registry
from benchmark.outcome import ok
from benchmark.protocols import Fit
from benchmark.records import Material, Picture
from tests.flows import toy

TEXTS = [
    "Structure is what remains when the picture is gone, and a page is more than its pixels.",
    "A column of figures;\nanother column;\na margin that nobody has drawn.",
    "f(x) = a0 + a1 x + a2 x^2",
    "• root\n  • branch\n    • leaf\n  • branch with a long name",
]
SAME, TEXT, ABSENT = (toy.METRICS[name] for name in ("toy_same", "toy_text", "toy_absent"))
LIGHT = ("pixel", "ssim", "ems", "edit")
"""What all but the first are scored by: a network in each of three processes takes its time."""
ENTRY_POINTS = """
[rerender.renderers]
toy = tests.flows.toy:ToyRenderer
drawn = tests.flows.drawn:DrawnRenderer
[rerender.scenarios]
toy = tests.flows.toy:ToyScenario
drawn = tests.flows.drawn:DrawnScenario
[rerender.sources]
toy = tests.flows.toy:ToySource
drawn = tests.flows.drawn:DrawnSource
[rerender.metrics]
toy_same = tests.flows.drawn:SAME
toy_text = tests.flows.drawn:TEXT
toy_absent = tests.flows.drawn:ABSENT
"""


class DrawnRenderer(toy.ToyRenderer):
    name = "drawn"

    def render(self, structure):
        return ok(Picture(png=picture(structure.files["text"].decode()), width=360, height=200))


def picture(text):
    """Draw a text; returns PNG."""
    image = Image.new("RGB", (360, 200), "white")
    ImageDraw.Draw(image).multiline_text(
        (9, 7), text, fill=(20, 20, 90), font=ImageFont.load_default(17)
    )
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


class DrawnScenario(toy.ToyScenario):
    name, renderer = "drawn", "drawn"
    metrics, fit = ("pixel", "ssim", "lpips", "ems", "edit"), Fit.PAD


class DrawnSource:
    name, scenarios, about = "drawn", ("drawn",), "Made for tests."

    def collect(self, *, since=None, limit=None):
        for number, text in enumerate(TEXTS):
            yield ok(
                Material(
                    id=f"drawn/{number}", scenario="drawn", subset="short", truth=text,
                    provenance=toy.PROVENANCE,
                    metrics=None if number == 0 else LIGHT,
                )
            )  # fmt: skip


def install(folder):
    """Make the scenarios known to every process that has a folder in its ``PYTHONPATH``."""
    package = folder / "drawn-0.dist-info"
    package.mkdir(parents=True)
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: drawn\nVersion: 0\n")
    (package / "entry_points.txt").write_text(ENTRY_POINTS)


def register():
    """Make them known here, with the toy scenario."""
    toy.register()
    if "drawn" not in registry.sources:
        registry.renderers.register("drawn", DrawnRenderer)
        registry.scenarios.register("drawn", DrawnScenario())
        registry.sources.register("drawn", DrawnSource())
