"""A small copy of FlowCE's files in their layout, with the inconsistencies of the real ones."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from PIL import Image

PREFIX = "flowchart_benchmark/flowchart_benchmark"
HEADER = ("index", "question", "answer", "category", "image_path", "source")
ROWS = {
    ("logical_verification.tsv", "logical_verification"): [
        ("After the kettle boils, the tea is poured.", "Yes", "3"),
        ("The tea is poured twice.", "No", "84"),
        ("The cup is washed first. ", "No", "3"),
    ],
    ("Information_extraction.tsv", "Information_extraction"): [
        ("What is all the text content in this flowchart?", "Fill, slowly,Boil,Pour", "5"),
        ('What stands in the box "Boil" and below it?', "Boil,Pour", "6"),
    ],
    ("reasoning.tsv", "reasoning"): [("What follows if there is no tea?", "Drink water.", "7")],
    ("location_recognition.tsv", "location_recognition"): [
        ("What is left of 'Pour'?", "'Boil'.", "8")
    ],
    ("summary.tsv", "summary"): [
        ("What does the flowchart describe?", 'How "tea" is made:\n\n1. boil,\n2. pour.', "9")
    ],
}
LINKS = {
    "logical_verification": ["3.jpg\thttps://pictures.example/3.png", "84.jp\t\xa0http://old.example/84"],
    "information_extraction": ["5.jpg\thttps://pictures.example/5.png", "6.jpg\thttps://gone.example/6"],
    "reasoning": ["reasoning\t7.jpg\thttps://www.pictures.example/7?a=b|c"],
    "location_recognition": ["8.jpg\thttps://silent.example/8.gif"],
    "summary": ["9.jpg\thttps://pictures.example/9.ppm", "no link here", "99.jpg\t"],
}  # fmt: skip


def build(folder: Path, *, inner: bool = True) -> Path:
    """Write the files; `inner`: as in the repository, below its folder ``flowce_benchmark``."""
    place = folder / "flowce_benchmark" if inner else folder
    for (table, _), data in tables().items():
        place.mkdir(parents=True, exist_ok=True)
        (place / table).write_bytes(data)
    for name, lines in LINKS.items():
        (place / name).mkdir(exist_ok=True)
        (place / name / f"{name}.txt").write_bytes("\r\n".join([*lines, ""]).encode())
    return folder


def tables() -> dict[tuple[str, str], bytes]:
    """Return the tables of questions as files."""
    return {key: table(key[1], rows) for key, rows in ROWS.items()}


def table(folder: str, rows) -> bytes:
    """Write one table."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(HEADER)
    for number, (question, answer, picture) in enumerate(rows):
        writer.writerow([number, question, answer, "test", f"{PREFIX}/{folder}/{picture}.jpg", "x"])
    return text.getvalue().encode()


def picture(shade: int, kind: str = "PNG") -> bytes:
    """Draw a stand-in for a flowchart."""
    buffer = io.BytesIO()
    Image.new("RGB", (60, 40), (shade % 256, 90, 120)).save(buffer, kind)
    return buffer.getvalue()


def draw(folder: Path, numbers=("3", "84", "5", "6", "7", "8", "9")) -> Path:
    """Draw pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / f"{number}.png").write_bytes(picture(int(number)))
    return folder
