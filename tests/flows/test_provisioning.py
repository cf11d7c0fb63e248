"""What a Prefect server is told besides deployments: said again, it stays as it is."""

import pytest
from pydantic import SecretStr

from benchmark.settings import Settings
from flows.provisioning import FAILED, FLOWS, REFRESHED, ZOMBIES, notifications, provision


@pytest.fixture
def client(prefect):
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        yield client


def automations(client):
    found = {name: client.read_automations_by_name(name) for name in (ZOMBIES, FAILED, REFRESHED)}
    return {name: [one.id for one in each] for name, each in found.items()}


def test_what_is_as_it_should_be_is_left_alone(client):
    """An automation that is made anew has forgotten which runs it had heard of."""
    settings = Settings(webhook="http://127.0.0.1:9/hook")
    provision(settings)
    made = automations(client)
    assert [len(each) for each in made.values()] == [1, 1, 1]
    client.pause_automation(made[FAILED][0])
    provision(settings)
    assert automations(client) == made
    assert not client.read_automation(made[FAILED][0]).enabled, "somebody has switched it off"


def test_one_that_differs_is_made_anew(client, monkeypatch):
    provision(Settings())
    made = automations(client)
    monkeypatch.setattr("flows.provisioning.GONE", "its process is gone")
    provision(Settings())
    (fresh,) = automations(client)[ZOMBIES]
    assert fresh != made[ZOMBIES][0]
    (action,) = client.read_automation(fresh).actions
    assert action.message == "its process is gone"


def test_only_our_runs_are_told_of(client):
    """A server may know the flows of others too."""
    for told in notifications(SecretStr("http://127.0.0.1:9/hook")):
        related = told.trigger.match_related
        assert related["prefect.resource.role"] == ["flow"]
        assert set(related["prefect.resource.name"]) <= set(FLOWS)
