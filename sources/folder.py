"""Material of one's own: the source ``folder`` reads any of the kinds from a directory."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Material
from benchmark.settings import Settings
from sources.folder_material import SOURCE, changed_on, materials_of
from sources.folder_pieces import SCENARIOS, Piece, find_pieces


class Folder:
    """The source `folder`: files of the user's, for benchmarks on private material."""

    name = SOURCE
    scenarios = SCENARIOS
    about = (
        "Material from a folder of the user's. What nobody has said of a piece is not known: its "
        "author and licence, and its date is that of its file's last change. It is not passed on "
        "unless the user says that it may be."
    )

    def __init__(self, path: Path | None = None) -> None:
        """Choose the folder; None: the one of the settings."""
        self._path = path

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield the pieces in order of path; what cannot be read is a failure.

        Args:
            since: leave out pieces made (as far as is said, else last changed) before this day.
            limit: at most so many pieces of each scenario.
        """
        path = self._path or Settings().folder
        if path is None or not path.is_dir():
            told = "RERENDER_FOLDER is not set" if path is None else f"{path} is no folder"
            message = f"{told}; set it to a folder of material"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)
            return
        counts: Counter[str] = Counter()
        for found in find_pieces(path):
            if isinstance(found, Failed):
                yield found
                continue
            piece = found.value
            if since is not None and (piece.note.created or changed_on(piece)) < since:
                continue
            yield from _up_to(limit, counts, piece)


def _up_to(limit: int | None, counts: Counter[str], piece: Piece) -> Iterator[Outcome[Material]]:
    """Yield what a piece gives while its scenario may have more."""
    if limit is not None and counts[piece.takes] >= limit:
        return
    for outcome in materials_of(piece):
        yield outcome
        counts[piece.takes] += not isinstance(outcome, Failed)
        if limit is not None and counts[piece.takes] >= limit:
            return
