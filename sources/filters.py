"""Filters: what is not wanted in a snapshot, each a value with a reason.

A filter has a name, a version, a line about itself, and ``judge``. What it refuses is a ``Failed``
of stage FILTER whose message names the number and the bound, and whose subject is the material's
id. All parameters are fields with defaults; a changed rule is a new version. Filters on content
see the material, those on pictures also what was rendered of it.

Some filters remember what they admitted (one per owner, so many per day, near-duplicates). They
are judged one after the other in the order of collection, and last, so that nothing takes a place
that another filter refuses afterwards. Equal materials in equal order give equal answers.

Numbers called Image2Struct's are from its released code, since its paper (arXiv 2410.22456) names
none.
"""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material

Pixels = NDArray[np.uint8]
"""A picture as an array of shape (height, width, 3), RGB, 0 to 255."""

NOBODY = frozenset({"", "anonymous", "traditional", "trad.", "unknown"})
"""Authors that tell nobody apart."""

STYLE_SUFFIXES = frozenset({".css", ".less", ".sass", ".scss"})


@runtime_checkable
class ContentFilter(Protocol):
    """Judges a material by what it says of itself and what it holds."""

    name: ClassVar[str]
    version: ClassVar[str]
    about: ClassVar[str]

    def judge(self, material: Material) -> Outcome[Material]:
        """Return the material, perhaps changed (masked), or why it is not wanted."""


@runtime_checkable
class PictureFilter(Protocol):
    """Judges a material by its picture."""

    name: ClassVar[str]
    version: ClassVar[str]
    about: ClassVar[str]

    def judge(self, material: Material, picture: Pixels) -> Failed | None:
        """Return why the material is not wanted, or None.

        Args:
            material: what the picture was made of.
            picture: uint8 of shape (height, width, 3), RGB.
        """


def refused(material: Material, kind: Kind, message: str) -> Failed:
    """Return the failure of a filter: a reason, and whom it befell."""
    return Failed.of(Stage.FILTER, kind, message, subject=material.id)


def judge_content(filters: Sequence[ContentFilter], material: Material) -> Outcome[Material]:
    """Judge a material by filters in their order, until one refuses it."""
    for each in filters:
        outcome = each.judge(material)
        if not isinstance(outcome, Ok):
            return outcome
        material = outcome.value
    return ok(material)


@dataclass(frozen=True)
class Created:
    """Keeps what was made (not updated, not fetched) in a span of days, both ends included."""

    since: dt.date | None = None
    until: dt.date | None = None

    name: ClassVar[str] = "created"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "made in the span of days that was asked for"

    def judge(self, material: Material) -> Outcome[Material]:
        """Compare the day of making; OUT_OF_DATE outside of the span."""
        made = material.provenance.created
        if self.since is not None and made < self.since:
            return refused(material, Kind.OUT_OF_DATE, f"made on {made} (since {self.since})")
        if self.until is not None and made > self.until:
            return refused(material, Kind.OUT_OF_DATE, f"made on {made} (until {self.until})")
        return ok(material)


