"""Fixtures that every test may use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden values and real files beside the checkout; skipped where absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of shared test data is not beside the checkout ({SHARED})")
    return SHARED


def hard_cases(area: str) -> list[dict]:
    """Return the hard cases of one area for parametrisation ([] where shared data is absent)."""
    path = SHARED / "cases" / "cases.jsonl"
    if not path.is_file():
        return []
    cases = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [case for case in cases if case["area"] == area]


def case_params(area: str) -> list:
    """Return pytest params named by case id; one skipped param with a reason if data is absent."""
    cases = hard_cases(area)
    if not cases:
        mark = pytest.mark.skip(reason=f"no shared/cases/cases.jsonl beside the checkout ({area})")
        return [pytest.param({}, marks=mark, id=f"{area}-cases-absent")]
    return [pytest.param(case, id=case["id"]) for case in cases]
