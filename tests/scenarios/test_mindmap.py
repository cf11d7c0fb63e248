"""The mind map scenario: answers in every accepted form."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from benchmark.outcome import Failed, Kind, Ok
from scenarios.mindmap import Mindmap
from tests.conftest import hard_cases
from tests.contracts.scenario_contract import ScenarioContract, instance

CASES = {case["id"]: case for area in ("mindmap", "parse") for case in hard_cases(area)}
SCENARIO = Mindmap()


def case_input(identifier: str, tmp_path=None) -> str:
    if identifier not in CASES:
        pytest.skip("no shared/cases/cases.jsonl beside the checkout")
    case = CASES[identifier]
    if case["input_kind"] != "python_gen":
        return case["input"]
    target = tmp_path / "input.txt"
    subprocess.run([sys.executable, "-c", case["input"], str(target)], check=True)
    return target.read_text(encoding="utf-8")


def read(text: str, *, truncated: bool = False):
    outcome = SCENARIO.read(text, truncated=truncated)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


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
