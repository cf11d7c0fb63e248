"""What a site's answer says about asking again: never, at once, or after how long."""

from __future__ import annotations

import datetime as dt
import email.utils
import json
import re
from collections.abc import Mapping

UNTOLD = 60.0
"""Seconds to wait, doubled each time, where a site says "too many" without saying how long."""
FIRST, LONGEST = 1.0, 30.0
"""Seconds of back-off after an answer that failed: doubled each time, up to the second."""
MESSAGE_BYTES = 64_000
LIMIT = re.compile(r"(?i)rate limit|abuse detection")


def back_off(attempt: int) -> float:
    """Return the seconds before trying again after attempt 0, 1, …: 1, 2, 4, … at most 30."""
    return min(FIRST * 2.0 ** min(attempt, 16), LONGEST)


def asked_wait(
    status: int, headers: Mapping[str, str], body: bytes, attempt: int, now: dt.datetime
) -> float | None:
    """Return how many seconds a site asks to wait, or None if its answer is no limit.

    A limit is 429; 403 with Retry-After, with ``x-ratelimit-remaining: 0``, or with a JSON message
    that names a rate limit (GitHub's two kinds); and 503 with Retry-After.

    Args:
        status: of the answer.
        headers: names in lower case.
        body: the beginning of the body.
        attempt: how often this was tried before.
        now: the time (UTC).
    """
    told = retry_after(headers.get("retry-after", ""), now)
    if status == 503 or (told is not None and status in {403, 429}):
        return told
    used_up = headers.get("x-ratelimit-remaining", "").strip() == "0"
    reset = headers.get("x-ratelimit-reset", "").strip()
    if status not in {403, 429} or not (status == 429 or used_up or _names_a_limit(body)):
        return None
    if used_up and re.fullmatch(r"[0-9]{1,10}", reset):
        return max(0.0, int(reset) - now.timestamp()) + 1.0
    return UNTOLD * 2.0 ** min(attempt, 16)


def retry_after(value: str, now: dt.datetime) -> float | None:
    """Read a Retry-After header: seconds, or a date. None if it is neither."""
    value = value.strip()
    if re.fullmatch(r"[0-9]{1,9}", value):
        return float(value)
    try:
        when = email.utils.parsedate_to_datetime(value)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=dt.UTC)
    return max(0.0, (when - now).total_seconds())


def _names_a_limit(body: bytes) -> bool:
    if not body.lstrip().startswith(b"{"):
        return False
    try:
        answer = json.loads(body[:MESSAGE_BYTES])
    except (ValueError, RecursionError):
        return False
    return LIMIT.search(str(answer.get("message", ""))) is not None
