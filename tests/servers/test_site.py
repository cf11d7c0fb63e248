"""The toolkit for stand-ins itself: what a test may rely on."""

from __future__ import annotations

import socket
import threading

import httpx
import pytest

from tests.servers import site as stand_ins
from tests.servers.site import Answer, json_answer


def test_scripts_come_in_turn_and_questions_are_recorded():
    with stand_ins.serving() as site, httpx.Client(trust_env=False) as client:
        site.on("/a", Answer(429), json_answer([1]))
        site.under("/b/", lambda asked: json_answer(asked.path))
        site.under("/b/special/", json_answer("longest"))
        statuses = [client.get(f"{site.address}/a?x=1").status_code for _ in range(3)]
        assert statuses == [429, 200, 200]
        assert client.get(f"{site.address}/b/c%20d").json() == "/b/c d"
        assert client.get(f"{site.address}/b/special/c").json() == "longest"
        assert client.get(f"{site.address}/c").status_code == 404
        assert client.post(f"{site.address}/a", content=b"x").status_code == 404
        assert (site.count("/a"), site.count("/a", "POST")) == (3, 1)
        assert site.of("/a")[0].query == {"x": "1"}


def test_a_mistake_in_a_script_fails_the_test():
    with pytest.raises(ZeroDivisionError), stand_ins.serving() as site:  # noqa: PT012
        site.on("/a", lambda asked: json_answer(1 / 0))
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.get(f"{site.address}/a", trust_env=False)


def test_no_thread_outlives_the_block_though_connections_are_open():
    before = threading.active_count()
    with stand_ins.serving() as site:
        site.on("/slow", stand_ins.slow(b"x" * 100, pause=30))
        port = int(site.address.rsplit(":", 1)[1])
        idle = socket.create_connection(("127.0.0.1", port))
        waiting = socket.create_connection(("127.0.0.1", port))
        waiting.sendall(b"GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")
        assert waiting.recv(1)
    assert threading.active_count() == before
    idle.close()
    waiting.close()
