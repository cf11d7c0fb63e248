"""One Prefect server for all tests of flows that need one: it takes ten seconds to start."""

from __future__ import annotations

import pytest

from flows.console import quieten_prefect


@pytest.fixture(scope="package")
def prefect():
    """Lead flows of this process to a server of the tests' own; return its address.

    Tests share its database, so they look for what is theirs by name or by time.
    """
    quieten_prefect(debug=False)
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=180):
        yield PREFECT_API_URL.value()
