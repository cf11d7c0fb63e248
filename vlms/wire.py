"""One request through inspect_ai, on one event loop that the whole process shares.

``ModelAPI.generate`` is used, not ``Model.generate``: retries, caching, transcripts and telemetry
are what the latter adds, and a benchmark needs its own of each (bounded retries that know whose
fault a failure is; a journal that never keeps a failure as an answer).
"""

from __future__ import annotations

import asyncio
import base64
import importlib
import json
import logging
import os
import threading
from collections.abc import Coroutine
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from vlms.faults import BadBody
from vlms.providers import Provider

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, GenerateConfig, Model, ModelCall, ModelOutput

T = TypeVar("T")

ANSWER_FIELDS = ("choices", "output", "content", "candidates")
EXCERPT = 300
FRAMING = ("content-length", "content-encoding", "transfer-encoding")


@dataclass(frozen=True)
class Message:
    """What is sent: a text, with a picture (PNG) or instructions of the system where there are."""

    text: str
    png: bytes | None = None
    system: str | None = None


@dataclass(frozen=True)
class Reply:
    """What came back, with the request as it went out (pictures left out)."""

    output: ModelOutput
    call: ModelCall | None


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Start the event loop of this process; its thread ends with the process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="vlms", daemon=True).start()
    return loop


_starting = threading.Lock()


def await_here(coroutine: Coroutine[Any, Any, T]) -> T | BaseException:
    """Run a coroutine on the shared loop and return its value, or what it raised as a value."""
    with _starting:
        loop = _loop()
    future = asyncio.run_coroutine_threadsafe(coroutine, loop)
    error = future.exception()
    return error if error is not None else future.result()


def connect(name: str, provider: Provider, base_url: str | None, timeout: float) -> Model:
    """Open inspect_ai's client of a model; nothing is sent.

    Raises:
        inspect_ai's PrerequisiteError: a key or a package is missing.
        ValueError: inspect_ai knows no such provider.
    """
    from inspect_ai.model import get_model

    logging.getLogger("inspect_ai").setLevel(logging.ERROR)  # what it drops is in our notes
    arguments: dict[str, Any] = {}
    if provider.client is not None:
        arguments = {"max_retries": 0, "http_client": _http_client(provider.client, timeout)}
    if base_url and name.startswith("openai/"):
        arguments["responses_api"] = False  # compatible servers have chat completions at least
    key = "none" if base_url and provider.any_endpoint and not _has_key(provider) else None
    return get_model(name, base_url=base_url, api_key=key, memoize=False, **arguments)


def _has_key(provider: Provider) -> bool:
    return any(os.environ.get(key) for key in provider.keys)


def _http_client(sdk: str, timeout: float) -> Any:  # noqa: ANN401 - httpx or httpx2, as the SDK has
    """Return the SDK's own HTTP client, with a look at each body before the SDK reads it."""
    base = importlib.import_module(sdk).DefaultAsyncHttpxClient

    class Checked(base):  # type: ignore[misc, valid-type]
        """The client, refusing bodies that only look like answers."""

        async def send(self, request: Any, **options: Any) -> Any:  # noqa: ANN401
            response = await super().send(request, **options)
            return response if options.get("stream") else checked(response)

    return Checked(timeout=timeout)


def checked(response: Any) -> Any:  # noqa: ANN401 - a response of httpx or httpx2
    """Return a response whose body is an answer, with the field "model" that some servers omit.

    The SDKs build an answer of any JSON object and fail later, far from the cause.

    Raises:
        BadBody: a status of 200 with an HTML page, broken JSON or an error object.
    """
    if response.status_code != 200:
        return response
    text = response.text
    if "html" in response.headers.get("content-type", ""):
        raise BadBody(f"the provider answered with an HTML page: {text[:EXCERPT]}")
    try:
        body = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadBody(f"the provider's answer is not valid JSON: {text[:EXCERPT]}") from error
    if not isinstance(body, dict):
        raise BadBody(f"the provider's answer is not a JSON object: {text[:EXCERPT]}")
    if body.get("error") and not any(body.get(name) for name in ANSWER_FIELDS):
        message = f"status 200 with an error object: {text[:EXCERPT]}"
        raise BadBody(message, body, dict(response.headers))
    if not any(name in body for name in ANSWER_FIELDS):
        raise BadBody(f"status 200 without an answer: {text[:EXCERPT]}")
    if body.get("model"):
        return response
    kept = {name: value for name, value in response.headers.items() if name not in FRAMING}
    content = json.dumps({**body, "model": ""}).encode()
    return type(response)(200, headers=kept, content=content, request=response.request)


async def ask(model: Model, message: Message, config: GenerateConfig, timeout: float) -> Reply:
    """Send one request.

    Raises:
        TimeoutError: no answer within `timeout` seconds.
        Exception: whatever the provider's library raises; see ``vlms.faults``.
    """
    async with asyncio.timeout(timeout):
        result = await model.api.generate(_messages(message), [], "none", config)
    output, call = result if isinstance(result, tuple) else (result, None)
    if isinstance(output, Exception):
        raise output
    return Reply(output, call)


def _messages(message: Message) -> list[ChatMessage]:
    """Return the messages of a request: the instructions, then the picture and the text."""
    from inspect_ai.model import (
        ChatMessageSystem,
        ChatMessageUser,
        Content,
        ContentImage,
        ContentText,
    )

    content: list[Content] = []
    if message.png is not None:
        encoded = base64.b64encode(message.png).decode()
        content.append(ContentImage(image=f"data:image/png;base64,{encoded}"))
    content.append(ContentText(text=message.text))
    said: list[ChatMessage] = [ChatMessageUser(content=content)]
    return said if message.system is None else [ChatMessageSystem(content=message.system), *said]
