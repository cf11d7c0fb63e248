"""The tasks as scenarios: prompts, derived material, and answers by the road of every scenario."""

from __future__ import annotations

import datetime as dt
import json
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark import registry
from benchmark.outcome import Failed, Ok
from benchmark.protocols import Derives, Describes, Dresses, Scenario
from benchmark.records import Material, Provenance
from scenarios import trees
from scenarios.mindbench.map import Map
from scenarios.mindbench.tasks import (
    MindmapPart,
    MindmapPosition,
    MindmapPositionVqa,
    MindmapVqa,
    map_of,
)
from scenarios.mindmap import Mindmap
from scenarios.tree_styles import Style
from scenarios.tree_tokens import to_tokens
from tests.contracts.scenario_contract import ScenarioContract, instance
from tests.scenarios.maps import tidily, tidy_maps
from tests.scenarios.test_mindbench_answers import ANYTHING
from tests.scenarios.test_mindbench_questions import FAMILY

TASKS = (MindmapPart(), MindmapPosition(), MindmapVqa(), MindmapPositionVqa())
NAMES = [task.name for task in TASKS]
TREE = json.dumps({"text": "R", "children": [{"text": "a"}, {"text": "中“”"}]})


def material(mind_map, language="en", *, places=True, **attributes) -> Material:
    boxes = {"boxes": [list(box) for box in mind_map.boxes]} if places else {}
    return Material(
        id=f"mindmap/{language}/x",
        scenario="mindmap",
        subset=language,
        truth=json.dumps(trees.to_json(mind_map.tree), ensure_ascii=False),
        provenance=Provenance(
            source="test", author="us", licence="CC0-1.0", created=dt.date(2026, 1, 1)
        ),
        attributes={**boxes, **attributes},
    )


class TestPart(ScenarioContract):
    scenario = MindmapPart()
    sample = TREE


class TestPosition(ScenarioContract):
    scenario = MindmapPosition()
    sample = TREE


class TestVqa(ScenarioContract):
    scenario = MindmapVqa()
    sample = "the answer, plainly"
    attributes: ClassVar[dict] = {"question": "What?", "form": "text"}


class TestPositionVqa(ScenarioContract):
    scenario = MindmapPositionVqa()
    sample = "<bbox>1,2,3,4</bbox>"
    attributes: ClassVar[dict] = {"question": "Where?", "form": "box"}


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_each_task_is_registered_and_derives(task):
    registered = registry.scenarios.get(task.name)
    assert type(registered) is type(task)
    assert isinstance(registered, Derives)
    assert isinstance(registered, Scenario)
    draws = registered.renderer is not None
    assert isinstance(registered, Dresses) is draws
    assert isinstance(registered, Describes) is draws
    for name in registered.metrics:
        assert name in registry.metrics


def test_nothing_is_asked_whose_right_answer_would_be_misread():
    tree = trees.Node("~~~", (trees.Node("~~~~"),))
    bare = material(Map(tree, None), places=False)
    task = next(each for each in TASKS if each.name == "mindmap-vqa")
    for turn in range(task.cycle):
        derived = task.derive(bare, turn=turn, seed=0)
        if derived is not None:
            read = task.read(derived.truth)
            assert isinstance(read, Ok), derived.truth
            assert read.value.repairs == ()


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
@settings(max_examples=30, deadline=None, derandomize=True)
@given(tidy_maps(), st.integers(0, 30), st.integers(0, 3), st.sampled_from(["en", "zh"]))
def test_a_derived_truth_is_a_perfect_answer(task, mind_map, turn, seed, language):
    whole = material(mind_map, language, style={"engine": "dot"}, document="the map")
    derived = task.derive(whole, turn=turn, seed=seed)
    assert derived == task.derive(whole, turn=turn, seed=seed), "the same each time"
    if derived is None:
        return
    assert Material.model_validate_json(derived.model_dump_json()) == derived
    assert derived.scenario == task.name
    assert derived.subset == language
    assert (derived.drawn_from.scenario, derived.drawn_from.text) == ("mindmap", whole.truth)
    assert derived.attributes["style"] == {"engine": "dot"}
    assert derived.attributes["document"] == "the map"
    read = task.read(derived.truth)
    assert isinstance(read, Ok), read
    assert read.value.repairs == read.value.flags == ()
    asked = instance(task, language, derived.attributes)
    prompt = task.prompt(asked)
    assert prompt.startswith(derived.attributes["question"])
    assert derived.truth not in prompt or len(derived.truth) <= 4


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
@settings(deadline=None)
@given(st.text() | ANYTHING.map(json.dumps), st.booleans())
def test_anything_is_read(task, text, truncated):
    assert isinstance(task.read(text, truncated=truncated), Ok | Failed)


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
@pytest.mark.parametrize("number", ["9" * 400, "9" * 5_000])
def test_huge_numbers_are_read(task, number):
    for text in (
        f"[{number},1,1,1]",
        f'{{"text": "a", "box": [{number}, 1, 1, 1]}}',
        f"<s_text>a</s_text><s_bbox>{number},1,1,1</s_bbox>",
    ):
        assert isinstance(task.read(text), Ok | Failed)


