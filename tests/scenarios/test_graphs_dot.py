"""DOT read as flowcharts: the grammar, what is seen of a label, and files that people wrote."""

from __future__ import annotations

import pytest

from benchmark.outcome import Failed, Kind, Ok
from scenarios import graphs_dot
from scenarios.graphs import Graph, NodeType
from tests.cases import case_input

COUNTS = {
    "20240606150142_28c6aa1a-a298-4147-8652-3f3991839177.gv": (15, 14),
    "20240606150142_92059b71-ab11-421f-b7d0-a52dac6461a9.gv": (59, 58),
    "20240606150142_b1e355f0-1ca1-4e94-85c9-d9c5af1a8266.gv": (18, 17),
    "Latin1.dot": (1, 0),
    "b102.dot": (302, 611),
    "b15_crashes_dot.dot": (36, 180),
    "b51.dot": (60, 72),
    "bad.dot": (7, 4),
    "biglabel.dot": (3, 2),
    "clust4.dot": (10, 13),
    "crazy.dot": (41, 49),
    "dfa.dot": (10, 20),
    "escaped_newlines.dot": (1, 1),
    "fsm.dot": (9, 14),
    "grammar.dot": (43, 42),
    "hash_inside_html.dot": (3, 0),
    "honda-tokoro.dot": (24, 40),
    "html2.dot": (4, 3),
    "html_labels.dot": (6, 3),
    "lsunix.dot": (41, 49),
    "numeric_ids_unicode.dot": (4, 0),
    "parsing_test.dot": (11, 30),
    "pmpipe.dot": (13, 18),
    "polypoly.dot": (100, 8),
    "proc3d.dot": (51, 50),
    "russian.dot": (11, 7),
    "shells.dot": (29, 32),
    "states.dot": (4, 5),
    "train11.dot": (11, 25),
    "trapeziumlr.dot": (53, 52),
    "unix.dot": (41, 49),
    "world.dot": (48, 69),
}
"""Nodes and visible edges of each real file, as gvpr of Graphviz 2.42 counts them."""


def read(text: str) -> Graph:
    outcome = graphs_dot.read(text)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def failure(text: str) -> Failed:
    outcome = graphs_dot.read(text)
    assert isinstance(outcome, Failed), outcome
    return outcome


def ends(graph: Graph) -> list[str]:
    arrows = {True: "->", False: "--"}
    return [f"{e.source}{arrows[e.directed]}{e.target} {e.label}".strip() for e in graph.edges]


def texts(graph: Graph) -> dict[str, str]:
    return {node.id: node.text for node in graph.nodes}


def types(graph: Graph) -> dict[str, NodeType]:
    return {node.id: node.type for node in graph.nodes}


@pytest.mark.parametrize("name", COUNTS)
def test_real_file_has_the_nodes_and_edges_that_graphviz_finds(shared, name):
    raw = (shared / "real" / "dot" / name).read_bytes()
    graph = read(raw.decode("latin-1" if name == "Latin1.dot" else "utf-8"))
    assert (len(graph.nodes), len(graph.edges)) == COUNTS[name]


def test_every_real_file_is_counted(shared):
    assert {path.name for path in (shared / "real" / "dot").iterdir()} == set(COUNTS)


