"""Difficulty and freshness: the same rules for everybody, each third populated."""

from __future__ import annotations

import datetime as dt
import json
from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.outcome import Ok
from benchmark.records import Material, Provenance, Subject
from sources.bundled import Bundled
from sources.difficulty import LEVELS, RULES, difficulty, measures
from sources.freshness import after_cutoff, freshness
from sources.map_folder import materials_of

PROVENANCE = Provenance(source="s", author="a", licence="MIT", created=dt.date(2026, 1, 1))


def material(scenario: str, truth: str | None, **more: Any) -> Material:
    values = {"id": "x", "scenario": scenario, "subset": "s", "truth": truth} | more
    return Material.model_validate(values | {"provenance": PROVENANCE})


def chain(depth: int) -> str:
    node: dict[str, Any] = {"text": "leaf"}
    for _ in range(depth - 1):
        node = {"text": "x", "children": [node]}
    return json.dumps(node)


@pytest.mark.parametrize(
    ("scenario", "truth", "counts"),
    [
        ("latex", r"\frac{a}{b} % \frac{c}{d}", {"tokens": 7, "nesting": 1}),
        ("latex", r"\begin{a}\left(\frac{\sqrt{x}}{2}\right)\end{a} \{",
         {"tokens": 23, "nesting": 4}),
        ("music", r"{ c'4 d8 r4 <e g>2 }", {"notes": 5, "staves": 1}),
        ("music", r'\version "2.24.0" \header { title = "a b c" } \new Staff { c4 d } '
         r"\new Staff { \clef bass cis4 } \addlyrics { a b c d } \layout { a } { e4 }",
         {"notes": 4, "staves": 2}),
        ("music", "{ c4 % d e f\n g \"a b\" do4 re mi }", {"notes": 5, "staves": 1}),
        ("mindmap", chain(3), {"nodes": 3, "depth": 3}),
        ("mindmap", "not a tree", {"nodes": 1, "depth": 1}),
        ("flowchart", 'digraph { a -> b -> c /* d -> e */ ; b -> "x -> y" } // f -> g',
         {"edges": 3}),
        ("flowchart", 'graph { a -- b -- c }', {"edges": 2}),
        ("flowchart", "flowchart TD\nA-->B\nB-.->C\nC==>D %% D-->E", {"edges": 3}),
        ("webpage", json.dumps([{"filename": "a.html", "content": "<p>\n\nhi there\n"}]),
         {"lines": 2, "tokens": 5, "assets": 0}),
    ],
)  # fmt: skip
def test_what_is_counted(scenario, truth, counts):
    assert measures(material(scenario, truth)) == counts


def test_the_hardest_measure_decides():
    assert difficulty(material("mindmap", chain(2))) == "easy"
    assert difficulty(material("mindmap", chain(5))) == "medium"
    assert difficulty(material("mindmap", chain(6))) == "hard"
    wide = {"text": "x", "children": [{"text": "y"}] * 40}
    assert difficulty(material("mindmap", json.dumps(wide))) == "hard"


def test_a_question_is_as_hard_as_its_map():
    drawn = Subject(scenario="mindmap", text=chain(6))
    assert difficulty(material("mindmap-vqa", "3", drawn_from=drawn)) == "hard"


def test_nothing_is_said_of_a_picture_alone_and_published_levels_stay():
    assert difficulty(material("music", None, picture=b"x")) is None
    assert difficulty(material("unheard-of", "x")) is None
    assert difficulty(material("music", None, attributes={"difficulty": "hard"})) == "hard"
    assert difficulty(material("mindmap", chain(2), attributes={"difficulty": "?"})) == "easy"


def test_each_third_is_populated(shared):
    real = shared / "real"
    found: dict[str, Counter[str | None]] = defaultdict(Counter)
    texts = [("music", path) for path in real.glob("ly/**/*.ly")]
    texts += [("latex", path) for path in real.glob("tex/tikz/*.tex")]
    texts += [("flowchart", path) for path in real.glob("dot/*.dot")]
    pieces = [
        material(scenario, path.read_text(encoding="utf-8", errors="replace"))
        for scenario, path in texts
    ]
    for folder in sorted((real / "jekyll").iterdir()):
        files = [
            {"filename": path.name, "content": path.read_text(encoding="utf-8")}
            for path in sorted(folder.rglob("*"))
            if path.suffix in {".html", ".css", ".js", ".md", ".scss"}
        ]
        pieces.append(material("webpage", json.dumps(files)))
    outcomes = [*Bundled().collect(), *materials_of(real / "xmind", PROVENANCE)]
    pieces += [outcome.value for outcome in outcomes if isinstance(outcome, Ok)]
    for piece in pieces:
        found[piece.scenario][difficulty(piece)] += 1
    assert set(found) == set(RULES)
    for scenario, counts in found.items():
        for level in LEVELS:
            assert counts[level] >= 0.15 * counts.total(), (scenario, counts)


@given(st.text(max_size=300), st.sampled_from(sorted(RULES)))
@settings(derandomize=True, deadline=None)
def test_any_truth_has_a_level(truth, scenario):
    assert difficulty(material(scenario, truth)) in LEVELS
    assert measures(material(scenario, truth)) == measures(material(scenario, truth))


@given(st.text(max_size=100), st.text(max_size=100))
@settings(derandomize=True, deadline=None)
def test_more_latex_is_never_fewer_tokens(first, second):
    one = measures(material("latex", first))
    both = measures(material("latex", f"{first}\n\n{second}"))
    assert one is not None
    assert both is not None
    assert both["tokens"] >= one["tokens"] - 1


# --- freshness ---

DAY = dt.date(2026, 11, 30)


def test_freshness_is_the_days_since_it_was_made():
    assert freshness(dt.date(2026, 11, 1), DAY) == 29
    assert freshness(DAY, DAY) == 0
    assert freshness(dt.date(2026, 12, 1), DAY) == -1


def test_what_was_made_on_the_last_day_may_be_known():
    assert after_cutoff(dt.date(2026, 12, 1), DAY) is True
    assert after_cutoff(DAY, DAY) is False
    assert after_cutoff(DAY, None) is None
