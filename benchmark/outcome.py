"""A result or a typed failure: no stage of the road ever answers 0, "" or a white image instead.

Each failure has one kind from a closed list, and the kind decides who is to blame:

* ``model``: whoever wrote the structure (a model's answer, or the author of collected material).
  Such a failure is final and counts as the worst value of every metric, as in Image2Struct.
* ``infra``: the machine, the engine, the provider, a site that does not answer. It is never scored;
  it is shown, and the next run tries again.
* ``material``: nobody; collected material that is not to be had or not wanted (a paper without
  source, a page like one that there is already). Final, and the reason of a drop in the funnel.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Generic, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, computed_field

T = TypeVar("T")


class Stage(StrEnum):
    """Where on the road a failure happened."""

    FETCH = "fetch"
    FILTER = "filter"
    QUERY = "query"
    PARSE = "parse"
    RENDER = "render"
    SCORE = "score"


class Blame(StrEnum):
    """Whose fault a failure is."""

    MODEL = "model"
    INFRA = "infra"
    MATERIAL = "material"


class Kind(StrEnum):
    """The closed list of failure kinds: the model's fault, ours, and reasons to drop material."""

    COMPILE_ERROR = "compile_error"
    MISSING_RESOURCE = "missing_resource"
    TIMEOUT = "timeout"
    RESOURCE_LIMIT = "resource_limit"
    EMPTY_RENDER = "empty_render"
    UNSAFE_INPUT = "unsafe_input"
    PARSE_ERROR = "parse_error"
    UNSUPPORTED = "unsupported"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    NO_ANSWER = "no_answer"
    IMAGE_TOO_LARGE = "image_too_large"

    ENGINE_UNAVAILABLE = "engine_unavailable"
    IMAGE_MISSING = "image_missing"
    SANDBOX_LOST = "sandbox_lost"
    PROVIDER_ERROR = "provider_error"
    PROVIDER_TIMEOUT = "provider_timeout"
    RATE_LIMITED = "rate_limited"
    QUOTA = "quota"
    UNAUTHORIZED = "unauthorized"
    NETWORK = "network"
    DISK_FULL = "disk_full"
    MISSING_WEIGHTS = "missing_weights"
    PICTURE_MISSING = "picture_missing"
    NO_JUDGMENT = "no_judgment"
    INTERNAL_ERROR = "internal_error"

    GONE = "gone"
    FORBIDDEN = "forbidden"
    TOO_LARGE = "too_large"
    NOT_AS_CLAIMED = "not_as_claimed"
    NO_SOURCE = "no_source"
    WITHDRAWN = "withdrawn"
    NO_LICENCE = "no_licence"
    OUT_OF_DATE = "out_of_date"
    OWNER_LIMIT = "owner_limit"
    DATE_LIMIT = "date_limit"
    UNSUITABLE = "unsuitable"
    TOXIC = "toxic"
    PERSONAL_DATA = "personal_data"
    BLANK = "blank"
    DUPLICATE = "duplicate"
    UNSTABLE = "unstable"

    @property
    def blame(self) -> Blame:
        """Whose fault a failure of this kind is."""
        if self in MODEL_KINDS:
            return Blame.MODEL
        return Blame.MATERIAL if self in MATERIAL_KINDS else Blame.INFRA


MODEL_KINDS = frozenset(
    {
        Kind.COMPILE_ERROR,
        Kind.MISSING_RESOURCE,
        Kind.TIMEOUT,
        Kind.RESOURCE_LIMIT,
        Kind.EMPTY_RENDER,
        Kind.UNSAFE_INPUT,
        Kind.PARSE_ERROR,
        Kind.UNSUPPORTED,
        Kind.TRUNCATED,
        Kind.REFUSED,
        Kind.NO_ANSWER,
        Kind.IMAGE_TOO_LARGE,
    }
)

MATERIAL_KINDS = frozenset(
    {
        Kind.GONE,
        Kind.FORBIDDEN,
        Kind.TOO_LARGE,
        Kind.NOT_AS_CLAIMED,
        Kind.NO_SOURCE,
        Kind.WITHDRAWN,
        Kind.NO_LICENCE,
        Kind.OUT_OF_DATE,
        Kind.OWNER_LIMIT,
        Kind.DATE_LIMIT,
        Kind.UNSUITABLE,
        Kind.TOXIC,
        Kind.PERSONAL_DATA,
        Kind.BLANK,
        Kind.DUPLICATE,
        Kind.UNSTABLE,
    }
)

MESSAGE_CHARACTERS = 500


def printable(text: str) -> str:
    """Replace control characters, so that foreign text cannot steer a terminal or a log."""
    return "".join(" " if unicodedata.category(c) in {"Cc", "Cs"} else c for c in text)


class Failed(BaseModel):
    """A stage that did not succeed: where, what kind, whose fault and one readable line."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    outcome: Literal["failed"] = "failed"
    stage: Stage
    kind: Kind
    message: str
    detail: str = Field(default="", description="excerpt of a log, for the report; may be long")
    subject: str = Field(
        default="", description="what it happened to, where nothing else says it: an id or address"
    )

    @computed_field  # type: ignore[prop-decorator]
    @property
    def blame(self) -> Blame:
        """Whose fault it is; follows from the kind."""
        return self.kind.blame

    @property
    def final(self) -> bool:
        """Whether a later run would only find the same again (all that is not ours)."""
        return self.blame is not Blame.INFRA

    @classmethod
    def of(
        cls, stage: Stage, kind: Kind, message: str, detail: str = "", subject: str = ""
    ) -> Self:
        """Build a failure; the message is flattened to one line of at most 500 characters."""
        line = printable(" ".join(message.split()))
        if len(line) > MESSAGE_CHARACTERS:
            line = line[: MESSAGE_CHARACTERS - 1] + "…"
        detail = detail.encode("utf-8", "replace").decode()
        return cls(stage=stage, kind=kind, message=line, detail=detail, subject=printable(subject))

    def __str__(self) -> str:
        return f"{self.stage} failed ({self.kind}, {self.blame}): {self.message}"


@dataclass(frozen=True)
class Ok(Generic[T]):
    """A stage that succeeded, with its value."""

    value: T
    outcome: Literal["ok"] = "ok"


Outcome = Ok[T] | Failed
"""Either ``Ok[T]`` or ``Failed``; tell them apart with ``isinstance``."""


def ok(value: T) -> Ok[T]:
    """Wrap a value."""
    return Ok(value)


def discriminated(value_type: type[T]) -> Any:  # noqa: ANN401 - a typing construct
    """Return the annotated union ``Ok[value_type] | Failed`` for a ``pydantic.TypeAdapter``."""
    return Annotated[Ok[value_type] | Failed, Field(discriminator="outcome")]  # type: ignore[valid-type]
