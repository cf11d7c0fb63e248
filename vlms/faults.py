"""What went wrong with one request, read from the exceptions of a dozen provider libraries.

The libraries share no base class, but they share HTTP: a status, headers and a JSON object that
describes the error. Only what carries none of these is told apart by the name of its class.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import re
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmark.outcome import Kind

PARAMETERS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "seed": "seed",
    "response_format": "response_format",
    "json_schema": "response_format",
    "text.format": "response_format",
    "output_format": "response_format",
    "output_config": "response_format",
    "response_json_schema": "response_format",
    "structured output": "response_format",
}
"""What we send and some models do not accept: as providers call it, and as we do."""

NAMED_STATUS = {"rate_limit_exceeded": 429, "server_error": 500, "insufficient_quota": 402}
"""Codes of errors that come inside a stream or a Responses object, without a status."""
QUOTA_CODES = {"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}
REFUSAL_CODES = {"content_filter", "content_policy_violation", "invalid_prompt"}
QUOTA = re.compile(r"credit balance|current quota|insufficient (funds|credits|balance)", re.I)
KEY = re.compile(r"api[ _-]?key.{0,40}(not valid|invalid|incorrect|expired|missing)", re.I)
REJECTED = re.compile(
    r"unsupported|not supported|does ?n[o']t support|deprecated|unrecognized|unknown|not permitted"
    r"|not allowed|extra inputs|not accepted",
    re.I,
)
CONTEXT = re.compile(r"context (length|window|limit)|prompt is too long|maximum.{0,20}tokens", re.I)
IMAGE = re.compile(
    r"(image|picture|file|payload|request|body|dimension)"
    r".{0,80}(too large|too big|exceed|larger than|max\w* (allowed )?size|size limit|at most)",
    re.I | re.S,
)
OFFLINE = ("Connect", "ReadError", "WriteError", "ProtocolError", "ServerDisconnected")


class BadBody(Exception):
    """An answer with status 200 that is none; `body` is the error object that it holds, if any."""

    def __init__(
        self,
        message: str,
        body: Any = None,  # noqa: ANN401 - any JSON value
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """Say what came instead of an answer."""
        super().__init__(message)
        self.body = body
        self.headers = headers or {}


@dataclass(frozen=True)
class Fault:
    """Why one request gave no completion, and whether to ask again."""

    kind: Kind
    message: str
    again: bool = False
    wait: float | None = None
    """Seconds that the provider asks us to wait."""
    parameter: str = ""
    """The parameter that the model does not accept; asking again without it may work."""
    lasting: bool = False
    """Whether every other instance would only meet the same (no key, no money)."""
    detail: str = ""


def classify(error: BaseException, now: dt.datetime | None = None) -> Fault:
    """Return the fault that an exception of a provider's library means.

    Args:
        error: what the library raised or returned; its causes are looked at too.
        now: the time that a Retry-After date is compared with (UTC); the clock's if None.
    """
    chain = list(_causes(error))
    for link in chain:
        if isinstance(link, BadBody):
            return _bad_body(link, now)
    for link in chain:
        status = _status(link)
        if status is not None:
            return by_status(status, _body(link), _headers(link), str(link), now)
    if any(isinstance(link, TimeoutError) or "Timeout" in type(link).__name__ for link in chain):
        return Fault(Kind.PROVIDER_TIMEOUT, "the provider did not answer in time", again=True)
    if any(isinstance(link, OSError) or _offline(link) for link in chain):
        return Fault(Kind.NETWORK, f"no connection to the provider: {_last_words(chain)}", True)
    if any(isinstance(link, json.JSONDecodeError | UnicodeDecodeError) for link in chain):
        return Fault(Kind.PROVIDER_ERROR, "the provider's answer is not valid JSON", again=True)
    message = f"the provider's library failed: {type(error).__name__}: {error}"
    detail = "".join(traceback.format_exception(error))
    return Fault(Kind.PROVIDER_ERROR, message, detail=detail)


def by_status(
    status: int,
    body: Any,  # noqa: ANN401 - any JSON value
    headers: Mapping[str, str],
    text: str,
    now: dt.datetime | None = None,
) -> Fault:
    """Return the fault that an HTTP status with its body means."""
    described = error_object(body)
    message = str(described.get("message") or text)
    codes = {str(described.get(field)) for field in ("code", "type", "status")}
    wait = retry_after(headers, now) or _google_delay(described)
    said = f"{message} (status {status})"
    if status == 402 or codes & QUOTA_CODES or (QUOTA.search(message) and wait is None):
        return Fault(Kind.QUOTA, f"the provider's quota is used up: {said}", lasting=True)
    if status == 429:
        return Fault(Kind.RATE_LIMITED, f"rate limit: {said}", again=True, wait=wait)
    if status in {401, 403} or KEY.search(message):
        message = f"the provider does not accept the key: {said}"
        return Fault(Kind.UNAUTHORIZED, message, lasting=status != 403)
    if status in {400, 404, 405, 413, 415, 422}:
        return _bad_request(status, described, codes, message, said)
    again = status >= 500 or status in {408, 409, 425}
    return Fault(Kind.PROVIDER_ERROR, f"the provider failed: {said}", again=again, wait=wait)


def _bad_request(
    status: int, described: dict[str, Any], codes: set[str], message: str, said: str
) -> Fault:
    parameter = _parameter(described, message)
    if parameter:
        return Fault(Kind.PROVIDER_ERROR, f"not accepted: {said}", parameter=parameter)
    if codes & REFUSAL_CODES:
        return Fault(Kind.REFUSED, f"the provider refused the request: {said}")
    if "context_length_exceeded" in codes or (CONTEXT.search(message) and status != 404):
        return Fault(Kind.UNSUPPORTED, f"the request does not fit the model's context: {said}")
    if status == 413 or (status in {400, 422} and IMAGE.search(message)):
        return Fault(Kind.IMAGE_TOO_LARGE, f"the provider finds the image too large: {said}")
    return Fault(Kind.PROVIDER_ERROR, f"the provider rejected the request: {said}")


def _parameter(described: dict[str, Any], message: str) -> str:
    """Return which of our parameters a model says it does not accept, or ''."""
    named = str(described.get("param") or "")
    code = str(described.get("code") or "")
    if named in PARAMETERS and (code.startswith("unsupported") or REJECTED.search(message)):
        return PARAMETERS[named]
    if not REJECTED.search(message):
        return ""
    said = message.lower()
    found = [(said.find(name), name) for name in PARAMETERS if name in said]
    return PARAMETERS[min(found)[1]] if found else ""


def retry_after(headers: Mapping[str, str], now: dt.datetime | None = None) -> float | None:
    """Return the seconds that a response asks to wait, from seconds or an HTTP date, or None."""
    fields = {name.lower(): value for name, value in headers.items()}
    try:
        if "retry-after-ms" in fields:
            return max(0.0, float(fields["retry-after-ms"]) / 1000)
        return max(0.0, float(fields["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _until(fields.get("retry-after", ""), now)


def _until(date: str, now: dt.datetime | None) -> float | None:
    try:
        moment = email.utils.parsedate_to_datetime(date)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - (now or dt.datetime.now(dt.UTC))).total_seconds())


def _google_delay(described: dict[str, Any]) -> float | None:
    """Return the delay of a google.rpc.RetryInfo (``"retryDelay": "34s"``), or None."""
    details = described.get("details")
    for item in details if isinstance(details, list) else []:
        delay = item.get("retryDelay") if isinstance(item, dict) else None
        if isinstance(delay, str) and re.fullmatch(r"\d+(\.\d+)?s", delay):
            return float(delay[:-1])
    return None


def error_object(body: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    """Return the object that describes an error, whether or not it is wrapped in "error"."""
    if isinstance(body, list) and body:
        body = body[0]
    if not isinstance(body, dict):
        return {"message": body} if isinstance(body, str) else {}
    inner = body.get("error")
    if isinstance(inner, dict):
        return inner
    return {**body, "message": inner} if isinstance(inner, str) else body


def _bad_body(error: BadBody, now: dt.datetime | None) -> Fault:
    described = error_object(error.body)
    code = described.get("code", described.get("status"))
    if isinstance(code, str) and code.isdigit():
        code = int(code)
    if isinstance(code, int) and 400 <= code < 600:
        return by_status(code, error.body, error.headers, str(error), now)
    words = f"{code} {described.get('type')}".lower()
    if "rate" in words and "limit" in words:
        return by_status(429, error.body, error.headers, str(error), now)
    if QUOTA_CODES & set(words.split()):
        return by_status(402, error.body, error.headers, str(error), now)
    return Fault(Kind.PROVIDER_ERROR, str(error), again=True)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield link
        link = link.__cause__ or link.__context__


def _status(error: BaseException) -> int | None:
    for name in ("status_code", "code"):
        value = getattr(error, name, None)
        if isinstance(value, int) and 400 <= value < 600:
            return value
        if isinstance(value, str) and value in NAMED_STATUS:
            return NAMED_STATUS[value]
    return None


def _body(error: BaseException) -> Any:  # noqa: ANN401 - any JSON value
    return getattr(error, "body", None) or getattr(error, "details", None)


def _headers(error: BaseException) -> Mapping[str, str]:
    headers = getattr(getattr(error, "response", None), "headers", None)
    return headers if isinstance(headers, Mapping) else {}


def _offline(error: BaseException) -> bool:
    return any(part in type(error).__name__ for part in OFFLINE)


def _last_words(chain: list[BaseException]) -> str:
    return str(chain[-1]) or type(chain[-1]).__name__