class TestGrammar:
    def test_chains_and_sets(self):
        graph = read("digraph { a -> b -> c [label=x]; a -> {b c} -> d }")
        assert ends(graph) == ["a->b x", "b->c x", "a->b", "a->c", "b->d", "c->d"]

    def test_a_set_is_what_its_subgraph_holds_in_the_end(self):
        graph = read("digraph { subgraph X {a}  b -> subgraph X {c}  subgraph Y {d -> e} -> f }")
        assert ends(graph) == ["b->a", "b->c", "d->e", "d->f", "e->f"]

    def test_defaults_hold_from_where_they_stand_and_inside(self):
        graph = read(
            "digraph { a; node [shape=box] b; { node [shape=diamond] c a } d; b [shape=oval]"
            " edge [label=p] a -> b; {edge [label=q] b -> c} c -> d; c -> a [label=r] }"
        )
        assert [n.type for n in graph.nodes] == ["terminal", "terminal", "decision", "process"]
        assert ends(graph) == ["a->b p", "b->c q", "c->d p", "c->a r"]

    def test_attributes_of_later_mentions_count(self):
        graph = read('digraph { a -> b; a [label="A"]; a [shape=box] [label="B"; color=red,] }')
        assert (texts(graph)["a"], types(graph)["a"]) == ("B", NodeType.PROCESS)

    def test_ports_are_no_nodes(self):
        assert ends(read("digraph { a:p:n -> b:s; a:x }")) == ["a->b"]

    def test_loops_and_parallel_edges(self):
        assert ends(read("digraph { a -> a; a -> b; a -> b }")) == ["a->a", "a->b", "a->b"]

    def test_strict_has_each_edge_once(self):
        graph = read("strict digraph { a -> b; a -> b; b -> a; a -> b [label=2] }")
        assert ends(graph) == ["a->b 2", "b->a"]
        assert ends(read("strict graph { a -- b; b -- a }")) == ["a--b"]

    def test_dot_018_without_strict_there_are_three(self):
        text = case_input("dot-018")
        assert ends(read(text)) == ["a->b 2"]
        assert len(read(text.removeprefix("strict ")).edges) == 3

    def test_a_key_names_an_edge(self):
        assert ends(read("digraph { a->b [key=1]; a->b [key=1 label=x]; a->b [key=2] }")) == [
            "a->b x",
            "a->b",
        ]

    def test_keywords_have_no_case_and_comments_are_skipped(self):
        graph = read("# first\n/* x */ STRICT DiGraph G { // y\n NODE [shape=box]; a }")
        assert types(graph) == {"a": NodeType.PROCESS}

    def test_concatenated_and_continued_strings(self):
        graph = read('digraph { "a" + "b" -> "c\\\nd" [label="x" + "y"] }')
        assert ends(graph) == ["ab->cd xy"]

    def test_numerals_and_any_letters_are_names(self):
        assert ends(read("digraph { -1.5 -> .5 -> 判断 }")) == ["-1.5->.5", ".5->判断"]

    def test_assignments_make_no_nodes(self):
        assert read('digraph { rankdir=LR; label="x"; {rank=same a} }').nodes[0].id == "a"

    def test_only_the_first_graph_is_read(self):
        assert ends(read("digraph { a -> b } digraph { c -> d }")) == ["a->b"]


class TestSeen:
    def test_directions(self):
        graph = read(
            "digraph { a->b [dir=back]; a->b [dir=both]; a->b [dir=none]; a->b [arrowhead=none];"
            " a->b [dir=back arrowtail=none]; a->b [dir=both arrowhead=none] }"
        )
        assert ends(graph) == ["b->a", "a--b", "a--b", "a--b", "a--b", "b->a"]
        assert ends(read("graph { a -- b; a -- b [dir=forward] }")) == ["a--b", "a->b"]

    def test_invisible_things_are_not_there(self):
        graph = read('digraph { a -> b [style=invis]; c [style="filled,invis"]; c -> a; b -> a }')
        assert ([n.id for n in graph.nodes], ends(graph)) == (["a", "b"], ["b->a"])

    def test_groups_are_the_innermost_frames(self):
        graph = read(
            'digraph { x; subgraph cluster_a { label="Lane A"; y; subgraph plain { z }'
            ' subgraph cluster_b { w; label=<B <b>C</b>> } subgraph cluster_c { label="" v } } y'
            " subgraph cluster_d { y } }"
        )
        groups = {node.id: node.group for node in graph.nodes}
        assert groups == {
            "x": None, "y": "Lane A", "z": "Lane A", "w": "B C", "v": "cluster_c",
        }  # fmt: skip

    def test_a_frame_without_a_label_has_that_around_it(self):
        graph = read('digraph { label="Title"; subgraph cluster_a { x } }')
        assert graph.nodes[0].group == "Title"

    def test_escapes_of_labels(self):
        graph = read(r'digraph G { a [label="\N of \G\nline\l\"q\" \\ &amp; é"]; b [label="\N"] }')
        assert texts(graph) == {"a": 'a of G line "q" \\ & é', "b": "b"}
        assert ends(read(r'digraph { a -> b [label="\T to \H: \E"] }')) == ["a->b a to b: a->b"]

    def test_line_breaks_between_chinese_leave_no_gap(self):
        assert texts(read(r'digraph { a [label="温度\n过高？"] }')) == {"a": "温度过高？"}

    def test_html_labels(self):
        graph = read(
            "digraph { a [label=<<table><tr><td>A&amp;B</td><td port='x'>c<b>d</b></td></tr>"
            "</table>>]"
            ' b [label=<x<br/>y <!-- no > --> z>] c [label="<b>"] }'
        )
        assert texts(graph) == {"a": "A&B cd", "b": "x y z", "c": "<b>"}

    def test_records(self):
        graph = read(
            r'digraph { a [shape=record label="<f0> left|{<f1> mid\ dle|a \| b\n\{c\}}|"]'
            r' b [shape=box label="{x|<y>}"] }'
        )
        assert texts(graph) == {"a": "left mid dle a | b {c}", "b": "{x|<y>}"}

    def test_labels_wherever_they_stand_at_an_edge(self):
        graph = read("digraph { a->b [xlabel=x]; a->b [taillabel=t headlabel=h label=l] }")
        assert ends(graph) == ["a->b x", "a->b t l h"]

    @pytest.mark.parametrize(
        ("look", "kind"),
        [
            ("", "terminal"),
            ("shape=OVAL", "terminal"),
            ("shape=doublecircle", "terminal"),
            ("shape=rect style=rounded", "process"),
            ("shape=Mrecord", "process"),
            ("shape=diamond", "decision"),
            ("shape=parallelogram", "input_output"),
            ("shape=polygon sides=4 skew=-.4", "input_output"),
            ("shape=polygon sides=4 skew=.4 distortion=.6", "other"),
            ("shape=polygon sides=4 orientation=45", "other"),
            ("shape=polygon skew=0.0 distortion=-0", "process"),
            ("shape=polygon sides=4", "process"),
            ("shape=polygon sides=6", "other"),
            ("shape=cylinder", "other"),
            ("shape=none", "other"),
            ("shape=made_up", "other"),
        ],
    )
    def test_types(self, look, kind):
        assert types(read(f"digraph {{ a [{look}] }}")) == {"a": kind}


