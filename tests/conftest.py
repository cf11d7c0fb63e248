"""Fixtures that every test may use."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

from tests.cases import SHARED

settings.register_profile("same", derandomize=True)
settings.register_profile("explore")
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "same"))
"""Properties draw the same examples each time, so that a change is what makes a test fail;
``HYPOTHESIS_PROFILE=explore`` looks for new ones."""

HOME = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Keep Prefect's database apart: from the user's, and from that of tests beside these.

    Commands without a server start one on that database, and SQLite has one writer at a time.
    """
    config.stash[HOME] = tempfile.mkdtemp(prefix="rerender-prefect-")
    os.environ["PREFECT_HOME"] = config.stash[HOME]


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that database."""
    shutil.rmtree(config.stash[HOME], ignore_errors=True)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of golden values and real files beside the checkout; skipped where absent."""
    if not SHARED.is_dir():
        pytest.skip(f"the folder of shared test data is not beside the checkout ({SHARED})")
    return SHARED
