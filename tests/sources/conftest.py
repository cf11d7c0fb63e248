"""Fixtures of the tests of the client: a stand-in of a site, and a client that asks it."""

import pytest

from tests.servers import site as stand_ins
from tests.sources.http_fixtures import client_for


@pytest.fixture
def site():
    with stand_ins.serving() as served:
        yield served


@pytest.fixture
def client(site, tmp_path):
    with client_for(site, tmp_path) as client:
        yield client
