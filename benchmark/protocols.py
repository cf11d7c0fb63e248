"""The contracts that plug-ins keep: scenario, language, renderer, metric, model, source.

A plug-in is any object with these attributes and methods, registered under an entry point (see
``benchmark.registry``). ``tests/contracts`` holds the suite that each kind must pass.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable

from pydantic import JsonValue

from benchmark.outcome import Failed, Outcome
from benchmark.records import (
    Answer,
    Completion,
    Digest,
    Instance,
    Material,
    Picture,
    Request,
    Structure,
)

if TYPE_CHECKING:
    from benchmark.settings import Settings
    from benchmark.snapshot import Snapshot


class Needs(StrEnum):
    """What a metric compares."""

    IMAGES = "images"
    TEXTS = "texts"
    TREES = "trees"
    JUDGMENT = "judgment"
    """Two texts, of which a judge says how well they agree; see docs/judge.md."""


class Fit(StrEnum):
    """How two pictures of different size are brought together (decided in renderers.canvas)."""

    RESIZE = "resize"
    PAD = "pad"


class MetricUnavailable(Exception):
    """Raised by a metric that cannot run here (missing weights); its text is the reason shown."""


@runtime_checkable
class Metric(Protocol):
    """A pure function of a prediction and a reference, with what one must know about it.

    ``IMAGES``: two uint8 arrays (H, W, 3) of equal shape; ``TEXTS``: two str; ``TREES``: two JSON
    values; ``JUDGMENT``: two str, and a run may set a judge that is asked instead of the function.
    ``metric(x, x) == best``. Raises ``MetricUnavailable`` when it cannot run here.
    """

    name: str
    version: str
    needs: Needs
    range: tuple[float, float]
    higher_is_better: bool

    def __call__(self, prediction: Any, reference: Any) -> float:  # noqa: ANN401
        """Compare; the value lies in ``range``."""


@runtime_checkable
class Language(Protocol):
    """How text in one notation is read and repaired; shared by scenarios and `rerender try`."""

    name: str
    version: str
    renderer: str

    def read(self, text: str) -> Outcome[Answer]:
        """Read an answer or a bare source into files to render."""

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """Return a repaired answer to render again, or None when nothing harmless is left."""


@runtime_checkable
class Scenario(Protocol):
    """What is asked, how an answer is read, how it is rendered and by what it is scored.

    A scenario without a renderer asks for something that has no picture (an answer to a question);
    its metrics compare texts and trees. ``Dresses``, ``Describes`` and ``Derives`` say what a
    scenario may offer besides. One of several of a published benchmark has its name as the
    attribute ``family``, by which all of them can be chosen.
    """

    name: str
    version: str
    subsets: tuple[str, ...]
    renderer: str | None
    metrics: tuple[str, ...]
    fit: Fit

    def prompt(self, instance: Instance) -> str:
        """Return the text that goes to the model with the picture."""

    def blank(self) -> str:
        """Return a valid, empty structure as an answer would write it: the floor."""

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read a completion (or a truth); `truncated` when the provider cut it off."""

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """As ``Language.repair``."""


@runtime_checkable
class Dresses(Protocol):
    """A scenario that draws answers as the picture of their instance is drawn (its style)."""

    dressed_by: tuple[str, ...]
    """The attributes of an instance that decide how; part of the keys."""

    def dress(self, answer: Answer, attributes: Mapping[str, JsonValue]) -> Answer:
        """Return the answer, to be drawn as an instance of these attributes is."""


@runtime_checkable
class Describes(Protocol):
    """A scenario that measures what a picture shows; the measures become attributes."""

    def describe(self, answer: Answer) -> dict[str, JsonValue]:
        """Return measures by name (a map's nodes)."""


@runtime_checkable
class Derives(Protocol):
    """A scenario whose material is made from that of another one (questions about maps)."""

    derives_from: str
    """The other scenario's name."""
    needs_places: bool
    """Whether only material whose nodes' boxes are known (attribute ``boxes``) offers anything."""
    cycle: int
    """After how many turns the same kind of question comes again."""

    def derive(self, material: Material, *, turn: int, seed: int) -> Material | None:
        """Return a piece of material about another one, or None where that offers none.

        Kinds of questions take turns by `turn`, which goes up from piece to piece. Equal arguments
        give equal pieces.
        """


@runtime_checkable
class Renderer(Protocol):
    """Structure to picture in a sandbox; safe to call from several threads at once."""

    name: str
    version: str

    def __enter__(self) -> Self:
        """Get ready (start warm containers lazily)."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave no container and no process behind."""

    def image_digest(self) -> Outcome[Digest]:
        """Return the identifier of the container image, part of every key."""

    def render(self, structure: Structure) -> Outcome[Picture]:
        """Render; never raises for what the structure holds."""


@runtime_checkable
class Model(Protocol):
    """Something that answers a request; safe to call from several threads at once.

    A model that has nothing to say where the truth is not known has the attribute
    ``needs_truth = True``: it is not asked about pictures alone.
    """

    name: str
    concurrency: int
    sees_truth: bool
    """Whether answers depend on more than the request (only oracle and blank: ceiling, floor)."""

    def settings(self) -> dict[str, Any]:
        """Return all that can change an answer (temperature, limits, version), for the key."""

    def complete(self, request: Request) -> Outcome[Completion]:
        """Answer; never raises for what the provider does."""


class ModelFactory(Protocol):
    """What is registered under ``rerender.models``."""

    def __call__(self, name: str, settings: Settings, snapshot: Snapshot) -> Model:
        """Build the model `name`; only baselines look at the snapshot's truth."""


@runtime_checkable
class Source(Protocol):
    """Where fresh material comes from.

    A source that reads a site has the attribute ``live = True``: whoever asks it stops when there
    is enough, so it fetches each piece only when it is asked for, and takes its subsets in turns.
    """

    name: str
    scenarios: tuple[str, ...]

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield material made on or after `since`, failures as values.

        `limit` is the most pieces of each scenario. A failure of stage FETCH is a candidate that
        could not be had, one of stage FILTER one that was had or known and is not wanted; its
        ``subject`` names it (the address, or the id that the material would have). After a failure
        that stops a whole site (a refused token, a used-up quota) nothing more is yielded.
        """