@pytest.mark.parametrize("task", TASKS, ids=NAMES)
def test_a_map_without_positions_is_asked_about_its_structure_only(task):
    whole = material(tidily(FAMILY), places=False)
    derived = task.derive(whole, turn=0, seed=0)
    assert (derived is None) is task.needs_places


def test_boxes_of_another_tree_are_not_used():
    whole = material(tidily(FAMILY))
    cut = whole.model_copy(update={"attributes": {"boxes": whole.attributes["boxes"][1:]}})
    assert map_of(cut).boxes is None
    assert map_of(whole).boxes is not None
    assert map_of(whole.model_copy(update={"truth": "no tree"})) is None
    tokens = to_tokens(FAMILY)
    assert map_of(whole.model_copy(update={"truth": tokens})) == map_of(whole)
    assert map_of(whole.model_copy(update={"truth": "[]"})) is None


def test_kinds_and_forms_take_turns():
    whole = material(tidily(FAMILY))
    kinds = {
        task.name: [task.derive(whole, turn=turn, seed=0).attributes["kind"] for turn in range(14)]
        for task in (MindmapVqa(), MindmapPositionVqa())
    }
    assert len(set(kinds["mindmap-vqa"])) == 7
    assert len(set(kinds["mindmap-position-vqa"])) == 11
    forms = [MindmapPart().derive(whole, turn=turn, seed=0).attributes["form"] for turn in (0, 1)]
    assert forms == ["json", "tokens"]


def test_metrics_of_a_question_are_those_that_say_something():
    whole = material(tidily(FAMILY))
    found = {}
    for turn in range(14):
        derived = MindmapPositionVqa().derive(whole, turn=turn, seed=0)
        found[derived.attributes["form"]] = set(derived.metrics)
    assert found["text"] == found["number"] == found["yes_no"] == {"vqa_match"}
    assert found["list"] == {"vqa_match", "answer_f1"}
    assert found["box"] == found["text_box"] == {"vqa_match", "answer_iou"}
    assert found["list_box"] == {"vqa_match", "answer_f1", "answer_iou"}


class TestPrompts:
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_full_parsing_is_asked_for_in_several_ways(self, language):
        base = instance(Mindmap(), language)
        prompts = {
            Mindmap().prompt(base.model_copy(update={"id": str(number)})) for number in range(20)
        }
        assert len(prompts) >= 3

    def test_the_form_of_a_tree_is_said(self):
        tokens = Mindmap().prompt(instance(Mindmap(), "en", {"form": "tokens"}))
        assert "<s_map>" in tokens
        assert "<s_map>" not in Mindmap().prompt(instance(Mindmap(), "en"))

    def test_boxes_are_explained_where_there_are_any(self):
        task = MindmapPositionVqa()
        for attributes, explained in (
            ({"question": "What is at <bbox>1,2,3,4</bbox>?", "form": "text"}, True),
            ({"question": "Where is it?", "form": "box"}, True),
            ({"question": "What is it?", "form": "text"}, False),
        ):
            assert ("999" in task.prompt(instance(task, "en", attributes))) is explained

    def test_a_question_of_others_is_asked_as_it_is(self):
        task = MindmapVqa()
        prompt = task.prompt(instance(task, "zh", {"question": "他人的问题", "form": "any"}))
        assert prompt.startswith("他人的问题\n\n")


class TestStyle:
    def test_an_answer_is_dressed_in_the_style_of_its_instance(self):
        plain = Mindmap().read(TREE).value
        assert Mindmap().dress(plain, {}) == plain
        style = Style(engine="twopi").model_dump(mode="json")
        dressed = Mindmap().dress(plain, {"style": style})
        assert "twopi" in dressed.structure.text
        assert (dressed.text, dressed.tree) == (plain.text, plain.tree)

    def test_a_map_is_measured(self):
        assert Mindmap().describe(Mindmap().read(TREE).value) == {"nodes": 3, "depth": 2}
