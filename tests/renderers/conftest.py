"""Sandboxes that several modules share, because each start costs seconds.

They end with the last test of this folder. A test that kills containers or browsers starts its own.
"""

from __future__ import annotations

import pytest

from tests.renderers.web_sites import QuickRenderer


@pytest.fixture(scope="package")
def web():
    """One renderer of web pages for all; it replaces a browser that a page wears out."""
    with QuickRenderer(workers=2) as renderer:
        yield renderer
