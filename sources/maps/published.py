"""MindBench's annotation of a map: ``{"text": "…", "node": […], "relation": […]}``.

This is the form in which the authors of MindBench (arXiv 2407.02842) publish maps, read from
XMind's HTML exports. ``relation`` holds texts of other topics: of those that a summary covers, and
of those that a relationship leads to, there followed by the relationship's title in parentheses.
"""

from __future__ import annotations

import re

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.maps.drafts import Draft, Place, Unreadable, grow
from sources.maps.model import EXTRAS, Sheet, Topic, build

_SPACES = re.compile(r" {2,}")


def to_published(sheet: Sheet) -> dict[str, JsonValue]:
    """Return the annotation of a sheet.

    Topics without text are left out where nothing with text is below them (``node`` stays, as an
    empty list, where that leaves none); runs of spaces are one space. Floating topics, callouts
    and summaries are nodes like the others, after the children. The order within ``relation`` is
    ours: in the published files it is accidental.
    """
    relations = _relations(sheet)

    def form(topic: Topic, below: list[dict[str, JsonValue]]) -> dict[str, JsonValue]:
        made: dict[str, JsonValue] = {"text": _plain(topic.text)}
        if topic.below(EXTRAS):
            made["node"] = list(below)
        if id(topic) in relations:
            made["relation"] = list(relations[id(topic)])
        return made

    return build(sheet.root, EXTRAS, form)


def from_published(value: JsonValue) -> Outcome[Sheet]:
    """Read an annotation. ``relation`` is left out: texts do not say which topic is meant.

    Returns:
        The sheet, or a failure of stage parse: parse_error (not of this form, deeper than 64
        levels) or resource_limit (more than 1,000 topics).
    """
    try:
        return ok(Sheet(grow(value, _read_node).freeze()))
    except Unreadable as error:
        return Failed.of(Stage.PARSE, error.kind, str(error))


def _read_node(value: JsonValue) -> tuple[Draft, list[tuple[Place, JsonValue]]]:
    if not isinstance(value, dict) or not isinstance(text := value.get("text"), str):
        raise Unreadable(Kind.PARSE_ERROR, 'a node of the annotation has no "text"')
    below = value.get("node", [])
    if not isinstance(below, list):
        raise Unreadable(Kind.PARSE_ERROR, '"node" of the annotation is not a list')
    return Draft(text=text), [("children", one) for one in below]


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text)


def _relations(sheet: Sheet) -> dict[int, list[str]]:
    """Return the texts of ``relation`` by the identity of the topic."""
    topics = sheet.topics()
    by_id = {topic.id: topic for topic in topics if topic.id}
    found: dict[int, list[str]] = {}
    for topic in topics:
        for one in topic.summaries:
            if one.first is not None and one.last is not None:
                covered = topic.children[one.first : one.last + 1]
                found[id(one.topic)] = [_plain(each.text) for each in covered]
    for line in sheet.relationships:
        ends = by_id.get(line.source), by_id.get(line.target)
        for here, there in (ends, ends[::-1]):
            if here is not None and there is not None:
                told = f"{_plain(there.text)} ({line.title})"
                found.setdefault(id(here), []).append(told)
    return found
