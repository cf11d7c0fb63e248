"""The frozen records that travel along the road; every one serialises to JSON and back."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue

from benchmark.outcome import Failed, Kind, printable

Digest = str
"""A sha256 in lower-case hexadecimal; the name of a blob in the store."""


def digest_bytes(data: bytes) -> Digest:
    """Return the sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def digest_json(value: Any) -> Digest:  # noqa: ANN401 - any JSON value
    """Return the sha256 of a JSON value in canonical form (sorted keys, no spaces, UTF-8)."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest_bytes(text.encode("utf-8", "surrogatepass"))


def whole(text: str) -> str:
    """Replace halves of surrogate pairs, which no file can hold, so that text survives storing."""
    return text.encode("utf-8", "replace").decode("utf-8")


Whole = Annotated[str, AfterValidator(whole)]
"""Foreign text in a form that can be written to a file and read again unchanged."""


def _whole_json(values: dict[str, JsonValue]) -> dict[str, JsonValue]:
    text = json.dumps(values, ensure_ascii=False)
    if whole(text) == text:
        return values
    cleaned: dict[str, JsonValue] = json.loads(whole(text))
    return cleaned


WholeJson = Annotated[dict[str, JsonValue], AfterValidator(_whole_json)]
"""Foreign values by name, with their texts in that form."""


class Record(BaseModel):
    """Base of all records: frozen, unknown fields refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_bytes="base64", val_json_bytes="base64"
    )


class Flag(Record):
    """Something that went wrong without stopping the stage (a picture came out all the same)."""

    kind: Kind
    message: Annotated[str, AfterValidator(printable)]


class Structure(Record):
    """Files that a renderer turns into a picture: what a model wrote, or the truth.

    Paths are relative with forward slashes. They are as untrusted as the contents:
    ``renderers.bundle`` checks both before anything is written anywhere.
    """

    files: dict[str, bytes]
    entry: str = Field(description="path of the file to start from, as in `files`")
    options: dict[str, JsonValue] = Field(
        default_factory=dict, description="renderer options that a scenario sets, part of the key"
    )

    @property
    def digest(self) -> Digest:
        """Exact digest of all files, the entry and the options."""
        files = {path: digest_bytes(data) for path, data in self.files.items()}
        return digest_json({"files": files, "entry": self.entry, "options": self.options})

    def with_text(self, text: str) -> Structure:
        """Return the structure with the text of its entry file replaced."""
        files = {**self.files, self.entry: text.encode("utf-8", "replace")}
        return self.model_copy(update={"files": files})

    @property
    def text(self) -> str:
        """The entry file as text."""
        return self.files[self.entry].decode("utf-8", "replace")


class Answer(Record):
    """What a scenario read from a completion (or from a truth, by the same road)."""

    structure: Structure
    text: str = Field(description="the structure as one text, for text metrics")
    tree: JsonValue = Field(default=None, description="the structure as a tree, for tree metrics")
    repairs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()

    def repaired(self, structure: Structure, repair: str) -> Answer:
        """Return the answer with a repaired structure and the repair recorded."""
        return self.model_copy(update={"structure": structure, "repairs": (*self.repairs, repair)})


class Picture(Record):
    """What a renderer made of a structure, before canvas."""

    png: bytes = Field(description="8-bit RGB PNG, cropped by renderers.canvas")
    width: int = Field(gt=0, description="pixels")
    height: int = Field(gt=0, description="pixels")
    pages: int = Field(default=1, ge=1, description="pages that the tool produced, all in the png")
    flags: tuple[Flag, ...] = Field(
        default=(), description="errors that left a usable picture; empty for a clean success"
    )
    log: str = Field(default="", description="excerpt of the tool's log")
    seconds: float = Field(default=0.0, ge=0)


class Asset(Record):
    """A file that comes with an instance and is at hand for truth and answer alike (an image)."""

    path: Whole
    digest: Digest


class Provenance(Record):
    """Where an instance comes from and what may be done with it."""

    source: str = Field(description="registered name of the source")
    author: Whole
    licence: Whole = Field(description="SPDX identifier, or LicenseRef-…")
    created: dt.date = Field(description="when the material was made, not when it was fetched")
    url: Whole | None = None
    made: Whole = Field(default="", description="how the material was made or chosen")
    publishable: bool = Field(
        default=True,
        description="whether its licence lets everybody pass the content on; if not, a published "
        "snapshot holds the recipe instead",
    )
    recipe: WholeJson = Field(
        default_factory=dict,
        description="how the same content is fetched again: addresses, versions, places, digests",
    )


