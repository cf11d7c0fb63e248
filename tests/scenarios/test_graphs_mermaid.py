"""Mermaid's flowcharts: all ways to write nodes and links, what is passed over, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok
from scenarios import graphs_mermaid
from scenarios.graphs_mermaid import Chart
from scenarios.mermaid_shapes import NAMES
from tests.cases import case_input


def read(text: str) -> Chart:
    outcome = graphs_mermaid.read(text)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def nodes(text: str) -> list[tuple[str, str, str]]:
    chart = read(f"flowchart TD\n{text}")
    return [(node.id, node.text, node.type.value) for node in chart.graph.nodes]


def links(text: str) -> list[str]:
    arrows = {True: "->", False: "--"}
    return [
        f"{e.source}{arrows[e.directed]}{e.target} {e.label}".strip()
        for e in read(f"flowchart TD\n{text}").graph.edges
    ]


def failure(text: str) -> Failed:
    outcome = graphs_mermaid.read(text)
    assert isinstance(outcome, Failed), outcome
    return outcome


def test_dot_013():
    chart = read(case_input("dot-013"))
    assert [(n.text, n.type) for n in chart.graph.nodes] == [
        ("Start", "process"), ("OK?", "decision"), ("End", "process"),
    ]  # fmt: skip
    assert [(e.source, e.target, e.label) for e in chart.graph.edges] == [
        ("A", "B", ""), ("B", "C", "yes"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "kind"),
    [
        ("[x]", "process"), ("(x)", "process"), ("([x])", "terminal"), ("[[x]]", "process"),
        ("[(x)]", "other"), ("((x))", "terminal"), ("(((x)))", "terminal"), ("{x}", "decision"),
        ("{{x}}", "other"), ("[/x/]", "input_output"), ("[\\x\\]", "input_output"),
        ("[/x\\]", "other"), ("[\\x/]", "other"), (">x]", "other"), ("(-x-)", "terminal"),
        ('["x"]', "process"), ('{ "x" }', "decision"), ('(["x"]):::done', "terminal"),
        ("@{ shape: diam, label: 'x' }", "decision"),
        ('@{\n shape: lean-r\n label: "x"\n}', "input_output"), ("@{label: x}", "process"),
        ("[y]@{ shape: stadium, label: x }", "terminal"),
    ],
)  # fmt: skip
def test_shapes(shape, kind):
    assert nodes(f"a{shape} --> b") == [("a", "x", kind), ("b", "b", "process")]


def test_every_named_shape_is_read():
    for name, kind in NAMES.items():
        assert nodes(f"a@{{ shape: {name} }}") == [("a", "a", kind)]


@pytest.mark.parametrize(
    ("link", "found"),
    [
        ("a --> b", "a->b"), ("a-->b", "a->b"), ("a --- b", "a--b"), ("a -.-> b", "a->b"),
        ("a -.- b", "a--b"), ("a ==> b", "a->b"), ("a === b", "a--b"), ("a --o b", "a->b"),
        ("a --x b", "a->b"), ("a <--> b", "a--b"), ("a o--o b", "a--b"), ("a x--x b", "a--b"),
        ("a -----> b", "a->b"), ("a -..-> b", "a->b"), ("a ====> b", "a->b"),
        ("a -->|is it?| b", "a->b is it?"), ('a -->|"x | y"| b', "a->b x | y"),
        ("a -- on-time --> b", "a->b on-time"), ('a -- "x --> y" --> b', "a->b x --> y"),
        ("a--yes-->b", "a->b yes"), ("a -. v1.2 .-> b", "a->b v1.2"), ("a == x ==> b", "a->b x"),
        ("a -- x --- b", "a--b x"), ("a e1@--> b", "a->b"), ("a -->\n b", "a->b"),
        ("a\n --> b", "a->b"), ("a <-- x --> b", "a--b x"), ("a -->|是| b", "a->b 是"),
    ],
)  # fmt: skip
def test_links(link, found):
    assert links(link) == [found]


def test_invisible_links_are_not_there_but_their_nodes_are():
    assert links("a ~~~ b") == []
    assert len(nodes("a ~~~ b")) == 2


def test_chains_and_several_ends():
    assert links("a & b --> c & d -->|x| e") == [
        "a->c", "a->d", "b->c", "b->d", "c->e x", "d->e x",
    ]  # fmt: skip
    assert links("a --> b;b --> c; c-->d") == ["a->b", "b->c", "c->d"]


def test_ids_of_many_signs():
    assert links("step-1 --> step_2.a\nstep_2.a --> 判断") == ["step-1->step_2.a", "step_2.a->判断"]


def test_texts():
    assert nodes('a["#quot;x#quot; &amp; y#35;1<br/>z <b>b</b>"]')[0][1] == '"x" & y#1 z b'
    assert nodes('a["`**bold** and _it_`"]')[0][1] == "bold and it"
    assert nodes('a["if a < b and c > d"]')[0][1] == "if a < b and c > d"
    assert nodes("a[温度\n过高]")[0][1] == "温度过高"
    assert nodes("a[fa:fa-car Drive]")[0][1] == "Drive"
    assert nodes("a[x\\ny]")[0][1] == "x y"


def test_brackets_in_labels_are_read_where_they_pair_up():
    chart = read("flowchart TD\na[print f(x[0])] --> b{is (x) > 3?}")
    assert [node.text for node in chart.graph.nodes] == ["print f(x[0])", "is (x) > 3?"]
    assert chart.repairs == ("brackets in labels without quotes",)


def test_the_last_label_and_shape_hold():
    assert nodes("a --> b\na{Really?}") == [("a", "Really?", "decision"), ("b", "b", "process")]


def test_subgraphs_are_groups():
    chart = read(
        "flowchart LR\n top --> in1\n subgraph one [Lane 一]\n direction TB\n in1 --> in2\n"
        ' subgraph "Two words"\n in3\n end\n end\n subgraph three["x y"]\n in2 & in4\n end\n'
    )
    groups = {node.id: node.group for node in chart.graph.nodes}
    assert groups == {
        "top": None, "in1": "Lane 一", "in2": "Lane 一", "in3": "Two words", "in4": "x y",
    }  # fmt: skip
    assert chart.direction == "LR"


def test_a_link_to_a_subgraph_is_one_to_its_nodes():
    chart = read("graph TD\n x --> s\n s --> y\n subgraph s\n a --> b\n end")
    assert [(e.source, e.target) for e in chart.graph.edges] == [("x", "a"), ("b", "y"), ("a", "b")]
    assert chart.repairs == ("links of subgraphs read as links of their nodes",)


def test_end_is_a_node_where_only_a_node_can_stand():
    chart = read("graph TD\n subgraph s\n a --> end\n end\n b --> a")
    assert [node.id for node in chart.graph.nodes] == ["a", "end", "b"]
    assert chart.repairs


def test_what_only_looks_is_passed_over():
    chart = read(
        "---\ntitle: A --> B\n---\n%%{init: {'theme': 'dark'}}%%\n%% a --> x\ngraph TD %% note\n"
        "accTitle: some title --> x\naccDescr { many\n lines }\n a:::big --> b %% c --> d\n"
        "classDef big fill:#f9f,stroke:#333;\nclass a,b big\nstyle a fill:#bbf\n"
        'linkStyle 0 stroke:#ff3\nclick a "https://example.org" "tip" _blank\n'
        "a e1@--> b\ne1@{ animate: true }\n"
    )
    assert [node.id for node in chart.graph.nodes] == ["a", "b"]
    assert len(chart.graph.edges) == 2


def test_words_of_mermaid_can_be_nodes():
    assert links("style --> class\nclick-me --> style") == ["style->class", "click-me->style"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("sequenceDiagram\n A->>B: x", "line 1: expected flowchart or graph"),
        ("graph TD\n a[x", "line 2: a label is not closed"),
        ("graph TD\n a --> b\n a --> \n", "line 4: expected a node at the end"),
        ("graph TD\n foo bar", "line 2: expected the end of the statement at 'bar'"),
        ("graph TD\n a -->|x b", "line 2: the label of a link is not closed"),
        ("graph TD\n a -- x b", "line 2: a link is not complete"),
        ("graph TD\n subgraph s\n a", "line 3: the subgraph of line 2 has no end"),
        ("graph TD\n a\n end", "line 3: end without a subgraph"),
        ("graph TD\n a@{ shape: nonsense }", "no shape is called 'nonsense'"),
        ("graph TD\n a@{ shape diam }", "expected name: value or }"),
        ("graph TD\n subgraph s\n end\n a --> s", "a link ends at the empty subgraph 's'"),
        ("graph TD\n s[x]\n subgraph s\n a\n end", "'s' names both a node and a subgraph"),
        ("graph TD\n" + " subgraph x\n" * 101, "deeper than 100 levels"),
    ],
)
def test_what_is_not_understood_is_told_with_its_line(text, told):
    failed = failure(text)
    assert failed.kind is Kind.PARSE_ERROR
    assert told in failed.message


@pytest.mark.parametrize(
    "text",
    [
        "graph TD\n" + "a --> b\n" * 5001,
        "graph TD\n" + "\n".join(f"n{number}" for number in range(2001)),
        f"graph TD\na[{'x' * 20_000}]",
        f"graph TD\n{' & '.join('abcdefgh' * 20)} --> {' & '.join('abcdefgh' * 20)}",
    ],
    ids=["edges", "nodes", "text", "product"],
)
def test_limits(text):
    assert failure(text).kind is Kind.RESOURCE_LIMIT


@pytest.mark.parametrize(
    "text",
    [
        "graph TD\na -. " + "." * 100_000,
        "graph TD\na " + "-" * 100_000,
        "graph TD\na[" + "(" * 100_000,
        "graph TD\n" + "%%{" * 50_000,
        "---\n" * 50_000,
        "%%" * 100_000,
        "graph TD\na@{" + " " * 100_000,
        "graph TD\na == " + "= " * 50_000,
    ],
    ids=range(8),
)
def test_long_runs_of_signs_are_read_in_linear_time(text):
    graphs_mermaid.is_mermaid(text)
    assert isinstance(graphs_mermaid.read(text), Ok | Failed)


signs = st.sampled_from(
    [
        *("a", "b", "end", "subgraph ", "-->", "---", "-. ", ".->", "==>", "|", '"', "[", "]", "("),
        *(")", "{", "}", "/", "\\", "&", ";", "\n", " ", "%%", "%%{", "@{", ":", ">", "<", "~~~"),
        *("是", "#"),
    ]
)


@given(st.lists(signs, max_size=40).map("".join))
def test_any_text_is_read_or_refused(text):
    outcome = graphs_mermaid.read(f"graph TD\n{text}")
    assert isinstance(outcome, Ok | Failed)


def test_dot_is_not_taken_for_mermaid():
    for text in ("graph TD { a -- b }", "graph { a }", "digraph { a }", "graph\n{ a -- b }"):
        assert not graphs_mermaid.is_mermaid(text)
    for text in ("graph TD\nA-->B", "flowchart\nA", "%% x\nflowchart LR\nA", "graph;\nA-->B"):
        assert graphs_mermaid.is_mermaid(text)
