"""A tiny scenario with its renderer and source, for what is tested of the flows themselves.

Its pictures are flat colours made by Pillow; the real renderers are tested where they live and in
test_road.py. A text `fail: …` does not compile, and comparing takes ``TOY_SECONDS``.
"""

from __future__ import annotations

import datetime as dt
import io
import os
import time

from PIL import Image

from benchmark import registry
from benchmark.outcome import Failed, Kind, Stage, ok
from benchmark.protocols import Fit, MetricUnavailable, Needs
from benchmark.records import (
    Answer,
    Completion,
    Material,
    Picture,
    Provenance,
    Structure,
    Usage,
)
from metrics.metric import FunctionMetric

PROVENANCE = Provenance(
    source="toy", author="tests", licence="CC0-1.0", created=dt.date(2026, 1, 1)
)


class ToyRenderer:
    name, version = "toy", "1"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def image_digest(self):
        if os.environ.get("TOY_ENGINE") == "down":
            return Failed.of(Stage.RENDER, Kind.ENGINE_UNAVAILABLE, "no engine answers")
        return ok("d" * 64)

    def render(self, structure):
        if structure.text.startswith("fail"):
            return Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, structure.text)
        buffer = io.BytesIO()
        Image.new("RGB", (24, 16), (len(structure.text) % 256, 0, 0)).save(buffer, "PNG")
        return ok(Picture(png=buffer.getvalue(), width=24, height=16))


class ToyScenario:
    name, version, subsets, renderer = "toy", "1", ("short", "long"), "toy"
    metrics, fit = ("toy_same", "toy_text", "toy_absent"), Fit.PAD

    def prompt(self, instance):
        return "Write the text of this picture."

    def blank(self):
        return "blank"

    def read(self, text, *, truncated=False):
        if not text:
            return Failed.of(Stage.PARSE, Kind.NO_ANSWER, "empty")
        structure = Structure(files={"text": text.encode()}, entry="text")
        return ok(Answer(structure=structure, text=text))

    def repair(self, answer, failure):
        return None


class ToySource:
    name, scenarios, about = "toy", ("toy",), "Made for tests."

    def collect(self, *, since=None, limit=None):
        for number in range(1, (limit or 12) + 1):
            yield ok(
                Material(
                    id=f"toy/{number}",
                    scenario="toy",
                    subset=ToyScenario.subsets[number % 2],
                    truth="fail: on purpose" if number == 5 else "x" * number,
                    provenance=PROVENANCE,
                )
            )


class Counting:
    """A model whose every answer takes ten tokens, one after the other."""

    name, concurrency, sees_truth = "toy-counting", 1, False

    def settings(self):
        return {"version": 1}

    def complete(self, request):
        usage = Usage(input_tokens=7, output_tokens=3)
        return ok(Completion(text="something", usage=usage, model=self.name))


def absent(prediction, reference):
    raise MetricUnavailable("no weights here; run `rerender weights`")


def same(prediction, reference):
    time.sleep(float(os.environ.get("TOY_SECONDS", "0")))
    return float((prediction == reference).all())


def metric(name, needs, function):
    return FunctionMetric(name, "1", needs, (0.0, 1.0), True, function)


METRICS = {
    "toy_same": metric("toy_same", Needs.IMAGES, same),
    "toy_text": metric("toy_text", Needs.TEXTS, lambda p, r: float(p == r)),
    "toy_absent": metric("toy_absent", Needs.IMAGES, absent),
}


def register() -> None:
    """Register everything of this module, once."""
    if "toy" in registry.sources:
        return
    registry.renderers.register("toy", ToyRenderer)
    registry.scenarios.register("toy", ToyScenario())
    registry.sources.register("toy", ToySource())
    registry.models.register("toy-counting", lambda name, settings, snapshot: Counting())
    for name, each in METRICS.items():
        registry.metrics.register(name, each)
