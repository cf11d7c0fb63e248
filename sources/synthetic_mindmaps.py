"""Mind maps made by a seed: random trees of shipped text, each in a random style.

A map is a function of the language, the seed and its number alone, so a set can be made again to
the byte, and the first ten maps of a thousand are those of ten. What is drawn of them depends on
the container as well (fonts, Graphviz), whose digest every key and manifest holds.
"""

from __future__ import annotations

import datetime as dt
import json

from benchmark.chance import Chance
from benchmark.records import Material, Provenance
from sources.by_seed import BySeed
from sources.corpus import Language, load
from sources.synthetic_styles import random_style
from sources.synthetic_trees import count_nodes, random_tree

SCENARIO = "mindmap"

VERSION = 1
"""Part of every seed; raised when anything here, or the corpus, changes a map."""

WRITTEN = dt.date(2026, 11, 29)
"""The day of this version."""

PROVENANCE = Provenance(
    source="synthetic-mindmaps",
    author="the Rerender authors",
    licence="CC0-1.0",
    created=WRITTEN,
    made="drawn by seed; text from works in the public domain and from word lists of our own",
)


class SyntheticMindmaps(BySeed):
    """The source `synthetic-mindmaps`: 200 maps, English and Chinese by turns."""

    name = "synthetic-mindmaps"
    scenarios = (SCENARIO,)
    about = (
        "Random trees of text from works in the public domain, in random drawing styles, made by "
        "seed for this project and dedicated to the public domain (CC0 1.0)."
    )

    written = WRITTEN

    def make(self, language: Language, number: int) -> Material:
        """Make one piece of the set."""
        return make_map(language, self.seed, number)


def make_map(language: Language, seed: int, number: int) -> Material:
    """Make one map.

    Returns:
        The material, whose truth is the tree in canonical JSON. Attributes: ``style`` (see
        ``scenarios.tree_styles.Style``), ``language``, ``seed``, ``number`` and ``nodes``.
    """
    chance = Chance("mindmap", VERSION, language, seed, number)
    tree = random_tree(chance, load(language))
    nodes = count_nodes(tree)
    return Material(
        id=f"{SCENARIO}/{language}/{seed}-{number:06d}",
        scenario=SCENARIO,
        subset=language,
        truth=json.dumps(tree, ensure_ascii=False),
        provenance=PROVENANCE,
        attributes={
            "style": random_style(chance, language, nodes),
            "language": language,
            "seed": seed,
            "number": number,
            "nodes": nodes,
        },
    )
