"""The published Image2Struct sets (arXiv 2410.22456): from Hugging Face, or from a local copy.

Models are shown the published pictures, and pictures of answers are compared with them, as HELM
does; so the numbers can be held beside its board. ``docs/sources.md`` says what differs.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from benchmark.outcome import Failed, Kind, Outcome, Stage
from benchmark.records import Material
from benchmark.settings import Settings
from sources import pins
from sources.image2struct_rows import RELEASED, SOURCE, Reader
from sources.image2struct_sets import PARTS, Part, Place, Row, find_local, on_hub, read_rows

Split = Literal["validation", "test"]
Compare = Literal["picture", "drawing"]


class Image2Struct:
    """The source `image2struct`: the sets that HELM's board is computed on."""

    name = SOURCE
    scenarios = tuple(dict.fromkeys(part.scenario for part in PARTS))
    about = (
        "The published sets of Image2Struct (Roberts et al., arXiv 2410.22456), Apache 2.0 as "
        "their cards say: pictures and structures of web pages, papers and scans of others."
    )

    def __init__(
        self,
        folder: Path | None = None,
        *,
        split: Split | None = None,
        compare: Compare | None = None,
    ) -> None:
        """Choose what is read; what is not given comes from the settings.

        Args:
            folder: a local copy, ``<set>/<config>/<split>-*.parquet``; otherwise the hub.
            split: validation is what HELM's board shows, test what was held back.
            compare: what pictures of answers are compared with where a structure is known: the
                published picture, as in HELM, or our drawing of the structure. By default what a
                set that we exported says of itself, else the picture.
        """
        self._folder = folder
        self._split = split
        self._compare = compare

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield the instances, the configurations in turns, each in the order of its files.

        Args:
            since: leave out what was made before this day; nothing on the hub is newer than the
                sets themselves, so it is not even asked then.
            limit: at most so many instances of each scenario; rows that make none are told on the
                way, but not counted.
        """
        settings = Settings()
        folder = self._folder or settings.i2s_folder
        if folder is None and since is not None and since > RELEASED:
            return
        places = self._local(folder, settings) if folder else self._hub(settings)
        yield from self._take(places, settings, since, limit)

    def _local(self, folder: Path, settings: Settings) -> Iterator[Place | Failed]:
        split = self._split or settings.i2s_split
        revisions = {part.set: wanted_revision(part, settings.i2s_revision) for part in PARTS}
        places = find_local(folder, split, revisions)
        if not places:
            message = (
                f"{folder} holds none of the Image2Struct sets' files of the split {split} "
                f"({PARTS[0].set}/{PARTS[0].config}/{split}-*.parquet, …)"
            )
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message, subject=str(folder))
        yield from places

    def _hub(self, settings: Settings) -> Iterator[Place | Failed]:
        commits: dict[str, Outcome[str]] = {}
        for part in (part for part in PARTS if part.published):
            if part.set not in commits:
                wanted = wanted_revision(part, settings.i2s_revision)
                commits[part.set] = found = pins.pin(part.repository, wanted, settings)
                if isinstance(found, Failed):
                    yield _with_advice(found)
                    if not found.final:
                        return
            commit = commits[part.set]
            if not isinstance(commit, Failed):
                yield on_hub(part, self._split or settings.i2s_split, commit.value)

    def _take(
        self,
        places: Iterator[Place | Failed],
        settings: Settings,
        since: dt.date | None,
        limit: int | None,
    ) -> Iterator[Outcome[Material]]:
        """Go round the configurations, a row of each; a failure that is ours ends everything."""
        turns: deque[tuple[Reader, Iterator[Outcome[Row]]]] = deque()
        for place in places:
            if isinstance(place, Failed):
                yield place
                if not place.final:
                    return
            else:
                reader = Reader(place, self._compare or settings.i2s_compare)
                turns.append((reader, read_rows(place, settings.http_cache / "datasets")))
        taken: Counter[str] = Counter()
        seen: set[str] = set()
        while turns:
            reader, rows = turns.popleft()
            scenario = reader.place.part.scenario
            if limit is not None and taken[scenario] >= limit:
                continue
            row = next(rows, None)
            if row is None:
                continue
            turns.append((reader, rows))
            outcome = row if isinstance(row, Failed) else _fresh(reader.read(row.value), seen)
            if isinstance(outcome, Failed):
                yield outcome
                if not outcome.final:
                    return
            elif since is None or outcome.value.provenance.created >= since:
                taken[scenario] += 1
                yield outcome


def wanted_revision(part: Part, setting: str | None) -> str | None:
    """Return the revision that the setting names for a set.

    Args:
        part: a configuration of the set.
        setting: one revision for all sets (a tag), or ``set=commit`` for some, between commas.
    """
    if setting is None or "=" not in setting:
        return setting
    pairs = dict(pair.strip().split("=", 1) for pair in setting.split(",") if "=" in pair)
    return pairs.get(part.set)


def _fresh(outcome: Outcome[Material], seen: set[str]) -> Outcome[Material]:
    """Return an outcome, or a failure where its name was given before."""
    if isinstance(outcome, Failed):
        return outcome
    name = outcome.value.id
    if name in seen:
        message = f"{name} occurs twice in the set"
        return Failed.of(Stage.FILTER, Kind.DUPLICATE, message, subject=name)
    seen.add(name)
    return outcome


def _with_advice(failure: Failed) -> Failed:
    message = f"{failure.message}; set RERENDER_I2S_FOLDER to a local copy, or run again"
    return failure.model_copy(update={"message": message[:500]})
