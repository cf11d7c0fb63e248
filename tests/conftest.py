"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import SHARED


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden values and real files beside the checkout; skipped where absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of shared test data is not beside the checkout ({SHARED})")
    return SHARED
