"""The examples in docstrings and in docs/metrics-trees.md give what they say."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "metrics-trees.md"


@pytest.mark.parametrize("module", ["answers", "tree", "extraction", "winrate"])
def test_docstrings(module: str) -> None:
    results = doctest.testmod(importlib.import_module(f"metrics.{module}"))
    assert results.attempted > 0
    assert results.failed == 0


def test_documentation() -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    text = "\n".join("" if line.startswith("```") else line for line in lines)
    test = doctest.DocTestParser().get_doctest(text, {}, DOCUMENT.name, str(DOCUMENT), 0)
    results = doctest.DocTestRunner().run(test)
    assert results.attempted > 8
    assert results.failed == 0
