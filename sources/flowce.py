"""FlowCE (arXiv 2406.10057): the published questions about flowcharts, with their pictures.

The questions and the lists of picture links are read from a local copy of the repository
(``RERENDER_FLOWCE_FOLDER``) or from GitHub at a pinned commit; the pictures from a folder
(``RERENDER_FLOWCE_IMAGES``) or from their links. See docs/sources.md for what does not fit in the
published files.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Material, Provenance, digest_bytes
from benchmark.settings import Settings
from benchmark.store import Store
from sources.flowce_files import (
    COMMIT,
    DIMENSIONS,
    REPOSITORY,
    Dimension,
    Files,
    LocalFiles,
    RemoteFiles,
    Row,
    picture_number,
    read_links,
    read_rows,
)
from sources.flowce_pictures import (
    LinkedPictures,
    LocalPictures,
    Pictures,
    read_digests,
    write_digests,
)
from sources.http import Client

RELEASED = dt.date(2024, 6, 14)
"""The day of the paper's first version."""

LICENCE = "LicenseRef-FlowCE-research-only"
"""No licence file; the README lets the pictures be used for research and publishes links only."""

_COMMIT_NAME = re.compile(r"[0-9a-f]{40}")
_WHOLE = re.compile(r"\ball the text content\b", re.IGNORECASE)


class Flowce:
    """The source `flowce`: the official questions of all five dimensions."""

    name = "flowce"
    scenarios = tuple(one.scenario for one in DIMENSIONS)
    about = (
        "The published questions of FlowCE (Zhang et al., arXiv 2406.10057): questions and answers "
        "are theirs; the pictures are other people's, named by links and for research only."
    )

    def __init__(
        self,
        folder: Path | None = None,
        images: Path | None = None,
        revision: str | None = None,
        make_client: Callable[[], Client] = Client,
    ) -> None:
        """Choose where files and pictures are; what is not given comes from the settings."""
        self._folder = folder
        self._images = images
        self._revision = revision
        self._make_client = make_client

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield the questions dimension by dimension, in the order of the files.

        Args:
            since: nothing where this is later than the day of publication, which all have.
            limit: at most so many questions of each dimension; those without a picture are told on
                the way, but not counted.
        """
        if since is not None and since > RELEASED:
            return
        settings = Settings()
        folder, revision = self._folder or settings.flowce_folder, self._revision
        commit = revision or settings.flowce_revision or (None if folder else COMMIT)
        if commit is not None and not _COMMIT_NAME.fullmatch(commit):
            told = f"RERENDER_FLOWCE_REVISION is no commit (40 hexadecimal digits): {commit[:80]!r}"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, told)
            return
        with self._make_client() as client:
            files = RemoteFiles(client, commit or COMMIT) if folder is None else LocalFiles(folder)
            with _opened(self._images or settings.flowce_images, client, settings) as pictures:
                if isinstance(pictures, Failed):
                    yield pictures
                    return
                for dimension in DIMENSIONS:
                    yield from _materials(dimension, files, pictures, commit, limit)


@contextmanager
def _opened(folder: Path | None, client: Client, settings: Settings) -> Iterator[Pictures | Failed]:
    """Open the place of the pictures; what links show is noted in the store at the end."""
    if folder is not None:
        told = f"RERENDER_FLOWCE_IMAGES: {folder} is no folder"
        absent = Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, told, subject=str(folder))
        yield LocalPictures(folder) if folder.is_dir() else absent
        return
    store = Store(settings.store)
    first = read_digests(store)
    if isinstance(first, Failed):
        yield first
        return
    linked = LinkedPictures(client, first.value)
    try:
        yield linked
    finally:
        if linked.digests != first.value:
            write_digests(store, linked.digests)


def _materials(
    dimension: Dimension, files: Files, pictures: Pictures, commit: str | None, limit: int | None
) -> Iterator[Outcome[Material]]:
    """Yield the questions of one dimension, each as soon as its picture was looked for."""
    left = limit
    if left is not None and left <= 0:
        return
    table, listed = files.read(dimension.table), files.read(dimension.links)
    for failure in (table, listed):
        if isinstance(failure, Failed):
            yield _advised(failure)
    if isinstance(table, Failed):
        return
    links = {} if isinstance(listed, Failed) else read_links(listed.value)
    for row in read_rows(dimension, table.value):
        made = row if isinstance(row, Failed) else _material(
            dimension, row.value, pictures, links.get(picture_number(row.value.picture)), commit
        )  # fmt: skip
        yield made
        if left is not None and not isinstance(made, Failed):
            left -= 1
            if left == 0:
                return


def _advised(failure: Failed) -> Failed:
    advice = "set RERENDER_FLOWCE_FOLDER to a copy of the repository, or run again"
    return failure.model_copy(update={"message": f"{failure.message}; {advice}"})


def _material(
    dimension: Dimension, row: Row, pictures: Pictures, link: str | None, commit: str | None
) -> Outcome[Material]:
    ident = f"{dimension.scenario}/{row.index}"
    if dimension.scenario == "flowce-logic" and row.answer.lower() not in {"yes", "no"}:
        told = f"{dimension.table}, question {row.index}: {row.answer[:80]!r} is neither Yes nor No"
        return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, told, subject=ident)
    picture = pictures.get(row.picture, link)
    if isinstance(picture, Failed):
        return picture.model_copy(update={"subject": ident})
    attributes: dict[str, JsonValue] = {
        "question": row.question,
        "kind": _kind(dimension, row),
        "document": link or f"{dimension.folder}/{picture_number(row.picture)}",
        "set": "FlowCE",
    }
    provenance = Provenance(
        source=Flowce.name,
        author="Zhang et al., FlowCE",
        licence=LICENCE,
        created=RELEASED,
        url=link,
        made=f"{dimension.table}, question {row.index}",
        publishable=False,
        recipe={
            "repository": REPOSITORY,
            "revision": commit,
            "file": dimension.table,
            "question": row.index,
            "picture": row.picture,
            "link": link,
            "sha256": digest_bytes(picture.value),
        },
    )
    return ok(
        Material(
            id=ident,
            scenario=dimension.scenario,
            subset="en",
            truth=row.answer,
            picture=picture.value,
            provenance=provenance,
            attributes=attributes,
        )
    )


def _kind(dimension: Dimension, row: Row) -> str:
    """Return what is asked: of extraction one of the paper's two types, else the dimension."""
    if dimension.scenario != "flowce-extraction":
        return dimension.folder
    return "all_texts" if _WHOLE.search(row.question) else "some_texts"
