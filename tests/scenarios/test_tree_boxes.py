"""Trees with boxes: JSON and token sequences give back what was written."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok
from scenarios import tree_boxes, trees
from scenarios.tree_boxes import Boxed, read_box, read_boxes, share_inside, union
from scenarios.tree_tokens import read_tokens, to_tokens
from scenarios.trees import Node
from tests.scenarios.maps import boxes, maps


def value(outcome):
    assert isinstance(outcome, Ok), outcome
    return outcome.value


class TestConversions:
    @settings(deadline=None)
    @given(maps())
    def test_with_boxes_nothing_is_lost(self, mind_map):
        boxed = Boxed(mind_map.tree, mind_map.boxes)
        as_json = json.loads(json.dumps(tree_boxes.to_json(boxed), ensure_ascii=False))
        as_tokens = tree_boxes.to_tokens(boxed)
        assert value(tree_boxes.from_json(as_json)) == boxed
        assert value(tree_boxes.from_tokens(as_tokens)) == boxed
        assert tree_boxes.to_json(value(tree_boxes.from_tokens(as_tokens))) == as_json
        assert tree_boxes.to_tokens(value(tree_boxes.from_json(as_json))) == as_tokens

    @settings(deadline=None)
    @given(maps())
    def test_boxes_change_nothing_of_the_tree(self, mind_map):
        boxed = Boxed(mind_map.tree, mind_map.boxes)
        assert value(trees.from_json(tree_boxes.to_json(boxed))) == mind_map.tree
        read = value(read_tokens(tree_boxes.to_tokens(boxed)))
        assert value(trees.from_json(read.value)) == mind_map.tree

    @settings(deadline=None)
    @given(maps())
    def test_without_boxes_nothing_is_lost_either(self, mind_map):
        tree = mind_map.tree
        as_json, as_tokens = trees.to_json(tree), to_tokens(tree)
        from_tokens = value(trees.from_json(value(read_tokens(as_tokens)).value))
        assert from_tokens == value(trees.from_json(as_json)) == tree
        assert (trees.to_json(from_tokens), to_tokens(from_tokens)) == (as_json, as_tokens)

    def test_the_forms_are_these(self):
        boxed = Boxed(Node("R", (Node("a"), Node("b"))), ((0, 0, 9, 9), (1, 2, 3, 4), (5, 6, 7, 8)))
        assert tree_boxes.to_tokens(boxed) == (
            "<s_map><s_node-0><s_text>R</s_text><s_bbox>0,0,9,9</s_bbox><s_node-1>"
            "<s_text>a</s_text><s_bbox>1,2,3,4</s_bbox><sep/>"
            "<s_text>b</s_text><s_bbox>5,6,7,8</s_bbox></s_node-1></s_node-0></s_map>"
        )
        assert tree_boxes.to_json(boxed)["children"][0] == {"text": "a", "box": [1, 2, 3, 4]}

    @pytest.mark.parametrize(
        "form",
        [
            {"text": "R"},
            {"text": "R", "box": [0, 0, 1]},
            {"text": "R", "box": [0, 0, 1, 1000]},
            {"text": "R", "box": [0, 0, 1, 1], "children": [{"text": "a"}]},
            {"text": "R", "box": [0, 0, 1, 1], "children": [{"text": "", "box": [0, 0, 1, 1]}]},
        ],
    )
    def test_a_node_without_a_box_is_a_parse_error(self, form):
        outcome = tree_boxes.from_json(form)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    @pytest.mark.parametrize("fourth", ["9" * 5_000, "1000", "x", "-1", "", "4,5"])
    def test_a_token_sequence_with_another_box_is_a_parse_error(self, fourth):
        tokens = f"<s_map><s_node-0><s_text>R</s_text><s_bbox>1,2,3,{fourth}</s_bbox></s_node-0>"
        outcome = tree_boxes.from_tokens(f"{tokens}</s_map>")
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    def test_no_tree_is_a_parse_error(self):
        assert isinstance(tree_boxes.from_tokens("no tokens"), Failed)
        assert isinstance(tree_boxes.from_json([]), Failed)


class TestBoxes:
    @pytest.mark.parametrize(
        ("written", "read"),
        [
            ([1, 2, 3, 4], (1, 2, 3, 4)),
            ([3.0, 4, 1, 2], (1, 2, 3, 4)),
            ([1, 2, 3], None),
            ([1, 2, 3, 1000], None),
            ([1, 2, 3, -1], None),
            ([1, 2, 3, 4.5], None),
            ([1, 2, 3, True], None),
            ([1, 2, 3, float("nan")], None),
            ([1, 2, 3, float("inf")], None),
            ([10**400, 2, 3, 4], None),
            ([1, 2, 3, -(10**400)], None),
            (["1", "2", "3", "4"], None),
            ("1,2,3,4", None),
        ],
    )
    def test_reading(self, written, read):
        assert read_box(written) == read

    def test_a_list_of_boxes_is_read_whole_or_not(self):
        assert read_boxes([[1, 2, 3, 4], [5, 6, 7, 8]]) == ((1, 2, 3, 4), (5, 6, 7, 8))
        for value_ in ([], [[1, 2, 3, 4], None], None, "x"):
            assert read_boxes(value_) is None

    @given(st.lists(boxes(), min_size=1, max_size=5))
    def test_a_union_holds_all(self, found):
        whole = union(found)
        assert all(share_inside(box, whole) == 1.0 for box in found)
        assert union([whole, *found]) == whole

    @pytest.mark.parametrize(
        ("inner", "outer", "share"),
        [
            ((0, 0, 10, 10), (5, 0, 20, 20), 0.5),
            ((0, 0, 10, 10), (5, 5, 20, 20), 0.25),
            ((0, 0, 10, 10), (11, 0, 20, 20), 0.0),
            ((3, 0, 3, 10), (0, 0, 10, 5), 0.5),
            ((3, 3, 3, 3), (0, 0, 10, 5), 1.0),
            ((30, 3, 30, 3), (0, 0, 10, 5), 0.0),
        ],
    )
    def test_share(self, inner, outer, share):
        assert share_inside(inner, outer) == share


def test_official_boxes_are_boxes(shared):
    paths = sorted((shared / "golden" / "mindbench" / "synth").glob("*graph*.json"))
    assert len(paths) >= 10
    for path in paths:
        for entry in json.loads(path.read_text(encoding="utf-8")):
            numbers = [int(number) for number in entry["xyxy"].split(",")]
            assert list(read_box(numbers)) == numbers
