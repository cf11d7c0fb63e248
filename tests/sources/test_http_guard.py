"""No private addresses, and no way around the check."""

from __future__ import annotations

import socket

import httpcore
import httpx
import pytest

from benchmark.outcome import Blame, Failed, Kind
from benchmark.settings import Settings
from sources.http import Client
from sources.http_guard import Backend, PrivateAddress, Transport, is_public
from tests.sources.http_fixtures import SITE, Counted, StoppedClock

PUBLIC = "93.184.216.34"
PRIVATE = [
    "127.0.0.1",
    "127.9.9.9",
    "0.0.0.0",  # noqa: S104
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "64:ff9b::7f00:1",
    "64:ff9b:1::1",
    "2002:7f00:1::",
    "2001::1",
    "2001:db8::1",
    "3fff::1",
    "fc00::1",
    "fd12::1",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
    "not an address",
]


class Recorded(httpcore.MockBackend):
    """Connections that answer from a script and note where they were opened to."""

    def __init__(self, *, refusing=()):
        body = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        super().__init__([body])
        self.opened, self.named, self.sent, self.refusing = [], [], [], refusing

    def connect_tcp(self, host, port, timeout=None, local_address=None, socket_options=None):
        self.opened.append((host, port))
        if host in self.refusing:
            raise httpcore.ConnectError("refused")
        stream = super().connect_tcp(host, port, timeout, local_address, socket_options)
        plain_tls, plain_write = stream.start_tls, stream.write

        def start_tls(ssl_context, server_hostname=None, timeout=None):
            self.named.append(server_hostname)
            assert ssl_context.check_hostname
            return plain_tls(ssl_context, server_hostname, timeout)

        def write(buffer, timeout=None):
            self.sent.append(buffer)
            plain_write(buffer, timeout)

        stream.start_tls, stream.write = start_tls, write
        return stream


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_that_is_not_of_the_open_internet_is_not_public(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "140.82.112.3", "2606:50c0:8000::153"])
def test_an_address_of_the_open_internet_is_public(address):
    assert is_public(address)


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "::ffff:10.0.0.1"])
def test_a_name_that_leads_to_a_private_address_is_not_asked(tmp_path, address):
    asked = []

    def resolver(host, port):
        asked.append((host, port))
        return [address]

    with Client(
        Settings(http_cache=tmp_path), clock=StoppedClock(), pace=Counted(), resolver=resolver
    ) as client:
        outcome = client.get(SITE, "https://shop.example/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.FORBIDDEN
    assert outcome.blame is Blame.MATERIAL, "one such line of a list does not stop a refresh"
    assert "no public address" in outcome.message
    assert asked == [("shop.example", 443)], "and not tried again"


def test_a_name_that_nobody_knows_is_looked_up_again(tmp_path):
    asked, clock = [], StoppedClock()

    def resolver(host, port):
        asked.append(host)
        raise socket.gaierror(-2, "Name or service not known")

    with Client(
        Settings(http_cache=tmp_path), clock=clock, pace=Counted(), resolver=resolver
    ) as client:
        outcome = client.get(SITE, "https://shop.example/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.NETWORK
    assert len(asked) == 5
    assert clock.slept == [1, 2, 4, 8]


def test_the_connection_goes_to_the_address_that_was_checked_under_the_real_name():
    lookups = iter([[PUBLIC], ["127.0.0.1"]])  # another answer to whoever asks again
    plain = Recorded()
    backend = Backend(lambda host, port: next(lookups), frozenset(), plain)
    with httpx.Client(transport=Transport(backend), trust_env=False) as client:
        assert client.get("https://shop.example/a").content == b"ok"
    assert plain.opened == [(PUBLIC, 443)]
    assert plain.named == ["shop.example"]
    assert b"Host: shop.example\r\n" in b"".join(plain.sent)
    assert next(lookups) == ["127.0.0.1"]


def test_private_ones_among_the_addresses_are_left_out_and_the_others_tried_in_turn():
    plain = Recorded(refusing=["2606:50c0:8000::153"])
    found = ["10.0.0.1", "2606:50c0:8000::153", PUBLIC]
    backend = Backend(lambda host, port: found, frozenset(), plain)
    with httpx.Client(transport=Transport(backend), trust_env=False) as client:
        assert client.get("https://shop.example/a").content == b"ok"
    assert plain.opened == [("2606:50c0:8000::153", 443), (PUBLIC, 443)]


def test_only_the_mirror_itself_is_exempt_from_the_check():
    plain = Recorded()
    backend = Backend(lambda host, port: [host], {("127.0.0.1", 8080)}, plain)
    with httpx.Client(transport=Transport(backend), trust_env=False) as client:
        assert client.get("http://127.0.0.1:8080/a").content == b"ok"
        for url in ("http://127.0.0.1:8081/a", "http://127.0.0.1/a", "https://127.0.0.1/"):
            with pytest.raises(PrivateAddress):
                client.get(url)
    assert plain.opened == [("127.0.0.1", 8080)]


def test_a_proxy_of_the_environment_is_not_asked(tmp_path, monkeypatch):
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    asked = []

    def resolver(host, port):
        asked.append(host)
        return ["10.0.0.1"]

    with Client(
        Settings(http_cache=tmp_path), clock=StoppedClock(), pace=Counted(), resolver=resolver
    ) as client:
        outcome = client.get(SITE, "https://shop.example/a")
    assert isinstance(outcome, Failed)
    assert asked == ["shop.example"]
