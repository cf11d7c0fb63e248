"""A baseline that reads: what an offline text recogniser and plain geometry make of a picture.

It looks at the picture, never at the truth, and writes what the scenario asks for: a page of
positioned lines, lines of LaTeX, empty staves, a tree of boxes, a chain of steps, a list of texts.
Only where a prompt asks about a part of the picture (tasks on mind maps) does it look at the prompt
too, for labels, boxes and a few words. Questions that words and their places do not answer (logic,
reasoning and localization of FlowCE) it does not answer, and says so: the failure ``unsupported``.
A model that does not beat it has not understood structure beyond the place of words. See
docs/models.md.
"""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Completion, Digest, Request, digest_bytes
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from vlms import (
    ocr_flowce,
    ocr_flowchart,
    ocr_latex,
    ocr_mindbench,
    ocr_mindmap,
    ocr_music,
    ocr_webpage,
)
from vlms.reader import Line, ModelsMissing, Weights, find_weights, shared_reader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VERSION = "2"
MOST_ENGINES = 4
"""An engine takes 300 MB, and as much again while it reads a picture of 1920x1080."""

Writer = Callable[["NDArray[np.uint8]", list[Line]], str | None]
WRITERS: dict[str, Writer] = {
    "webpage": ocr_webpage.write,
    "latex": ocr_latex.write,
    "music": ocr_music.write,
    "mindmap": ocr_mindmap.write,
    "flowchart": ocr_flowchart.write,
    "flowce-extraction": ocr_flowce.write_texts,
    "flowce-summarization": ocr_flowce.write_words,
}
ASKED = frozenset({"mindmap-part", "mindmap-position", "mindmap-vqa", "mindmap-position-vqa"})
"""Scenarios in which it depends on the prompt what is to be written."""
NEED_NO_TEXT = frozenset({"music"})
"""Scenarios whose writer looks at the picture only, so that nothing has to be read."""
FOUND = {
    **{"latex": "text", "music": "staff", "mindmap": "text", "flowchart": "text"},
    **dict.fromkeys(("flowce-extraction", "flowce-summarization"), "text"),
    **dict.fromkeys(ASKED, "text"),
}
REMEMBERED = 32
"""Readings that are kept, since several questions are asked about one picture."""


class Ocr:
    """Reads a picture and writes it down in the scenario's notation."""

    def __init__(self, name: str, weights: Weights, engines: int) -> None:
        """Keep where the models are; they are loaded with the first picture."""
        self.name = name
        self.concurrency = engines
        self.sees_truth = False
        self._weights = weights
        self._readings: dict[Digest, list[Line]] = {}
        self._lock = threading.Lock()

    def settings(self) -> dict[str, Any]:
        """Return the versions of the reader, of its models and of our own rules."""
        return {"version": VERSION, **self._weights.describe()}

    def complete(self, request: Request) -> Outcome[Completion]:
        """Read and write; fails with no_answer where there is nothing to read."""
        writer = self._writer(request)
        if writer is None:
            message = f"{self.name} has no notation for the scenario {request.scenario!r}"
            return Failed.of(Stage.QUERY, Kind.UNSUPPORTED, message)
        started = time.monotonic()
        try:
            picture = _pixels(request.image)
        except OSError as error:
            message = f"the picture of {request.instance!r} is not readable: {error}"
            return Failed.of(Stage.QUERY, Kind.INTERNAL_ERROR, message)
        lines = [] if request.scenario in NEED_NO_TEXT else self._read(request.image, picture)
        text = writer(picture, lines)
        if text is None:
            message = f"{self.name} found no {FOUND[request.scenario]} in the picture"
            return Failed.of(Stage.QUERY, Kind.NO_ANSWER, message)
        return ok(Completion(text=text, model=self.name, seconds=time.monotonic() - started))

    def _writer(self, request: Request) -> Writer | None:
        if request.scenario not in ASKED:
            return WRITERS.get(request.scenario)
        return lambda picture, lines: ocr_mindbench.answer(
            request.scenario, picture, lines, request.prompt
        )

    def _read(self, image: bytes, picture: NDArray[np.uint8]) -> list[Line]:
        digest = digest_bytes(image)
        with self._lock:
            known = self._readings.get(digest)
        if known is None:
            known = shared_reader(self._weights, self.concurrency).read(picture)
            with self._lock:
                while len(self._readings) >= REMEMBERED:
                    del self._readings[next(iter(self._readings))]
                self._readings[digest] = known
        return known


class Absent:
    """Stands in for the reader where its models are missing: every answer is that failure."""

    def __init__(self, name: str, reason: str) -> None:
        """Keep the reason."""
        self.name = name
        self.concurrency = 1
        self.sees_truth = False
        self._reason = reason

    def settings(self) -> dict[str, Any]:
        """Return the version; nothing is ever answered."""
        return {"version": VERSION}

    def complete(self, request: Request) -> Outcome[Completion]:  # noqa: ARG002 - contract
        """Return the failure."""
        return Failed.of(Stage.QUERY, Kind.MISSING_WEIGHTS, self._reason)


def _pixels(png: bytes) -> NDArray[np.uint8]:
    import numpy as np
    from PIL import Image

    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def build(name: str, settings: Settings, snapshot: Snapshot) -> Ocr | Absent:  # noqa: ARG001 - contract
    """Build the baseline; the snapshot is not looked at."""
    try:
        weights = find_weights()
    except ModelsMissing as missing:
        return Absent(name, str(missing))
    return Ocr(name, weights, min(settings.workers, MOST_ENGINES))
