"""The published MindBench sets (arXiv 2407.02842): from Hugging Face, or from a local folder.

With ``RERENDER_MINDBENCH_FOLDER`` the files are read there, in the official layout (see
``sources.mindbench_files``). Otherwise the test files are downloaded from the data set
``MiaSanLei/MindBench`` at the revision ``RERENDER_MINDBENCH_REVISION``; without one, at the commit
that was the newest at the first refresh (``sources.pins``). Every instance names it.

Pictures, questions and answers are the official ones. The picture of a parsed tree is compared with
our drawing of the true tree: how the original was drawn is not known.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Ok, Outcome, Stage, ok
from benchmark.records import Material, Provenance, Subject, digest_bytes
from benchmark.settings import Settings
from sources import licences, pins
from sources.exported import day_of, recipe_only, restated
from sources.mindbench_files import (
    ARCHIVE,
    QUESTIONS,
    RECIPES,
    Line,
    find_file,
    find_pictures,
    read_lines,
    read_pictures,
    read_recipes,
)
from sources.mindbench_questions import TASKS, kind_of

REPOSITORY = "MiaSanLei/MindBench"
RELEASED = dt.date(2024, 7, 17)
"""The day on which the last part of the labels was published."""

LICENCE = "CC-BY-NC-4.0"
"""As its README says; the LICENSE file beside it says MIT."""

PATTERNS = (QUESTIONS, f"*/{QUESTIONS}", ARCHIVE, f"*/{ARCHIVE}")
_LIST_KINDS = {"children", "nodes_at_level", "box_children", "children_of_label_box"}
_BOX_KINDS = {"label_box", "parent_of_label_box", "children_of_label_box", "subgraph_box"}
_NODE = re.compile(r"<s_node-(\d{1,3})>")


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


Lines = Mapping[Set, list[Outcome[Line]]]

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
            limit: at most so many instances of each scenario, taken from its sets in turns; lines
                that make none (no picture, another form) are told on the way, but not counted.
        """
        place = self._place(since)
        if place is None:
            return
        if isinstance(place, Failed):
            yield place
            return
        folder, revision = place.value
        paths = {one: path for one in SETS if (path := _path(folder, one)) is not None}
        recipes = list(read_recipes(folder))
        if not paths and not recipes:
            message = f"{folder} holds none of MindBench's test files ({SETS[0].file}, …)"
            yield Failed.of(Stage.FETCH, Kind.MISSING_RESOURCE, message)
            return
        lines = {
            one: [_checked(one, line) for line in read_lines(path) if _is_fresh(line, since)]
            for one, path in paths.items()
        }
        shown = None if limit is None else find_pictures(folder, _images(lines.values()))
        chosen = [
            pair for name in self.scenarios for pair in _choose(lines, name, shown, limit or 0)
        ]
        pictures = read_pictures(folder, _images([[line for _, line in chosen]]))
        maps = _maps(lines)
        for one, line in chosen:
            if isinstance(line, Failed):
                yield line
            else:
                yield _material(one, line.value, revision, pictures, maps)
        for about in recipes:
            yield recipe_only(about.get("recipe"), str(about.get("id", RECIPES))[:200])

    def _place(self, since: dt.date | None) -> Outcome[tuple[Path, str | None]] | None:
        """Return the folder of the files and the commit that they are of, None if unknown.

        None instead of all that where nothing can be new enough: the published files have one day.
        """
        settings = Settings()
        folder = self._folder or settings.mindbench_folder
        if folder is not None:
            return ok((folder, self._revision or settings.mindbench_revision))
        if since is not None and since > RELEASED:
            return None
        revision = pins.pin(REPOSITORY, self._revision or settings.mindbench_revision, settings)
        if isinstance(revision, Failed):
            return _with_advice(revision)
        downloaded = download(revision.value)
        if isinstance(downloaded, Failed):
            return downloaded
        return ok((downloaded.value, revision.value))


def download(revision: str) -> Outcome[Path]:
    """Download the test files, unless they are in the cache of huggingface_hub.

    Args:
        revision: a commit of the data set.

    Returns:
        The folder of the files, or a failure (``pins.hub_failure``).
    """
    pins.quieten()
    from huggingface_hub import snapshot_download  # noqa: PLC0415 - heavy

    try:
        folder = snapshot_download(
            REPOSITORY, repo_type="dataset", revision=revision, allow_patterns=list(PATTERNS)
        )
    except pins.hub_errors() as error:
        return _with_advice(pins.hub_failure(REPOSITORY, error))
    return ok(Path(folder))


