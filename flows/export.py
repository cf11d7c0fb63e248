"""A snapshot as Hugging Face data sets, in the layouts of the published sets.

What a licence does not let everybody pass on goes out as a recipe: whose it is, where it lies and
how the same content is fetched again, without picture, structure and words. The folder appears at
once and complete, or not at all.
"""

from __future__ import annotations

import secrets
import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmark.records import Instance
from benchmark.snapshot import Snapshot
from benchmark.store import Store
from flows import export_i2s, export_mindbench
from flows.export_card import Card, write_card

MINDBENCH = "mindbench"


class ExportError(RuntimeError):
    """Nothing was exported; the text says why and what to do."""


class Form(StrEnum):
    """How an instance goes out."""

    WHOLE = "whole"
    RECIPE = "as recipe"
    LEFT_OUT = "left out"


@dataclass(frozen=True, order=True)
class Share:
    """How many instances of a scenario and licence go out, and in which form."""

    scenario: str
    licence: str
    whole: int
    recipe: int
    left_out: int


def export(store: Store, snapshot: Snapshot, folder: Path, *, private: bool) -> list[Share]:
    """Write a snapshot as data sets below a folder.

    Args:
        store: where the snapshot's blobs lie.
        snapshot: what is exported.
        folder: gets ``i2s-webpage``, ``i2s-latex``, ``i2s-musicsheet`` and ``mindbench``, whichever
            have instances; must not be there, or be empty.
        private: everything goes out whole, for one's own disk.

    Returns:
        Counts by scenario and licence, in order.

    Raises:
        ExportError: the folder is in use, or no instance is of a scenario with a layout.
        OSError: the place cannot be written to.
        benchmark.store.BlobMissing, BlobDamaged: the store lacks something.
    """
    folder = folder.resolve()
    if folder == Path.cwd():
        raise ExportError("the export takes the place of its folder: name one below this one")
    if folder.exists() and not folder.is_dir():
        raise ExportError(f"{folder} is a file; choose a new folder")
    if folder.exists() and any(folder.iterdir()):
        raise ExportError(f"{folder} is not empty; choose a new folder")
    forms = [(one, form_of(one, private=private)) for one in snapshot.instances]
    outgoing = [one for one, form in forms if form is not Form.LEFT_OUT]
    if not outgoing:
        raise ExportError(f"snapshot {snapshot.name!r} holds nothing that has a published layout")
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = folder.parent / f".{folder.name}.{secrets.token_hex(4)}"
    try:
        _write(store, snapshot, outgoing, draft, private=private)
        draft.replace(folder)  # onto an empty folder, or none
    finally:
        shutil.rmtree(draft, ignore_errors=True)  # where it did not get that far
    return shares(forms)


def form_of(instance: Instance, *, private: bool) -> Form:
    """Return how an instance goes out.

    Left out are scenarios without a published layout, and questions whose answer is not known.
    """
    in_mindbench = instance.scenario in export_mindbench.SCENARIOS and instance.truth is not None
    if instance.scenario not in export_i2s.SETS and not in_mindbench:
        return Form.LEFT_OUT
    return Form.WHOLE if private or instance.provenance.publishable else Form.RECIPE


def shares(forms: list[tuple[Instance, Form]]) -> list[Share]:
    """Count forms by scenario and licence."""
    counts: dict[tuple[str, str], Counter[Form]] = {}
    for instance, form in forms:
        key = instance.scenario, instance.provenance.licence
        counts.setdefault(key, Counter())[form] += 1
    return sorted(
        Share(*key, own[Form.WHOLE], own[Form.RECIPE], own[Form.LEFT_OUT])
        for key, own in counts.items()
    )


def _write(
    store: Store, snapshot: Snapshot, outgoing: list[Instance], draft: Path, *, private: bool
) -> None:
    rows = [one for one in outgoing if one.scenario in export_i2s.SETS]
    lines = [one for one in outgoing if one.scenario not in export_i2s.SETS]
    counts = export_i2s.write_sets(store, rows, draft, private=private)
    for name, configs in counts.items():
        own = [one for one in rows if export_i2s.SETS[one.scenario] == name]
        files = {config: f"{config}/{export_i2s.SPLIT}-*.parquet" for config in configs}
        _card(draft / name, snapshot, own, files, configs, export_i2s.SPLIT, private=private)
    if lines:
        written = export_mindbench.write_files(store, lines, draft / MINDBENCH, private=private)
        numbers = {file.removesuffix(".jsonl"): count for file, count in sorted(written.items())}
        files = {name: f"{name}.jsonl" for name in numbers}
        _card(draft / MINDBENCH, snapshot, lines, files, numbers, "test", private=private)


def _card(
    folder: Path,
    snapshot: Snapshot,
    instances: list[Instance],
    files: Mapping[str, str],
    counts: Mapping[str, int],
    split: str,
    *,
    private: bool,
) -> None:
    forms = [(one, form_of(one, private=private)) for one in instances]
    shown = [(s.licence, s.scenario, s.whole, s.recipe) for s in shares(forms)]
    write_card(folder, Card(folder.name, snapshot, split, files, counts, shown, private))
