"""Instances as rows of the published Image2Struct sets, in parquet files of their layout.

Columns that the published sets have are written as they are there (JSON inside of text), so that
what reads those reads these. Further columns say whose an instance is and how it is fetched again.
"""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from benchmark import registry
from benchmark.outcome import Failed
from benchmark.records import Instance
from benchmark.store import Store

SETS = {"webpage": "i2s-webpage", "latex": "i2s-latex", "music": "i2s-musicsheet"}
"""The set of each scenario."""

SPLIT = "validation"
ROWS_IN_GROUP = 16
"""A reader takes in a group of rows at once, a writer too."""

MEASURED = ("width", "height", "pages")
"""What the picture itself says."""

_TEXTS = (
    *("uuid", "category", "difficulty", "structure", "text", "instance_name", "date"),
    *("download_url", "subset", "licence", "author", "created", "url", "source", "made"),
    *("recipe", "metrics", "attributes"),
)


class RowWriter:
    """Writes the rows of one configuration, a few at a time."""

    def __init__(self, path: Path) -> None:
        """Open the file; its schema carries the features that ``datasets`` reads."""
        from datasets import Features, Image, List, Value
        from pyarrow.parquet import ParquetWriter

        several = List(Value("string"))
        texts = {name: Value("string") for name in _TEXTS}
        others = {"image": Image(), "assets": several, "asset_names": several}
        features = Features({**texts, **others, "publishable": Value("bool")})
        self._schema = features.arrow_schema
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = ParquetWriter(path, self._schema)
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Take in a row."""
        self._rows.append(row)
        if len(self._rows) >= ROWS_IN_GROUP:
            self._flush()

    def close(self) -> None:
        """Write what is left and close the file."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        import pyarrow as pa

        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows = []


def write_sets(
    store: Store, instances: Iterable[Instance], folder: Path, *, private: bool
) -> dict[str, dict[str, int]]:
    """Write instances of web pages, LaTeX and music.

    Args:
        store: where pictures, truths and assets lie.
        instances: those of the scenarios in ``SETS``, in any order.
        folder: gets ``<set>/<config>/validation-00000-of-00001.parquet``.
        private: whether content goes out whose licence does not let everybody pass it on.

    Returns:
        The number of rows by set and configuration.

    Raises:
        benchmark.store.BlobMissing, BlobDamaged: the store lacks something.
    """
    writers: dict[tuple[str, str], RowWriter] = {}
    counts: dict[str, dict[str, int]] = {}
    names: dict[tuple[str, str], set[str]] = {}
    try:
        for instance in instances:
            place = SETS[instance.scenario], config_of(instance)
            if place not in writers:
                path = folder.joinpath(*place, f"{SPLIT}-00000-of-00001.parquet")
                writers[place] = RowWriter(path)
            name = _name(instance, names.setdefault(place, set()))
            writers[place].add(make_row(store, instance, name, private=private))
            own = counts.setdefault(place[0], {})
            own[place[1]] = own.get(place[1], 0) + 1
    finally:
        for writer in writers.values():
            writer.close()
    return counts


def config_of(instance: Instance) -> str:
    """Return the configuration of an instance: its subset, or ``wild`` for a picture alone."""
    if instance.scenario == "music":
        return "music"
    return instance.subset if instance.truth is not None else "wild"


def make_row(store: Store, instance: Instance, name: str, *, private: bool) -> dict[str, Any]:
    """Return an instance as a row; without its content where that may not be passed on."""
    origin = instance.provenance
    whole = private or origin.publishable
    difficulty = instance.attributes.get("difficulty")
    row: dict[str, Any] = {
        "uuid": _quoted(name),
        "category": _quoted(config_of(instance)),
        "difficulty": difficulty if isinstance(difficulty, str) else "",
        "instance_name": _quoted(instance.id),
        "date": _quoted(origin.created.isoformat()),
        "download_url": _quoted(origin.url or ""),
        "subset": instance.subset,
        "licence": origin.licence,
        "author": origin.author,
        "created": origin.created.isoformat(),
        "url": origin.url or "",
        "source": origin.source,
        "made": origin.made,
        "publishable": origin.publishable,
        "recipe": json.dumps(origin.recipe, ensure_ascii=False, sort_keys=True),
        "metrics": json.dumps(instance.metrics),
        "attributes": json.dumps(told(instance, whole=whole), ensure_ascii=False, sort_keys=True),
        "structure": "",
        "text": "",
        "image": None,
        "assets": [],
        "asset_names": [],
    }
    return row | _content(store, instance) if whole else row


def told(instance: Instance, *, whole: bool) -> dict[str, JsonValue]:
    """Return the attributes that go out with an instance.

    Of one that goes out as a recipe only numbers do: texts may quote what must not be passed on.
    """
    kept = {key: value for key, value in instance.attributes.items() if key not in MEASURED}
    if not whole:
        return {key: value for key, value in kept.items() if isinstance(value, int | float)}
    if instance.truth is not None:
        kept["compared_with"] = "drawing" if instance.reference else "picture"
    kept.pop("text", None)  # has a column of its own
    return kept


def _content(store: Store, instance: Instance) -> dict[str, Any]:
    truth = None if instance.truth is None else store.get(instance.truth).decode()
    assets = {asset.path: store.get(asset.digest) for asset in instance.assets}
    text = instance.attributes.get("text")
    content: dict[str, Any] = {
        "image": {"bytes": store.get(instance.image), "path": None},
        "text": text if isinstance(text, str) else _plain_text(instance, truth),
    }
    if truth is not None and instance.scenario == "webpage":
        return content | {"structure": pack_site(truth, assets)}
    encoded = [base64.b64encode(data).decode() for data in assets.values()]
    return content | {"structure": truth or "", "assets": encoded, "asset_names": list(assets)}


def _plain_text(instance: Instance, truth: str | None) -> str:
    """Return what text metrics compare; of a web page the published sets mean the words shown."""
    if truth is None or instance.scenario == "webpage":
        return ""
    read = registry.scenarios.get(instance.scenario).read(truth)
    return "" if isinstance(read, Failed) else read.value.text


def pack_site(truth: str, assets: Mapping[str, bytes]) -> str:
    """Return a site as a base64 tar.gz; equal sites give equal bytes.

    Raises:
        ValueError: the truth is no site.
    """
    read = registry.scenarios.get("webpage").read(truth)
    if isinstance(read, Failed):
        raise ValueError(f"a web page of the snapshot cannot be read: {read.message}")
    files = {**assets, **read.value.structure.files}
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(filename="", fileobj=buffer, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            archive.addfile(member, io.BytesIO(files[name]))
    return base64.b64encode(buffer.getvalue()).decode()


def _name(instance: Instance, taken: set[str]) -> str:
    """Return the uuid that an instance was published under, or one that follows from its id."""
    own = instance.attributes.get("uuid")
    name = own if isinstance(own, str) and own and own not in taken else ""
    name = name or str(uuid.uuid5(uuid.NAMESPACE_URL, instance.id))
    taken.add(name)
    return name


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
