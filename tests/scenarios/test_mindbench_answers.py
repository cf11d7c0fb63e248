"""Answers to questions as models write them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.answers import answer_iou
from scenarios.mindbench.answers import Form, Item, as_tree, canonical, read_items, write
from tests.contracts.language_contract import SIGNS
from tests.scenarios.maps import LABELS, boxes

A, B = Item("a"), Item("b")
BOX = Item(box=(1, 2, 3, 4))
NUMBERS = st.integers() | st.integers(0, 10**400) | st.floats() | st.integers(0, 999)
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["text", "box", "bbox", "answer"]) | st.text(), inner)
        | st.lists(NUMBERS, min_size=4, max_size=4)
    ),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("a", [A]),
        (" a \n", [A]),
        ("“a”", [A]),
        ('"a"', [A]),
        ("**a**", [A]),
        ("Answer: a", [A]),
        ("The answer is: a", [A]),
        ("答案：a", [A]),
        ("a,\nthe second line", [Item("a, the second line")]),
        ("4", [Item("4")]),
        ("4.", [Item("4")]),
        ("yes", [Item("Yes")]),
        ("No.", [Item("No")]),
        ("是的。", [Item("是")]),
        ("不是", [Item("否")]),
        ("None", []),
        ("none.", []),
        ("**None**", []),
        ("无", []),
        ("[]", []),
        ('{"answer": null}', []),
        ('["a", "b"]', [A, B]),
        ("['a', 'b']", [A, B]),
        ("[\"a\", 'it\\'s']", [A, Item("it's")]),
        ("['a\\u4e2d']", [Item("a中")]),
        ('{"answer": ["a", "b"]}', [A, B]),
        ('{"answer": "a"}', [A]),
        ('[{"text": "a", "box": [1, 2, 3, 4]}, {"text": "b"}]', [Item("a", (1, 2, 3, 4)), B]),
        ("- a\n- b", [A, B]),
        ("1. a\n2. b", [A, B]),
        ("<bbox>1,2,3,4</bbox>", [BOX]),
        ("<bbox>[1, 2, 3, 4]</bbox>", [BOX]),
        ("<bbox>1.0, 2, 3, 4</bbox>", [BOX]),
        ("[1, 2, 3, 4]", [BOX]),
        ("(1, 2, 3, 4)", [BOX]),
        ("1,2,3,4", [BOX]),
        ("1, 2, 3, 4.", [BOX]),
        ("1,2,3,4,5", [Item("1,2,3,4,5")]),
        ("1,2,3,4000", [Item("1,2,3,4000")]),
        ("a<bbox>1,2,3,4</bbox>", [Item("a", (1, 2, 3, 4))]),
        ("a: <bbox>1,2,3,4</bbox>", [Item("a", (1, 2, 3, 4))]),
        ("['a <bbox>1,2,3,4</bbox>', 'b']", [Item("a", (1, 2, 3, 4)), B]),
        (
            "a <bbox>1,2,3,4</bbox>, b <bbox>5,6,7,8</bbox>",
            [Item("a", (1, 2, 3, 4)), Item("b", (5, 6, 7, 8))],
        ),
        ("<bbox>1,2,3,4000</bbox>", [Item("<bbox>1,2,3,4000</bbox>")]),
        ("[see above]", [Item("[see above]")]),
        ("['a', it\"s, 'b']", [A, B]),
        ('["a", "b]', [A]),
    ],
)
def test_forms(text, items):
    assert read_items(text) == items


@settings(deadline=None)
@given(st.lists(LABELS | st.sampled_from(["a", "None", "7", "yes", "[x]"]), max_size=5))
def test_lists_of_ordinary_texts_are_read_back(texts):
    plain = [text for text in texts if "<bbox>" not in text and read_items(text) == [Item(text)]]
    items = [Item(text) for text in plain]
    assert read_items(write(items, Form.LIST)) == items


@given(LABELS.filter(lambda text: text[0].isalpha() and text[-1].isalpha()), boxes())
def test_texts_with_boxes_are_read_back(text, box):
    if read_items(text) != [Item(text)]:
        return
    assert read_items(write([Item(text, box)], Form.TEXT_BOX)) == [Item(text, box)]
    assert read_items(write([Item(text, box)] * 2, Form.LIST_BOX)) == [Item(text, box)] * 2


@given(
    st.text() | st.lists(SIGNS | st.sampled_from(["<bbox>", "1,", "[", "'", "\\u"])).map("".join)
)
def test_anything_is_read(text):
    items = read_items(text)
    json.dumps([str(item) for item in items]).encode()
    canonical(items).encode()


@given(ANYTHING)
def test_any_value_is_read(value):
    written = json.dumps(value)
    read_items(written)
    read_items(f'{{"answer": {written}}}')


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 400, "9" * 5_000, "1e999", "NaN"])
def test_numbers_that_no_float_holds_are_no_boxes(number):
    for text in (
        f"[{number},1,1,1]",
        f'{{"box": [1, 1, 1, {number}]}}',
        f"<bbox>{number},1,1,1</bbox>",
    ):
        assert all(item.box is None for item in read_items(text))


def test_order_does_not_count_in_what_is_compared():
    assert canonical([A, B]) == canonical([B, A]) == '["a", "b"]'
    assert canonical([]) == "None"
    assert canonical([A, A]) != canonical([A])


@pytest.mark.parametrize(
    "hostile",
    [
        "[" * 100_000,
        "<bbox>" * 50_000,
        "['" * 50_000,
        "- a\n" * 50_000,
        "\\" * 200_000,
        '["' + '\\"' * 500_000 + "]",
        "['" + "\\'\"" * 300_000 + "]",
    ],
)
@pytest.mark.timeout(20)
def test_long_answers_take_linear_time(hostile):
    assert len(read_items(hostile)) <= 1000


@pytest.mark.parametrize(
    "text",
    [
        "Green <bbox>1,2,30,40</bbox>",
        "The box is <bbox>1,2,30,40</bbox>.",
        '{"label":"Green","bbox":[1,2,30,40]}',
        "1,2,30,40",
    ],
)
def test_a_box_is_read_whatever_is_said_beside_it(text):
    truth = as_tree(read_items("<bbox>1,2,30,40</bbox>"))
    assert answer_iou(as_tree(read_items(text)), truth) == 1.0


def test_official_answers_are_read(shared):
    folder = shared / "golden" / "mindbench"
    kinds = {"list": 0, "none": 0, "box": 0, "text": 0}
    for path in sorted(folder.glob("*vqa*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            answer = json.loads(line)["conversations"][2]["value"]
            items = read_items(answer)
            if answer == "None":
                assert items == []
                kinds["none"] += 1
            elif answer.startswith("["):
                assert len(items) == answer.count("', '") + 1
                kinds["list"] += 1
            elif "<bbox>" in answer:
                assert items[0].box is not None
                kinds["box"] += 1
            else:
                assert len(items) == 1
                kinds["text"] += 1
    assert min(kinds.values()) >= 2, kinds
