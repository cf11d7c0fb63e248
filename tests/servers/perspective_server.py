"""A stand-in of the Perspective API on loopback: its answers, its states, its errors."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.servers.site import Answer, Asked, StandIn, json_answer, serving

HOST = "commentanalyzer.googleapis.com"
PATH = "/v1alpha1/comments:analyze"
KEY = "a-good-key"


def scores(toxicity: float, explicit: float) -> dict[str, Any]:
    """Return the answer of the service with two scores."""

    def attribute(value: float) -> dict[str, Any]:
        score = {"value": value, "type": "PROBABILITY"}
        return {"spanScores": [{"begin": 0, "end": 5, "score": score}], "summaryScore": score}

    return {
        "attributeScores": {
            "TOXICITY": attribute(toxicity),
            "SEXUALLY_EXPLICIT": attribute(explicit),
        },
        "languages": ["en"],
        "detectedLanguages": ["en"],
    }


def refusal(code: int, status: str, message: str, **detail: Any) -> dict[str, Any]:
    """Return the answer of the service when it gives no scores."""
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", **detail}] if detail else []
    return {"error": {"code": code, "message": message, "status": status, "details": details}}


UNKNOWN_LANGUAGE = refusal(
    400,
    "INVALID_ARGUMENT",
    "Attribute TOXICITY does not support request languages: la",
    errorType="LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE",
    languageNotSupportedByAttributeError={"detectedLanguages": ["la"], "attribute": "TOXICITY"},
)
BAD_KEY = refusal(
    400,
    "INVALID_ARGUMENT",
    "API key not valid. Please pass a valid API key.",
    reason="API_KEY_INVALID",
)
NOT_ENABLED = refusal(
    403, "PERMISSION_DENIED", "Perspective Comment Analyzer API has not been used in this project"
)
QUOTA = refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded for quota metric 'Analyze requests'")


def by_words(asked: Asked) -> Answer:
    """Answer by simple words: "wicked" is toxic, Latin is a language that it does not know."""
    if asked.headers.get("x-goog-api-key") != KEY:
        return json_answer(BAD_KEY, 400)
    text = json.loads(asked.body)["comment"]["text"]
    if "gloria" in text.lower():
        return json_answer(UNKNOWN_LANGUAGE, 400)
    return json_answer(scores(0.9 if "wicked" in text else 0.05, 0.01))


@contextmanager
def serving_perspective(script: Answer | Callable[[Asked], Answer] = by_words) -> Iterator[StandIn]:
    """Serve the API; set ``RERENDER_MIRRORS`` to its address for ``HOST``."""
    with serving() as site:
        site.on(PATH, script, method="POST")
        yield site
