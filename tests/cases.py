"""The hard cases of the shared test data, by area and by name; skipped where that is absent."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"
GENERATING = 120
"""Seconds that the generator of an input may take."""


@cache
def _all_cases() -> dict[str, dict]:
    path = SHARED / "cases" / "cases.jsonl"
    if not path.is_file():
        return {}
    cases = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return {case["id"]: case for case in cases}


def hard_cases(area: str) -> list[dict]:
    """Return the hard cases of one area for parametrisation ([] where shared data is absent)."""
    return [case for case in _all_cases().values() if case["area"] == area]


def case_params(area: str) -> list:
    """Return pytest params named by case id; one skipped param with a reason if data is absent."""
    cases = hard_cases(area)
    if not cases:
        mark = pytest.mark.skip(reason=f"no shared/cases/cases.jsonl beside the checkout ({area})")
        return [pytest.param({}, marks=mark, id=f"{area}-cases-absent")]
    return [pytest.param(case, id=case["id"]) for case in cases]


def hard_case(identifier: str) -> dict:
    """Return one hard case, or skip the test where shared data is absent."""
    if identifier not in _all_cases():
        pytest.skip("no shared/cases/cases.jsonl beside the checkout")
    return _all_cases()[identifier]


def case_input(identifier: str, folder: Path | None = None) -> str:
    """Return the text of a hard case; one that is generated needs a folder to be written to."""
    return input_text(hard_case(identifier), folder)


def input_text(case: dict, folder: Path | None) -> str:
    """Return the text of a case that is at hand."""
    if case["input_kind"] != "python_gen":
        return case["input"]
    assert folder is not None, f"{case['id']} is generated"
    return input_file(case, folder).read_text(encoding="utf-8")


def input_file(case: dict, folder: Path) -> Path:
    """Write the input of a case to a file of a folder; a generator is run for it."""
    path = folder / "input"
    if case["input_kind"] == "python_gen":
        _generate(case, folder, path)
    else:
        path.write_text(case["input"], encoding="utf-8")
    return path


def input_pair(case: dict, folder: Path) -> tuple[Path, Path]:
    """Run the generator of a pair of pictures: the prediction and the reference."""
    first, second = folder / "prediction.png", folder / "reference.png"
    _generate(case, folder, first, second)
    return first, second


def _generate(case: dict, folder: Path, *paths: Path) -> None:
    command = [sys.executable, "-c", case["input"], *map(str, paths)]
    subprocess.run(command, check=True, cwd=folder, timeout=GENERATING)
