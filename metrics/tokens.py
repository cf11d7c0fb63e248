"""Token sequences of Donut and MindBench as JSON values, by the official rule.

A sequence writes a key's value between ``<s_KEY>`` and ``</s_KEY>`` and separates siblings by
``<sep/>``. The published scores depend on how broken sequences are read, so that rule is followed
here to the letter; reading answers leniently is the scenarios' matter, not that of a published
score.

The rule: take the first opening token; its value ends at the first closing token of the same key
(upper and lower case alike, even if that closer belongs to an inner key of the same name). An
opening token that is closed nowhere is taken away, wherever it stands. Text between tokens outside
a value is skipped. A value that holds a further pair of tokens is read in the same way, any other
is a list of texts. Reading goes on behind the closing token; ``<sep/>`` there starts the next
sibling.
"""

from __future__ import annotations

import re
from typing import Any

SEPARATOR = "<sep/>"
END_OF_MAP = "</s_node-0></s_map>"
MISSING_END = "</s_node-1></s_node-0></s_map>"
UNREAD_KEY = "text_sequence"
DEEPEST = 200
"""Levels of nesting that are read; deeper ones make a sequence unreadable."""

_OPENING_START = re.compile(r"<s_", re.IGNORECASE)


class TooDeep(ValueError):
    """A sequence nests deeper than ``DEEPEST`` levels."""


def read_tokens(sequence: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read a token sequence.

    Returns:
        An object; a list of objects where ``<sep/>`` stands on the outermost level; or, where
        nothing could be read, ``{"text_sequence": what was left}`` (see ``unreadable``).
    """
    try:
        siblings, last, rest = _siblings(sequence, 0)
    except TooDeep:
        return {UNREAD_KEY: sequence}
    if siblings:
        return [*siblings, last] if last else siblings
    return last or {UNREAD_KEY: rest}


def read_map(answer: str) -> Any:  # noqa: ANN401 - any JSON value
    """Read a predicted mind map as MindBench's evaluation does.

    White space control characters become spaces, an answer that does not end as a map must is
    closed (once, by a fixed string), and branches without any text are taken off the root node.
    """
    text = clean(answer)
    if not text.endswith(END_OF_MAP):
        text += MISSING_END
    value = read_tokens(text)
    inner = value.get("map") if isinstance(value, dict) else None
    if isinstance(inner, dict) and "node-0" in inner:
        return {**value, "map": {**inner, "node-0": _without_empty(inner["node-0"])}}
    return value


def unreadable(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Tell whether ``read_tokens`` found no pair of tokens at all."""
    return isinstance(value, dict) and set(value) == {UNREAD_KEY}


def clean(text: str) -> str:
    """Return text with line breaks and tabs as single spaces, without outer white space."""
    return re.sub(r"\r\n|[\n\r\t]", " ", text).strip()


def _siblings(tokens: str, depth: int) -> tuple[list[dict[str, Any]], dict[str, Any], str]:
    """Return the siblings that ended at a separator, the last one, and the text left over."""
    if depth > DEEPEST:
        raise TooDeep
    siblings: list[dict[str, Any]] = []
    current: dict[str, Any] = {}
    while (opening := _opening(tokens)) is not None:
        start, end = opening
        key = tokens[start + 3 : end - 1]
        closer = re.compile(f"</s_{re.escape(key)}>", re.IGNORECASE)
        closing = closer.search(tokens)
        if closing is None:
            tokens = tokens.replace(tokens[start:end], "")
            continue
        value_end = closer.search(tokens, end)
        if value_end is not None:
            _put(current, key, tokens[end : value_end.start()].strip(), depth)
        # From the first closing token on, even where that stands before the opening one.
        tokens = tokens[closing.end() :].strip()
        if tokens.startswith(SEPARATOR):
            siblings.append(current)
            current = {}
            tokens = tokens[len(SEPARATOR) :]
    return siblings, current, tokens


def _opening(tokens: str) -> tuple[int, int] | None:
    """Return where the first ``<s_KEY>`` starts and ends; a key holds no line break."""
    start = _OPENING_START.search(tokens)
    while start is not None:
        end = tokens.find(">", start.end())
        if end < 0:
            return None
        line_break = tokens.find("\n", start.end(), end)
        if line_break < 0:
            return start.start(), end + 1
        start = _OPENING_START.search(tokens, line_break)
    return None


def _put(target: dict[str, Any], key: str, content: str, depth: int) -> None:
    if "<s_" in content and "</s_" in content:
        siblings, last, _ = _siblings(content, depth + 1)
        values: list[Any] = [*siblings, last] if last else siblings
        if not values:
            return
    else:
        values = [_leaf(leaf.strip()) for leaf in content.split(SEPARATOR)]
    target[key] = values[0] if len(values) == 1 else values


def _leaf(text: str) -> str:
    """Return a leaf's text; ``<name/>`` is a category and stands for its name."""
    category = len(text) >= 3 and text.startswith("<") and text.endswith("/>")
    return text[1:-2] if category else text


def _without_empty(value: Any) -> Any:  # noqa: ANN401
    """Return a node without branches below it that hold no text."""
    if not isinstance(value, dict):
        return value
    kept = dict(value)
    for key, below in value.items():
        if not key.startswith("node-"):
            continue
        if isinstance(below, str):
            # The official evaluation stops at a branch that is a bare text, and keeps what it
            # would have taken off this node.
            return {**value, **kept}
        full = [branch for branch in _listed(below) if not _is_empty(branch)]
        if not full:
            del kept[key]
        elif isinstance(below, list):
            kept[key] = [_without_empty(branch) for branch in full]
        else:
            kept[key] = _without_empty(below)
    return kept


def _is_empty(value: Any) -> bool:  # noqa: ANN401
    if not isinstance(value, dict):
        return bool(value == "")
    if value.get("text", "") != "":
        return False
    branches = (value[key] for key in value if key.startswith("node-"))
    return all(_is_empty(branch) for below in branches for branch in _listed(below))


def _listed(value: Any) -> list[Any]:  # noqa: ANN401
    return value if isinstance(value, list) else [value]
