"""Flowcharts made by a seed: decision trees, loops, swim-lanes, parallel branches, programs.

A chart is a function of the language, the seed and its number alone, so a set can be made again to
the byte, and the first ten charts of a thousand are those of ten. What is drawn of them depends on
the container as well (fonts, Graphviz), whose digest every key and manifest holds.
"""

from __future__ import annotations

import datetime as dt

from benchmark.chance import Chance
from benchmark.records import Material, Provenance
from sources.by_seed import BySeed
from sources.corpus import Language
from sources.flowchart_plans import KINDS, Kind, Plan, random_plan
from sources.flowchart_words import CATEGORIES, load_topics
from sources.flowchart_writing import write_dot

SCENARIO = "flowchart"

VERSION = 2
"""Part of every seed; raised when anything here, or the patterns, changes a chart."""

WRITTEN = dt.date(2026, 11, 30)
"""The day of this version."""

PROVENANCE = Provenance(
    source="synthetic-flowcharts",
    author="the Rerender authors",
    licence="CC0-1.0",
    created=WRITTEN,
    made="drawn by seed from sentence patterns of our own",
)


class SyntheticFlowcharts(BySeed):
    """The source `synthetic-flowcharts`: 200 charts, English and Chinese by turns."""

    name = "synthetic-flowcharts"
    scenarios = (SCENARIO,)
    about = (
        "Random flowcharts of everyday, business, programming and mathematical steps, in random "
        "drawing styles, made by seed for this project, dedicated to the public domain (CC0 1.0)."
    )

    written = WRITTEN

    def make(self, language: Language, number: int) -> Material:
        """Make one piece of the set."""
        return make_chart(language, self.seed, number)


def make_chart(language: Language, seed: int, number: int) -> Material:
    """Make one chart; categories and kinds take turns, so that few charts have all of them.

    Returns:
        The material, whose truth is DOT with all its looks. Attributes: ``category``, ``kind`` (see
        ``sources.flowchart_plans.KINDS``), ``language``, ``seed``, ``number``, ``nodes``,
        ``edges``, ``direction`` and ``splines``.
    """
    chance, plan, category, kind = _plan(language, seed, number)
    truth, looks = write_dot(chance, plan, language)
    return Material(
        id=f"{SCENARIO}/{language}/{seed}-{number:06d}",
        scenario=SCENARIO,
        subset=language,
        truth=truth,
        provenance=PROVENANCE,
        attributes={
            "category": category,
            "kind": kind,
            "language": language,
            "seed": seed,
            "number": number,
            "nodes": len(plan.steps),
            "edges": len(plan.arrows),
            **looks,
        },
    )


def make_plan(language: Language, seed: int, number: int) -> Plan:
    """Return what the chart tells, as it was drawn before it was written."""
    return _plan(language, seed, number)[1]


def _plan(language: Language, seed: int, number: int) -> tuple[Chance, Plan, str, Kind]:
    chance = Chance("flowchart", VERSION, language, seed, number)
    category = CATEGORIES[number % len(CATEGORIES)]
    kinds = [kind for kind in KINDS if kind != "code-like" or category in ("code", "maths")]
    kind = kinds[number // len(CATEGORIES) % len(kinds)]
    topic = chance.choice([one for one in load_topics(language) if one.category == category])
    return chance, random_plan(chance, topic, kind), category, kind
