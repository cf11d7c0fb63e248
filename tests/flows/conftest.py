"""One Prefect server for all tests of flows that need one: it takes ten seconds to start."""

from __future__ import annotations

import pytest

from benchmark.settings import Settings
from flows import slots
from flows.console import quieten_prefect
from tests.flows import toy


@pytest.fixture(scope="package")
def prefect():
    """Lead flows of this process to a server of the tests' own; return its address.

    It has the limits that `rerender provision` makes, those of the toy renderer among them.
    Tests share its database, so they look for what is theirs by name or by time.
    """
    quieten_prefect(debug=False)
    from prefect.client.orchestration import get_client
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    toy.register()
    with prefect_test_harness(server_startup_timeout=180):
        with get_client(sync_client=True) as client:
            slots.ensure(client, slots.wanted(Settings()))
        yield PREFECT_API_URL.value()
