"""Where the published Image2Struct sets lie, and how the ``datasets`` package reads their rows.

Layout, on the hub and in a local copy alike: ``<set>/<config>/<split>-*.parquet``. Only parquet
files are ever opened: neither the data sets' own configuration (which may name other addresses) nor
any code of theirs. Rows come in one after the other, so a set of any size needs the memory of one
group of its rows (100 in the published files, 270 MB of the largest).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources import pins

OWNER = "stanford-crfm"

MOST_GROUP_BYTES = 1_000_000_000
"""Of a group of rows, as the file says it is unpacked; it is had in memory several times over."""

Row = Mapping[str, object]
"""A row by the names of its columns; pictures are ``{"bytes": …, "path": …}``, undecoded."""


@dataclass(frozen=True)
class Part:
    """One configuration of a set."""

    set: str
    config: str
    scenario: str
    subset: str
    published: bool = True
    """Whether the hub has it; otherwise only sets that we exported do."""

    @property
    def repository(self) -> str:
        """Owner and name on the hub."""
        return f"{OWNER}/{self.set}"


PARTS = (
    *(Part("i2s-webpage", name, "webpage", name) for name in ("css", "html", "javascript", "wild")),
    *(
        Part("i2s-latex", name, "latex", name)
        for name in ("equation", "table", "plot", "algorithm", "wild")
    ),
    Part("i2s-latex", "figure", "latex", "figure", published=False),
    Part("i2s-musicsheet", "music", "music", "scan"),
)
"""All configurations. ``wild`` and sheet music are pictures whose source nobody knows; figures
that show picture files were never published, but are exported with their files as assets."""


@dataclass(frozen=True)
class Place:
    """Where the rows of one configuration are read."""

    part: Part
    split: str
    files: tuple[str, ...]
    """Paths, or patterns of addresses on the hub."""
    revision: str | None
    """The commit; None for a local copy of an unknown one."""
    local: bool

    @property
    def address(self) -> str:
        """Where people find the set."""
        return pins.address(self.part.repository, self.revision)

    @property
    def name(self) -> str:
        """The configuration and split, for messages."""
        return f"{self.part.set}/{self.part.config}/{self.split}"


def find_local(folder: Path, split: str, revisions: Mapping[str, str | None]) -> list[Place]:
    """Return the configurations that a local copy holds of a split."""
    places = []
    for part in PARTS:
        files = sorted((folder / part.set / part.config).glob(f"{split}-*.parquet"))
        if files:
            paths = tuple(str(path) for path in files)
            places.append(Place(part, split, paths, revisions.get(part.set), local=True))
    return places


def on_hub(part: Part, split: str, revision: str) -> Place:
    """Return where a configuration lies on the hub at a commit."""
    pattern = f"hf://datasets/{part.repository}@{revision}/{part.config}/{split}-*.parquet"
    return Place(part, split, (pattern,), revision, local=False)


def read_rows(place: Place, cache: Path) -> Iterator[Outcome[Row]]:
    """Yield the rows of a configuration in their order.

    Args:
        place: where they are.
        cache: a folder of ours for what the package keeps.

    Yields:
        Rows. A failure ends them: GONE (the hub has no such files), NOT_AS_CLAIMED (no readable
        parquet), TOO_LARGE (unpacked: a few kilobytes can hold gigabytes of one letter), or what
        ``pins.hub_failure`` makes of the hub's errors.
    """
    pins.quieten()
    import pyarrow as pa  # noqa: PLC0415 - heavy

    try:
        files = _files(place)
        if (large := _largest_group(place, files)) > MOST_GROUP_BYTES:
            message = f"{place.name}: a group of rows of {large} bytes, over {MOST_GROUP_BYTES}"
            yield Failed.of(Stage.FETCH, Kind.TOO_LARGE, message, subject=place.name)
            return
        for row in _open(place, files, cache):
            yield ok(row)
    except FileNotFoundError:
        message = f"{place.name}: {place.address} has no such files"
        yield Failed.of(Stage.FETCH, Kind.GONE, message, subject=place.name)
    except pins.hub_errors() as error:
        unreadable = place.local or isinstance(error, pa.ArrowException)
        hub = place.part.repository
        yield _unreadable(place, error) if unreadable else pins.hub_failure(hub, error)
    except (pa.ArrowException, ValueError, TypeError, KeyError) as error:
        yield _unreadable(place, error)


def _largest_group(place: Place, files: list[str]) -> int:
    """Return the bytes of the largest group of rows, as the ends of the files say."""
    from huggingface_hub import HfFileSystem  # noqa: PLC0415 - heavy
    from pyarrow import parquet  # noqa: PLC0415 - heavy

    largest = 0
    for name in files:
        with Path(name).open("rb") if place.local else HfFileSystem().open(name) as file:
            about = parquet.read_metadata(file)
        groups = (about.row_group(index) for index in range(about.num_row_groups))
        largest = max([largest, *(group.total_byte_size for group in groups)])
    return largest


def _open(place: Place, files: list[str], cache: Path) -> Iterator[Row]:
    import datasets  # noqa: PLC0415 - heavy

    datasets.disable_progress_bars()
    datasets.logging.set_verbosity(datasets.logging.CRITICAL)
    rows = datasets.load_dataset(
        "parquet",
        data_files={place.split: files},
        split=place.split,
        streaming=True,
        cache_dir=str(cache),
        batch_size=1,
    )
    # undecoded: a path inside a row is never opened, and a picture is bounded before it is unpacked
    # resharded: otherwise several groups of rows are read ahead, which may be a whole file
    yield from rows.reshard().decode(enable=False)


def _files(place: Place) -> list[str]:
    """Return the files of a configuration one by one; raises FileNotFoundError if there are none.

    The package takes a pattern that fits nothing for an empty data set.
    """
    if place.local:
        return list(place.files)
    from huggingface_hub import HfFileSystem  # noqa: PLC0415 - heavy

    found = [name for pattern in place.files for name in sorted(HfFileSystem().glob(pattern))]
    if not found:
        raise FileNotFoundError(place.name)
    return [f"hf://{name}" for name in found]


def _unreadable(place: Place, error: Exception) -> Failed:
    reason = " ".join(str(error).split())[:200]
    message = f"{place.name} cannot be read as parquet ({type(error).__name__}: {reason})"
    return Failed.of(Stage.FETCH, Kind.NOT_AS_CLAIMED, message, subject=place.name)
