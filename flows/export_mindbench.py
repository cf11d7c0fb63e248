"""Instances about mind maps as the published MindBench files: lines of JSON, pictures beside them.

Each line is an official one, with one key more, ``rerender``: a text that says whose the map is and
what else must be known to use it here. What may not be passed on stands in ``recipes.jsonl``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmark import registry
from benchmark.outcome import Failed
from benchmark.records import Instance
from benchmark.store import Store
from flows.export_i2s import told
from scenarios.tree_tokens import to_tokens
from scenarios.trees import from_json
from sources.mindbench_files import RECIPES
from sources.published import SETS, Set

SCENARIOS = frozenset(one.scenario for one in SETS)
_TREES = ("mindmap", "mindmap-part", "mindmap-position")


def write_files(
    store: Store, instances: Iterable[Instance], folder: Path, *, private: bool
) -> Counter[str]:
    """Write instances of the scenarios in ``SCENARIOS``.

    Returns:
        The number of lines by file.

    Raises:
        benchmark.store.BlobMissing, BlobDamaged: the store lacks something.
    """
    counts: Counter[str] = Counter()
    folder.mkdir(parents=True, exist_ok=True)
    for instance in instances:
        whole = private or instance.provenance.publishable
        file = set_of(instance).file if whole else RECIPES
        line = _line(store, instance, folder) if whole else {}
        line["rerender"] = json.dumps(_about(instance, whole=whole), ensure_ascii=False)
        with (folder / file).open("a", encoding="utf-8", newline="\n") as lines:
            lines.write(json.dumps(line, ensure_ascii=False) + "\n")
        counts[file] += 1
    return counts


def set_of(instance: Instance) -> Set:
    """Return the official set that an instance stands in: its own, else the synthetic one."""
    named, language = instance.attributes.get("set"), instance.subset
    fitting = [one for one in SETS if one.scenario == instance.scenario]
    own = [one for one in fitting if one.name == named and one.language in (language, None)]
    return (own or [one for one in fitting if one.language is None])[0]


def _line(store: Store, instance: Instance, folder: Path) -> dict[str, Any]:
    name = _picture_name(instance)
    path = folder / name
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(store.get(instance.image))
    turns = [
        {"from": "user", "value": "<image>"},
        {"from": "user", "value": _question(instance)},
        {"from": "assistant", "value": _answer(store, instance)},
    ]
    return {"image": [name], "conversations": turns}


def _picture_name(instance: Instance) -> str:
    """Return where the picture lies; the folders of synthetic maps tell the language."""
    one, name = set_of(instance), f"{instance.image[:32]}.png"
    if one.language is not None:
        return f"{one.file.removesuffix('_test.jsonl')}_png/{name}"
    return f"synth_v2/{'cn' if instance.subset == 'zh' else 'en'}_test/img/{name}"


def _question(instance: Instance) -> str:
    own = instance.attributes.get("question")
    if isinstance(own, str) and own:
        return own
    # what comes after the first paragraph is how to answer here
    return registry.scenarios.get(instance.scenario).prompt(instance).split("\n\n")[0]


def _answer(store: Store, instance: Instance) -> str:
    """Return the truth in the official form: trees as token sequences."""
    truth = "" if instance.truth is None else store.get(instance.truth).decode()
    if instance.scenario not in _TREES or truth.startswith("<s_"):
        return truth
    read = registry.scenarios.get(instance.scenario).read(truth)
    tree = read if isinstance(read, Failed) else from_json(read.value.tree)
    if isinstance(tree, Failed):
        raise ValueError(f"the map {instance.id} of the snapshot cannot be read: {tree.message}")
    return to_tokens(tree.value)


def _about(instance: Instance, *, whole: bool) -> dict[str, Any]:
    origin = instance.provenance
    kind = instance.attributes.get("kind")
    return {
        "id": instance.id,
        "scenario": instance.scenario,
        "language": instance.subset,
        "kind": kind if isinstance(kind, str) else "full",
        "licence": origin.licence,
        "author": origin.author,
        "created": origin.created.isoformat(),
        "url": origin.url,
        "source": origin.source,
        "made": origin.made,
        "publishable": origin.publishable,
        "recipe": origin.recipe,
        "attributes": told(instance, whole=whole),
    }
