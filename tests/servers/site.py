"""A toolkit for loopback stand-ins of sites: scripted answers, odd bodies, a record of questions.

::

    with serving() as site:
        site.on("/api", json_answer({"items": []}))
        site.on("/file", Answer(429, headers={"Retry-After": "0"}), Answer(body=b"at last"))
        monkeypatch.setenv("RERENDER_MIRRORS", json.dumps({"api.example.org": site.address}))
        ...
        assert site.count("/api") == 1

Answers of one path are given in turn, the last one again and again. An answer may be a function of
the question, for sites that page or search. A path that nobody scripted is 404.
"""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

PIECE = 1 << 16
GONE_AWAY = (ConnectionError, ssl.SSLError)


@dataclass(frozen=True)
class Asked:
    """A question as it came in."""

    method: str
    path: str
    """Decoded, without the query."""
    query: Mapping[str, str]
    """Parameters by name (the last of several)."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = b""
    target: str = ""
    """Path and query as sent."""


@dataclass(frozen=True)
class Answer:
    """An answer: status, body, headers, and how it is sent."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: tuple[str, ...] = ()
    """Values of Set-Cookie headers."""
    announced: int | None = None
    """Content-Length, where it is not that of the body."""
    repeated: int = 1
    """How often the body is sent (huge bodies that take no memory)."""
    chunked: bool = False
    """Sent in chunks, without a Content-Length."""
    broken: bool = False
    """The connection ends before the body does."""
    piece: int = PIECE
    pause: float = 0.0
    """Seconds between two pieces of so many bytes."""


Script = Answer | Callable[[Asked], Answer]


def json_answer(value: Any, status: int = 200, **headers: str) -> Answer:
    """Answer with JSON; header names are given with _ for -."""
    return typed(json.dumps(value).encode(), "application/json", status, **headers)


def html(text: str, status: int = 200, **headers: str) -> Answer:
    """Answer with a page."""
    return typed(text.encode(), "text/html; charset=utf-8", status, **headers)


def xml(text: str, status: int = 200, **headers: str) -> Answer:
    """Answer with XML (Atom, OAI)."""
    return typed(text.encode(), "application/xml; charset=utf-8", status, **headers)


def typed(body: bytes, content_type: str, status: int = 200, **headers: str) -> Answer:
    """Answer with a body of a type."""
    named = {name.replace("_", "-").title(): value for name, value in headers.items()}
    return Answer(status, body, {"Content-Type": content_type, **named})


def redirect(location: str, *cookies: str, status: int = 302) -> Answer:
    """Send elsewhere, setting cookies on the way (``name=value; Path=/``)."""
    return Answer(status, headers={"Location": location}, cookies=cookies)


def slow(body: bytes, pause: float, piece: int = 1) -> Answer:
    """Send a body in pieces with pauses between them."""
    return Answer(body=body, piece=piece, pause=pause)


