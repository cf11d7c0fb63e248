"""JSON of editors for the browser: KityMinder, Zhixi, and the canonical form."""

from __future__ import annotations

import json

import pytest

from benchmark.outcome import Kind
from sources.maps.model import to_json
from sources.maps.reader import read

TREE = {"text": "Tea", "children": [{"text": "Green", "children": [{"text": "Sencha"}]}]}


def node(text, *children):
    return {"data": {"text": text, "id": text.lower()}, "children": list(children)}


MINDER = {"root": node("Tea", node("Green", node("Sencha"))), "template": "default"}


@pytest.mark.parametrize("value", [MINDER, {"contents": [MINDER]}, MINDER["root"], TREE])
def test_each_form_gives_the_same_tree(value):
    outcome = read("tea.km", json.dumps(value).encode())
    (sheet,) = outcome.value.sheets
    assert outcome.value.format == "kityminder"
    assert to_json(sheet) == TREE


def test_summaries_beside_children_are_no_children():
    value = {
        "root": {"data": {"text": "A"}, "children": {"normal": [node("b")], "summary": [node("s")]}}
    }
    (sheet,) = read("a.json", json.dumps(value).encode()).value.sheets
    assert to_json(sheet) == {"text": "A", "children": [{"text": "b"}]}
    assert [one.topic.text for one in sheet.root.summaries] == ["s"]


def test_several_maps_in_one_file_are_sheets():
    value = {"contents": [{"root": node("A")}, {"root": node("B")}, {"other": 1}]}
    sheets = read("a.json", json.dumps(value).encode()).value.sheets
    assert [sheet.root.text for sheet in sheets] == ["A", "B"]


def test_json_that_is_no_map_is_unsupported():
    for value in ({"root": {"data": {"text": 3}}}, {"text": "a", "author": "b"}, {"root": []}):
        assert read("a.json", json.dumps(value).encode()).kind is Kind.UNSUPPORTED


def test_depth_is_limited():
    value = node("deepest")
    for _ in range(100):
        value = node("level", value)
    assert read("a.km", json.dumps({"root": value}).encode()).kind is Kind.PARSE_ERROR
