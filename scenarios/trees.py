"""Mind maps as trees: the model, the JSON forms that are read, the canonical text.

The canonical JSON form of a node is ``{"text": "…", "children": [node, …]}`` (``children`` is left
out for a leaf). Nothing here recurses: the depth of foreign trees is limited, not trusted.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from benchmark.limits import TREE_DEPTH, TREE_NODES
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok

_TEXT_KEYS = ("text", "title", "name", "label", "topic", "content", "value")
_CHILD_KEY = re.compile(
    r"children|child|nodes?|node[-_]\d+|topics|sub_?topics|sub_?nodes|items|branches|leaves",
    re.IGNORECASE,
)
_WRAPPER_KEY = re.compile(
    r"map|mind_?map|tree|root|root_?node|central_?topic|data|node|node[-_]0|result|answer",
    re.IGNORECASE,
)
_CJK = "\u2e80-\u303f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uffef"
_CJK_GAP = re.compile(rf"(?<=[{_CJK}]) (?=[{_CJK}])")
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff]")


@dataclass(frozen=True, slots=True)
class Node:
    """A node of a mind map with its children in order."""

    text: str
    children: tuple[Node, ...] = ()

    def walk(self) -> Iterator[tuple[int, Node]]:
        """Yield depth (0 for this node) and node, parents first, siblings in order."""
        stack = [(0, self)]
        while stack:
            depth, node = stack.pop()
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))


def normalise_text(text: str) -> str:
    """Return a label as it is compared and drawn.

    HTML entities are decoded once, Unicode is composed (NFC), invisible characters are removed,
    every run of white space becomes one space, and spaces between two CJK characters are removed
    (a line break of the picture leaves none there). Case, punctuation and markup stay.
    """
    text = unicodedata.normalize("NFC", html.unescape(text))
    text = " ".join(_INVISIBLE.sub("", text).split())
    return _CJK_GAP.sub("", text)


def to_json(tree: Node) -> dict[str, JsonValue]:
    """Return the canonical JSON form."""
    root: dict[str, JsonValue] = {"text": tree.text}
    stack = [(root, tree)]
    while stack:
        target, node = stack.pop()
        if node.children:
            children: list[dict[str, JsonValue]] = [{"text": one.text} for one in node.children]
            target["children"] = list(children)
            stack.extend(zip(children, node.children, strict=True))
    return root


def to_outline(tree: Node) -> str:
    """Return the canonical text: one line for each node, indented by two spaces a level."""
    return "\n".join("  " * depth + node.text for depth, node in tree.walk())


class _Draft:
    """A node under construction."""

    __slots__ = ("children", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.children: list[_Draft] = []

    def freeze(self) -> Node:
        """Build the node, children before parents; empty leaves are dropped."""
        order: list[_Draft] = []
        stack = [self]
        while stack:
            draft = stack.pop()
            order.append(draft)
            stack.extend(draft.children)
        done: dict[int, Node] = {}
        for draft in reversed(order):
            children = (done[id(child)] for child in draft.children)
            kept = tuple(child for child in children if child.text or child.children)
            done[id(draft)] = Node(normalise_text(draft.text), kept)
        return done[id(self)]


def from_levels(levels: list[tuple[int, str]]) -> Outcome[Node]:
    """Build a tree from lines in order, each with its level (any integers; deeper is larger).

    Several nodes of the outermost level are joined under a root without text.
    """
    top = _Draft("")
    stack = [(-(10**9), top)]
    for count, (level, text) in enumerate(levels, start=1):
        while stack[-1][0] >= level:
            stack.pop()
        draft = _Draft(text)
        stack[-1][1].children.append(draft)
        stack.append((level, draft))
        fault = _limit_fault(len(stack) - 1, count)
        if fault:
            return fault
    return _finish(top)


def from_json(value: JsonValue) -> Outcome[Node]:
    """Read a tree from the JSON forms that models write.

    Read are: objects with a text (``text``, ``title``, ``name``, ``label``, ``topic``, …) and
    children (``children``, ``nodes``, ``node-1``, ``subtopics``, …; an array, one object or one
    text); texts and numbers as leaves; wrappers around the root (``{"map": …}``); objects whose
    keys are the labels. Several roots are joined under a root without text.

    Returns:
        The tree, or a failure of stage parse: parse_error (no label in it, or deeper than 64
        levels), resource_limit (more than 1,000 nodes).
    """
    top = _Draft("")
    stack: list[tuple[int, JsonValue, _Draft]] = [(0, _unwrap(value), top)]
    count = 0
    while stack:
        depth, item, parent = stack.pop()
        if isinstance(item, list):
            stack.extend((depth, one, parent) for one in reversed(item))
            continue
        for draft, children in _read_item(item):
            parent.children.append(draft)
            count += 1
            fault = _limit_fault(depth + 1, count)
            if fault:
                return fault
            stack.extend((depth + 1, child, draft) for child in reversed(children))
    return _finish(top)


def _unwrap(value: JsonValue) -> JsonValue:
    """Return the root inside of wrappers such as ``{"map": {"node-0": …}}``."""
    while isinstance(value, dict | list) and len(value) == 1:
        if isinstance(value, list):
            inner = value[0]
        else:
            key, inner = next(iter(value.items()))
            if not _WRAPPER_KEY.fullmatch(key):
                return value
        if not isinstance(inner, dict | list):
            return value
        value = inner
    return value


def _read_item(item: JsonValue) -> list[tuple[_Draft, list[JsonValue]]]:
    """Return the nodes that one JSON value stands for, each with the values below it."""
    if not isinstance(item, dict):
        return [] if item is None else [(_Draft(_as_text(item)), [])]
    item = _without_shell(item)
    below = [_below(value) for name, value in item.items() if _CHILD_KEY.fullmatch(name)]
    children = [child for values in below for child in values]
    key = _text_key(item)
    if key is not None:
        return [(_Draft(_as_text(item[key])), children)]
    if below and len(below) == len(item):
        return [(_Draft(""), children)]
    return [(_Draft(name), _below(value)) for name, value in item.items()]


def _without_shell(item: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the node inside of an object that only holds or describes it.

    ``{"node": {"text": …}}``, ``{"title": "A map", "root": {"text": …}}`` and
    ``{"data": {"text": …}, "children": […]}`` stand for one node each.
    """
    inner = [
        (name, value)
        for name, value in item.items()
        if _WRAPPER_KEY.fullmatch(name) and isinstance(value, dict) and _text_key(value)
    ]
    if len(inner) != 1:
        return item
    name, node = inner[0]
    others = {key: value for key, value in item.items() if key != name}
    if not others or (_text_key(others) and not any(map(_CHILD_KEY.fullmatch, item))):
        return node if isinstance(node, dict) else item
    if isinstance(node, dict) and not _text_key(others):
        return {**others, **node}
    return item


def _text_key(item: dict[str, JsonValue]) -> str | None:
    """Return the key that holds the label, if the object has one."""
    by_name = {name.lower(): name for name in item}
    found = next((by_name[key] for key in _TEXT_KEYS if key in by_name), None)
    if found is None or isinstance(item[found], dict | list):
        return None
    return found


def _below(value: JsonValue) -> list[JsonValue]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _as_text(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _limit_fault(depth: int, count: int) -> Failed | None:
    if depth > TREE_DEPTH:
        return Failed.of(
            Stage.PARSE, Kind.PARSE_ERROR, f"the tree is deeper than {TREE_DEPTH} levels"
        )
    if count > TREE_NODES:
        return Failed.of(
            Stage.PARSE, Kind.RESOURCE_LIMIT, f"the tree has more than {TREE_NODES} nodes"
        )
    return None


def _finish(top: _Draft) -> Outcome[Node]:
    if len(top.children) == 1:
        return ok(top.children[0].freeze())
    tree = top.freeze()
    if not tree.children:
        return Failed.of(Stage.PARSE, Kind.PARSE_ERROR, "the answer holds no tree")
    return ok(tree)