@dataclass(frozen=True)
class Size:
    """Keeps structures that a model can write in one answer.

    The lines are Image2Struct's for repositories: 1,000 of code and 2,000 of style; what
    it asks of web pages besides is in ``sources.webpage_filter``. The bytes are ours: 200,000 are
    about 60,000 tokens, the most that models answer.
    """

    most_bytes: int = 200_000
    least_lines: int = 1
    most_lines: int = 1_000
    """Of code: all that is not style."""
    most_style_lines: int = 2_000
    most_files: int = 50
    """Of code."""
    most_assets: int = 50
    most_asset_bytes: int = 20_000_000
    """All assets together."""

    name: ClassVar[str] = "size"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "small enough for one answer, and not nothing"

    def judge(self, material: Material) -> Outcome[Material]:
        """Count; TOO_LARGE above a bound, UNSUITABLE below the least."""
        files = files_of(material)
        styles = [text for name, text in files if PurePosixPath(name).suffix in STYLE_SUFFIXES]
        code = [text for name, text in files if PurePosixPath(name).suffix not in STYLE_SUFFIXES]
        lines = sum(map(count_lines, code))
        counts = (
            (sum(map(count_bytes, (text for _, text in files))), self.most_bytes, "bytes"),
            (lines, self.most_lines, "lines"),
            (sum(map(count_lines, styles)), self.most_style_lines, "lines of style"),
            (len(code), self.most_files, "files"),
            (len(material.assets), self.most_assets, "assets"),
            (sum(map(len, material.assets.values())), self.most_asset_bytes, "bytes of assets"),
        )
        for count, most, what in counts:
            if count > most:
                message = f"{count:,} {what} (at most {most:,})"
                return refused(material, Kind.TOO_LARGE, message)
        if material.truth is not None and lines < self.least_lines:
            message = f"{lines} lines (at least {self.least_lines})"
            return refused(material, Kind.UNSUITABLE, message)
        return ok(material)


def files_of(material: Material) -> list[tuple[str, str]]:
    """Return names and texts of a truth: those of a list of files, or one without a name."""
    if material.truth is None:
        return []
    if material.scenario == "webpage":
        try:
            items = json.loads(material.truth)
        except (ValueError, RecursionError):
            items = None
        if isinstance(items, list) and all(_is_file(item) for item in items):
            return [(item["filename"], item["content"]) for item in items]
    return [("", material.truth)]


def _is_file(item: object) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("filename"), str)
        and isinstance(item.get("content"), str)
    )


def count_bytes(text: str) -> int:
    """Count the bytes of a text in UTF-8."""
    return len(text.encode("utf-8", "replace"))


def count_lines(text: str) -> int:
    """Count the lines that hold something."""
    return sum(1 for line in text.splitlines() if line.strip())


@dataclass
class PerOwner:
    """Keeps so many of each owner; Image2Struct takes one repository of each.

    The owner is the attribute ``owner`` (an account) or the author, within a source and a
    scenario. Authors that tell nobody apart (``NOBODY``) are not counted.
    """

    most: int = 1
    by_author: bool = True
    """Whether the author counts as the owner where no account is named."""
    admitted: Counter[tuple[str, str, str]] = field(default_factory=Counter)

    name: ClassVar[str] = "owner"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "so many of each owner, so that no hand dominates"

    def judge(self, material: Material) -> Outcome[Material]:
        """Count what the owner has; OWNER_LIMIT when that is enough."""
        author = material.provenance.author if self.by_author else ""
        owner = str(material.attributes.get("owner") or author).strip()
        if owner.casefold() in NOBODY:
            return ok(material)
        key = (material.provenance.source, material.scenario, owner.casefold())
        if self.admitted[key] >= self.most:
            message = f"another of {owner}, of whom there are {self.admitted[key]} already"
            return refused(material, Kind.OWNER_LIMIT, f"{message} (at most {self.most})")
        self.admitted[key] += 1
        return ok(material)


@dataclass
class PerDay:
    """Keeps so many that were made on the same day, of each source and scenario.

    Image2Struct has such a bound, so that not all material is of the last day.
    """

    most: int = 40
    admitted: Counter[tuple[str, str, dt.date]] = field(default_factory=Counter)

    name: ClassVar[str] = "day"
    version: ClassVar[str] = "1"
    about: ClassVar[str] = "so many of each day, so that no day dominates"

    def judge(self, material: Material) -> Outcome[Material]:
        """Count what was made on the day; DATE_LIMIT when that is enough."""
        made = material.provenance.created
        key = (material.provenance.source, material.scenario, made)
        if self.admitted[key] >= self.most:
            message = f"another of {made}, of which there are {self.admitted[key]} already"
            return refused(material, Kind.DATE_LIMIT, f"{message} (at most {self.most})")
        self.admitted[key] += 1
        return ok(material)
