"""Synthetic flowcharts: the same bytes for ever, whole stories, truths that read back."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from benchmark import registry
from benchmark.outcome import Ok
from benchmark.records import digest_json
from sources.flowchart_plans import KINDS
from sources.flowchart_words import CATEGORIES, load_topics
from sources.flowchart_writing import wrap
from sources.synthetic_flowcharts import SyntheticFlowcharts, make_chart, make_plan
from tests.contracts.source_contract import SourceContract

PLACES = [(language, number) for language in ("en", "zh") for number in range(120)]
CHARTS = [
    (make_chart(*place[:1], 0, place[1]), make_plan(place[0], 0, place[1])) for place in PLACES
]


class TestContract(SourceContract):
    source = SyntheticFlowcharts()


def digest(seed: int) -> str:
    made = [make_chart(language, seed, n) for language in ("en", "zh") for n in range(24)]
    parts = {"id", "subset", "truth", "attributes"}
    return digest_json([one.model_dump(mode="json", include=parts) for one in made])


def test_the_bytes_are_those_that_were_written_down():
    """Whoever changes a chart raises ``VERSION`` and writes the new digest here."""
    assert digest(1) == "31cae932dd64359b54cd53ab74482546e045dfdfb021f77037a496cc4494b513"


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_the_hash_seed_changes_nothing(hash_seed):
    program = "from tests.sources.test_synthetic_flowcharts import digest; print(digest(2))"
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={"PYTHONHASHSEED": hash_seed, "PATH": ""}, cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert told.stdout.strip() == digest(2)


def test_every_chart_is_its_own():
    truths = {make_chart("en", seed, number).truth for seed in (0, 1) for number in range(40)}
    assert len(truths) == 80


def test_every_truth_says_what_was_planned():
    scenario = registry.scenarios.get("flowchart")
    for material, plan in CHARTS:
        read = scenario.read(material.truth)
        assert isinstance(read, Ok)
        assert (read.value.repairs, read.value.flags) == ((), ())
        tree = read.value.tree
        ids = [node["id"] for node in tree["nodes"]]
        nodes = [(node["text"], node["type"], node.get("group")) for node in tree["nodes"]]
        assert nodes == [(step.text, step.type, step.lane) for step in plan.steps]
        edges = [(edge["source"], edge["target"], edge["label"]) for edge in tree["edges"]]
        assert edges == [(ids[source], ids[target], label) for source, target, label in plan.arrows]
        assert all(edge["directed"] for edge in tree["edges"])
        counts = material.attributes["nodes"], material.attributes["edges"]
        assert counts == (len(nodes), len(edges))


def test_stories_are_whole():
    """All steps are reached, all lead to an end, and every question has all its answers."""
    for material, plan in CHARTS:
        after = [[] for _ in plan.steps]
        for source, target, label in plan.arrows:
            after[source].append((target, label))
        reached, stack = {0}, [0]
        while stack:
            for target, _ in after[stack.pop()]:
                if target not in reached:
                    reached.add(target)
                    stack.append(target)
        assert reached == set(range(len(plan.steps))), material.id
        ended = {number for number, targets in enumerate(after) if not targets}
        while fresh := {
            number
            for number, targets in enumerate(after)
            if number not in ended and any(target in ended for target, _ in targets)
        }:
            ended |= fresh
        assert ended == reached, material.id
        for step, targets in zip(plan.steps, after, strict=True):
            labels = [label for _, label in targets]
            if step.type == "decision":
                assert len(set(labels)) == len(labels) >= 2
                assert all(labels)
            else:
                assert not any(labels)
                assert len(targets) <= 1 or step.type == "other"


def test_charts_have_their_bounds_and_use_them():
    sizes = Counter(len(plan.steps) for _, plan in CHARTS)
    assert min(sizes) >= 5
    assert max(sizes) == 30
    for _, plan in CHARTS:
        texts = [step.text for step in plan.steps]
        assert len(set(texts)) == len(texts)
        assert len(set(plan.arrows)) == len(plan.arrows)
        assert any(label for *_, label in plan.arrows)


def test_categories_and_kinds_and_looks_vary():
    attributes = [material.attributes for material, _ in CHARTS]
    assert Counter(one["category"] for one in attributes) == dict.fromkeys(CATEGORIES, 60)
    kinds = Counter(one["kind"] for one in attributes)
    assert set(kinds) == set(KINDS)
    assert {one["direction"] for one in attributes} == {"TB", "LR", "BT", "RL"}
    assert {one["splines"] for one in attributes} == {
        "spline", "ortho", "polyline", "curved", "line",
    }  # fmt: skip
    types = Counter(step.type for _, plan in CHARTS for step in plan.steps)
    assert all(types[kind] > 30 for kind in ("terminal", "process", "decision", "input_output"))
    lanes = [plan for material, plan in CHARTS if material.attributes["kind"] == "swim-lanes"]
    assert all(step.lane for plan in lanes for step in plan.steps)
    forks = [plan for material, plan in CHARTS if material.attributes["kind"] == "parallel"]
    assert all(sum(step.type == "other" for step in plan.steps) >= 2 for plan in forks)
    assert len({part for m, _ in CHARTS for part in m.truth.split('"') if "#" in part}) > 100


def test_labels_are_drawn_whatever_the_lines_are():
    for material, plan in CHARTS:
        arrows = [line for line in material.truth.split("\n") if " -> " in line and "=" in line]
        labels = sum(bool(label) for *_, label in plan.arrows)
        name = "xlabel" if material.attributes["splines"] in ("ortho", "curved") else "label"
        assert sum(f" [{name}=" in line for line in arrows) == labels


@pytest.mark.parametrize("language", ["en", "zh"])
def test_topics_have_enough_to_say(language):
    topics = load_topics(language)
    assert {topic.category for topic in topics} == set(CATEGORIES)
    for topic in topics:
        for patterns in topic.patterns.values():
            assert len(set(patterns)) == len(patterns) >= 2
        assert len(topic.lanes) >= 3
        assert all(len(choice) == 4 for choice in topic.choices)
        assert all(yes != no for yes, no in topic.answers)


def test_lines_break_where_they_can_be_joined():
    assert wrap("Is the oven hot?", 8) == ["Is the", "oven", "hot?"]
    assert wrap("数据服从正态分布吗？", 8) == ["数据服从", "正态分布", "吗？"]
    assert wrap("a[mid] = lo", 4) == ["a[mid]", "= lo"]
