"""What a flow run has chosen holds for its retries, and for no other run."""

import pytest
from prefect import flow

from benchmark.store import Store
from flows.attempts import same
from tests.flows.test_cycle import retried

pytestmark = pytest.mark.usefixtures("prefect")


@flow(persist_result=False)
def chooses(location: str, newest: str) -> str:
    return same(Store(location), "snapshot", lambda: newest)


def test_a_retry_takes_what_the_first_attempt_took(tmp_path):
    first = chooses(str(tmp_path), "monday", return_state=True)
    again = retried(first, {"location": str(tmp_path), "newest": "tuesday"}, chooses)
    assert (first.result(), again.result()) == ("monday", "monday")
    assert chooses(str(tmp_path), "wednesday") == "wednesday"


def test_outside_of_a_flow_nothing_is_noted(tmp_path):
    assert same(Store(str(tmp_path)), "snapshot", lambda: "monday") == "monday"
    assert not list(tmp_path.iterdir())
