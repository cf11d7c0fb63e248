"""A provider's reply read as a completion, or as the fault that it hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmark.outcome import Kind
from benchmark.records import Completion, Usage
from vlms.faults import Fault
from vlms.wire import Reply

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessageAssistant, ModelUsage

FINISH = {"max_tokens": "length", "model_length": "length", "content_filter": "content_filter"}
NO_CONTENT = "(no content)"
"""What inspect_ai writes where a provider gave an answer without content."""
FALLBACK_NOTE = "the answer was empty; it was read from the reasoning (reasoning_fallback)"


def read(reply: Reply, *, reasoning_fallback: bool) -> Completion | Fault:
    """Return the completion of a reply; a reply without an answer is a fault.

    An answer that was cut off but has text is a completion with finish_reason "length": what can
    still be read from it is for the scenario to decide.
    """
    if not reply.output.choices:
        return Fault(Kind.NO_ANSWER, "the provider's answer holds no choices", again=True)
    choice = reply.output.choices[0]
    text, reasoning, refusal = _parts(choice.message)
    finish = FINISH.get(choice.stop_reason, "stop")
    if reply.call is not None and reply.call.error:
        return _rejected(finish, text)
    if refusal or finish == "content_filter":
        why = text or "content_filter"
        return Fault(Kind.REFUSED, f"the model refused: {why}", detail=reasoning)
    notes: tuple[str, ...] = ()
    if not text.strip():
        if finish == "length" or not reasoning or not reasoning_fallback:
            return _without_text(finish, reasoning, reply)
        text, notes = reasoning, (FALLBACK_NOTE,)
    return Completion(
        text=text,
        reasoning=reasoning,
        finish_reason=finish,
        usage=_usage(reply.output.usage),
        model=reply.output.model,
        notes=notes,
    )


def _rejected(finish: str, text: str) -> Fault:
    """Return the fault of a request that inspect_ai turned from an error into an answer."""
    if finish == "content_filter":
        return Fault(Kind.REFUSED, f"the provider refused the request: {text}")
    return Fault(Kind.UNSUPPORTED, f"the request does not fit the model's context: {text}")


def _without_text(finish: str, reasoning: str, reply: Reply) -> Fault:
    spent = _usage(reply.output.usage)
    tokens = f"{spent.output_tokens} output tokens, {spent.reasoning_tokens} of them reasoning"
    if finish == "length":
        message = f"all tokens were spent before an answer began ({tokens})"
        return Fault(Kind.TRUNCATED, message, detail=reasoning)
    if reasoning:
        message = "the answer is empty; there is only reasoning (see RERENDER_REASONING_FALLBACK)"
        return Fault(Kind.NO_ANSWER, message, detail=reasoning)
    return Fault(Kind.NO_ANSWER, "the model answered with nothing", again=True)


def _parts(message: ChatMessageAssistant) -> tuple[str, str, bool]:
    """Return text, reasoning and whether the text is a refusal."""
    if isinstance(message.content, str):
        content = message.content
        return ("" if content == NO_CONTENT else content), "", False
    texts, thoughts, refusal = [], [], False
    for part in message.content:
        if part.type == "text":
            texts.append("" if part.text == NO_CONTENT else part.text)
            refusal = refusal or bool(part.refusal)
        elif part.type == "reasoning":
            thoughts.append((part.summary or "") if part.redacted else part.reasoning)
    return "\n".join(filter(None, texts)), "\n".join(filter(None, thoughts)), refusal


def _usage(usage: ModelUsage | None) -> Usage:
    """Return the tokens as billed: what was read from or written to a cache counts as input."""
    if usage is None:
        return Usage()
    cached = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
    return Usage(
        input_tokens=usage.input_tokens + cached,
        output_tokens=usage.output_tokens,
        reasoning_tokens=usage.reasoning_tokens or 0,
    )


def unsent(reply: Reply, wanted: set[str]) -> list[str]:
    """Return which parameters the provider's library left out of the request, if that is known."""
    request = reply.call.request if reply.call is not None else {}
    if "messages" not in request and "input" not in request:
        return []
    return sorted(name for name in wanted if name not in request)
