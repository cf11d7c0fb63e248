"""Derived pieces: each asks something else, and each map meets many kinds of questions."""

import json
from collections import defaultdict
from functools import partial

import pytest

from benchmark import snapshot
from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Material
from benchmark.settings import Settings
from benchmark.snapshot import Rejected
from flows.derivation import derive, located, places_key
from flows.freezing import freeze
from flows.gathering import Gathering
from flows.road import refer
from flows.workshop import Workshop
from renderers.graphviz import GraphvizRenderer
from tests.flows.test_tasks_road import PNG, PROVENANCE, FlatRenderer


def tree(number: int, children: int = 4) -> dict:
    return {
        "text": f"root {number}",
        "children": [
            {"text": f"{number} {i}", "children": [{"text": f"{number} {i} {j}"} for j in range(3)]}
            for i in range(children)
        ],
    }


def mind_map(number: int, **attributes) -> Material:
    return Material(
        id=f"mindmap/en/{number}",
        scenario="mindmap",
        subset="en",
        truth=json.dumps(tree(number)),
        provenance=PROVENANCE,
        attributes=attributes,
    )


def place(material: Material):
    boxes = [[10 * i, 50 * i, 10 * i + 9, 50 * i + 40] for i in range(17)]
    return ok(material.model_copy(update={"attributes": {"boxes": boxes}}))


def maps(number: int) -> list[Material]:
    return [mind_map(i) for i in range(number)]


def questions(found: list[Material]) -> list[tuple]:
    return [(each.drawn_from.text, each.attributes["kind"], each.truth) for each in found]


@pytest.mark.parametrize("number", [1, 2, 6, 7, 8, 13, 14])
@pytest.mark.parametrize("name", ["mindmap-vqa", "mindmap-position-vqa"])
def test_each_map_meets_several_kinds(name, number):
    found, _ = derive(maps(number), {name: 7 * number}, place)
    assert len({each.id for each in found}) == len(found) == 7 * number
    assert len(set(questions(found))) == len(found)
    kinds = defaultdict(set)
    for each in found:
        kinds[each.attributes["document"]].add(each.attributes["kind"])
    assert len(kinds) == number
    assert min(map(len, kinds.values())) >= 4, kinds


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_form_is_not_tied_to_the_map(number):
    found, _ = derive(maps(number), {"mindmap-part": 4 * number}, place)
    forms = defaultdict(set)
    for each in found:
        forms[each.attributes["document"]].add(each.attributes["form"])
    assert len(forms) == number
    assert all(met == {"json", "tokens"} for met in forms.values())


@pytest.mark.parametrize("name", ["mindmap-vqa", "mindmap-position-vqa", "mindmap-part"])
def test_nothing_is_asked_twice_and_less_is_given_where_there_is_no_more(name):
    asked = partial(derive, maps(2), {name: 500}, place)
    found, lost = asked()
    assert 10 < len(found) < 500
    assert lost == []
    assert len(set(questions(found))) == len({each.id for each in found}) == len(found)
    assert (found, lost) == asked(), "the same each time"


def test_a_part_is_asked_for_once_whatever_the_form():
    found, _ = derive(maps(1), {"mindmap-part": 500}, place)
    assert len(found) <= 16, "one for each node below the root"


@pytest.fixture
def workshop(tmp_path):
    made = Workshop(Settings(store=str(tmp_path / "store")))
    made._renderers["graphviz"] = FlatRenderer()
    yield made
    made.close()


def test_places_are_found_in_what_graphviz_draws_only(workshop):
    outcome = located(workshop, mind_map(1))
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.UNSUPPORTED
    assert GraphvizRenderer.name in outcome.message


def test_the_key_of_places_holds_all_that_decides_them(workshop):
    plain = mind_map(1)
    others = [
        mind_map(2),
        mind_map(1, style={"engine": "twopi"}),
        plain.model_copy(update={"assets": {"a.png": b"1"}}),
        plain.model_copy(update={"assets": {"a.png": b"2"}}),
    ]
    keys = [places_key(workshop, material).value for material in (plain, *others)]
    assert len(set(keys)) == len(keys)
    assert places_key(workshop, mind_map(1, nodes=3)).value == keys[0]


class TestRejection:
    def test_maps_without_places_are_listed(self):
        odd = Failed.of(Stage.PARSE, Kind.PARSE_ERROR, "no tree")
        good, bad = maps(2)
        counts = {"mindmap-position": 3, "mindmap-part": 1}
        found, lost = derive(
            [good, bad], counts, lambda piece: odd if piece is bad else place(piece)
        )
        assert {each.attributes["document"] for each in found if "position" in each.scenario} == {
            good.id
        }
        assert lost == [Rejected(id=bad.id, scenario="mindmap-position", failure=odd)]

    def test_and_frozen_with_the_snapshot(self, workshop):
        material = mind_map(1)
        rejected = Rejected(
            id="mindmap/en/2",
            scenario="mindmap-position",
            failure=Failed.of(Stage.PARSE, Kind.PARSE_ERROR, "no tree"),
        )
        outcome = refer(workshop, material)
        assert isinstance(outcome, Ok), outcome
        gathering = Gathering("bundled")
        gathering.keep(material, outcome.value)
        name = freeze(workshop, [gathering], None, [rejected])
        assert snapshot.load(workshop.store, name).rejected == (rejected,)


class TestMeasures:
    def attributes(self, workshop, material: Material) -> dict:
        outcome = refer(workshop, material)
        assert isinstance(outcome, Ok), outcome
        return outcome.value.attributes

    def test_what_a_picture_shows_is_measured(self, workshop):
        found = self.attributes(workshop, mind_map(1))
        assert (found["nodes"], found["depth"]) == (17, 3)

    def test_what_is_given_is_kept_but_for_the_picture_itself(self, workshop):
        found = self.attributes(workshop, mind_map(1, nodes=99, width=1, pages=7))
        assert (found["nodes"], found["depth"]) == (99, 3)
        assert (found["width"], found["height"], found["pages"]) == (40, 30, 1)

    def test_a_picture_of_more_than_the_truth_is_not_described_by_it(self, workshop):
        (part,), _ = derive(maps(1), {"mindmap-part": 1}, place)
        assert self.attributes(workshop, part)["nodes"] == 17
        alone = part.model_copy(update={"drawn_from": None, "picture": PNG})
        assert "nodes" not in self.attributes(workshop, alone)
        given = alone.model_copy(update={"attributes": {**alone.attributes, "nodes": 60}})
        assert self.attributes(workshop, given)["nodes"] == 60
