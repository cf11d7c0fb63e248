"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cases import SHARED

settings.register_profile("same", derandomize=True)
settings.register_profile("explore")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""Properties draw the same examples each time, so that a change is what makes a test fail;
``HYPOTHESIS_PROFILE=explore`` looks for new ones."""


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden values and real files beside the checkout; skipped where absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of shared test data is not beside the checkout ({SHARED})")
    return SHARED
