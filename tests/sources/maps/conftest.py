"""The mind-map sites on loopback, for every test that asks for them."""

from __future__ import annotations

import json

import pytest

from tests.servers.map_sites_server import map_sites


@pytest.fixture
def sites(tmp_path, monkeypatch):
    """Fresh sites with their usual content, asked in the place of the real ones."""
    with map_sites() as served:
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(served.mirrors))
        monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
        monkeypatch.setenv("RERENDER_HTTP_RETRIES", "0")
        yield served
