"""`rerender up` with a real PostgreSQL under the Prefect server."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from benchmark.settings import Settings
from flows import station
from setup import postgresql
from tests.flows.test_station import PATIENCE, PROJECT, free_port, rerender
from tests.servers.postgres_server import PASSWORD, PostgresServer

RUN = """
import json
from prefect.deployments import run_deployment
request = {"sources": ["synthetic-mindmaps"], "limit": 1, "name": "one"}
run = run_deployment("refresh/refresh", parameters={"request": request}, timeout=300)
print(json.dumps([run.state.name, run.state.message]))
"""


@pytest.fixture
def database():
    programs = postgresql.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed (python3 -m setup postgresql installs it)")
    with PostgresServer(programs) as running:
        yield running


@pytest.mark.timeout(900)
def test_a_run_completes_on_postgresql(database, tmp_path):
    home, port = tmp_path / "prefect", free_port()
    environment = os.environ | {
        "RERENDER_PREFECT_HOME": str(home), "RERENDER_PREFECT_PORT": str(port),
        "RERENDER_PREFECT_DATABASE": database.address, "RERENDER_STORE": str(tmp_path / "store"),
    }  # fmt: skip
    settings = Settings(prefect_home=home, prefect_port=port)
    up = rerender(environment, "up", "--detach")
    try:
        assert up.returncode == 0, up.stderr
        found = station.find(settings)
        commands = [
            " ".join(process.cmdline())
            for member in found.members.values()
            for process in [psutil.Process(member.pid), *psutil.Process(member.pid).children(True)]
        ]
        ran = subprocess.run(
            [sys.executable, "-c", RUN], cwd=PROJECT, capture_output=True, text=True,
            env=environment | station.client_environment(settings, port), timeout=PATIENCE,
            check=False,
        )  # fmt: skip
    finally:
        down = rerender(environment, "down")
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert json.loads(ran.stdout.splitlines()[-1])[0] == "Completed"
    assert down.stdout.strip() == "down"
    rows = asyncio.run(database.ask("select state_name, name from flow_run"))
    assert [row["state_name"] for row in rows].count("Completed") == 1
    assert len(asyncio.run(database.ask("select name from deployment"))) == 5
    assert not list(home.rglob("*.db")), "nothing went to SQLite"
    secrets = (PASSWORD, database.address)
    told = [up.stdout, up.stderr, *commands, *map(Path.read_text, home.glob("*.log"))]
    assert not [text for text in told if any(secret in text for secret in secrets)]


def test_an_address_of_another_kind_is_refused_without_showing_it(tmp_path):
    environment = os.environ | {"RERENDER_PREFECT_DATABASE": "mysql://me:secret@host/db"}
    refused = rerender(environment, "status")
    assert refused.returncode == 2
    assert "RERENDER_PREFECT_DATABASE: it does not begin with postgresql+asyncpg://" in (
        refused.stderr
    )
    assert "secret" not in refused.stderr
