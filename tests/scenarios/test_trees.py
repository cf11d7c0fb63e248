"""Mind maps as trees: every form that is read, and the drawing that nothing can break out of."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.limits import TREE_DEPTH, TREE_NODES
from benchmark.outcome import Failed, Kind, Ok
from scenarios.languages.dot_tokens import TokenKind, tokenize
from scenarios.tree_drawing import LABEL_COLUMNS, LABEL_LINES, to_dot, wrap
from scenarios.tree_outlines import read_outline
from scenarios.tree_tokens import read_tokens, to_tokens
from scenarios.trees import (
    Node,
    from_json,
    normalise_text,
    to_json,
    to_outline,
)
from tests.cases import case_input

FAMILY = Node("R", (Node("A", (Node("C"),)), Node("B")))


def tree(outcome) -> Node:
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def tokens(text: str):
    outcome = read_tokens(text)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


class TestNormalisation:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (" Q &amp; A ", "Q & A"),
            ("two\nlines", "two lines"),
            ("中文 换行\n处", "中文换行处"),
            ("用 Python 写", "用 Python 写"),
            ("e\u0301\u200b", "é"),
            ("**bold**", "**bold**"),
        ],
    )
    def test_rules(self, text, expected):
        assert normalise_text(text) == expected


SAME_TREE = [
    '{"text":"R","children":[{"text":"A","children":[{"text":"C"}]},{"text":"B"}]}',
    '{"name":"R","children":[{"name":"A","children":["C"]},"B"]}',
    '{"title":"R","topics":[{"title":"A","topics":[{"title":"C"}]},{"title":"B"}]}',
    '{"map":{"node-0":{"text":"R","node-1":[{"text":"A","node-2":{"text":"C"}},{"text":"B"}]}}}',
    '{"node":{"text":"R","node":[{"text":"A","node":{"text":"C"}},{"text":"B"}]}}',
    '{"root":{"label":"R","nodes":[{"label":"A","nodes":[{"label":"C"}]},{"label":"B"}]}}',
    '{"data":{"text":"R"},"children":[{"data":{"text":"A"},"children":[{"data":{"text":"C"}}]},'
    '{"data":{"text":"B"}}]}',
    '{"R":{"A":["C"],"B":[]}}',
    '{"R":{"A":{"C":null},"B":{}}}',
    '{"R":[{"A":"C"},"B"]}',
    '[{"text":"R","children":[[{"text":"A","children":{"text":"C"}}],{"text":"B"}]}]',
    '{"title":"A map","root":{"text":"R","children":[{"text":"A","children":["C"]},"B"]}}',
    '{"text":"R","children":[{"text":"A","children":["C","",null]},'
    '{"text":"B","children":[{"text":""}]}]}',
]


class TestJsonForms:
    @pytest.mark.parametrize("form", SAME_TREE)
    def test_all_stand_for_the_same_tree(self, form):
        assert tree(from_json(json.loads(form))) == FAMILY

    def test_numbers_and_truth_values_are_texts(self):
        found = tree(from_json({"text": 1, "children": [2.5, True]}))
        assert found == Node("1", (Node("2.5"), Node("true")))

    def test_several_roots_are_joined(self):
        assert tree(from_json(["a", "b"])) == Node("", (Node("a"), Node("b")))

    @pytest.mark.parametrize("value", [[], {}, [None], [[]]])
    def test_no_tree_is_a_parse_error(self, value):
        outcome = from_json(value)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    def test_depth_is_limited(self):
        value: dict = {"text": "x"}
        for _ in range(TREE_DEPTH - 1):
            value = {"text": "x", "children": [value]}
        assert isinstance(from_json(value), Ok)
        outcome = from_json({"text": "x", "children": [value]})
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR

    def test_size_is_limited(self):
        outcome = from_json({"text": "x", "children": ["y"] * TREE_NODES})
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.RESOURCE_LIMIT


LABELS = st.text().map(normalise_text).filter(lambda text: text and normalise_text(text) == text)
TREES = st.recursive(
    LABELS.map(Node),
    lambda inner: st.builds(Node, LABELS, st.lists(inner, max_size=4).map(tuple)),
    max_leaves=15,
)


class TestConversions:
    @given(TREES)
    def test_json_gives_the_tree_back(self, node):
        assert tree(from_json(json.loads(json.dumps(to_json(node))))) == node

    @given(TREES)
    def test_tokens_give_the_tree_back(self, node):
        found = tokens(to_tokens(node))
        assert found.flags == ()
        assert tree(from_json(found.value)) == node

    @pytest.mark.parametrize(
        "label", ["a</s_text>b", "<sep/>", "x <s_", "R&amp;D", "&lt;s_a>", "<"]
    )
    def test_tokens_survive_labels_that_look_like_tokens(self, label):
        node = Node(label, (Node("x"), Node(label)))
        assert tree(from_json(tokens(to_tokens(node)).value)) == node

    def test_outline_text(self):
        assert to_outline(FAMILY) == "R\n  A\n    C\n  B"

    def test_published_sequences_are_read_and_written_alike(self, shared):
        path = shared / "golden" / "mindbench" / "synth_test_full_parse.questions.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines()[:40]
        assert len(lines) >= 5
        for line in lines:
            text = json.loads(line)["conversations"][-1]["value"]
            found = tokens(text)
            assert found.flags == ()
            node = tree(from_json(found.value))
            assert sum(1 for _ in node.walk()) == text.count("<s_text>")


class TestTokens:
    def test_mind_010_self_nested_keys(self):
        found = tokens(case_input("mind-010"))
        assert found.value == {"node": {"text": "R", "node": {"text": "A"}}}
        assert tree(from_json(found.value)) == Node("R", (Node("A"),))

    def test_mind_012_cut_off_keeps_the_root(self):
        found = tokens(case_input("mind-012"))
        assert [flag.kind for flag in found.flags] == [Kind.TRUNCATED]
        assert tree(from_json(found.value)) == Node("R", (Node("A"), Node("B")))

    def test_mind_013_metacharacters_in_keys(self):
        assert tokens(case_input("mind-013")).value == {"a(b": "R"}

    def test_partial_token_at_the_end_is_dropped(self):
        found = tokens("<s_text>R</s_text><s_child><s_text>A</s_te")
        assert tree(from_json(found.value)) == Node("R", (Node("A"),))

    def test_unmatched_tokens_are_flagged(self):
        found = tokens("<s_text>R</s_text></s_x><s_child><s_text>A</s_child>")
        assert "unmatched" in found.flags[0].message
        assert tree(from_json(found.value)) == Node("R", (Node("A"),))

    @given(
        st.lists(
            st.sampled_from(["<s_a>", "</s_a>", "<s_text>", "</s_text>", "<sep/>", "x", "<s_"])
        )
    )
    def test_any_sequence_is_a_value(self, pieces):
        outcome = read_tokens("".join(pieces))
        assert isinstance(outcome, Ok | Failed)
        if isinstance(outcome, Ok):
            assert isinstance(from_json(outcome.value.value), Ok | Failed)

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize("unit", ["<s_a>", "</s_a>", "<s_", "<sep/>", "<s_a></s_b>"])
    def test_hostile_length_is_read_in_bounded_time(self, unit):
        assert isinstance(read_tokens(unit * 60_000), Ok | Failed)

    @pytest.mark.timeout(20)
    def test_a_key_that_occurs_often_makes_one_list_in_linear_time(self):
        read = read_tokens("<s_a>x</s_a>" * 200_000)
        assert isinstance(read, Ok)
        assert read.value.value == {"a": ["x"] * 200_000}
        read = read_tokens("<s_a>x<sep/>y</s_a>" * 2)
        assert isinstance(read, Ok)
        assert read.value.value == {"a": ["x", "y", "x", "y"]}


class TestOutlines:
    @pytest.mark.parametrize(
        "text",
        [
            "- R\n  - A\n    - C\n  - B",
            "# R\n## A\n- C\n## B",
            "R\n  A\n    C\n  B",
            "R\n\tA\n\t\tC\n\tB",
            "R\n├── A\n│   └── C\n└── B",
            "Here is the outline:\n\n* R\n   * **A**\n      * C\n   * B\n\nEnjoy!",
            "1. R\n   1. A\n      1. C\n   2. B",
            "mindmap\n  root((R))\n    A\n      c[C]\n    B",
            "# R\n- A\n  - C\n- B",
        ],
    )
    def test_all_stand_for_the_same_tree(self, text):
        assert tree(read_outline(text)) == FAMILY

    @pytest.mark.parametrize("text", ["I cannot read the picture.", "One.\nTwo.\nThree.\nFour."])
    def test_prose_is_a_parse_error(self, text):
        outcome = read_outline(text)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.PARSE_ERROR


HOSTILE = [
    '"]; evil [label="x', "\\", '\\"', "\\N \\G", "<b>html</b>", "{a|b}", "a\\", "&quot;&#34;",
    "//", "/*", "#",
]  # fmt: skip


class TestDrawing:
    def test_equal_trees_give_equal_texts(self):
        assert to_dot(FAMILY) == to_dot(Node("R", (Node("A", (Node("C"),)), Node("B"))))

    @pytest.mark.parametrize("label", HOSTILE)
    def test_no_label_can_break_out(self, label):
        dot = to_dot(Node(label, (Node(label),)))
        labels = self._labels(dot)
        assert len(labels) == 2
        assert all(decode(one) == label for one in labels)

    @given(st.text(max_size=60))
    def test_labels_hold_the_text(self, text):
        text = normalise_text(text)
        label = self._labels(to_dot(Node(text)))[0]
        assert "".join(decode(label).split()) == "".join(text.split())

    def test_lines_are_broken_by_columns(self):
        assert wrap("word " * 20)[0] == "word word word word word word"
        assert all(len(line) <= LABEL_COLUMNS for line in wrap("x" * 100))
        assert wrap("中" * 20) == ["中" * (LABEL_COLUMNS // 2), "中" * (20 - LABEL_COLUMNS // 2)]
        assert wrap("") == [""]

    def test_punctuation_does_not_begin_a_line(self):
        assert not any(line[0] in "，。" for line in wrap("思维导图，" * 20))

    @pytest.mark.timeout(60)
    def test_endless_labels_are_cut(self):
        for text in ("x" * 400_000, "中" * 400_000, "a " * 200_000):
            label = self._labels(to_dot(Node(text.strip())))[0]
            assert label.count("\\n") < LABEL_LINES
            assert label.endswith("…")

    @staticmethod
    def _labels(dot: str) -> list[str]:
        """Return the values of ``label`` as Graphviz tokenises them."""
        found = tokenize(dot)
        assert all(token.closed for token in found)
        assert TokenKind.OTHER not in {token.kind for token in found}
        return [
            found[number + 2].text[1:-1]
            for number, token in enumerate(found)
            if token.text == "label" and found[number + 1].text == "="
        ]


def decode(label: str) -> str:
    """Undo DOT's quoting, then the escapes that Graphviz knows in a label."""
    text, number = [], 0
    quoted = label.replace('\\"', '"')
    while number < len(quoted):
        if quoted[number] == "\\":
            text.append({"n": " ", "\\": "\\"}[quoted[number + 1]])
            number += 2
        else:
            text.append(quoted[number])
            number += 1
    return "".join(text).replace("&amp;", "&")
