"""Made-up results for tests of reports: small pictures, every fate, hostile text where wanted."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field

from PIL import Image, ImageDraw

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Needs
from benchmark.records import (
    Completion,
    Flag,
    Instance,
    Provenance,
    Rendering,
    Score,
    Usage,
    digest_bytes,
)
from metrics.metric import FunctionMetric
from reports.results import Result
from tests.pictures import encoded


def similarity(prediction: object, reference: object) -> float:
    raise AssertionError("reports never compute a metric")


METRICS = {
    "ssim": FunctionMetric("ssim", "1", Needs.IMAGES, (0.0, 1.0), True, similarity),
    "edit": FunctionMetric("edit", "1", Needs.TEXTS, (0.0, 1.0), True, similarity),
    "distance": FunctionMetric("distance", "1", Needs.IMAGES, (0.0, 9.0), False, similarity),
}


@dataclass(frozen=True)
class Named:
    name: str
    subsets: tuple[str, ...] = ("easy", "hard")
    metrics: tuple[str, ...] = ("ssim", "edit")


@dataclass
class Blobs:
    """A store of pictures in memory."""

    data: dict[str, bytes] = field(default_factory=dict)

    def put(self, data: bytes) -> str:
        digest = digest_bytes(data)
        self.data[digest] = data
        return digest

    def load(self, digest: str) -> bytes:
        return self.data[digest]


def png(text: str, colour: str = "white", size: tuple[int, int] = (320, 180)) -> bytes:
    image = Image.new("RGB", size, colour)
    draw = ImageDraw.Draw(image)
    draw.text((12, 12), text, fill="black")
    draw.rectangle((10, 40, size[0] - 10, size[1] - 10), outline="black")
    return encoded(image)


def instance(
    ident: str,
    *,
    scenario: str = "webpage",
    subset: str = "easy",
    image: str = "0" * 64,
    truth: str | None = "1" * 64,
    url: str | None = None,
) -> Instance:
    provenance = Provenance(
        source="bundled", author="us", licence="CC0-1.0", created=dt.date(2026, 1, 2), url=url
    )
    return Instance(
        id=ident,
        scenario=scenario,
        subset=subset,
        image=image,
        truth=truth,
        provenance=provenance,
    )


def answered(
    model: str,
    of: Instance,
    scores: dict[str, float | None],
    *,
    image: str = "2" * 64,
    text: str = "an answer",
    flags: tuple[Flag, ...] = (),
    repairs: tuple[str, ...] = (),
    reason: str = "",
) -> Result:
    usage = Usage(input_tokens=100, output_tokens=10)
    rendering = Rendering(image=image, width=320, height=180, flags=flags, repairs=repairs)
    return Result(
        model=model,
        instance=of,
        completion=ok(Completion(text=text, usage=usage)),
        rendering=ok(rendering),
        scores=tuple(
            Score(
                metric=name,
                version="1",
                value=value,
                reason=reason if value is None else "",
            )
            for name, value in scores.items()
        ),
    )


def failed(model: str, of: Instance, kind: Kind, message: str = "it did not work") -> Result:
    stage = Stage.QUERY if kind in {Kind.REFUSED, Kind.PROVIDER_ERROR} else Stage.RENDER
    failure = Failed.of(stage, kind, message)
    completion: Outcome[Completion] = failure
    if stage is Stage.RENDER:
        completion = ok(Completion(text="a broken answer", usage=Usage(output_tokens=5)))
    return Result(
        model=model,
        instance=of,
        completion=completion,
        rendering=None if stage is Stage.QUERY else failure,
    )


def pending(model: str, of: Instance) -> Result:
    return Result(model=model, instance=of, completion=None, rendering=None)
