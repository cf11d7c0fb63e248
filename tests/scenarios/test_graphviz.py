"""Graphviz: what is read, what is repaired, and what is only flagged."""

from __future__ import annotations

from functools import partial

import pytest

from benchmark.outcome import Failed, Kind, Ok
from renderers.graphviz import GraphvizRenderer
from scenarios.languages.dot_tokens import TokenKind, tokenize
from scenarios.languages.graphviz import Graphviz
from tests.cases import case_input
from tests.contracts.language_contract import LanguageContract
from tests.scenarios import reading
from tests.scenarios.containers import ready, rendered

LANGUAGE = Graphviz()
read, failure = partial(reading.read, LANGUAGE), partial(reading.failure, LANGUAGE)


class TestContract(LanguageContract):
    language = LANGUAGE
    sample = (
        'strict digraph "g" { // a {comment}\n  node [shape=box, label=<a <b>b</b>>]; a:n -> b;\n'
        '  b -> "c \\" {" [label="x" weight=-1.5] # no comment here\n }'
    )
    words = ("digraph", "graph", "strict", "a", "-1", "“", "”", "[label=", "/*", "*/", "subgraph")


class TestHardCases:
    def test_dot_001_unquoted_label_is_quoted(self):
        answer = read(case_input("dot-001"))
        assert '[label="y: (2, 2)", shape=box]' in answer.text
        assert answer.repairs == ("unquoted attribute values quoted",)

    def test_dot_003_wrong_operator_becomes_digraph(self):
        answer = read(case_input("dot-003"))
        assert answer.text == "digraph g { A -> B }"
        assert "read as digraph" in answer.repairs[0]

    def test_dot_004_hyphenated_names_are_flagged(self):
        answer = read(case_input("dot-004"))
        assert answer.text == 'digraph g { "step-1" -> "step-2" }'
        assert "suspicious" in reading.flag_text(answer)
        assert "step-1, step-2" in reading.flag_text(answer)
        assert answer.repairs

    def test_dot_006_curly_quotes_are_straightened(self):
        answer = read(case_input("dot-006"))
        assert answer.text == 'digraph g { "Start node" -> "End" }'
        assert "curly quotes" in answer.repairs[0]

    def test_dot_012_one_of_two_graphs_is_read_and_flagged(self):
        answer = read(case_input("dot-012"))
        assert answer.text == "digraph B { c -> d }"
        assert "multiple_graphs" in reading.flag_text(answer)

    def test_dot_013_mermaid_is_unsupported(self):
        text = case_input("dot-013")
        for answer in (text, f"```mermaid\n{text}\n```", f"```\n{text}\n```"):
            assert failure(answer).kind is Kind.UNSUPPORTED
            assert "Mermaid" in failure(answer).message

    @pytest.mark.timeout(60)
    def test_dot_016_deep_nesting_is_no_recursion(self, tmp_path):
        text = case_input("dot-016", tmp_path)
        assert read(text).text == text

    def test_dot_018_strict_is_kept(self):
        text = case_input("dot-018")
        assert read(text).text == text

    @pytest.mark.timeout(60)
    def test_parse_022_degenerate_repetition_is_truncated(self, tmp_path):
        outcome = LANGUAGE.read(case_input("parse-022", tmp_path), truncated=True)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.TRUNCATED


class TestRepairs:
    def test_undirected_edges_in_a_digraph(self):
        assert read("digraph g { a -- b; b -- c }").text == "graph g { a -- b; b -- c }"

    def test_mixed_operators_are_left(self):
        text = "graph g { a -- b; b -> c }"
        assert read(text).text == text

    def test_operators_in_labels_do_not_count(self):
        text = 'graph g { a -- b [label="->"]; c [label=<x -&gt; y>] }'
        assert read(text).text == text

    def test_name_that_also_stands_alone_is_only_flagged(self):
        text = "digraph g { step; step-1 -> step-2 }"
        answer = read(text)
        assert answer.text == text
        assert "splits" in reading.flag_text(answer)

    def test_negative_numbers_and_undirected_edges_are_no_hyphens(self):
        text = "graph g { a--b; a [pos=-1]; b [x= -2.5]; c -- -3 }"
        answer = read(text)
        assert answer.text == text
        assert answer.flags == ()

    def test_curly_quotes_in_labels_stay(self):
        text = 'digraph g { a [label="say “hi” to O’Neil"] }'
        assert read(text).text == text

    def test_several_unquoted_values(self):
        answer = read("digraph g { a [label=Start here, color=red]; b [label=End (x)] }")
        assert 'label="Start here", color=red' in answer.text
        assert 'label="End (x)"' in answer.text

    def test_every_graph_that_people_made_is_left_as_it_is(self, shared):
        files = sorted((shared / "real" / "dot").iterdir())
        assert len(files) > 20
        for path in files:
            answer = read(path.read_bytes().decode("utf-8", "replace"))
            assert answer.repairs == (), path.name
            assert answer.flags == (), path.name


