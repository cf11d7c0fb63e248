"""Fixtures of the model tests: one stand-in server, and no key of the real world."""

from __future__ import annotations

import pytest

from benchmark.records import Request
from benchmark.settings import Settings
from tests.contracts.model_contract import small_picture
from tests.servers.openai_server import OpenAIServer
from tests.vlms.stand_in import STAND_IN, Waits
from vlms.inspect_model import InspectModel
from vlms.patience import Patience

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


@pytest.fixture
def waits() -> Waits:
    return Waits()


@pytest.fixture
def ask(server, waits, request_):
    """Build a model, script the server, ask once."""

    def run(*behaviours, name=STAND_IN, base_url=None, retries=2, **settings):
        chosen = Settings(
            model_base_url=base_url or server.url, **{"model_timeout": 20, **settings}
        )
        model = InspectModel(name, chosen, Patience(retries=retries, sleep=waits))
        server.script(*behaviours)
        run.model = model
        return model.complete(request_)

    return run