class Subject(Record):
    """What a picture shows where that is not the truth: a text that a scenario reads and draws."""

    scenario: str = Field(description="registered name of the scenario that reads the text")
    text: Whole


class Material(Record):
    """One piece of fresh material as a source yields it, before the reference is rendered.

    What the models are shown is, in this order: ``picture``, what ``drawn_from`` is drawn to, what
    the truth is rendered to.
    """

    id: Whole = Field(description="stable and unique within the source, e.g. webpage/html/cafe")
    scenario: str
    subset: str
    truth: Whole | None = Field(
        description="the structure, as a perfect answer would write it; None where only a picture "
        "is known (a scan)"
    )
    drawn_from: Subject | None = Field(
        default=None, description="what the picture shows, if not the truth (a whole map)"
    )
    picture: bytes | None = Field(
        default=None, description="the picture, where it came as one (PNG, JPEG, …)"
    )
    assets: dict[Whole, bytes] = Field(default_factory=dict)
    provenance: Provenance
    attributes: WholeJson = Field(default_factory=dict)
    metrics: tuple[str, ...] | None = Field(
        default=None, description="those of the scenario that say something of it; None: all"
    )

    def known_truth(self) -> str:
        """Return the truth of material that has one.

        Raises:
            ValueError: only its picture is known; whoever derives from material asks first.
        """
        if self.truth is None:
            raise ValueError(f"{self.id}: the truth is not known, only the picture")
        return self.truth


class Instance(Record):
    """One item of a snapshot: a picture, its truth and its provenance."""

    id: str
    scenario: str
    subset: str
    image: Digest = Field(description="reference picture (PNG), as shown to the models")
    reference: Digest | None = Field(
        default=None,
        description="the truth as a picture (PNG), where the picture that is shown is another one",
    )
    truth: Digest | None = Field(description="the structure as a perfect answer; None if unknown")
    assets: tuple[Asset, ...] = ()
    provenance: Provenance
    attributes: dict[str, JsonValue] = Field(default_factory=dict)
    metrics: tuple[str, ...] | None = Field(
        default=None, description="those of the scenario that say something of it; None: all"
    )

    @property
    def compared(self) -> Digest:
        """The picture that pictures of answers are compared with."""
        return self.reference or self.image

    def scored_by(self, metric: str) -> bool:
        """Tell whether a metric of the scenario says something of this instance."""
        return self.metrics is None or metric in self.metrics


class Usage(Record):
    """Tokens of one completion, as the provider counts them."""

    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0


class Request(Record):
    """What a model is shown: a prompt and a picture. It never holds the truth."""

    instance: str = Field(description="identifier of the instance")
    scenario: str
    prompt: str
    image: bytes = Field(description="PNG")


class Completion(Record):
    """What a model answered."""

    text: Whole
    reasoning: Whole = ""
    finish_reason: str = Field(default="stop", description="stop, length or content_filter")
    usage: Usage = Usage()
    model: str = Field(default="", description="the name that the provider reports")
    notes: tuple[str, ...] = Field(
        default=(), description="what was changed on the way, e.g. a picture resized to a limit"
    )
    seconds: float = Field(default=0.0, ge=0)


class Rendering(Record):
    """A picture in the store, with what was done to get it; or an answer that has no picture."""

    image: Digest | None = Field(description="None where the scenario renders nothing")
    width: int | None = Field(default=None, description="pixels")
    height: int | None = Field(default=None, description="pixels")
    pages: int = 1
    text: Whole = Field(default="", description="the structure as text, for text metrics")
    tree: JsonValue = None
    repairs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()
    seconds: float = 0.0


class Judgment(Record):
    """Who gave the points of a score, and why."""

    judge: Whole = Field(description="a model, or the name of the offline judge")
    reason: Whole = ""
    usage: Usage = Usage()
    model: str = Field(default="", description="the name that the judge's provider reports")
    notes: tuple[str, ...] = Field(default=(), description="what was changed on the way")


class Score(Record):
    """One metric of one instance; a value or the reason why there is none, never both."""

    metric: str
    version: str
    value: float | None
    reason: str = ""
    failure: Failed | None = Field(default=None, description="if scoring was tried and failed")
    judgment: Judgment | None = Field(default=None, description="where a judge gave the value")
