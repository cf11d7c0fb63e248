"""The card of an exported data set: how it is loaded, what is in it, whose it is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmark.outcome import printable
from benchmark.snapshot import Snapshot

PRIVATE = """\
> **Not to be passed on.** This copy was exported with `--private`: it holds content whose licence
> does not let everybody redistribute it. Keep it on your own disk.

"""


@dataclass(frozen=True)
class Card:
    """What a card says."""

    name: str
    snapshot: Snapshot
    split: str
    files: Mapping[str, str]
    """Patterns of data files by configuration."""
    counts: Mapping[str, int]
    """Rows by configuration."""
    licences: Sequence[tuple[str, str, int, int]]
    """Licence, scenario, instances that are whole, instances that are recipes."""
    private: bool


def write_card(folder: Path, card: Card) -> None:
    """Write ``README.md`` into the folder of a data set."""
    (folder / "README.md").write_text(compose(card), encoding="utf-8")


def compose(card: Card) -> str:
    """Return the card: the configuration that ``datasets`` reads, then prose and tables."""
    snapshot = card.snapshot
    sources = Counter(one.provenance.source for one in snapshot.instances)
    parts = [
        _configuration(card),
        f"# {card.name}: the snapshot {snapshot.name}\n\n",
        PRIVATE if card.private else "",
        f"Made with Rerender from the snapshot `{snapshot.name}` (digest `{snapshot.digest}`, "
        f"newest material of {snapshot.created}).\n",
        f"\n{_flat(snapshot.about)}\n" if snapshot.about else "",
        "\n## What is in it\n\n",
        _table(("configuration", "split", "rows"),
               [(name, card.split, str(count)) for name, count in card.counts.items()]),
        "\n## Licences\n\n",
        "Each row names its licence, author, address and day of creation. A row without picture, "
        "structure and text is a recipe: its licence does not let everybody pass the content on, "
        "so `recipe` (JSON) says how the same content is fetched again.\n\n",
        _table(("licence", "scenario", "whole", "recipe"),
               [(one, scenario, str(whole), str(recipe))
                for one, scenario, whole, recipe in card.licences]),
        "\n## How it was made\n\n",
        _table(("source", "instances of the snapshot"),
               [(name, str(count)) for name, count in sorted(sources.items())]),
        "\n",
        _table(("renderer of references", "version"), sorted(snapshot.tools.items())),
        "\n## How it is loaded\n\n",
        _loading(card),
    ]  # fmt: skip
    return "".join(parts)


def _configuration(card: Card) -> str:
    """Return the YAML header; JSON texts are YAML texts."""
    lines = ["---", "license: other", "pretty_name: " + json.dumps(card.name), "configs:"]
    for name, pattern in card.files.items():
        lines += [
            f"- config_name: {json.dumps(name)}",
            "  data_files:",
            f"  - split: {card.split}",
            f"    path: {json.dumps(pattern)}",
        ]
    return "\n".join([*lines, "---", "", ""])


def _loading(card: Card) -> str:
    first = next(iter(card.files))
    setting = "RERENDER_I2S_FOLDER" if card.name.startswith("i2s-") else "RERENDER_MINDBENCH_FOLDER"
    source = "image2struct" if card.name.startswith("i2s-") else "mindbench"
    place = "the folder above this one" if card.name.startswith("i2s-") else "this folder"
    return (
        f'```python\nfrom datasets import load_dataset\n\nload_dataset("{card.name}", '
        f'"{first}", split="{card.split}")\n```\n\n'
        f"Or with Rerender: set `{setting}` to {place} and run "
        f"`rerender refresh --source {source}`.\n"
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "".join("| " + " | ".join(_flat(cell) for cell in line) + " |\n" for line in lines)


def _flat(text: str) -> str:
    """Return foreign text on one line, as no markup of a table."""
    return printable(text).replace("|", "\\|").replace("<", "&lt;")
