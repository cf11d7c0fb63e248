"""Sandboxes of the tests: a pool for each module, and one renderer of web pages for all."""

from __future__ import annotations

import pytest

from benchmark.outcome import Ok
from renderers import sandbox
from renderers.hardening import owner
from renderers.sandbox import Limits, Pool
from tests.engine import containers, eventually
from tests.renderers.sandboxes import IMAGE
from tests.renderers.web_sites import QuickRenderer
from tests.roads import HurriedWeb


@pytest.fixture(scope="module")
def pool():
    found = sandbox.image_digest(IMAGE)
    assert isinstance(found, Ok), found  # make test builds the images first
    with Pool(IMAGE, limits=Limits(seconds=60)) as pool:
        yield pool
    eventually(lambda: not containers(owner(), IMAGE))


@pytest.fixture(scope="package")
def web():
    """A browser starts slowly, so that modules share these and leave them alive.

    Tests that kill browsers start their own.
    """
    with QuickRenderer(workers=2) as renderer:
        yield renderer


@pytest.fixture(scope="package")
def hurried_web():
    """As above, for pages that never end."""
    with HurriedWeb(workers=1) as renderer:
        yield renderer
