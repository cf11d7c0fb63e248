"""The bundled material: structures written by this project (CC0) and kept beside this module.

Layout of ``sources/material/<scenario>/<subset>/``: one file per piece (``.tex``, ``.ly``,
``.dot``, ``.json``), or one folder per piece, whose pictures are assets. The other files of a
folder are the truth: all files of a web page, else the single text file.
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from benchmark.outcome import Outcome, ok
from benchmark.records import Material, Provenance
from benchmark.selection import evenly

FOLDER = Path(__file__).resolve().parent / "material"
WRITTEN = dt.date(2026, 11, 30)
"""The day on which the whole collection was last changed."""

ASSET_SUFFIXES = {".png", ".jpg", ".jpeg", ".gif", ".webp", ".ico", ".woff", ".woff2"}
PROVENANCE = Provenance(
    source="bundled",
    author="the Rerender authors",
    licence="CC0-1.0",
    created=WRITTEN,
    made="written for this project, not collected; every piece was rendered and looked at",
)


class Bundled:
    """The source `bundled`: always there, offline, the same for everyone."""

    name = "bundled"
    scenarios = ("webpage", "latex", "music", "mindmap", "flowchart")
    derived: ClassVar[dict[str, int]] = {
        "mindmap-part": 2,
        "mindmap-position": 2,
        "mindmap-vqa": 2,
        "mindmap-position-vqa": 2,
        "flowce-logic": 2,
        "flowce-extraction": 2,
        "flowce-reasoning": 2,
        "flowce-localization": 2,
        "flowce-summarization": 1,
    }
    """How many instances of each task are derived from the maps or charts of each language."""
    about = (
        "Structures written by the Rerender authors for this project and dedicated to the public "
        "domain (CC0 1.0). References are rendered by the same containers as the answers."
    )

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield every piece, scenario by scenario, subset by subset, in order of name.

        Args:
            since: leave out what was written before this day (all has one date).
            limit: at most so many pieces of each scenario, taken evenly from its subsets.
        """
        if since is not None and since > WRITTEN:
            return
        for scenario in self.scenarios:
            for path in evenly(_pieces(FOLDER / scenario), lambda path: path.parent, limit):
                yield ok(_material(scenario, path))


def _pieces(folder: Path) -> list[Path]:
    """Return what lies in the folders of the subsets, both in order of name."""
    subsets = sorted(path for path in folder.iterdir() if path.is_dir())
    return [
        path
        for subset in subsets
        for path in sorted(subset.iterdir())
        if not path.name.startswith(".")
    ]


def _material(scenario: str, path: Path) -> Material:
    subset = path.parent.name
    files = _files(path) if path.is_dir() else {path.name: path.read_bytes()}
    assets = {name: data for name, data in files.items() if _is_asset(name)}
    texts = {name: data for name, data in files.items() if name not in assets}
    if scenario == "webpage":
        truth = _file_list(texts)
    else:
        (text,) = texts.values()
        truth = text.decode("utf-8")
    return Material(
        id=f"{scenario}/{subset}/{path.stem}",
        scenario=scenario,
        subset=subset,
        truth=truth,
        assets=assets,
        provenance=PROVENANCE,
    )


def _files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def _is_asset(name: str) -> bool:
    return Path(name).suffix.lower() in ASSET_SUFFIXES


def _file_list(files: dict[str, bytes]) -> str:
    """Write files as a perfect answer does: the entry page first, then by name."""
    order = sorted(files, key=lambda name: (not name.startswith("index."), name))
    items = [{"filename": name, "content": files[name].decode("utf-8")} for name in order]
    return json.dumps(items, ensure_ascii=False, indent=1)
