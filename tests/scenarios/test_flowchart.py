"""The flowchart scenario: both notations, what is compared, the bundled charts."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from benchmark import registry
from benchmark.outcome import Kind
from benchmark.protocols import Needs
from renderers.graphviz import GraphvizRenderer
from scenarios.flowchart import Flowchart
from scenarios.graph_drawing import node_boxes
from tests.cases import case_input
from tests.contracts.scenario_contract import ScenarioContract, instance
from tests.scenarios import reading
from tests.scenarios.containers import ready, rendered

CHARTS = sorted((Path(__file__).parents[2] / "sources" / "material" / "flowchart").glob("*/*.dot"))
SCENARIO = Flowchart()
read = partial(reading.read, SCENARIO)
failure = partial(reading.failure, SCENARIO)

DOT = """\
digraph {
    a [label="Start", shape=ellipse]
    b [label="n > 0?", shape=diamond]
    c [label="打印 “n”", shape=parallelogram]
    a -> b
    b -> c [label="yes"]
    c -> b
}"""
MERMAID = 'flowchart TD\n a(["Start"]) --> b{"n > 0?"}\n b -->|yes| c[/"打印 “n”"/]\n c --> b'


@pytest.fixture(scope="module")
def renderer():
    yield from ready(GraphvizRenderer())


class TestContract(ScenarioContract):
    scenario = SCENARIO
    sample = DOT


class TestMermaidContract(ScenarioContract):
    scenario = SCENARIO
    sample = MERMAID


class TestReading:
    def test_both_notations_give_one_graph(self):
        dot, mermaid = read(DOT), read(f"```mermaid\n{MERMAID}\n```")
        assert dot.tree == mermaid.tree
        assert dot.text == mermaid.text
        assert dot.tree["edges"][1] == {
            "source": "b", "target": "c", "label": "yes", "directed": True,
        }  # fmt: skip

    def test_dot_is_drawn_as_it_is_written(self):
        assert read(f"```dot\n{DOT}\n```").structure.text == DOT + "\n"

    def test_mermaid_is_drawn_from_its_graph(self):
        answer = read(MERMAID.replace("TD", "RL"))
        assert "rankdir=RL" in answer.structure.text
        assert 'shape=diamond label="n > 0?"' in answer.structure.text

    def test_repairs_come_before_the_graph(self):
        answer = read(case_input("dot-006"))
        assert [node["text"] for node in answer.tree["nodes"]] == ["Start node", "End"]
        assert answer.repairs
        arrows = read("graph g { A -> B }").tree["edges"]
        assert [(one["source"], one["target"], one["directed"]) for one in arrows] == [
            ("A", "B", True)
        ]

    def test_dot_001_unquoted_label(self):
        tree = read(case_input("dot-001")).tree
        assert [node["text"] for node in tree["nodes"]] == ["y: (2, 2)", "b"]

    def test_dot_004_names_with_hyphens(self):
        answer = read(case_input("dot-004"))
        assert [node["text"] for node in answer.tree["nodes"]] == ["step-1", "step-2"]
        assert "hyphens" in reading.flag_text(answer)

    def test_dot_013_mermaid_is_converted(self):
        assert len(read(case_input("dot-013")).tree["edges"]) == 2

    def test_other_notations_are_told(self):
        assert failure("```\nsequenceDiagram\n A->>B: x\n```").kind is Kind.UNSUPPORTED
        assert failure("@startuml\nA -> B\n@enduml").kind is Kind.UNSUPPORTED
        assert failure("I see a flowchart.").kind is Kind.PARSE_ERROR

    def test_what_graphviz_would_not_read_is_told_with_its_line(self):
        assert "line 2" in failure("```dot\ndigraph {\n a -> -> b\n}\n```").message
        assert "line 2" in failure("```mermaid\ngraph TD\n a[x --> b\n```").message

    def test_cut_off_mermaid_is_read_as_far_as_it_goes(self):
        answer = read(
            "```mermaid\nflowchart TD\n subgraph s [S]\n a --> b\n b --> c{Is i", truncated=True
        )
        assert [node["id"] for node in answer.tree["nodes"]] == ["a", "b"]
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]

    def test_cut_off_dot_is_read_as_far_as_it_goes(self):
        answer = read("```dot\n" + DOT[:-20], truncated=True)
        assert len(answer.tree["nodes"]) == 3
        assert len(answer.tree["edges"]) == 1
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]

    def test_the_numbers_are_told(self):
        assert SCENARIO.describe(read(DOT)) == {"nodes": 3, "edges": 3}

    def test_prompts(self):
        english = SCENARIO.prompt(instance(SCENARIO, "en"))
        chinese = SCENARIO.prompt(instance(SCENARIO, "zh"))
        mermaid = SCENARIO.prompt(instance(SCENARIO, "en", {"form": "mermaid"}))
        assert "flowchart" in english
        assert "marked dot" in english
        assert "流程图" in chinese
        assert "marked mermaid" in mermaid


class TestDrawn:
    @pytest.mark.parametrize("path", CHARTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
    def test_bundled_chart_renders_cleanly_and_is_right(self, path, renderer):
        answer, picture = rendered(SCENARIO, renderer, read(path.read_text("utf-8")))
        assert answer.repairs == ()
        assert answer.flags == picture.flags == ()
        assert "warning" not in picture.log.lower()
        assert 5 <= len(answer.tree["nodes"]) <= 15
        for name in SCENARIO.metrics:
            metric = registry.metrics.get(name)
            if metric.needs is Needs.TREES:
                assert metric(answer.tree, answer.tree) == metric.best

    def test_there_are_enough_charts(self):
        languages = [path.parent.name for path in CHARTS]
        assert (languages.count("en"), languages.count("zh")) == (4, 2)

    def test_blank_renders_and_is_small(self, renderer):
        _, picture = rendered(SCENARIO, renderer, read(SCENARIO.blank()))
        assert picture.flags == ()
        assert picture.width < 100

    def test_boxes_lie_as_the_nodes_do(self, renderer):
        for text in (DOT, MERMAID):
            answer = read(text)
            drawing = renderer.draw(answer.structure)
            boxes = node_boxes(drawing.value.boxes, answer)
            tops = [box[1] for box in boxes]
            assert len(boxes) == 3
            assert tops == sorted(tops)
