"""FlowCE's published files: a table of questions and a list of picture links for each dimension.

A table is tab-separated with the columns ``index``, ``question``, ``answer``, ``category``,
``image_path`` and ``source``; quoted fields may hold several lines. A line of a list ends with a
picture's name and its link (the list of one dimension has the dimension's name before them).
Names are not spelled alike everywhere: a picture is known by its number, which is unique in the
whole set, not by its folder or ending (one list says ``84.jp``).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.github_api import RAW_SITE
from sources.http import MEGABYTE, Claim, Client, Keep
from sources.own_files import read_file

REPOSITORY = "360AILAB-NLP/FlowCE"
COMMIT = "819ae0d41e239ae9ed18731d2c2530e74c61bafc"
"""The commit that is read if the settings name no other: the one that all this was checked on."""

FILE_BYTES = 2 * MEGABYTE
ROWS = 2_000
"""Questions of one dimension; there are 105 at most."""
_COLUMNS = ("index", "question", "answer", "category", "image_path")
_FOLDER = "flowce_benchmark"


@dataclass(frozen=True)
class Dimension:
    """One of the five: where its questions are, and what they are here."""

    scenario: str
    table: str
    """The file of the questions."""
    folder: str
    """The folder of the link list, which has its name too; also that of the pictures."""

    @property
    def links(self) -> str:
        """The file of the picture links."""
        return f"{self.folder}/{self.folder}.txt"


DIMENSIONS = (
    Dimension("flowce-logic", "logical_verification.tsv", "logical_verification"),
    Dimension("flowce-extraction", "Information_extraction.tsv", "information_extraction"),
    Dimension("flowce-reasoning", "reasoning.tsv", "reasoning"),
    Dimension("flowce-localization", "location_recognition.tsv", "location_recognition"),
    Dimension("flowce-summarization", "summary.tsv", "summary"),
)
"""In the order of the paper's table 3."""


@dataclass(frozen=True)
class Row:
    """One question as it was published."""

    index: str
    question: str
    answer: str
    category: str
    picture: str
    """The path of its picture, as published."""


class Files(Protocol):
    """Where the published files are read."""

    def read(self, name: str) -> Outcome[bytes]:
        """Return a file below ``flowce_benchmark``."""


class LocalFiles:
    """A checkout of the repository, or its folder ``flowce_benchmark``."""

    def __init__(self, folder: Path) -> None:
        """Look into the folder at once."""
        inner = folder / _FOLDER
        self._folder = inner if inner.is_dir() else folder

    def read(self, name: str) -> Outcome[bytes]:
        """Return a file; missing_resource where it is not there."""
        return read_file(self._folder / name, str(self._folder / name), FILE_BYTES)


class RemoteFiles:
    """The repository at a commit, as GitHub serves its files."""

    def __init__(self, client: Client, commit: str) -> None:
        """Ask through a client."""
        self._client = client
        self._base = f"https://raw.githubusercontent.com/{REPOSITORY}/{commit}/{_FOLDER}"

    def read(self, name: str) -> Outcome[bytes]:
        """Return a file; failures are the client's."""
        answer = self._client.get(
            RAW_SITE,
            f"{self._base}/{name}",
            claims=(Claim.TEXT,),
            most=FILE_BYTES,
            keep=Keep.FOR_EVER,
        )
        return answer if isinstance(answer, Failed) else ok(answer.value.body)


def read_rows(dimension: Dimension, data: bytes) -> list[Outcome[Row]]:
    """Read a table of questions; what is no question is a failure that names its row.

    Args:
        dimension: whose table it is.
        data: the file, UTF-8.
    """
    text = data.decode("utf-8-sig", "replace")
    if len(data) > FILE_BYTES or "\0" in text:
        return [_unusable(dimension, f"more than {FILE_BYTES} bytes, or no text")]
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter="\t", restkey="more")
    missing = [name for name in _COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        return [_unusable(dimension, f"the columns {', '.join(missing)} are missing")]
    return list(_rows(dimension, reader))


def read_links(data: bytes) -> dict[str, str]:
    """Read a list of picture links.

    Returns:
        The link of each picture by its number (``picture_number``); of a picture with several
        links the first. Lines without a name and a link are left out.
    """
    links: dict[str, str] = {}
    for line in data.decode("utf-8-sig", "replace").splitlines()[:ROWS]:
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) > 1 and fields[-2] and fields[-1]:
            links.setdefault(picture_number(fields[-2]), fields[-1])
    return links


def picture_number(path: str) -> str:
    """Return what a picture is known by: its name without folders and ending.

    >>> picture_number("flowchart_benchmark/flowchart_benchmark/reasoning/84.jpg")
    '84'
    """
    return PurePosixPath(path.replace("\\", "/")).stem.lower()


def _rows(dimension: Dimension, reader: csv.DictReader[str]) -> Iterator[Outcome[Row]]:
    try:
        for number, entry in enumerate(reader):
            if number >= ROWS:
                yield _unusable(dimension, f"more than {ROWS} questions")
                return
            yield _row(dimension, number, entry)
    except csv.Error as error:
        yield _unusable(dimension, f"line {reader.line_num}: {error}")


def _row(dimension: Dimension, number: int, entry: dict[str, str | None]) -> Outcome[Row]:
    fields = {name: (entry.get(name) or "").strip() for name in _COLUMNS}
    empty = [name for name in _COLUMNS if not fields[name] and name != "category"]
    if empty or "more" in entry:
        fault = f"{', '.join(empty)} is empty" if empty else "more fields than columns"
        return _unusable(dimension, f"question {number}: {fault}")
    return ok(
        Row(
            index=fields["index"],
            question=fields["question"],
            answer=fields["answer"],
            category=fields["category"],
            picture=fields["image_path"],
        )
    )


def _unusable(dimension: Dimension, reason: str) -> Failed:
    message = f"{dimension.table}: {reason}"
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=dimension.table)