class TestCutOff:
    def test_unfinished_statement_is_dropped_and_braces_closed(self):
        answer = read(
            '```dot\ndigraph g {\n subgraph x { a -> b;\n c [label="never en', truncated=True
        )
        assert " ".join(answer.text.split()) == "digraph g { subgraph x { a -> b; }}"
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]

    def test_open_braces_of_a_complete_answer_are_left(self):
        assert read("```dot\ndigraph g { a -> b\n```").text == "digraph g { a -> b"


class TestNotations:
    def test_prose_around_a_bare_graph_is_dropped(self):
        answer = read("The graph is:\n\ndigraph { a -> b }\n\nEnjoy {it}.")
        assert answer.text == "digraph { a -> b }"
        assert "prose around the code dropped" in answer.repairs

    def test_prose_alone_is_a_parse_error(self):
        assert failure("The graph has two nodes and one edge.").kind is Kind.PARSE_ERROR

    @pytest.mark.parametrize(
        "text", ["graph LR\n a --> b", "@startuml\nA -> B\n@enduml", "import graphviz\ng = 1"]
    )
    def test_others_are_unsupported(self, text):
        assert failure(text).kind is Kind.UNSUPPORTED

    def test_a_graph_named_like_a_direction_is_dot(self):
        assert read("graph LR { a -- b }").repairs == ()


def test_tokens_cover_the_lexical_rules():
    text = 'a_1 -> "b\\"" -- <x <i>y</i>> /* c */ -2.5 .5 // d\n# e\n“f g”; ß [k=v]'
    kinds = [token.kind for token in tokenize(text)]
    assert kinds == [
        TokenKind.NAME, TokenKind.ARROW, TokenKind.QUOTED, TokenKind.LINE, TokenKind.HTML,
        TokenKind.NUMERAL, TokenKind.NUMERAL, TokenKind.CURLY, TokenKind.SIGN, TokenKind.NAME,
        TokenKind.SIGN, TokenKind.NAME, TokenKind.SIGN, TokenKind.NAME, TokenKind.SIGN,
    ]  # fmt: skip


UNITS = [
    "<",
    '"',
    "/*",
    "a-",
    "[a=b c ",
    "“",
    "digraph {",
    "graph a",
    "a -> b%d\n",
    "x=  ",
    "% %\n%%\n",
]


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", UNITS)
def test_hostile_length_is_read_in_bounded_time(unit):
    text = "".join(unit.replace("%d", str(number)) for number in range(50_000))
    for candidate in (text, "```dot\ndigraph {" + text):
        assert isinstance(LANGUAGE.read(candidate, truncated=True), Ok | Failed)


@pytest.fixture(scope="module")
def renderer():
    yield from ready(GraphvizRenderer())


class TestRendered:
    @pytest.mark.parametrize("identifier", ["dot-001", "dot-003", "dot-004", "dot-006", "dot-012"])
    def test_repaired_cases_render_without_flags(self, identifier, renderer):
        _, picture = rendered(LANGUAGE, renderer, read(case_input(identifier)))
        assert picture.flags == ()

    def test_dot_004_names_with_hyphens_are_drawn_as_written(self, renderer):
        ours = rendered(LANGUAGE, renderer, read(case_input("dot-004")))[1]
        meant = rendered(LANGUAGE, renderer, read('digraph g { "step-1" -> "step-2" }'))[1]
        assert ours.png == meant.png

    def test_dot_006_curly_quotes_are_drawn_as_straight_ones(self, renderer):
        ours = rendered(LANGUAGE, renderer, read(case_input("dot-006")))[1]
        meant = rendered(LANGUAGE, renderer, read('digraph g { "Start node" -> "End" }'))[1]
        assert ours.png == meant.png

    def test_dot_018_strict_decides_how_many_edges_are_drawn(self, renderer):
        text = case_input("dot-018")
        one = rendered(LANGUAGE, renderer, read(text))[1]
        three = rendered(LANGUAGE, renderer, read(text.replace("strict ", "")))[1]
        assert one.png != three.png

    def test_cut_off_graph_renders(self, renderer):
        text = '```dot\ndigraph g {\n subgraph cluster_x { a -> b;\n c [label="never en'
        answer, picture = rendered(LANGUAGE, renderer, read(text, truncated=True))
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]
        assert picture.flags == ()

    def test_dot_019_empty_graph_is_an_empty_render(self, renderer):
        outcome = renderer.render(read(case_input("dot-019")).structure)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.EMPTY_RENDER
