"""Connections that go to public addresses only, and end in time.

A name is looked up once; what was found is checked, and the connection goes to that very address,
so that a name cannot be public when it is checked and private when it is used. The name itself
stays in the Host header and in the TLS handshake.
"""

from __future__ import annotations

import contextlib
import ipaddress
import socket
import ssl
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar
from typing import Any

import httpcore
import httpx

Resolver = Callable[[str, int], list[str]]
"""Returns the addresses of a host; raises OSError where there are none."""

UNICAST = ipaddress.IPv6Network("2000::/3")
UNWANTED: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = (
    ipaddress.IPv4Network("192.88.99.0/24"),  # relays into 6to4
    ipaddress.IPv6Network("2002::/16"),  # 6to4: carries an IPv4 address, private ones too
    ipaddress.IPv6Network("3fff::/20"),  # documentation
)

_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


class NotPublic(httpcore.ConnectError):
    """A host that has no public address."""


class PrivateAddress(httpx.ConnectError):
    """A host that has no public address, as the client sees it."""


class TooSlow(httpx.ReadTimeout):
    """A request that took longer than the time given to all of it."""


@contextlib.contextmanager
def ending(seconds: float) -> Iterator[None]:
    """Let reading and writing within end after so many seconds, however little comes at once.

    Raises:
        TooSlow: it was ended.
    """
    end = time.monotonic() + seconds
    token = _deadline.set(end)
    try:
        yield
    except httpx.TimeoutException as error:
        if time.monotonic() < end:
            raise
        raise TooSlow(f"the whole request took longer than {seconds:.0f} s") from error
    finally:
        _deadline.reset(token)


def is_public(address: str) -> bool:
    """Tell whether an IP address is one of the open internet.

    Loopback, private, link-local, shared (CGNAT), multicast, reserved and documentation addresses
    are not, nor those of IPv6 that carry an IPv4 address (mapped, 6to4, NAT64).
    """
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(ip, ipaddress.IPv6Address) and ip not in UNICAST:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in net for net in UNWANTED)


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses that the system's resolver knows, best first."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class Backend(httpcore.NetworkBackend):
    """Opens connections to checked addresses; mirrors are exempt."""

    def __init__(
        self,
        resolver: Resolver,
        exempt: Collection[tuple[str, int]],
        plain: httpcore.NetworkBackend | None = None,
    ) -> None:
        """Take the resolver, host and port of the mirrors, and what opens connections."""
        self._resolver = resolver
        self._exempt = exempt
        self._plain = plain or httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect to the first address of a host that answers."""
        last: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in self._addresses(host, port):
            try:
                stream = self._plain.connect_tcp(
                    address, port, _left(timeout), local_address, socket_options
                )
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
            else:
                return _Stream(stream)
        raise last

    def _addresses(self, host: str, port: int) -> list[str]:
        if (host, port) in self._exempt:
            return [host]
        try:
            found = self._resolver(host, port)
        except (OSError, UnicodeError) as error:
            raise httpcore.ConnectError(f"{host} cannot be looked up: {error}") from error
        public = [address for address in found if is_public(address)]
        if found and not public:
            raise NotPublic(f"{host} has no public address (but {found[0]})")
        return public


class _Stream(httpcore.NetworkStream):
    """A connection whose waits end at the deadline of the request."""

    def __init__(self, stream: httpcore.NetworkStream) -> None:
        self._stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, _left(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, _left(timeout))

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        return _Stream(self._stream.start_tls(ssl_context, server_hostname, _left(timeout)))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - as httpcore has it
        return self._stream.get_extra_info(info)


class Transport(httpx.BaseTransport):
    """httpx's way to the network, over guarded connections."""

    def __init__(self, backend: httpcore.NetworkBackend) -> None:
        """Open nothing yet."""
        self._pool = httpcore.ConnectionPool(
            ssl_context=httpx.create_ssl_context(),
            max_connections=32,
            max_keepalive_connections=8,
            keepalive_expiry=15.0,
            network_backend=backend,
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request and return the answer with its body still to come."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        sent = httpcore.Request(
            request.method,
            url,
            headers=request.headers.raw,
            content=request.read(),
            extensions=request.extensions,
        )
        with _as_httpx():
            answer = self._pool.handle_request(sent)
        return httpx.Response(
            answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )

    def close(self) -> None:
        """Close all connections."""
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        with _as_httpx():
            yield from self._answer.iter_stream()

    def close(self) -> None:
        with _as_httpx():
            self._answer.close()


@contextlib.contextmanager
def _as_httpx() -> Iterator[None]:
    try:
        yield
    except NotPublic as error:
        raise PrivateAddress(str(error)) from error
    except httpcore.TimeoutException as error:
        raise httpx.ReadTimeout(str(error) or "no answer in time") from error
    except httpcore.NetworkError as error:
        raise httpx.NetworkError(str(error)) from error
    except httpcore.ProtocolError as error:
        raise httpx.RemoteProtocolError(str(error)) from error


def _left(timeout: float | None) -> float | None:
    """Return a time-out that does not go past the deadline."""
    deadline = _deadline.get()
    if deadline is None:
        return timeout
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore.ReadTimeout("the whole request took too long")
    return left if timeout is None else min(timeout, left)
