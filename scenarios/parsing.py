"""How the text of a completion is read, before any notation is known.

Everything here takes arbitrary text, runs in linear time and never raises: what cannot be read is
a ``Failed`` of stage parse. Refusals are recognised by the model layer, not here.
"""

from __future__ import annotations

import re

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag, Record
from scenarios.fences import Block, find_blocks
from scenarios.json_reading import Json, read_json
from scenarios.reasoning import strip_reasoning
from scenarios.verdicts import read_verdict

__all__ = [
    "Extracted",
    "Json",
    "clean_text",
    "cut_off_flag",
    "degenerate_repetition",
    "extract",
    "extract_prose",
    "find_blocks",
    "read_json",
    "read_verdict",
    "strip_reasoning",
]

SNIPPET_SHARE = 0.5
"""A later block shorter than this share of the longest one is a snippet, not the answer."""

REPETITION_WINDOW = 20_000
REPETITION_CHARACTERS = 2_000
REPETITION_TIMES = 12

_CODE_SPAN = re.compile(r"\s*+`([^`\n]++)`\s*+")
_ANNOUNCEMENT = re.compile(
    r"(?:sure|okay|here|below|(?:the |my |final )?(?:answer|summary|description)|以下|答案|回答)"
    r"[^\n]{0,80}[:：]",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"(?:done|that is all|that's (?:all|it)|(?:i )?hope [^\n]{0,60}|let me know [^\n]{0,80}"
    r"|以上[^\n]{0,9})[.!。！]?",
    re.IGNORECASE,
)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Extracted(Record):
    """The part of a completion that holds the answer."""

    text: str
    language: str | None = None
    """Tag of the fence in lower case; None without a fence or without a tag."""
    fenced: bool = False
    repairs: tuple[str, ...] = ()
    flags: tuple[Flag, ...] = ()


def extract(
    text: str, languages: tuple[str, ...], *, truncated: bool = False
) -> Outcome[Extracted]:
    """Find the answer in a completion.

    Reasoning before the answer is dropped. Of several fenced blocks, those whose tag is one of
    `languages` are preferred, then those without a tag, then all others. Among the preferred ones
    the last that is at least half as long as the longest is the answer (models correct themselves
    further down, but may end with a short usage snippet); more than one is flagged. Without any
    fence the whole text is the answer.

    Args:
        text: the completion as the provider returned it.
        languages: fence tags of the notation wanted, in lower case.
        truncated: whether the provider cut the completion off at its token limit.

    Returns:
        The extracted text, or a failure of stage parse: ``no_answer`` (nothing there) or
        ``truncated`` (only reasoning, cut off before an answer, or a degenerate repetition up to
        the limit).
    """
    cleaned, repairs = clean_text(text)
    body = strip_reasoning(cleaned)
    if body is None:
        return _failed(Kind.TRUNCATED, "only reasoning: the completion ends before an answer")
    blocks = find_blocks(body)
    preferred = _prefer([block for block in blocks if block.text.strip()], languages)
    block = _choose(preferred)
    answer = _unquote(body) if block is None else block.text
    if (blocks and block is None) or not answer.strip():
        return _no_answer(truncated)
    whole = block is not None and block.closed
    if (truncated or block is not None) and not whole and degenerate_repetition(answer):
        return _failed(
            Kind.TRUNCATED, "degenerate_repetition: the answer repeats itself until it is cut off"
        )
    flags = [cut_off_flag()] if truncated and not whole else []
    if len(preferred) > 1:
        flags.append(_several(len(preferred)))
    if block is not None and not block.closed:
        repairs = (*repairs, "closing fence supplied")
    return ok(
        Extracted(
            text=answer.strip("\n"),
            language=(block.tag or None) if block else None,
            fenced=block is not None,
            repairs=repairs,
            flags=tuple(flags),
        )
    )


def extract_prose(
    text: str, languages: tuple[str, ...], *, truncated: bool = False
) -> Outcome[Extracted]:
    """Find the answer in a completion that answers in words.

    As ``extract``, but a fenced block is the answer only where nothing stands around it but an
    announcement ("Here it is:") and a courtesy ("Done."): in prose it is a quotation, and what is
    said stands beside it.
    """
    cleaned, repairs = clean_text(text)
    body = strip_reasoning(cleaned)
    if body is None or not body.strip() or _is_one_block(body):
        return extract(text, languages, truncated=truncated)
    if truncated and degenerate_repetition(body):
        return _failed(
            Kind.TRUNCATED, "degenerate_repetition: the answer repeats itself until it is cut off"
        )
    flags = (cut_off_flag(),) if truncated else ()
    return ok(Extracted(text=_unquote(body).strip("\n"), repairs=repairs, flags=flags))


def clean_text(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the text with line feeds only, no byte-order mark and no lone surrogates.

    The second value lists what was repaired; line ends and the byte-order mark are not counted.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if _LONE_SURROGATE.search(text):
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text, ("lone surrogates replaced",)
    return text, ()


def cut_off_flag() -> Flag:
    """Return the flag of an answer that was cut off but read as far as it goes."""
    return Flag(kind=Kind.TRUNCATED, message="the answer was cut off; read as far as it goes")


def degenerate_repetition(text: str) -> bool:
    """Whether a text ends in one passage repeated over and over.

    True when its last 2,000 characters or more consist of at least 12 copies of one passage (the
    last copy may be cut). Only the last 20,000 characters are looked at; linear (the failure
    function of Knuth, Morris and Pratt, 1977, on the reversed text).
    """
    tail = text.rstrip()[-REPETITION_WINDOW:][::-1]
    borders = [0] * len(tail)
    length = 0
    for end in range(1, len(tail)):
        while length and tail[end] != tail[length]:
            length = borders[length - 1]
        if tail[end] == tail[length]:
            length += 1
        borders[end] = length
        period = end + 1 - length
        if end + 1 >= max(REPETITION_CHARACTERS, REPETITION_TIMES * period):
            return True
    return False


def _is_one_block(body: str) -> bool:
    blocks = find_blocks(body)
    if len(blocks) != 1:
        return False
    before, after = body[: blocks[0].start].strip(), body[blocks[0].end :].strip()
    announced = not before or _ANNOUNCEMENT.fullmatch(before) is not None
    return announced and (not after or _COURTESY.fullmatch(after) is not None)


def _prefer(blocks: list[Block], languages: tuple[str, ...]) -> list[Block]:
    tagged = [block for block in blocks if block.tag in languages]
    return tagged or [block for block in blocks if not block.tag] or blocks


def _choose(blocks: list[Block]) -> Block | None:
    if not blocks:
        return None
    least = SNIPPET_SHARE * max(len(block.text) for block in blocks)
    return next(block for block in reversed(blocks) if len(block.text) >= least)


def _unquote(text: str) -> str:
    """Drop the backticks of an answer that is one inline code span."""
    span = _CODE_SPAN.fullmatch(text)
    return span[1] if span else text


def _several(count: int) -> Flag:
    return Flag(
        kind=Kind.PARSE_ERROR,
        message=f"multiple blocks: {count} code blocks; the last that is not a snippet was read",
    )


def _no_answer(truncated: bool) -> Failed:
    if truncated:
        return _failed(Kind.TRUNCATED, "the completion was cut off before an answer")
    return _failed(Kind.NO_ANSWER, "the completion holds no answer")


def _failed(kind: Kind, message: str) -> Failed:
    return Failed.of(Stage.PARSE, kind, message)
