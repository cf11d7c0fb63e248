"""A small copy of the published Image2Struct sets in their layout, as the tests make it."""

from __future__ import annotations

import base64
import gzip
import io
import json
import tarfile
from pathlib import Path

from PIL import Image

CONFIGS = {
    "i2s-webpage": ("css", "html", "javascript", "wild"),
    "i2s-latex": ("equation", "table", "plot", "algorithm", "wild"),
    "i2s-musicsheet": ("music",),
}
PAGE = (
    "<!DOCTYPE html>\n<html><body><h1>Tide table of {name}</h1><img src='sea.png'></body></html>\n"
)
SOURCES = {
    "equation": r"\begin{equation} a^2 + b^2 = %d \end{equation}",
    "table": r"\begin{tabular}{lr} tide & %d \\ \end{tabular}",
    "plot": r"\begin{tikzpicture} \draw (0,0) circle (%d mm); \end{tikzpicture}",
    "algorithm": r"\begin{algorithmic} \State $n \gets %d$ \end{algorithmic}",
}


def picture(width: int = 60, height: int = 40, shade: int = 120) -> bytes:
    image = Image.new("RGB", (width, height), "white")
    image.paste((shade % 256, 30, 90), (5, 5, width // 2, height // 2))
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def repository(files: dict[str, bytes], links: dict[str, str] | None = None) -> str:
    """Return a base64 tar.gz as the published rows hold it."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        for name, target in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, target
            archive.addfile(member)
    return base64.b64encode(buffer.getvalue()).decode()


def site(name: str) -> str:
    return repository(
        {
            "./index.html": PAGE.format(name=name).encode(),
            "css/style.css": b"h1 { color: teal }\n",
            "sea.png": picture(8, 8),
            ".git/config": b"[core]\n",
            "_site/index.html": b"built",
        }
    )


def row(config: str, number: int, split: str = "validation", **changes) -> dict:
    """Return one row as it is published: JSON inside of text columns."""
    made = {
        "uuid": json.dumps(f"{config}-{split}-{number}"),
        "category": json.dumps(config),
        "difficulty": ("easy", "medium", "hard")[number % 3],
        "image": {"bytes": picture(60 + number, 40, 40 * number), "path": None},
        "text": f"words of {config} {number}",
        "assets": [],
        "date": json.dumps(f"2024-0{number + 1}-15T10:00:00Z"),
        "download_url": json.dumps(f"https://example.org/{config}/{number}"),
    }
    if config in ("css", "html", "javascript"):
        made["structure"] = site(f"{config} {number}")
    elif config in SOURCES:
        made["structure"] = SOURCES[config] % number
    elif config == "wild":
        made["structure"] = ""
    return made | changes


def write_rows(path: Path, rows: list[dict], group: int | None = None) -> None:
    """Write a parquet file with the features that the hub's files carry."""
    import pyarrow as pa
    import pyarrow.parquet as pq
    from datasets import Features, Value
    from datasets import Image as Picture
    from datasets import List as Several

    special = {"image": Picture(), "assets": Several(Value("string"))}
    columns = list(dict.fromkeys(name for row in rows for name in row))
    features = Features({name: special.get(name, Value("string")) for name in columns})
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pa.Table.from_pylist(
        [{name: row.get(name) for name in columns} for row in rows], schema=features.arrow_schema
    )
    pq.write_table(table, path, row_group_size=group)


def build(folder: Path, splits: tuple[str, ...] = ("validation", "test"), rows: int = 2) -> Path:
    for name, configs in CONFIGS.items():
        for config in configs:
            for split in splits:
                path = folder / name / config / f"{split}-00000-of-00001.parquet"
                write_rows(path, [row(config, number, split) for number in range(rows)])
    return folder
