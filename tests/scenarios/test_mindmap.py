"""The mind map scenario: answers in every accepted form."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import pytest

from benchmark.limits import TREE_DEPTH, TREE_NODES
from benchmark.outcome import Failed, Kind
from renderers.graphviz import GraphvizRenderer
from scenarios.mindmap import Mindmap
from tests.cases import case_input
from tests.contracts.scenario_contract import ScenarioContract, instance
from tests.scenarios import reading
from tests.scenarios.containers import ready, rendered

MAPS = sorted((Path(__file__).parents[2] / "sources" / "material" / "mindmap").glob("*/*.json"))
SCENARIO = Mindmap()
read = partial(reading.read, SCENARIO)


@pytest.fixture(scope="module")
def renderer():
    yield from ready(GraphvizRenderer())


class TestContract(ScenarioContract):
    scenario = SCENARIO
    sample = json.dumps(
        {"text": "Root", "children": [{"text": "A", "children": [{"text": "ä“中"}]}, {"text": "B"}]}
    )


class TestHardCases:
    def test_mind_009_duplicate_keys_keep_both_branches(self):
        answer = read(case_input("mind-009"))
        assert answer.text == "R\n  A\n  B"
        assert "duplicate_keys" in answer.flags[0].message

    def test_mind_010_self_nested_tokens(self):
        assert read(case_input("mind-010")).text == "R\n  A"

    def test_mind_012_cut_off_tokens(self):
        answer = read(case_input("mind-012"), truncated=True)
        assert answer.text == "R\n  A\n  B"
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]

    def test_mind_013_metacharacters_in_keys(self):
        assert read(case_input("mind-013")).text == "a(b\n  R"

    def test_mind_016_deep_nesting(self, tmp_path):
        outcome = SCENARIO.read(case_input("mind-016", tmp_path))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    def test_parse_010_braces_in_reasoning(self):
        assert read(case_input("parse-010")).text == "Root"

    def test_parse_018_oversized_number(self, tmp_path):
        outcome = SCENARIO.read(case_input("parse-018", tmp_path))
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR


class TestReading:
    def test_tree_text_and_drawing_agree(self):
        answer = read(
            '```json\n{"text": "R", "children": [{"text": "A &amp; B", "children": []}]}\n```'
        )
        assert answer.tree == {"text": "R", "children": [{"text": "A & B"}]}
        assert answer.text == "R\n  A & B"
        assert "A &amp; B" in answer.structure.text

    def test_form_of_the_json_does_not_matter(self):
        ours = read('{"text": "R", "children": [{"text": "A"}]}')
        theirs = read('{"name": "R", "topics": ["A"]}')
        assert ours.structure.digest == theirs.structure.digest

    def test_outline_is_accepted_and_recorded(self):
        answer = read("- R\n  - A\n")
        assert answer.tree == {"text": "R", "children": [{"text": "A"}]}
        assert answer.repairs == ("outline read as a tree",)

    def test_cut_off_json_is_read_as_far_as_it_goes(self):
        answer = read('```json\n{"text": "R", "children": [{"text": "A"}, {"te', truncated=True)
        assert answer.tree == {"text": "R", "children": [{"text": "A"}]}
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]

    def test_prose_around_bare_json_is_dropped(self):
        answer = read('The map:\n{"text": "R", "children": []}\nDone.')
        assert answer.text == "R"
        assert answer.repairs

    def test_prose_is_a_parse_error(self):
        outcome = SCENARIO.read("I am not able to see the picture.")
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    def test_prompt_is_in_the_language_of_the_map(self):
        english = SCENARIO.prompt(instance(SCENARIO, "en"))
        chinese = SCENARIO.prompt(instance(SCENARIO, "zh"))
        assert "mind map" in english
        assert "思维导图" in chinese


class TestDrawn:
    @pytest.mark.parametrize("path", MAPS, ids=lambda path: f"{path.parent.name}-{path.stem}")
    def test_bundled_map_renders_cleanly(self, path, renderer):
        truth = path.read_text(encoding="utf-8")
        answer, picture = rendered(SCENARIO, renderer, read(truth))
        assert answer.repairs == ()
        assert answer.flags == picture.flags == ()
        assert 5 <= len(answer.text.split("\n")) <= 80
        assert "warning" not in picture.log.lower()
        assert read(f"```json\n{truth}```").structure.digest == answer.structure.digest

    def test_there_are_enough_maps(self):
        languages = [path.parent.name for path in MAPS]
        assert len(MAPS) >= 12
        assert all(languages.count(subset) >= 5 for subset in SCENARIO.subsets)

    def test_blank_renders_and_is_small(self, renderer):
        _, picture = rendered(SCENARIO, renderer, read(SCENARIO.blank()))
        assert picture.flags == ()
        assert picture.width < 100

    def test_equal_trees_give_equal_pictures(self, renderer):
        ours = rendered(SCENARIO, renderer, read('{"text": "R", "children": [{"text": "中"}]}'))
        theirs = rendered(SCENARIO, renderer, read("- R\n  - 中"))
        assert ours[1].png == theirs[1].png

    def test_no_label_breaks_the_drawing(self, renderer):
        labels = [
            '"]; x [label="',
            "\\",
            "a\\N\\G",
            "<b>{a|b}</b>",
            "&lt;&amp;lt;",
            "😀",
            "w" * 9000,
        ]
        answer = read(json.dumps({"text": "R", "children": labels}))
        _, picture = rendered(SCENARIO, renderer, answer)
        assert picture.flags == ()
        assert "warning" not in picture.log.lower()

    def test_the_largest_and_the_deepest_tree_are_drawn(self, renderer):
        deepest: dict = {"text": "x"}
        for _ in range(TREE_DEPTH - 1):
            deepest = {"text": "x", "children": [deepest]}
        widest = {"text": "x", "children": ["y"] * (TREE_NODES - 1)}
        for value in (deepest, widest):
            _, picture = rendered(SCENARIO, renderer, read(json.dumps(value)))
            assert picture.width > 50
