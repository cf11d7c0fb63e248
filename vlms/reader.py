"""Lines of text found in a picture by rapidocr's bundled models: offline, repeatable.

The models' paths are given, because rapidocr downloads a model that it is not given a path of. An
engine keeps state during a call, so each thread borrows one of a pool; the pool lasts as long as
the process, and each engine computes on one thread, so that results do not depend on the machine's
number of cores.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmark.records import digest_bytes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TALLEST = 1600
"""Pixels of height that are read at once; taller pictures are cut between lines."""
SEARCH = 320
"""Pixels above a cut in which a row without ink is looked for."""
LEAST_SCORE = 0.5


class ModelsMissing(Exception):
    """The installed rapidocr has no models beside it; the text says what to do."""


@dataclass(frozen=True)
class Line:
    """One line of text; its box in pixels of the picture, right and bottom exclusive."""

    text: str
    left: int
    top: int
    right: int
    bottom: int
    score: float = 1.0

    @property
    def width(self) -> int:
        """Width of the box."""
        return self.right - self.left

    @property
    def height(self) -> int:
        """Height of the box."""
        return self.bottom - self.top

    @property
    def middle(self) -> float:
        """Vertical centre of the box."""
        return (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Weights:
    """The files of the two networks."""

    detection: Path
    recognition: Path

    def describe(self) -> dict[str, str]:
        """Return what decides a reading, for the key."""
        digests = [_digest(path) for path in (self.detection, self.recognition)]
        packages = {name: version(name) for name in ("rapidocr", "onnxruntime")}
        return {**packages, "models": " ".join(digests)}


@cache
def _digest(path: Path) -> str:
    return digest_bytes(path.read_bytes())


def find_weights() -> Weights:
    """Find the models that rapidocr ships, without loading anything.

    Raises:
        ModelsMissing: they are not there.
    """
    import importlib.util

    found = importlib.util.find_spec("rapidocr")
    folder = Path(found.origin).parent / "models" if found and found.origin else Path()
    detection = sorted(folder.glob("*_det_*.onnx"))
    recognition = sorted(folder.glob("*_rec_*.onnx"))
    if not detection or not recognition:
        raise ModelsMissing("rapidocr's models are missing; install it again: pip install rapidocr")
    return Weights(detection[0], recognition[0])


class Reader:
    """Reads lines; safe to call from several threads, as many at once as it has engines."""

    def __init__(self, weights: Weights, engines: int) -> None:
        """Set the number of engines; each is loaded when it is first needed."""
        self._weights = weights
        self._free: queue.LifoQueue[Any] = queue.LifoQueue()
        self._permits = threading.BoundedSemaphore(engines)

    def read(self, picture: NDArray[np.uint8]) -> list[Line]:
        """Return the lines of an RGB picture (H, W, 3), from top to bottom, then left to right."""
        lines: list[Line] = []
        with self._engine() as engine:
            for top, bottom in bands(picture):
                lines += _read_band(engine, picture[top:bottom], top)
        return sorted(lines, key=lambda line: (line.top, line.left, line.text))

    @contextmanager
    def _engine(self) -> Iterator[Any]:
        with self._permits:
            try:
                engine = self._free.get_nowait()
            except queue.Empty:
                engine = _load(self._weights)
            try:
                yield engine
            finally:
                self._free.put(engine)


_readers: dict[tuple[Weights, int], Reader] = {}
_lock = threading.Lock()


def shared_reader(weights: Weights, engines: int) -> Reader:
    """Return the reader of this process, so that models are loaded once."""
    with _lock:
        return _readers.setdefault((weights, engines), Reader(weights, engines))


def bands(picture: NDArray[np.uint8]) -> list[tuple[int, int]]:
    """Cut a tall picture into bands of at most 1600 rows, where there is least ink."""
    height = picture.shape[0]
    cuts = [0]
    while height - cuts[-1] > TALLEST:
        last = cuts[-1] + TALLEST
        rows = picture[last - SEARCH : last].astype(int)
        unrest = abs(rows[:, 1:] - rows[:, :-1]).sum(axis=(1, 2))
        quiet = (unrest <= unrest.min()).nonzero()[0]
        cuts.append(last - SEARCH + int(quiet[-1]))
    return list(zip(cuts, [*cuts[1:], height], strict=True))


def _read_band(engine: Any, band: NDArray[np.uint8], offset: int) -> list[Line]:  # noqa: ANN401
    result = engine(band[:, :, ::-1].copy())  # rapidocr wants BGR
    if result.boxes is None or result.txts is None:
        return []
    height, width = band.shape[:2]
    lines = []
    for box, text, score in zip(result.boxes, result.txts, result.scores, strict=True):
        left, top = (max(0, int(value)) for value in box.min(axis=0))
        right, bottom = (int(value) for value in box.max(axis=0))
        right, bottom = min(width, max(right, left + 1)), min(height, max(bottom, top + 1))
        if text.strip():
            box_ = (left, top + offset, right, bottom + offset)
            lines.append(Line(text.strip(), *box_, score=float(score)))
    return lines


def _load(weights: Weights) -> Any:  # noqa: ANN401 - rapidocr has no type hints
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "error",
            "Global.use_cls": False,  # no text in our pictures stands on its head
            "Global.text_score": LEAST_SCORE,
            "Det.model_path": str(weights.detection),
            "Rec.model_path": str(weights.recognition),
            "Det.limit_type": "max",
            "Det.limit_side_len": 2000,
            "Rec.rec_batch_num": 1,  # a line's reading does not depend on the lines beside it
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