def _with_advice(failure: Failed) -> Failed:
    advice = "set RERENDER_MINDBENCH_FOLDER to a local copy, or run again"
    return failure.model_copy(update={"message": f"{failure.message}; {advice}"})


def _path(folder: Path, one: Set) -> Path | None:
    found = find_file(folder, one.file)
    return find_file(folder, one.fallback) if found is None and one.fallback else found


def _checked(one: Set, line: Outcome[Line]) -> Outcome[Line]:
    """Return a line, or a failure where its question is of no kind of the set's scenario."""
    if isinstance(line, Ok):
        kind = _kind(line.value)
        if kind is None or TASKS[kind] != one.scenario:
            message = f"{one.file}, line {line.value.number}: the question is of no kind of "
            return Failed.of(Stage.FETCH, Kind.UNSUPPORTED, message + one.scenario)
    return line


def _kind(line: Line) -> str | None:
    """Return the kind of a question: as an exported set says, else as its words say."""
    told = line.about.get("kind")
    known = isinstance(told, str) and told in TASKS
    return str(told) if known else kind_of(line.question, line.answer)


def _is_fresh(line: Outcome[Line], since: dt.date | None) -> bool:
    """Tell whether a line is of `since` or later; failures are always told."""
    if since is None or isinstance(line, Failed):
        return True
    return (day_of(line.value.about.get("created")) or RELEASED) >= since


def _images(lines: Iterable[list[Outcome[Line]]]) -> set[str]:
    return {line.value.image for some in lines for line in some if isinstance(line, Ok)}


def _choose(
    lines: Lines, scenario: str, shown: set[str] | None, limit: int
) -> list[tuple[Set, Outcome[Line]]]:
    """Return the lines of one scenario, set by set; the limit is shared among its sets.

    Lines count whose picture is `shown`; None: there is no limit.
    """
    sets = [one for one in lines if one.scenario == scenario]
    if shown is None:
        return [(one, line) for one in sets for line in lines[one]]
    turns = sorted(
        (place, rank) for rank, one in enumerate(sets) for place in range(len(lines[one]))
    )
    chosen, left = [], limit
    for place, rank in turns:
        if left <= 0:
            break
        line = lines[sets[rank]][place]
        left -= isinstance(line, Ok) and line.value.image in shown
        chosen.append((rank, place))
    return [(sets[rank], lines[sets[rank]][place]) for rank, place in sorted(chosen)]


def _maps(lines: Lines) -> dict[str, str]:
    """Return the trees of whole maps by the names of their pictures."""
    return {
        line.value.image: line.value.answer
        for one, own in lines.items()
        if one.scenario == "mindmap"
        for line in own
        if isinstance(line, Ok)
    }


def size_of(tree: str) -> dict[str, JsonValue]:
    """Return the numbers of nodes and of levels of a tree in tokens; nothing of no tree."""
    levels = [int(level) for level in _NODE.findall(tree)]
    return {"nodes": tree.count("<s_text>"), "depth": max(levels) + 1} if levels else {}


def _material(
    one: Set,
    line: Line,
    revision: str | None,
    pictures: Mapping[str, Outcome[bytes]],
    maps: Mapping[str, str],
) -> Outcome[Material]:
    picture = pictures[line.image]
    if isinstance(picture, Failed):
        return picture
    language = one.language or ("zh" if "/cn_" in line.image else "en")
    kind = str(_kind(line))
    told = line.about.get("attributes")
    whole = maps.get(line.image) if one.scenario != "mindmap" else None
    parsing = one.scenario in ("mindmap", "mindmap-part", "mindmap-position")
    attributes: dict[str, JsonValue] = {
        **(told if isinstance(told, dict) else {}),
        "question": line.question,
        "form": "tokens" if parsing else "any",
        "kind": kind,
        "set": one.name,
        "file": line.image,
        "document": line.image,
        **size_of(maps.get(line.image, "")),
    }
    return ok(
        Material(
            id=f"{one.scenario}/{one.name}-{language}/{line.number:04d}",
            scenario=one.scenario,
            subset=language,
            truth=line.answer,
            drawn_from=None if whole is None else Subject(scenario="mindmap", text=whole),
            picture=picture.value,
            provenance=restated(
                Provenance(
                    source=Published.name,
                    author="Chen et al., MindBench",
                    licence=LICENCE,
                    created=RELEASED,
                    url=pins.address(REPOSITORY, revision),
                    made=f"{one.file}, line {line.number}",
                    publishable=licences.publishable(LICENCE),
                    recipe={
                        "dataset": REPOSITORY,
                        "revision": revision,
                        "file": one.file,
                        "line": line.number,
                        "sha256": digest_bytes(picture.value),
                    },
                ),
                line.about,
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
