"""What Prefect is given to keep of a run: names, counts and states, never a picture."""

import base64

import pytest

from benchmark.settings import Settings
from tests.flows import toy
from tests.flows.test_evaluate import evaluate, refresh

MOST_BYTES = 30_000
"""Of the descriptions of two flow runs and ten task runs, some 1,200 each."""


@pytest.fixture(scope="module", autouse=True)
def toys(prefect):
    toy.register()


def described(client, kind, known):
    found = client.request("POST", f"/{kind}/filter", json={"limit": 200}).json()
    return [each for each in found if each["id"] not in known]


def test_a_refresh_and_an_evaluation_leave_no_result_and_no_picture(tmp_path):
    from prefect.client.orchestration import get_client
    from prefect.settings import (
        PREFECT_LOCAL_STORAGE_PATH,
        PREFECT_RESULTS_PERSIST_BY_DEFAULT,
        temporary_settings,
    )

    settings = Settings(store=str(tmp_path / "store"), batch=5, workers=2)
    results = tmp_path / "results"
    kept = {PREFECT_RESULTS_PERSIST_BY_DEFAULT: True, PREFECT_LOCAL_STORAGE_PATH: results}
    with get_client(sync_client=True) as client:
        before = {each["id"] for each in described(client, "flow_runs", ())}
        with temporary_settings(kept):
            name, _ = refresh(settings)
            state, _, _ = evaluate(settings, name, models=("oracle",))
        assert state.is_completed()
        runs = described(client, "flow_runs", before)
        tasks = described(client, "task_runs", ())[-10:]  # those that the recorder has come to
    assert len(runs) == 2
    assert not results.exists(), "nothing is persisted, even where the shell asks for it"
    text = str(runs) + str(tasks)
    assert len(text) < MOST_BYTES
    magic = base64.b64encode(b"\x89PNG\r\n\x1a\n").decode()[:8]
    assert magic not in text
    assert "PNG" not in text
    assert all(each["parameters"]["request"] for each in runs)
