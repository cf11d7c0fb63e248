"""What a question of the official MindBench files asks, told from its words.

The files do not say: each line holds a question in words and an answer. Kinds have the names that
our own questions have (``scenarios.mindbench.questions.Kind``; ``full``, ``part``, ``part_box``).
"""

from __future__ import annotations

import re

PARSING = "<s_"
"""What the answer to a parsing task begins with."""

TASKS = {
    "full": "mindmap",
    "part": "mindmap-part",
    "part_box": "mindmap-position",
    **dict.fromkeys(
        ("theme", "parent", "children", "level", "nodes_at_level", "parent_child", "siblings"),
        "mindmap-vqa",
    ),
    **dict.fromkeys(
        (
            *("box_text", "box_level", "box_parent", "box_children"),
            *("box_parent_child", "box_siblings", "box_count"),
            *("label_box", "parent_of_label_box", "children_of_label_box", "subgraph_box"),
        ),
        "mindmap-position-vqa",
    ),
}
"""The scenario of each kind."""

_BOX = re.compile(r"<bbox>[\d,\s]{0,40}</bbox>")
_QUOTED = (("“", "”"), ('"', '"'), ("'", "'"))
_WORDS = (
    ("siblings", re.compile(r"sibling|兄弟")),
    ("parent_child", re.compile(r"parent-child|父子")),
    ("count", re.compile(r"how many|几个")),
    ("nodes_at_level", re.compile(r"\blist all|列出")),
    ("level", re.compile(r"level|层")),
    ("parent", re.compile(r"parent|父")),
    ("children", re.compile(r"child|子节点")),
    ("theme", re.compile(r"central theme|核心主题")),
)
_PLACE = re.compile(r"bounding box|边界框")
_SUBGRAPH = re.compile(r"subgraph|子图")


def kind_of(question: str, answer: str) -> str | None:
    """Return the kind of an official question, or None if its words are of another kind.

    Args:
        question: the question in words, with boxes as ``<bbox>1,2,3,4</bbox>``.
        answer: the true answer; a token sequence tells that a tree is asked for.
    """
    words, quoted = _without_labels(question)
    places = bool(_BOX.search(question))
    if answer.startswith(PARSING):
        if places:
            return "part_box"
        return "part" if quoted else "full"
    words = _BOX.sub("", words).lower()
    found = next((name for name, pattern in _WORDS if pattern.search(words)), None)
    if places:
        return f"box_{found or 'text'}" if f"box_{found or 'text'}" in TASKS else None
    if _PLACE.search(words):
        return _grounding(found, words)
    return found if found in TASKS else None


def _grounding(found: str | None, words: str) -> str:
    if _SUBGRAPH.search(words):
        return "subgraph_box"
    return f"{found}_of_label_box" if found in ("parent", "children") else "label_box"


def _without_labels(question: str) -> tuple[str, bool]:
    """Return a question without what it quotes, and whether it quotes anything.

    A label may itself hold quotation marks, so all from the first to the last one goes; the words
    that tell a kind stand outside of them.
    """
    for opening, closing in _QUOTED:
        start, end = question.find(opening), question.rfind(closing)
        if 0 <= start < end:
            return f"{question[:start]} {question[end + 1 :]}", True
    return question, False
