"""The pace of sites through a real Prefect server."""

import contextvars
import logging
import threading
import time

from flows import pace
from sources import http_pace
from sources.http_pace import Turns
from sources.http_site import Site


def limit_of(site):
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        return client.read_global_concurrency_limit_by_name(pace.limit_name(site))


def ensure(site):
    from prefect.client.orchestration import get_client

    with get_client(sync_client=True) as client:
        pace.ensure_limit(client, site)


def set_limit(site, **changes):
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.actions import GlobalConcurrencyLimitUpdate

    with get_client(sync_client=True) as client:
        change = GlobalConcurrencyLimitUpdate(**changes)
        client.update_global_concurrency_limit(pace.limit_name(site), change)


def test_processes_that_know_only_the_server_take_turns(prefect):
    site = Site("turns", frozenset({"turns.example"}), 0.5)
    starts = []

    def ask():
        with pace.ServerPace(Turns()).turn(site):  # its own turns, as another process has
            starts.append(time.monotonic())

    threads = [
        threading.Thread(target=contextvars.copy_context().run, args=(ask,)) for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(starts) == 3
    assert max(starts) - min(starts) > 0.5, "two intervals, with room for the server's clock"
    assert limit_of(site).limit == 1
    assert limit_of(site).slot_decay_per_second == 2.0


def test_a_limit_that_somebody_made_slower_is_left_alone_and_a_faster_one_is_not(prefect):
    site = Site("slower", frozenset({"slower.example"}), 0.5)
    ensure(site)
    set_limit(site, slot_decay_per_second=0.1)
    ensure(site)
    assert limit_of(site).slot_decay_per_second == 0.1
    set_limit(site, slot_decay_per_second=50.0, limit=7)
    ensure(site)
    assert (limit_of(site).slot_decay_per_second, limit_of(site).limit) == (2.0, 1)


def test_a_flow_shares_the_pace_where_a_server_is_configured(prefect):
    before = http_pace.current()
    with pace.shared():
        assert isinstance(http_pace.current(), pace.ServerPace)
    assert http_pace.current() is before


def test_without_a_server_the_pace_is_that_of_the_process(monkeypatch):
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings(restore_defaults={PREFECT_API_URL}), pace.shared():
        assert isinstance(http_pace.current(), Turns)


def test_a_server_that_went_away_is_said_once_and_the_process_keeps_its_pace(caplog):
    from prefect.settings import PREFECT_API_URL, PREFECT_CLIENT_MAX_RETRIES, temporary_settings

    site = Site("away", frozenset({"away.example"}), 0.01)
    nobody = {PREFECT_API_URL: "http://127.0.0.1:9/api", PREFECT_CLIENT_MAX_RETRIES: 0}
    turns = pace.ServerPace(Turns())
    with temporary_settings(nobody), caplog.at_level(logging.WARNING, logger="flows.pace"):
        for _ in range(2):
            with turns.turn(site):
                pass
    ours = [record.message for record in caplog.records if record.name == "flows.pace"]
    assert len(ours) == 1
    assert "gives no turns for away" in ours[0]
