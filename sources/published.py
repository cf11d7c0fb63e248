"""The published MindBench sets (arXiv 2407.02842): from Hugging Face, or from a local folder.

With ``RERENDER_MINDBENCH_FOLDER`` the files are read there, in the official layout (see
``sources.mindbench_files``). Otherwise the test files are downloaded from the data set
``MiaSanLei/MindBench`` at the revision ``RERENDER_MINDBENCH_REVISION``; without one, the newest
revision is looked up once and named in the provenance of every instance, so that it can be set.

Pictures, questions and answers are the official ones. The picture of a parsed tree is compared with
our drawing of the true tree: how the original was drawn is not known.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material, Provenance
from benchmark.settings import Settings
from sources.mindbench_files import ARCHIVE, Line, read_lines, read_pictures
from sources.mindbench_questions import TASKS, kind_of

REPOSITORY = "MiaSanLei/MindBench"
RELEASED = dt.date(2024, 7, 17)
"""The day on which the last part of the labels was published."""

LICENCE = "CC-BY-NC-4.0"
"""As its README says; the LICENSE file beside it says MIT."""

PATTERNS = ("*_test*.jsonl", "*/*_test*.jsonl", ARCHIVE, f"*/{ARCHIVE}")
_LIST_KINDS = {"children", "nodes_at_level", "box_children", "children_of_label_box"}
_BOX_KINDS = {"label_box", "parent_of_label_box", "children_of_label_box", "subgraph_box"}
_PICTURES_AT_ONCE = 200


@dataclass(frozen=True)
class Set:
    """One of the official question files."""

    file: str
    name: str
    """As in the paper's tables."""
    scenario: str
    language: str | None
    """None where it is told by the picture's path."""
    fallback: str | None = None
    """The file of the easy part, where only that is at hand."""


SETS = (
    *(
        Set(f"{stem}_test.jsonl", name, "mindmap", language, f"{stem}_test_easy.jsonl")
        for stem, name, language in (
            ("xmind_en", "XMind", "en"),
            ("xmind_cn", "XMind", "zh"),
            ("bxmind", "BXMind", "en"),
            ("bmmanger", "BMManager", "en"),
            ("zhixi", "Zhixi", "zh"),
        )
    ),
    *(
        Set(f"synth_test_{task}.jsonl", "Synthetic", scenario, None)
        for task, scenario in (
            ("full_parse", "mindmap"),
            ("part_parse", "mindmap-part"),
            ("pos_parse", "mindmap-position"),
            ("structured_vqa", "mindmap-vqa"),
            ("pos_vqa", "mindmap-position-vqa"),
        )
    ),
)


class Published:
    """The source `mindbench`: the official test sets."""

    name = "mindbench"
    scenarios = tuple(dict.fromkeys(one.scenario for one in SETS))
    about = (
        "The published test sets of MindBench (Chen et al., arXiv 2407.02842), CC BY-NC 4.0 as its "
        "README says: pictures, questions and answers are theirs."
    )

    def __init__(self, folder: Path | None = None, revision: str | None = None) -> None:
        """Choose where the files are; what is not given comes from the settings."""
        self._folder = folder
        self._revision = revision

    def collect(
        self, *, since: dt.date | None = None, limit: int | None = None
    ) -> Iterator[Outcome[Material]]:
        """Yield the instances set by set, in the order of the files.

        Args:
            since: leave out what was published before this day (all has one date).
            limit: at most so many instances of each scenario, taken from its sets in turns.
        """
        if since is not None and since > RELEASED:
            return
        place = self._place()
        if isinstance(place, Failed):
            yield place
            return
        folder, address = place.value
        present = [one for one in SETS if _path(folder, one) is not None]
        if not present:
            message = f"{folder} holds none of MindBench's test files ({SETS[0].file}, …)"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)
            return
        for scenario in self.scenarios:
            sets = [one for one in present if one.scenario == scenario]
            yield from _collect(folder, address, sets, limit)

    def _place(self) -> Outcome[tuple[Path, str]]:
        """Return the folder of the files and the address that says which they are."""
        settings = Settings()
        folder = self._folder or settings.mindbench_folder
        if folder is not None:
            return ok((folder, f"https://huggingface.co/datasets/{REPOSITORY}"))
        return download(self._revision or settings.mindbench_revision)


