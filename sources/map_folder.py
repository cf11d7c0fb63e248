"""Mind maps on disk as material: a file, or a folder of files of any format that is read.

The source ``mindmap-files`` reads what ``RERENDER_MINDMAP_FOLDER`` names.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator
from pathlib import Path

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Material, Provenance
from benchmark.settings import Settings
from sources.map_material import Wanted, materials_from
from sources.maps.model import Extra
from sources.maps.reader import MAP_BYTES
from sources.own_files import last_change, read_file, walk


class MindmapFiles:
    """The source `mindmap-files`: maps of your own, from files of mind-map programs."""

    name = "mindmap-files"
    scenarios = ("mindmap",)
    about = (
        "Mind maps from files that the user has; author and licence are not known here. The date "
        "of a map is that of its file's last change."
    )

    def __init__(self, path: Path | None = None) -> None:
        """Choose the file or folder; None: the one of the settings."""
        self._path = path

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield the sheets of every file, in order of path; what cannot be read is a failure.

        Args:
            since: leave out files that were last changed before this day (in UTC).
            limit: at most so many maps.
        """
        path = self._path or Settings().mindmap_folder
        if path is None or not path.exists():
            told = "RERENDER_MINDMAP_FOLDER is not set" if path is None else f"{path} is not there"
            message = f"{told}; set it to a file or folder of mind maps"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)
            return
        left = limit
        for file, name in walk(path):
            changed = last_change(file)
            if since is not None and changed < since:
                continue
            for outcome in _read(file, name, _provenance(changed), Wanted()):
                if left is not None and left <= 0:
                    return
                if isinstance(outcome, Failed):
                    yield outcome.model_copy(update={"stage": Stage.FETCH})
                else:
                    left = None if left is None else left - 1
                    yield outcome


def _provenance(changed: dt.date) -> Provenance:
    return Provenance(
        source=MindmapFiles.name,
        author="unknown",
        licence="LicenseRef-unknown",
        created=changed,
        made="read from a file of the user's; the date is that of its last change",
        publishable=False,
    )


def materials_of(
    path: Path, provenance: Provenance, *, extras: Collection[Extra] = ()
) -> Iterator[Outcome[Material]]:
    """Read a file, or every file of a folder and of the folders in it, in order of path.

    Args:
        path: a file or folder, as ``sources.own_files.walk`` takes it.
        provenance: where the maps come from; the same for all that one call yields.
        extras: topics beside the tree that become nodes, see ``sources.maps.model.to_json``.

    Yields:
        What ``sources.map_material.materials_from`` does, file by file, and a failure for each
        file that cannot be opened.
    """
    for file, name in walk(path):
        yield from _read(file, name, provenance, Wanted(extras))


def _read(
    file: Path, name: str, provenance: Provenance, wanted: Wanted
) -> Iterator[Outcome[Material]]:
    data = read_file(file, name, MAP_BYTES)
    if isinstance(data, Failed):
        yield data
    else:
        yield from materials_from(name, data.value, provenance, wanted)
