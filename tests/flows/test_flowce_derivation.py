"""FlowCE's questions as material: of bundled, synthetic and own flowcharts."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from benchmark import registry
from benchmark.outcome import Ok, ok
from benchmark.protocols import Derives
from benchmark.records import Material
from flows.derivation import derive
from scenarios import graphs_dot
from scenarios.flowce.questions import KINDS, Dimension
from sources.bundled import Bundled
from sources.folder import Folder
from sources.synthetic_flowcharts import make_chart

NAMES = [f"flowce-{dimension}" for dimension in Dimension]


def placed(material: Material):
    """Lay a chart out as one column: all that matters here is that it is laid out."""
    nodes = graphs_dot.read(material.known_truth()).value.nodes
    boxes = [[400, 40 * i, 600, 40 * i + 20] for i in range(len(nodes))]
    return ok(material.model_copy(update={"attributes": {**material.attributes, "boxes": boxes}}))


def bundled() -> list[Material]:
    found = [outcome.value for outcome in Bundled().collect()]
    return [material for material in found if material.scenario == "flowchart"]


def test_the_five_derive_from_flowcharts():
    for name in NAMES:
        scenario = registry.scenarios.get(name)
        assert isinstance(scenario, Derives)
        assert scenario.derives_from == "flowchart"
        assert scenario.cycle == len(KINDS[scenario.dimension])
    assert registry.scenarios.get("flowce-localization").needs_places


def test_the_demo_asks_in_every_dimension_and_language():
    wanted = {name: Bundled.derived[name] for name in NAMES}
    found, lost = derive(bundled(), wanted, placed)
    assert not lost
    assert Counter((each.scenario, each.subset) for each in found) == {
        (name, language): wanted[name] for name in NAMES for language in ("en", "zh")
    }


@pytest.mark.parametrize("name", NAMES)
def test_what_is_derived_is_read_back_and_says_what_it_is_about(name):
    charts = [make_chart(language, 0, n) for language in ("en", "zh") for n in range(6)]
    found, _ = derive(charts, {name: 12}, placed)
    scenario = registry.scenarios.get(name)
    assert len(found) == (12 if name.endswith("summarization") else 24), "one summary of a chart"
    for each in found:
        read = scenario.read(each.truth)
        assert isinstance(read, Ok)
        assert not read.value.flags
        assert each.drawn_from.scenario == "flowchart"
        assert each.attributes["kind"] in KINDS[scenario.dimension]
        assert each.attributes["chart_kind"] in ("decision-tree", "loop", "swim-lanes", "parallel")
        assert "boxes" not in each.attributes
        for metric in map(registry.metrics.get, scenario.metrics):
            compared = read.value.text if metric.needs == "texts" else read.value.tree
            assert metric(compared, compared) == metric.range[1]


def test_statements_are_true_and_false_equally_often():
    charts = [make_chart("en", 1, n) for n in range(20)]
    found, _ = derive(charts, {"flowce-logic": 200}, placed)
    counts = Counter(each.truth for each in found)
    assert counts.total() == 200
    assert abs(counts["Yes"] - counts["No"]) <= 20


def test_equal_arguments_give_equal_material():
    charts = [make_chart("en", 1, n) for n in range(4)]
    counts = dict.fromkeys(NAMES, 5)
    assert derive(charts, counts, placed, seed=3) == derive(charts, counts, placed, seed=3)
    assert derive(charts, counts, placed, seed=3) != derive(charts, counts, placed, seed=4)


def test_files_of_ones_own_are_asked_about(tmp_path):
    (tmp_path / "mine.dot").write_text(
        'digraph { a [label="Wake up"]; b [label="Sunny?", shape=diamond]; '
        'c [label="Walk", shape=box]; d [label="Ride", shape=box]; '
        "a -> b; b -> c [label=yes]; b -> d [label=no] }"
    )
    materials = [outcome.value for outcome in Folder(tmp_path).collect()]
    found, _ = derive(materials, dict.fromkeys(NAMES, 3), placed)
    assert {each.scenario for each in found} == set(NAMES)
    (summary,) = [each for each in found if each.scenario == "flowce-summarization"]
    for text in ("Wake up", "Sunny?", "Walk", "Ride", "yes", "no"):
        assert f"“{text}”" in summary.truth
    texts = [json.loads(e.truth) for e in found if e.attributes["kind"] == "all_texts"]
    assert texts == [["Wake up", "Sunny?", "Walk", "Ride", "yes", "no"]] * len(texts)


def test_a_text_that_looks_like_markup_is_not_asked_for():
    strange = '{ a [label="~~~"]; b [label="B"]; a -> b }'
    material = make_chart("en", 0, 0).model_copy(update={"truth": f"digraph {strange}"})
    found, _ = derive([material], {"flowce-reasoning": 9, "flowce-localization": 9}, placed)
    assert all(each.truth != "~~~" for each in found)


def test_a_text_that_cannot_be_asked_for_does_not_silence_the_rest_of_its_chart():
    strange = (
        'digraph { a [label="Start"]; b [label="Ok?", shape=diamond]; c [label="<think>x"]; '
        'd [label="Go on"]; e [label="End"]; a -> b; b -> c [label=yes]; b -> d [label=no]; '
        "c -> e; d -> e }"
    )
    material = make_chart("en", 0, 0).model_copy(update={"truth": strange})
    found, _ = derive([material], {"flowce-reasoning": 5}, placed)
    assert len(found) == 5
    assert all("<think>" not in each.truth for each in found)
