"""XMind's HTML export: headings whose leading no-break spaces are the depth.

``h1.root`` is the central topic, each ``h2.topic`` one of the first level, and every deeper one is
an ``h3.topic`` that begins with as many no-break spaces as there are levels between it and the
first. Paragraphs after a heading hold what hangs on its topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bs4 import BeautifulSoup, Tag

from benchmark.outcome import Kind
from sources.html_tags import read_tags
from sources.maps.drafts import Draft, Unreadable, nest
from sources.maps.model import Format, MindMap, Relationship, Sheet

HTML_CHARACTERS = 2_000_000
"""Longest export; one of 1,000 topics has about 200,000 bytes."""

HTML_TAGS = 20_000
"""Most tags of an export; one of 1,000 topics has about 5,000."""

HTML_ATTRIBUTES = 100
"""Most attributes of a tag, which the parser compares with each other; exports have two."""

_NBSP = "\xa0"
_HEADINGS = ["h1", "h2", "h3"]


class _Notes:
    """What the paragraphs of an export say about its topics."""

    def __init__(self) -> None:
        self.levels: list[tuple[int, Draft]] = []
        self.covers: list[tuple[Draft, list[str]]] = []
        self.lines: list[tuple[str, str, str]] = []


def read_html(text: str) -> MindMap:
    """Read an export.

    Raises:
        Unreadable: not XMind's export, or beyond the limits.
    """
    if len(text) > HTML_CHARACTERS or text.count("<") > HTML_TAGS:
        raise Unreadable(
            Kind.RESOURCE_LIMIT,
            f"the HTML has more than {HTML_CHARACTERS} characters or {HTML_TAGS} tags",
        )
    if any(len(tag.attributes) > HTML_ATTRIBUTES for tag in read_tags(text)):
        told = f"a tag of the HTML has more than {HTML_ATTRIBUTES} attributes"
        raise Unreadable(Kind.RESOURCE_LIMIT, told)
    body = BeautifulSoup(text, "lxml").body
    if body is None or body.find("h1", class_="root") is None:
        raise Unreadable(Kind.UNSUPPORTED, 'HTML, but not XMind\'s export: no <h1 class="root">')
    if len(body.find_all(_HEADINGS)) > len(body.find_all(_HEADINGS, recursive=False)):
        raise Unreadable(Kind.PARSE_ERROR, "the export is damaged: headings inside of elements")
    read = _Notes()
    for tag in body.find_all([*_HEADINGS, "p"], recursive=False):
        _read_tag(tag, read)
    if read.levels[0][0] != 0 or sum(level == 0 for level, _ in read.levels) != 1:
        raise Unreadable(Kind.PARSE_ERROR, "the export does not begin with its one root")
    top = nest(read.levels)
    _set_summaries(top, read.covers)
    sheet = Sheet(top.freeze(), top.text, tuple(_relationships(read)))
    return MindMap(Format.HTML, (sheet,))


def _read_tag(tag: Tag, read: _Notes) -> None:
    kinds = tag.get_attribute_list("class")
    if tag.name in _HEADINGS:
        if "root" in kinds or "topic" in kinds:
            read.levels.append(_topic(tag))
        return
    if not read.levels:
        return
    draft = read.levels[-1][1]
    links = [one for one in tag.find_all("a") if str(one.get("href", "")).startswith("#")]
    if "summary" in kinds:
        read.covers.append((draft, [_anchor(one) for one in links]))
    elif "relationships" in kinds:
        read.lines += [(draft.id, _anchor(one), one.get_text()) for one in links]
    elif "labelsAndMarkers" in kinds:
        draft.labels += [one.get_text() for one in tag.find_all("span", class_="label")]
    else:
        draft.notes.append(tag.get_text().strip())


def _topic(tag: Tag) -> tuple[int, Draft]:
    anchor = tag.find("a", attrs={"name": True})
    text = tag.get_text().strip("\n") if anchor is None else anchor.get_text()
    deep = len(text) - len(text.lstrip(_NBSP)) if tag.name == "h3" else 0
    level = {"h1": 0, "h2": 1}.get(tag.name, 1 + max(deep, 1))
    ident = "" if anchor is None else str(anchor.get("name", ""))
    return level, Draft(text=text[deep:], id=ident)


def _anchor(link: Tag) -> str:
    return str(link.get("href", "")).removeprefix("#")


def _set_summaries(top: Draft, covers: Iterable[tuple[Draft, list[str]]]) -> None:
    """Move topics that sum up neighbours from the children to the summaries."""
    parents: dict[int, Draft] = {}
    stack = [top]
    while stack:
        draft = stack.pop()
        parents.update({id(child): draft for child in draft.children})
        stack.extend(draft.children)
    covered = {id(draft): names for draft, names in covers if id(draft) in parents}
    for parent in {id(parents[one]): parents[one] for one in covered}.values():
        parent.summaries = [one for one in parent.children if id(one) in covered]
        parent.children = [one for one in parent.children if id(one) not in covered]
        place = {child.id: index for index, child in enumerate(parent.children)}
        for one in parent.summaries:
            found = [place[name] for name in covered[id(one)] if name in place]
            if found:
                parent.spans[one.id] = (min(found), max(found))


def _relationships(read: _Notes) -> list[Relationship]:
    """Return each line once: the export names it at both of its ends, without a direction."""
    texts = {draft.id: draft.text for _, draft in read.levels}
    found: dict[tuple[frozenset[str], str], Relationship] = {}
    for source, target, told in read.lines:
        match = re.fullmatch(r" \((.*)\)", told.removeprefix(texts.get(target, "")), re.DOTALL)
        title = match[1] if match else ""
        line = Relationship(source, target, title)
        found.setdefault((frozenset((source, target)), title), line)
    return list(found.values())
