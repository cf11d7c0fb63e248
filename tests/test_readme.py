"""The README's examples are run as they stand there, so that they cannot go stale."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from benchmark.outcome import Ok
from benchmark.protocols import Metric, Model, Scenario, Source
from benchmark.records import Request
from tests.flows.test_cli import rerender

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = {
    re.match(r"# (\S+)\n", block).group(1): block
    for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL)
}


def run(name: str) -> dict:
    namespace: dict = {}
    exec(compile(BLOCKS[name], name, "exec"), namespace)  # noqa: S102 - our own README
    return namespace


def test_each_example_is_under_thirty_lines():
    assert set(BLOCKS) == {
        "metrics/ink.py", "vlms/mine.py", "scenarios/graph.py", "sources/equations.py"
    }  # fmt: skip
    assert max(len(block.splitlines()) for block in BLOCKS.values()) < 30


def test_the_metric():
    metric = run("metrics/ink.py")["METRIC"]
    assert isinstance(metric, Metric)
    picture = np.random.default_rng(0).integers(0, 256, (9, 9, 3)).astype(np.uint8)
    assert metric(picture, picture) == 1.0
    assert metric(picture, np.zeros_like(picture)) < 1.0


def test_the_model():
    model = run("vlms/mine.py")["build"]("mine", None, None)
    assert isinstance(model, Model)
    request = Request(instance="a", scenario="latex", prompt="write", image=b"")
    assert "x^2" in model.complete(request).value.text


def test_the_scenario():
    scenario = run("scenarios/graph.py")["Graph"]()
    assert isinstance(scenario, Scenario)
    for answer in ("```dot\ndigraph { a -> b }\n```", scenario.blank()):
        assert isinstance(scenario.read(answer), Ok)


def test_the_source(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "equations").mkdir()
    (tmp_path / "equations" / "one.tex").write_text("x^2")
    source = run("sources/equations.py")["Equations"]()
    assert isinstance(source, Source)
    (material,) = source.collect()
    assert material.value.truth == "x^2"


@pytest.mark.parametrize("command", re.findall(r"^rerender (\w+)", README, re.MULTILINE))
def test_each_command_named_in_the_readme_exists(command):
    assert rerender(command, "--help").returncode == 0


def test_each_file_that_the_readme_links_to_exists():
    root = Path(__file__).resolve().parent.parent
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (root / link).exists()] == []
