"""Token sequences are read by the official rule, broken ones included."""

from __future__ import annotations

import pytest

from metrics.tokens import DEEPEST, read_map, read_tokens, unreadable


@pytest.mark.parametrize(
    ("sequence", "value"),
    [
        ("<s_a>x</s_a>", {"a": "x"}),
        ("<s_a>x<sep/> y </s_a>", {"a": ["x", "y"]}),
        ("<s_a><yes/></s_a>", {"a": "yes"}),
        ("<s_a>1</s_a><s_b>2</s_b>", {"a": "1", "b": "2"}),
        ("<s_a>1</s_a><sep/><s_a>2</s_a>", [{"a": "1"}, {"a": "2"}]),
        ("<s_a>1</s_a><sep/>", [{"a": "1"}]),
        ("<s_m><s_a>1</s_a><sep/><s_a>2</s_a></s_m>", {"m": [{"a": "1"}, {"a": "2"}]}),
        ("<s_a(b>R</s_a(b>", {"a(b": "R"}),
        ("<s_A>x</s_a>", {"A": "x"}),
        # The first closing token ends a value, even one of an inner key of the same name.
        ("<s_n><s_t>R</s_t><s_n><s_t>A</s_t></s_n></s_n>", {"n": {"t": "A"}}),
        # An opening token that nothing closes is taken away.
        ("<s_m><s_t>A</s_t>", {"t": "A"}),
        # Text outside a value is skipped; a closing token before the opening one cuts.
        ("lost</s_a> also <s_a>x</s_a>", {"a": "x"}),
        ("<s_a></s_a>", {"a": ""}),
    ],
)
def test_reads(sequence: str, value: object) -> None:
    assert read_tokens(sequence) == value


def test_nothing_to_read_is_told() -> None:
    assert read_tokens("no tokens") == {"text_sequence": "no tokens"}
    assert unreadable(read_tokens("no tokens"))
    assert not unreadable(read_tokens("<s_a>x</s_a>"))


def test_bottomless_nesting_is_unreadable() -> None:
    depth = DEEPEST + 5
    opened = "".join(f"<s_{i}>" for i in range(depth))
    closed = "".join(f"</s_{i}>" for i in reversed(range(depth)))
    assert unreadable(read_tokens(f"{opened}<s_t>x</s_t>{closed}"))


def test_unclosed_brackets_do_not_take_long() -> None:
    assert unreadable(read_tokens("> " + "<s_" * 100_000))


def test_maps_are_closed_once_and_freed_of_empty_branches() -> None:
    whole = "<s_map><s_node-0><s_text>R</s_text><s_node-1><s_text>A</s_text></s_node-1>"
    expected = {"map": {"node-0": {"text": "R", "node-1": {"text": "A"}}}}
    assert read_map(whole + "</s_node-0></s_map>") == expected
    assert read_map(whole.removesuffix("</s_node-1>")) == expected
    emptied = whole.replace("<s_text>A</s_text>", "<s_text></s_text>")
    assert read_map(emptied + "</s_node-0></s_map>") == {"map": {"node-0": {"text": "R"}}}


def test_line_breaks_inside_an_answer_become_spaces() -> None:
    answer = "<s_map><s_node-0><s_text>two\r\nwords</s_text></s_node-0></s_map>\n"
    assert read_map(answer) == {"map": {"node-0": {"text": "two words"}}}
