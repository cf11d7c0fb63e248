"""Trees as token sequences, the form that MindBench trains and tests on.

Source: MindBench (arXiv 2407.02842, section 4.2), after Donut (arXiv 2111.15664): a key opens with
``<s_key>``, closes with ``</s_key>``, siblings are separated by ``<sep/>``. A map is written as
``<s_map><s_node-0><s_text>Root</s_text><s_node-1>…</s_node-1></s_node-0></s_map>``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from pydantic import JsonValue

from benchmark.limits import TREE_DEPTH
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.records import Flag
from scenarios.parsing import Json
from scenarios.trees import Node

TOKEN_DEPTH = 2 * TREE_DEPTH
BOX_KEY = "bbox"
"""The key of a node's box, where boxes are written too."""

_TOKEN = re.compile(r"<s_([^<>\n]{1,100})>|</s_([^<>\n]{1,100})>|(<sep\s?/>)")
_PARTIAL = re.compile(r"<(?:/?s?|/?s_[^<>\n]{0,100}|sep\s?/?|se)\Z")


def has_tokens(text: str) -> bool:
    """Whether a text is written as a token sequence, perhaps after a remark."""
    start = text.find("<s_")
    return start >= 0 and not any(sign in text[:start] for sign in "{[")


def to_tokens(tree: Node, boxes: Sequence[str] | None = None) -> str:
    """Return the token sequence of a tree; ``read_tokens`` and ``from_json`` give it back.

    Args:
        tree: the tree.
        boxes: a box for each node in walking order, as it is to be written behind the text.
    """
    remaining = iter(boxes or ())
    pieces: list[str] = ["<s_map><s_node-0>"]
    stack: list[tuple[int, Node] | str] = ["</s_node-0></s_map>", (0, tree)]
    while stack:
        top = stack.pop()
        if isinstance(top, str):
            pieces.append(top)
            continue
        depth, node = top
        pieces.append(f"<s_text>{_escape(node.text)}</s_text>")
        if boxes is not None:
            pieces.append(f"<s_{BOX_KEY}>{next(remaining)}</s_{BOX_KEY}>")
        if not node.children:
            continue
        pieces.append(f"<s_node-{depth + 1}>")
        stack.append(f"</s_node-{depth + 1}>")
        for number, child in enumerate(reversed(node.children)):
            if number:
                stack.append("<sep/>")
            stack.append((depth + 1, child))
    return "".join(pieces)


def _escape(text: str) -> str:
    """Escape what would be read back as something else; ``normalise_text`` decodes it."""
    if _TOKEN.search(text) or html.unescape(text) != text:
        return text.replace("&", "&amp;").replace("<", "&lt;")
    return text


class _Frame:
    """An open key: the values separated so far, and the value under construction."""

    __slots__ = ("fields", "key", "text", "values")

    def __init__(self, key: str) -> None:
        self.key = key
        self.values: list[JsonValue] = []
        self.fields: dict[str, JsonValue] = {}
        self.text: list[str] = []

    def separate(self) -> None:
        """End the value under construction."""
        text = "".join(self.text).strip()
        if self.fields:
            self.values.append(dict(self.fields))
        elif text:
            self.values.append(text)
        self.fields, self.text = {}, []

    def put(self, key: str, value: JsonValue) -> None:
        """Store a finished key; one that occurs again makes a list."""
        if key not in self.fields:
            self.fields[key] = value
            return
        known = self.fields[key]
        if not isinstance(known, list):
            known = self.fields[key] = [known]
        known.extend(value if isinstance(value, list) else [value])

    def finish(self) -> JsonValue:
        """Return what the key holds: one value, a list of several, or an empty text."""
        self.separate()
        if not self.values:
            return ""
        return self.values[0] if len(self.values) == 1 else self.values


def read_tokens(text: str) -> Outcome[Json]:
    """Read a token sequence as nested objects; each closing token matches the nearest open key.

    A sequence that ends early is closed and flagged ``truncated``; closing tokens without an
    opening one are passed over, keys that another closing token overtakes are closed, and both are
    flagged. Linear; never raises.

    Returns:
        The value, or a failure of stage parse and kind parse_error: no token at all, or nesting
        deeper than 128 keys.
    """
    stack = [_Frame("")]
    position, unmatched = 0, 0
    partial = _PARTIAL.search(text[-200:])
    end = len(text) - (len(partial[0]) if partial else 0)
    for token in _TOKEN.finditer(text, 0, end):
        stack[-1].text.append(text[position : token.start()])
        position = token.end()
        if token[1] is not None:
            stack.append(_Frame(token[1]))
        elif token[3] is not None:
            stack[-1].separate()
        else:
            unmatched += _close(stack, token[2])
        if len(stack) > TOKEN_DEPTH:
            return _failed(f"the token sequence is nested deeper than {TOKEN_DEPTH} keys")
    cut_off = len(stack) > 1
    if cut_off:
        stack[-1].text.append(text[position:end])
    while len(stack) > 1:
        _pop(stack)
    value = stack[0].finish()
    if not value or isinstance(value, str):
        return _failed("the answer holds no token sequence")
    return ok(Json(value=value, flags=_flags(cut_off=cut_off, unmatched=unmatched)))


def _close(stack: list[_Frame], key: str) -> int:
    """Close the nearest open key of that name; return how many tokens did not match."""
    for depth in range(len(stack) - 1, 0, -1):
        if stack[depth].key == key:
            overtaken = len(stack) - 1 - depth
            for _ in range(overtaken + 1):
                _pop(stack)
            return overtaken
    return 1


def _pop(stack: list[_Frame]) -> None:
    frame = stack.pop()
    stack[-1].put(frame.key, frame.finish())


def _flags(*, cut_off: bool, unmatched: int) -> tuple[Flag, ...]:
    flags = []
    if cut_off:
        message = "the token sequence was cut off; read as far as it goes"
        flags.append(Flag(kind=Kind.TRUNCATED, message=message))
    if unmatched:
        message = f"unmatched tokens: {unmatched} keys are not closed where they were opened"
        flags.append(Flag(kind=Kind.PARSE_ERROR, message=message))
    return tuple(flags)


def _failed(message: str) -> Failed:
    return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, message)
