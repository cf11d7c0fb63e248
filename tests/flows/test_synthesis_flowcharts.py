"""`rerender synthesize flowchart`: files that agree with each other, the same bytes twice."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from benchmark.outcome import Ok
from benchmark.records import digest_bytes
from benchmark.settings import Settings
from flows.derivation import located
from flows.synthesis import MANIFEST, synthesise
from flows.synthesis_flowcharts import QUESTIONS, flowcharts
from flows.workshop import Workshop
from renderers import canvas
from scenarios import graphs_dot
from scenarios.flowce.questions import Dimension
from scenarios.graphs import to_json
from sources.synthetic_flowcharts import make_chart
from tests.flows.test_cli import rerender

FLOWCHARTS = flowcharts()


def files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic") / "set"
    result = rerender(
        "synthesize", "flowchart", "--count", "4", "--lang", "zh", "--seed", "3", "-o", str(folder)
    )
    assert result.returncode == 0, result.stderr
    return folder


def test_every_chart_has_its_files(made):
    lines = [json.loads(line) for line in (made / MANIFEST).read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [f"flowchart/zh/3-{n:06d}" for n in range(4)]
    assert len(files(made)) == 4 * len(FLOWCHARTS.parts) + 1
    for line in lines:
        contents = {part: (made / line[part]).read_bytes() for part in FLOWCHARTS.parts}
        assert line["digests"] == {part: digest_bytes(data) for part, data in contents.items()}
        assert canvas.decode(contents["picture"]).value.shape[:2] == (line["height"], line["width"])
        structure = json.loads(contents["structure"])
        assert structure == to_json(graphs_dot.read(contents["graph"].decode()).value)
        boxes = json.loads(contents["boxes"])
        assert len(boxes) == len(structure["nodes"]) == line["nodes"]
        assert all(0 <= x1 < x2 <= 999 and 0 <= y1 < y2 <= 999 for x1, y1, x2, y2 in boxes)


def test_every_chart_is_asked_about_in_every_dimension(made):
    for path in sorted((made / "questions").iterdir()):
        asked = json.loads(path.read_bytes())
        counts = Counter(one["dimension"] for one in asked)
        assert set(counts) == set(Dimension)
        assert counts.pop("summarization") == 1
        assert set(counts.values()) == {QUESTIONS}
        structure = json.loads((made / "structure" / path.name).read_bytes())
        texts = {node["text"] for node in structure["nodes"]}
        for one in asked:
            if one["dimension"] == "logic":
                assert one["answer"] in ("是", "否")
            if one["kind"] in ("next_steps", "outermost", "neighbour", "branch_next"):
                assert any(text in one["answer"] for text in texts)


def test_charts_are_written_without_questions(tmp_path):
    assert synthesise(tmp_path, "en", 1, 3, Settings(workers=1), flowcharts(0)) == (1, 0)
    assert {path.name for path in tmp_path.iterdir()} == {*flowcharts(0).parts, MANIFEST}


def test_the_same_seed_writes_the_same_bytes(made, tmp_path):
    assert synthesise(tmp_path, "zh", 2, 3, Settings(workers=1), FLOWCHARTS) == (2, 0)
    again, first = files(tmp_path), files(made)
    manifest = again.pop(MANIFEST)
    assert all(first[path] == content for path, content in again.items())
    assert first[MANIFEST].startswith(manifest)


def test_bad_usage_is_told():
    assert rerender("synthesize", "flowchart", "--lang", "fr").returncode == 2
    assert rerender("synthesize", "flowchart", "--count", "0").returncode == 2


def test_places_are_those_of_the_set(made, tmp_path):
    with closing(Workshop(Settings(store=str(tmp_path / "store"), workers=1))) as workshop:
        found = located(workshop, make_chart("zh", 3, 1))
    assert isinstance(found, Ok), found
    assert found.value.attributes["boxes"] == json.loads(
        (made / "boxes" / "zh-3-000001.json").read_text()
    )
