"""The Perspective API: scores of comments by a service, asked besides the local check.

Only when a key is set (``RERENDER_PERSPECTIVE_KEY``): the text then leaves this machine. The
service takes at most 20,480 bytes of plain text at once and about one request a second; it knows
some twenty languages and refuses others, which is no verdict. Its own check and the local one must
both pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.http import Claim, Client, Site

SITE = Site(name="perspective", hosts=frozenset({"commentanalyzer.googleapis.com"}), interval=1.0)
"""One request a second is what a new key may ask."""
ADDRESS = "https://commentanalyzer.googleapis.com/v1alpha1/comments:analyze"
MOST_BYTES = 20_000
"""Of one text; the service's own bound is 20,480."""
MOST_REQUESTS = 20
"""For one material; what comes after 400 KB is not asked about."""

BOUNDS: Mapping[str, float] = {"TOXICITY": 0.5, "SEXUALLY_EXPLICIT": 0.3}
"""Attributes that are asked for, and Image2Struct's bounds for them."""

NO_VERDICT = frozenset(
    {"LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE", "LANGUAGE_DETECTION_FAILED", "COMMENT_EMPTY"}
)
"""What the service cannot judge."""


class Posts(Protocol):
    """Sends JSON to an address; returns status and JSON of an answer (200, 400).

    Failures are those of the network, a refused key (FORBIDDEN or UNAUTHORIZED), and a quota for
    which waiting takes too long.
    """

    def __call__(
        self, url: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Outcome[tuple[int, Any]]:
        """Post, with the retries of the client."""


def posting(client: Client) -> Posts:
    """Return what sends JSON through the one client of all sites."""

    def post(
        url: str, body: Mapping[str, Any], headers: Mapping[str, str]
    ) -> Outcome[tuple[int, Any]]:
        outcome = client.post(
            SITE,
            url,
            content=json.dumps(body).encode(),
            content_type="application/json",
            headers=headers,
            claims=(Claim.JSON,),
            most=1_000_000,
            accept=(400,),
        )
        if isinstance(outcome, Failed):
            return outcome
        try:
            return ok((outcome.value.status, json.loads(outcome.value.body)))
        except (ValueError, RecursionError):
            return ok((outcome.value.status, None))

    return post


@dataclass(frozen=True)
class Verdict:
    """The worst score of each attribute, 0 to 1; none where the service cannot judge."""

    scores: Mapping[str, float]

    def above(self, bounds: Mapping[str, float]) -> tuple[str, float, float] | None:
        """Return the first attribute above its bound, with score and bound."""
        for attribute, most in bounds.items():
            if self.scores.get(attribute, 0.0) > most:
                return attribute, self.scores[attribute], most
        return None


@dataclass(frozen=True)
class Perspective:
    """Asks the service for the scores of texts.

    Attributes:
        key: sent in a header, never in the address, which is logged and kept.
        post: how JSON is sent.
    """

    key: str
    post: Posts

    def judge(self, text: str) -> Outcome[Verdict]:
        """Return the worst scores of a text.

        Returns:
            A verdict; or UNAUTHORIZED (the key is refused), RATE_LIMITED (the quota is used up),
            PROVIDER_ERROR (another answer than is known), or what the network says: all ours, so
            that the next run asks again.
        """
        worst: dict[str, float] = {}
        for part in pieces(text):
            outcome = self._ask(part)
            if isinstance(outcome, Failed):
                return outcome
            for attribute, score in outcome.value.items():
                worst[attribute] = max(score, worst.get(attribute, 0.0))
        return ok(Verdict(worst))

    def _ask(self, text: str) -> Outcome[dict[str, float]]:
        body = {
            "comment": {"text": text, "type": "PLAIN_TEXT"},
            "requestedAttributes": {attribute: {} for attribute in BOUNDS},
            "doNotStore": True,
        }
        outcome = self.post(ADDRESS, body, {"X-Goog-Api-Key": self.key})
        if isinstance(outcome, Failed):
            return _ours(outcome)
        status, answer = outcome.value
        if status == 200:
            return _scores(answer)
        return _refusal(status, answer)


def pieces(text: str) -> Iterator[str]:
    """Yield a text in parts that the service takes, cut between words where there are any."""
    start = 0
    for _ in range(MOST_REQUESTS):
        part = text[start : start + MOST_BYTES]
        part = part.encode("utf-8", "replace")[:MOST_BYTES].decode("utf-8", "ignore")
        if start + len(part) < len(text) and (cut := part.rfind(" ")) > 0:
            part = part[: cut + 1]
        if not part:
            return
        start += len(part)
        if part.strip():
            yield part


def _scores(answer: Any) -> Outcome[dict[str, float]]:  # noqa: ANN401 - foreign JSON
    try:
        scores = {
            attribute: float(answer["attributeScores"][attribute]["summaryScore"]["value"])
            for attribute in BOUNDS
        }
    except (KeyError, TypeError, ValueError, OverflowError):
        return _failed(Kind.PROVIDER_ERROR, "an answer without the scores that were asked for")
    if not all(0 <= score <= 1 for score in scores.values()):  # nor NaN, which is above no bound
        return _failed(Kind.PROVIDER_ERROR, "scores that are not between 0 and 1")
    return ok(scores)


def _refusal(status: int, answer: Any) -> Outcome[dict[str, float]]:  # noqa: ANN401 - foreign JSON
    error = answer.get("error") if isinstance(answer, dict) else None
    error = error if isinstance(error, dict) else {}
    details = error.get("details")
    details = details if isinstance(details, list) else []
    named = {str(item.get("errorType")) for item in details if isinstance(item, dict)}
    reasons = named | {str(item.get("reason")) for item in details if isinstance(item, dict)}
    said = str(error.get("message") or f"status {status}")
    if status == 400 and named & NO_VERDICT:
        return ok({})
    if "API_KEY_INVALID" in reasons:
        return _failed(Kind.UNAUTHORIZED, f"RERENDER_PERSPECTIVE_KEY is refused: {said}")
    return _failed(Kind.PROVIDER_ERROR, said)


def _ours(failure: Failed) -> Failed:
    """Return a failure to ask the service as what it is: no fault of the material."""
    if failure.kind in (Kind.FORBIDDEN, Kind.UNAUTHORIZED):
        return _failed(Kind.UNAUTHORIZED, f"RERENDER_PERSPECTIVE_KEY is refused: {failure.message}")
    if failure.final:
        return _failed(Kind.PROVIDER_ERROR, failure.message)
    return failure


def _failed(kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.FILTER, kind, f"Perspective API: {message}", subject=ADDRESS)
