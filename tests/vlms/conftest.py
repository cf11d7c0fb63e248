"""Fixtures of the model tests: one stand-in server, and no key of the real world."""

from __future__ import annotations

import pytest

from benchmark.records import Request
from tests.contracts.model_contract import small_picture
from tests.servers.openai_server import OpenAIServer

KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY")


@pytest.fixture(scope="session")
def openai_server():
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def server(openai_server):
    openai_server.script(lambda received: pytest.fail("the test scripted no behaviour"))
    return openai_server


@pytest.fixture(autouse=True)
def _no_real_keys(monkeypatch):
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setenv("STAND_IN_API_KEY", "test-key")


@pytest.fixture
def request_() -> Request:
    return Request(
        instance="latex/1",
        scenario="latex",
        prompt="Write the LaTeX of this picture.",
        image=small_picture(),
    )