def download(revision: str | None) -> Outcome[tuple[Path, str]]:
    """Download the test files, unless they are in the cache of huggingface_hub.

    Args:
        revision: a commit of the data set; None: the newest, or the newest that was downloaded
            where the network is down.

    Returns:
        The folder of the files and the address of the revision, or a failure of the network.
    """
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - heavy
    from huggingface_hub.errors import HfHubHTTPError, LocalEntryNotFoundError  # noqa: PLC0415

    try:
        folder = snapshot_download(
            REPOSITORY, repo_type="dataset", revision=revision, allow_patterns=list(PATTERNS)
        )
    except (HfHubHTTPError, LocalEntryNotFoundError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        message = (
            f"the MindBench sets cannot be downloaded ({type(error).__name__}: {reason}); set "
            f"RERENDER_MINDBENCH_FOLDER to a local copy, or run again"
        )
        return Failed.of(Stage.FETCH, Kind.NETWORK, message)
    commit = Path(folder).name  # the cache names each folder by its revision
    return ok((Path(folder), f"https://huggingface.co/datasets/{REPOSITORY}/tree/{commit}"))


def _path(folder: Path, one: Set) -> Path | None:
    names = [one.file, *([one.fallback] if one.fallback else [])]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def _collect(
    folder: Path, address: str, sets: list[Set], limit: int | None
) -> Iterator[Outcome[Material]]:
    """Yield the instances of one scenario; the limit is shared among its sets."""
    read = {one: list(read_lines(path)) for one in sets if (path := _path(folder, one))}
    turns = sorted(
        (place, rank) for rank, one in enumerate(sets) for place in range(len(read[one]))
    )
    chosen = sorted((rank, place) for place, rank in turns[:limit])
    for start in range(0, len(chosen), _PICTURES_AT_ONCE):
        some = chosen[start : start + _PICTURES_AT_ONCE]
        group = [(sets[rank], read[sets[rank]][place]) for rank, place in some]
        wanted = {line.value.image for _, line in group if isinstance(line, Ok)}
        pictures = read_pictures(folder, wanted)
        for one, line in group:
            if isinstance(line, Failed):
                yield line
            else:
                yield _material(one, line.value, address, pictures)


def _material(
    one: Set, line: Line, address: str, pictures: dict[str, Outcome[bytes]]
) -> Outcome[Material]:
    picture = pictures[line.image]
    if isinstance(picture, Failed):
        return picture
    language = one.language or ("zh" if "/cn_" in line.image else "en")
    kind = kind_of(line.question, line.answer)
    if kind is None or TASKS[kind] != one.scenario:
        message = f"{one.file}, line {line.number}: the question is of no kind of {one.scenario}"
        return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, message)
    parsing = one.scenario in ("mindmap", "mindmap-part", "mindmap-position")
    attributes: dict[str, JsonValue] = {
        "question": line.question,
        "form": "tokens" if parsing else "any",
        "kind": kind,
        "set": one.name,
        "file": line.image,
        "document": line.image,
    }
    return ok(
        Material(
            id=f"{one.scenario}/{one.name}-{language}/{line.number:04d}",
            scenario=one.scenario,
            subset=language,
            truth=line.answer,
            picture=picture.value,
            provenance=Provenance(
                source=Published.name,
                author="Chen et al., MindBench",
                licence=LICENCE,
                created=RELEASED,
                url=address,
                made=f"{one.file}, line {line.number}",
            ),
            attributes=attributes,
            metrics=None if parsing else _metrics(one.scenario, kind),
        )
    )


def _metrics(scenario: str, kind: str) -> tuple[str, ...]:
    """Return the metrics that say something of a kind of question."""
    lists = ("answer_f1",) if kind in _LIST_KINDS else ()
    boxes = ("answer_iou",) if kind in _BOX_KINDS and scenario == "mindmap-position-vqa" else ()
    return ("vqa_match", *lists, *boxes)
