"""JSON values become the trees that Donut's evaluator builds, or keep what it loses."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.tree_nodes import NodeKind, Nodes, nodes, nodes_donut

values = st.recursive(
    st.one_of(
        st.text("ab ", max_size=3), st.integers(-1, 2), st.floats(0, 1), st.booleans(), st.none()
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.text("abc", max_size=2), inner, max_size=3),
    ),
    max_leaves=10,
)


def outline(tree: Nodes) -> Any:
    """The tree as (label, children), leaves as their text."""
    below = tree.children()

    def write(index: int) -> Any:
        if tree.kinds[index] is NodeKind.LEAF:
            return tree.labels[index]
        return tree.labels[index], [write(kid) for kid in below[index]]

    return write(len(tree) - 1)


def described(value: Any) -> list[Any]:
    """What hangs below a key with this value, by the rules in docs/metrics-trees.md."""
    if not value:
        return []
    if isinstance(value, dict):
        inner = described_object(value)
        return [("<subtree>", inner)] if inner else []
    if isinstance(value, list) and all(isinstance(item, dict) for item in value):
        return [below for item in value for below in described(item)]
    if isinstance(value, list):
        kept = [str(item).strip() for item in value if type(item) in {str, int, float}]
        return [text for text in kept if text]
    return [str(value).strip()]


def described_object(value: dict[str, Any]) -> list[Any]:
    pairs = ((key, described(value[key])) for key in sorted(value, key=lambda k: (len(k), k)))
    return [(key, below) for key, below in pairs if below]


@settings(max_examples=400, deadline=None)
@given(values)
def test_donut_form_follows_the_description(value: Any) -> None:
    below = described_object(value) if isinstance(value, dict) and value else described(value)
    assert outline(nodes_donut(value)) == ("<root>", below)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, []),
        ("", []),
        ({"a": [None, " ", [], {}]}, []),
        (0, ["0"]),
        (False, ["false"]),
        ({"a": True}, [("a", ["true"])]),
        ({"bb": "x", "a": "y"}, [("a", ["y"]), ("bb", ["x"])]),
        ({"a": {"b": "x"}}, [("a", [("<subtree>", [("b", ["x"])])])]),
        ({"a": ["x", {"b": "y"}, 0]}, [("a", ["x", ("<subtree>", [("b", ["y"])]), "0"])]),
        ([["x"], "y"], [("<subtree>", ["x"]), "y"]),
    ],
)
def test_plain_form_keeps_what_says_something(value: Any, expected: list[Any]) -> None:
    assert outline(nodes(value)) == ("<root>", expected)


def plain_enough(value: Any) -> bool:
    """Whether Donut's evaluator loses nothing of a value."""
    if isinstance(value, dict):
        return all(plain_enough(item) for item in value.values())
    if isinstance(value, list):
        alike = all(isinstance(i, dict) for i in value) or all(isinstance(i, str) for i in value)
        return alike and all(plain_enough(item) for item in value)
    return isinstance(value, str) and bool(value.strip())


@settings(max_examples=300, deadline=None)
@given(values)
def test_both_forms_agree_where_nothing_is_lost(value: Any) -> None:
    if plain_enough(value):
        assert outline(nodes(value)) == outline(nodes_donut(value))


def test_marks_in_texts_are_reproduced_in_the_donut_form_only() -> None:
    value = {"<leaf>k": ["a<leaf>b"]}
    assert nodes_donut(value).texts == ["ab", "k", None]
    assert nodes(value).texts == ["a<leaf>b", None, None]


def test_fields_name_the_keys_on_the_way() -> None:
    value = {"a": [{"b": "x"}, {"b": ["y", "z"]}], "c": "w"}
    assert list(nodes(value).fields()) == [
        (("a", "b"), "x"),
        (("a", "b"), "y"),
        (("a", "b"), "z"),
        (("c",), "w"),
    ]


def test_depth_is_no_limit() -> None:
    value: Any = "x"
    for _ in range(5000):
        value = {"a": [value]}
    assert len(nodes(value)) == len(nodes_donut(value)) == 2 * 5000 + 1
