"""The reader's answers: every phrasing of every kind, on a map that it read rightly."""

from __future__ import annotations

import json

import pytest

from scenarios.mindbench.answers import Item, read_items
from scenarios.mindbench.phrasing import LANGUAGES, how_to_answer, phrasings
from scenarios.mindbench.questions import Kind
from scenarios.trees import from_json
from vlms import ocr_mindbench
from vlms.ocr_mindmap import Node, Recognised

NODES = [
    Node("Tea", 0, 450, 100, 550, 20),
    Node("Green", 300, 200, 400, 300, 16),
    Node("Black", 300, 700, 400, 800, 16),
    Node("Sencha", 600, 100, 700, 200, 12),
    Node("Matcha", 600, 300, 700, 400, 12),
]
MAP = Recognised(NODES, 0, {1: 0, 2: 0, 3: 1, 4: 1})
SIZE = (999, 999)
BOXES = {node.text: f"{node.left},{node.top},{node.right},{node.bottom}" for node in NODES}


def green_with(text: str, box: str) -> Item:
    return Item(text, tuple(int(number) for number in box.split(",")))


EXPECTED = {
    Kind.THEME: ["Tea"],
    Kind.PARENT: ["Tea"],
    Kind.CHILDREN: ["Sencha", "Matcha"],
    Kind.LEVEL: ["2"],
    Kind.NODES_AT_LEVEL: ["Sencha", "Matcha"],
    Kind.BOX_TEXT: ["Green"],
    Kind.BOX_LEVEL: ["2"],
    Kind.BOX_PARENT: ["Tea"],
    Kind.BOX_CHILDREN: ["Sencha", "Matcha"],
    Kind.BOX_COUNT: ["1"],
}
PLACED = {
    Kind.LABEL_BOX: [Item(box=(300, 200, 400, 300))],
    Kind.PARENT_OF_LABEL_BOX: [green_with("Tea", BOXES["Tea"])],
    Kind.CHILDREN_OF_LABEL_BOX: [
        green_with("Sencha", BOXES["Sencha"]),
        green_with("Matcha", BOXES["Matcha"]),
    ],
    Kind.SUBGRAPH_BOX: [Item(box=(300, 100, 700, 400))],
}
ANSWERS = {kind: [Item(text) for text in texts] for kind, texts in EXPECTED.items()} | PLACED


def asked(phrasing: str, other: str = "Black") -> str:
    values = {
        "label": "Green", "other": other, "level": "3", "box": BOXES["Green"],
        "other_box": BOXES[other],
    }  # fmt: skip
    return ocr_mindbench._Asked(MAP, SIZE, phrasing.format(**values)).answer()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", ANSWERS)
def test_every_phrasing_is_understood(kind, language):
    for phrasing in phrasings(kind, language):
        assert read_items(asked(phrasing)) == ANSWERS[kind], phrasing


@pytest.mark.parametrize("language", LANGUAGES)
def test_pairs_are_told(language):
    yes, no = {"en": ("Yes", "No"), "zh": ("是", "否")}[language]
    for place in ("", "box_"):
        for phrasing in phrasings(f"{place}siblings", language):
            assert asked(phrasing, "Black") == yes, phrasing
            assert asked(phrasing, "Tea") == no, phrasing
        for phrasing in phrasings(f"{place}parent_child", language):
            assert asked(phrasing, "Black") == no, phrasing
            assert asked(phrasing, "Tea") == yes, phrasing
            assert asked(phrasing, "Matcha") == yes, phrasing


@pytest.mark.parametrize("language", LANGUAGES)
def test_parts_are_found(language):
    for kind, box in (("part", ""), ("part_box", "300,100,700,400")):
        for phrasing in phrasings(kind, language):
            found = ocr_mindbench._Asked(MAP, SIZE, phrasing.format(label="Green", box=box))
            node = found.by_label[0] if kind == "part" else found.by_region()
            assert node == 1, phrasing
    tree = from_json(json.loads(MAP.write(1))).value
    assert [node.text for _, node in tree.walk()] == ["Green", "Sencha", "Matcha"]


def test_a_misread_label_is_the_nearest():
    found = ocr_mindbench._Asked(MAP, SIZE, "Which node is the parent of “Matchä”?")
    assert found.by_label == [4]
    assert found.answer() == "Green"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("sign", ["“", '"', " '", "“”", "“a", "9"])
def test_long_questions_take_linear_time(sign):
    assert ocr_mindbench._Asked(MAP, SIZE, sign * 300_000).answer()


def test_how_to_answer_is_not_part_of_the_question():
    for language in LANGUAGES:
        theme = phrasings("theme", language)[0]
        prompt = f"{theme}\n\n{how_to_answer('any', language)}"
        assert prompt.split("\n\n", maxsplit=1)[0] == theme