class TestRefused:
    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("", "line 1: expected graph or digraph at the end"),
            ("digraph {\n a -> b\n", "line 3: expected a statement at the end"),
            ("digraph {\n\n a -- b }", "line 3: '--' is no edge of this kind of graph"),
            ("graph { a -> b }", "'->' is no edge"),
            ("digraph { a -> }", "expected the end of an edge at '}'"),
            ('digraph { a [label="x] }', "a string is not closed"),
            ("digraph { a [label=<b] }", "a string is not closed"),
            ("digraph { a [label=] }", "expected a name or a value at ']'"),
            ("digraph { node }", "expected [ after node"),
            ("digraph { ] }", "expected a statement at ']'"),
            ("digraph { a [label=y: (2, 2)] }", "expected a name or a value"),
        ],
    )
    def test_with_the_line(self, text, told):
        failed = failure(text)
        assert failed.kind is Kind.PARSE_ERROR
        assert told in failed.message

    def test_dot_015_label_that_is_too_long(self, tmp_path):
        assert failure(case_input("dot-015", tmp_path)).kind is Kind.RESOURCE_LIMIT

    def test_dot_016_depth(self, tmp_path):
        failed = failure(case_input("dot-016", tmp_path))
        assert failed.kind is Kind.PARSE_ERROR
        assert "deeper than 100" in failed.message

    def test_sets_do_not_multiply_beyond_the_limit(self):
        names = " ".join(f"n{number}" for number in range(1500))
        failed = failure(f"digraph {{ {{{names}}} -> {{{names}}} }}")
        assert failed.kind is Kind.RESOURCE_LIMIT

    def test_too_many_nodes(self):
        names = " ".join(f"n{number}" for number in range(2001))
        assert failure(f"digraph {{ {names} }}").kind is Kind.RESOURCE_LIMIT


def test_a_point_shows_no_text():
    read = graphs_dot.read("digraph { a [shape=point]; b [label=B]; a -> b }").value
    assert [node.text for node in read.nodes] == ["", "B"]


@pytest.mark.parametrize(
    ("frames", "plain"),
    [
        ("", True),
        ("subgraph cluster_a { label=A; a }; subgraph cluster_b { label=B; b }", True),
        ("subgraph cluster_a { label=A; a; subgraph cluster_b { label=B; b } }", False),
        ("subgraph cluster_a { a }", False),
        ("subgraph cluster_a { label=A; a }; subgraph cluster_b { label=A; b }", False),
        ("subgraph loose { a; b }", True),
        ("subgraph cluster_a { label=", False),
    ],
)
def test_frames_are_plain_where_titles_tell_them_apart(frames, plain):
    assert graphs_dot.frames_are_plain(f"digraph {{ a -> b; {frames} }}") is plain