def huge(size: int, *, announced: bool = True) -> Answer:
    """Send very many zeros, with or without saying so before."""
    block = bytes(PIECE)
    return Answer(body=block, repeated=-(-size // PIECE), chunked=not announced)


def truncated(answer: Answer, *, by: int = 10) -> Answer:
    """Announce more bytes than come, or break off a chunked body."""
    return replace(answer, announced=len(answer.body) + by, broken=True)


def gzipped(answer: Answer, encoding: str = "gzip") -> Answer:
    """Encode a body for the way."""
    headers = {**answer.headers, "Content-Encoding": encoding}
    return replace(answer, body=gzip.compress(answer.body, mtime=0), headers=headers)


class StandIn:
    """A site on loopback: what it answers, and what it was asked."""

    def __init__(self, address: str) -> None:
        self.address = address
        """``http://127.0.0.1:<port>``, for RERENDER_MIRRORS."""
        self.asked: list[Asked] = []
        self._lock = threading.Lock()
        self._paths: dict[tuple[str, str], list[Script]] = {}
        self._prefixes: dict[tuple[str, str], list[Script]] = {}

    def on(self, path: str, *scripts: Script, method: str = "GET") -> None:
        """Script the answers of a path, in place of earlier ones."""
        with self._lock:
            self._paths[method, path] = list(scripts)

    def under(self, prefix: str, *scripts: Script, method: str = "GET") -> None:
        """Script the answers of all paths that begin so and have none of their own."""
        with self._lock:
            self._prefixes[method, prefix] = list(scripts)

    def count(self, path: str, method: str = "GET") -> int:
        """Return how often a path was asked for."""
        return len(self.of(path, method))

    def of(self, path: str, method: str = "GET") -> list[Asked]:
        """Return the questions for a path."""
        return [asked for asked in self.asked if (asked.method, asked.path) == (method, path)]

    def forget(self) -> None:
        """Empty the record."""
        with self._lock:
            self.asked.clear()

    def answer(self, asked: Asked) -> Answer:
        """Record a question and return what is scripted for it."""
        with self._lock:
            self.asked.append(asked)
            script = self._next(asked)
        return script if isinstance(script, Answer) else script(asked)

    def _next(self, asked: Asked) -> Script:
        scripts = self._paths.get((asked.method, asked.path)) or self._longest_prefix(asked)
        if not scripts:
            return json_answer({"message": "Not Found"}, 404)
        return scripts.pop(0) if len(scripts) > 1 else scripts[0]

    def _longest_prefix(self, asked: Asked) -> list[Script]:
        fitting = [
            (len(prefix), scripts)
            for (method, prefix), scripts in self._prefixes.items()
            if method == asked.method and asked.path.startswith(prefix)
        ]
        return max(fitting, key=lambda one: one[0])[1] if fitting else []


@contextmanager
def serving(tls: ssl.SSLContext | None = None) -> Iterator[StandIn]:
    """Serve a site until the end of the block; an error in a script is raised there.

    Args:
        tls: of the server's certificate, for https; nearly all tests do without.
    """
    server = _Server(tls)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server.site
    finally:
        server.stop()
        thread.join()
    if server.errors:
        raise server.errors[0]


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # waited for in server_close

    def __init__(self, tls: ssl.SSLContext | None) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.site = StandIn(f"http{'s' if tls else ''}://127.0.0.1:{self.server_port}")
        if tls is not None:
            self.socket = tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.stopping = threading.Event()
        self.errors: list[BaseException] = []
        self.open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self.errors.append(error)

    def stop(self) -> None:
        self.stopping.set()
        self.shutdown()
        for connection in list(self.open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def finish(self) -> None:
        with suppress(*GONE_AWAY):
            super().finish()

    def handle(self) -> None:
        with suppress(*GONE_AWAY):
            super().handle()

    def log_message(self, *args: object) -> None:
        pass

    def _reply(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        asked = Asked(
            method=self.command,
            path=unquote(parts.path),
            query=dict(parse_qsl(parts.query, keep_blank_values=True)),
            headers={name.lower(): value for name, value in self.headers.items()},
            body=self.rfile.read(length),
            target=self.path,
        )
        answer = self.server.site.answer(asked)
        with suppress(*GONE_AWAY):
            self._send(answer)

    def do_GET(self) -> None:
        self._reply()

    def do_HEAD(self) -> None:
        self._reply()

    def do_POST(self) -> None:
        self._reply()

    def do_PUT(self) -> None:
        self._reply()

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        for cookie in answer.cookies:
            self.send_header("Set-Cookie", cookie)
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif answer.status not in {204, 304}:
            size = len(answer.body) * answer.repeated
            self.send_header("Content-Length", str(answer.announced or size))
        self.end_headers()
        if self.command != "HEAD":
            self._send_body(answer)
        if answer.broken:
            self.close_connection = True

    def _send_body(self, answer: Answer) -> None:
        for _ in range(answer.repeated):
            for start in range(0, len(answer.body), answer.piece):
                if start and answer.pause and self.server.stopping.wait(answer.pause):
                    return
                piece = answer.body[start : start + answer.piece]
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if answer.chunked else piece)
        if answer.chunked and not answer.broken:
            self.wfile.write(b"0\r\n\r\n")
