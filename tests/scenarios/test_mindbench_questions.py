"""Every stated truth is derived again from the words of its question, by another walk."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.chance import Chance
from scenarios.mindbench import answers, parts
from scenarios.mindbench.answers import Item
from scenarios.mindbench.map import Map
from scenarios.mindbench.phrasing import LANGUAGES, how_to_answer, phrasings, what_boxes_are
from scenarios.mindbench.questions import (
    GROUNDING,
    RECOGNITION,
    STRUCTURED,
    WORDS,
    Kind,
    generate,
)
from scenarios.trees import Node
from tests.scenarios.maps import Walk, maps, tidily, tidy_maps

BOX = re.compile(r"<bbox>(\d+),(\d+),(\d+),(\d+)</bbox>")
SEEDS = st.integers(0, 1000)
FAMILY = Node(
    "root",
    (Node("one", (Node("deep", (Node("deeper"),)), Node("flat"))), Node("two"), Node("three")),
)


def named_in(question, walk: Walk) -> list[int]:
    """Find the nodes that a question names, from its words alone."""
    if question.kind in RECOGNITION:
        found = [walk.with_box(tuple(map(int, box))) for box in BOX.findall(question.text)]
    else:
        found = [walk.with_text(text) for text in labels_in(question.text, walk)]
    assert all(len(nodes) == 1 for nodes in found), "a question names one node, not several"
    return [nodes[0] for nodes in found]


def labels_in(text: str, walk: Walk) -> list[str]:
    """Return the labels between the quotation marks, whatever they hold."""
    quoted = []
    rest = text
    while "“" in rest:
        rest = rest.split("“", 1)[1]
        ends = [i for i, sign in enumerate(rest) if sign == "”"]
        label = next(rest[:end] for end in reversed(ends) if walk.with_text(rest[:end]))
        quoted.append(label)
        rest = rest[len(label) + 1 :]
    return quoted


def truth(question, walk: Walk, language: str) -> list[Item]:  # noqa: PLR0911
    """Answer a question from its words and the second reading of the map."""
    entries, kind = walk.entries, question.kind
    if kind is Kind.THEME:
        return [Item(entries[0]["text"])]
    if kind is Kind.NODES_AT_LEVEL:
        numbers = re.findall(r"\d+", question.text)
        level = next(int(number) for number in numbers if number != "1" or set(numbers) == {"1"})
        return [Item(e["text"]) for e in entries if e["level"] == level]
    if kind is Kind.BOX_COUNT:
        (region,) = BOX.findall(question.text)
        return [Item(str(walk.halves_inside(tuple(map(int, region)))))]
    nodes = named_in(question, walk)
    one = nodes[0]
    parent = entries[one]["parent"]
    if kind in (Kind.PARENT, Kind.BOX_PARENT):
        return [] if parent is None else [Item(entries[parent]["text"])]
    if kind in (Kind.CHILDREN, Kind.BOX_CHILDREN):
        return [Item(entries[i]["text"]) for i in walk.children(one)]
    if kind in (Kind.LEVEL, Kind.BOX_LEVEL):
        return [Item(str(entries[one]["level"]))]
    if kind is Kind.BOX_TEXT:
        return [Item(entries[one]["text"])]
    if kind in (Kind.PARENT_CHILD, Kind.BOX_PARENT_CHILD):
        other = nodes[1]
        related = other in walk.children(one) or one in walk.children(other)
        return [Item(WORDS[language][related])]
    if kind in (Kind.SIBLINGS, Kind.BOX_SIBLINGS):
        related = parent is not None and nodes[1] in walk.children(parent)
        return [Item(WORDS[language][related])]
    if kind is Kind.LABEL_BOX:
        return [Item(box=walk.boxes[one])]
    if kind is Kind.PARENT_OF_LABEL_BOX:
        return [] if parent is None else [Item(entries[parent]["text"], walk.boxes[parent])]
    if kind is Kind.CHILDREN_OF_LABEL_BOX:
        return [Item(entries[i]["text"], walk.boxes[i]) for i in walk.children(one)]
    return [Item(box=walk.region(one))]


class TestTruths:
    @pytest.mark.parametrize("kind", Kind)
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_each_truth_follows_from_the_words_of_the_question(self, kind, language):
        asked = 0

        @settings(max_examples=60, deadline=None, derandomize=True)
        @given(maps() | tidy_maps(), SEEDS)
        def check(mind_map: Map, seed: int) -> None:
            nonlocal asked
            question = generate(kind, mind_map, language, Chance("t", seed))
            if question is not None:
                asked += 1
                walk = Walk(mind_map)
                assert list(question.items) == truth(question, walk, language)

        check()
        assert asked > 0, "this kind is never asked"

    @settings(max_examples=25, deadline=None)
    @given(maps() | tidy_maps(), SEEDS, st.sampled_from(Kind), st.sampled_from(LANGUAGES))
    def test_a_written_truth_is_read_back(self, mind_map, seed, kind, language):
        question = generate(kind, mind_map, language, Chance("t", seed))
        if question is not None:
            written = answers.write(question.items, question.form)
            assert answers.read_items(written) == list(question.items)
            again = generate(kind, mind_map, language, Chance("t", seed))
            assert again == question, "the same seed asks the same"

    def test_every_kind_is_asked_of_an_ordinary_map(self):
        mind_map = tidily(FAMILY)
        for kind in Kind:
            found = [generate(kind, mind_map, "en", Chance("t", seed)) for seed in range(5)]
            assert all(found), kind

    def test_there_are_as_many_kinds_as_in_the_paper(self):
        assert (len(STRUCTURED), len(RECOGNITION), len(GROUNDING)) == (7, 7, 4)

    def test_yes_and_no_are_both_frequent(self):
        mind_map = tidily(FAMILY)
        for kind in (Kind.PARENT_CHILD, Kind.SIBLINGS, Kind.BOX_PARENT_CHILD, Kind.BOX_SIBLINGS):
            found = [generate(kind, mind_map, "en", Chance("t", seed)) for seed in range(200)]
            yes = sum(question.items[0].text == "Yes" for question in found if question)
            assert 60 <= yes <= 140, kind

    def test_some_answers_are_that_there_is_none(self):
        mind_map = tidily(FAMILY)
        for kind in (Kind.PARENT, Kind.CHILDREN, Kind.NODES_AT_LEVEL):
            found = [generate(kind, mind_map, "en", Chance("t", seed)) for seed in range(200)]
            none = sum(not question.items for question in found if question)
            assert 0 < none < 100, kind

    def test_without_positions_no_question_is_about_them(self):
        mind_map = Map(FAMILY)
        for kind in (*RECOGNITION, *GROUNDING):
            assert generate(kind, mind_map, "en", Chance("t", 0)) is None

    def test_boxes_of_another_tree_are_refused(self):
        with pytest.raises(ValueError, match="1 boxes for 7 nodes"):
            Map(FAMILY, ((0, 0, 1, 1),))


class TestParts:
    @settings(max_examples=50, deadline=None)
    @given(maps() | tidy_maps(), SEEDS, st.sampled_from(LANGUAGES))
    def test_a_named_part_hangs_from_the_only_node_of_its_name(self, mind_map, seed, language):
        part = parts.by_name(mind_map, language, Chance("t", seed))
        walk = Walk(mind_map)
        if part is None:
            others = walk.entries[1:]
            texts = [entry["text"] for entry in walk.entries]
            assert all(texts.count(entry["text"]) > 1 for entry in others)
            return
        (label,) = labels_in(part.text, walk)
        (node,) = walk.with_text(label)
        assert node > 0, "the whole map is no part"
        assert_is_below(part.tree, walk, node)

    @settings(max_examples=50, deadline=None)
    @given(maps() | tidy_maps(), SEEDS, st.sampled_from(LANGUAGES))
    def test_in_the_region_of_a_part_lies_that_part_alone(self, mind_map, seed, language):
        part = parts.by_place(mind_map, language, Chance("t", seed))
        if part is None:
            return
        walk = Walk(mind_map)
        (region,) = [
            tuple(map(int, box)) for box in BOX.findall(part.text.replace("x1,y1,x2,y2", ""))
        ]
        fitting = [i for i in range(1, len(walk.entries)) if walk.region(i) == region]
        assert part.node in fitting
        assert_is_below(part.tree, walk, part.node)
        inside = walk.halves_inside(region)
        assert inside == len(walk.entries[part.node]["below"]) + 1

    def test_most_parts_of_an_ordinary_map_have_children(self):
        mind_map = tidily(FAMILY)
        for find in (parts.by_name, parts.by_place):
            found = [find(mind_map, "en", Chance("t", seed)) for seed in range(100)]
            assert sum(bool(part.tree.children) for part in found if part) > 50


def assert_is_below(tree: Node, walk: Walk, node: int) -> None:
    own = [(depth + walk.entries[node]["level"], each.text) for depth, each in tree.walk()]
    numbers = [node, *walk.entries[node]["below"]]
    assert own == [(walk.entries[i]["level"], walk.entries[i]["text"]) for i in numbers]


class TestPhrasings:
    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_kind_has_several_with_the_places_it_needs(self, language):
        places = re.compile(r"\{(\w+)\}")
        for kind in ("full", "part", "part_box", *Kind):
            found = phrasings(kind, language)
            assert len(found) >= 3, kind
            assert len(set(found)) == len(found)
            needed = {frozenset(places.findall(phrasing)) for phrasing in found}
            assert len(needed) == 1, kind

    @pytest.mark.parametrize("language", LANGUAGES)
    def test_every_form_of_answer_is_explained(self, language):
        for form in ("json", "tokens", *answers.Form):
            assert len(how_to_answer(form, language)) > 5
        assert "999" in what_boxes_are(language)

    def test_labels_are_not_read_as_places(self):
        mind_map = Map(Node("r", (Node("{other} {label}"),)))
        part = parts.by_name(mind_map, "en", Chance("t", 1))
        assert part is not None
        assert "“{other} {label}”" in part.text

    def test_the_wording_is_our_own(self, shared):
        import json

        official = set()
        for path in (shared / "golden" / "mindbench").glob("*.jsonl"):
            for line in path.read_text(encoding="utf-8").splitlines():
                text = json.loads(line)["conversations"][1]["value"]
                official.add(re.sub(r"[“\"'<].*[”\"'>]", "", text).strip(" .。"))
        for language in LANGUAGES:
            for kind in ("full", "part", "part_box", *Kind):
                for phrasing in phrasings(kind, language):
                    bare = re.sub(r"[“<].*[”>]", "", phrasing).strip(" .。")
                    assert bare not in official
