"""The examples in docstrings and in the documents on metrics give what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    "module",
    ["answers", "tree", "extraction", "graph", "winrate", "judge", "judge_lexical", "judge_scale"],
)
def test_docstrings(module: str) -> None:
    results = doctest.testmod(importlib.import_module(f"metrics.{module}"))
    assert results.attempted > 0
    assert results.failed == 0


@pytest.mark.parametrize(("name", "least"), [("metrics-trees.md", 9), ("metrics-graphs.md", 4)])
def test_documentation(name: str, least: int) -> None:
    lines = (DOCS / name).read_text(encoding="utf-8").splitlines()
    text = "\n".join("" if line.startswith("```") else line for line in lines)
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted >= least
    assert results.failed == 0
