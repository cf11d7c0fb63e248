"""A loopback server with OpenAI's wire format (chat completions and responses), by script.

Each request takes the next behaviour of the script; the last one is repeated. A behaviour is a
function of the request, so it can look at what was sent, as the real service does.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

HANG_SECONDS = 30


@dataclass(frozen=True)
class Received:
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def parts(self) -> list[dict]:
        """The content parts of the first message (chat completions)."""
        return self.body["messages"][0]["content"]

    @property
    def image_url(self) -> str:
        """The picture as it was sent."""
        return next(part["image_url"]["url"] for part in self.parts if part["type"] == "image_url")


@dataclass(frozen=True)
class Response:
    """What goes back: bytes as they are; status 0 closes the connection without a word."""

    status: int
    body: bytes
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    hang: bool = False


Behaviour = Callable[[Received], Response]


def json_reply(status: int, body: Any, headers: dict[str, str] | None = None) -> Behaviour:
    """Answer with a JSON body."""
    fields = {"content-type": "application/json", **(headers or {})}
    return lambda received: Response(status, json.dumps(body).encode(), fields)


def raw_reply(status: int, body: str, content_type: str) -> Behaviour:
    """Answer with any body, HTML or broken JSON for instance."""
    return lambda received: Response(status, body.encode(), {"content-type": content_type})


def error(status: int, message: str, headers: dict[str, str] | None = None, **fields) -> Behaviour:
    """Answer with OpenAI's error object (fields: code, type, param)."""
    described = {"message": message, "type": None, "param": None, "code": None, **fields}
    return json_reply(status, {"error": described}, headers)


def answer(
    text: str | None = "an answer",
    finish: str = "stop",
    usage: tuple[int, int, int] = (11, 7, 0),
    **message,
) -> Behaviour:
    """Answer with a completion in the format of the path; usage: input, output, reasoning."""

    def behave(received: Received) -> Response:
        if received.path.endswith("/responses"):
            body = responses_body(text or "", finish, usage)
        else:
            body = chat_body({"content": text, **message}, finish, usage)
        return Response(200, json.dumps(body).encode())

    return behave


def chat_body(message: dict, finish: str, usage: tuple[int, int, int]) -> dict:
    """Return a chat completion."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": "stand-in-2026",
        "choices": [
            {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
        ],
        "usage": {
            "prompt_tokens": usage[0],
            "completion_tokens": usage[1],
            "total_tokens": usage[0] + usage[1],
            "completion_tokens_details": {"reasoning_tokens": usage[2]},
        },
    }


def responses_body(text: str, finish: str, usage: tuple[int, int, int]) -> dict:
    """Return an object of the Responses API."""
    cut = finish == "length"
    content = [{"type": "output_text", "text": text, "annotations": []}]
    message = {"type": "message", "id": "msg_1", "role": "assistant", "content": content}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1700000000,
        "model": "stand-in-2026",
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "output": [{**message, "status": "completed"}],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": usage[0],
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": usage[1],
            "output_tokens_details": {"reasoning_tokens": usage[2]},
            "total_tokens": usage[0] + usage[1],
        },
    }


def hang() -> Behaviour:
    """Say nothing until the server stops (30 s at most)."""
    return lambda received: Response(200, b"{}", hang=True)


def drop() -> Behaviour:
    """Close the connection without an answer."""
    return lambda received: Response(0, b"")


def reject_parameter(name: str, then: Behaviour, message: str = "", code: str = "") -> Behaviour:
    """Reject a request that has a parameter, as reasoning models do."""
    text = message or f"Unsupported parameter: '{name}' is not supported with this model."
    reject = error(
        400, text, param=name, code=code or "unsupported_parameter", type="invalid_request_error"
    )
    return lambda received: (reject if name in received.body else then)(received)


class OpenAIServer:
    """The server; a context manager. `url` is the base URL, `requests` what arrived so far."""

    def __init__(self) -> None:
        self.requests: list[Received] = []
        self._script: list[Behaviour] = [answer()]
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def script(self, *behaviours: Behaviour) -> None:
        """Set what happens from now on, and forget what arrived."""
        with self._lock:
            self._script = list(behaviours)
            self.requests.clear()

    def take(self, received: Received) -> Response:
        """Note a request and return what the script says."""
        with self._lock:
            self.requests.append(received)
            behave = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        response = behave(received)
        if response.hang:
            self._stopping.wait(HANG_SECONDS)
        return response

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stopping.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                data = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                received = Received(self.path, headers, json.loads(data or b"{}"))
                response = server.take(received)
                if response.status == 0 or response.hang:
                    self.close_connection = True
                    return
                self.send_response(response.status)
                for name, value in response.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(response.body)))
                self.end_headers()
                self.wfile.write(response.body)

            def log_message(self, *arguments: object) -> None:
                """Keep the test output clean."""

        return Handler
