"""What stands in synthetic flowcharts: sentence patterns of our own, by topic and language.

``sources/material/steps/<language>.toml`` holds them (CC0). A topic has patterns for each part of a
chart and lists of words; ``{food}`` in a pattern is a word of the list ``words.food``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from benchmark.chance import Chance
from sources.corpus import Language

FOLDER = Path(__file__).resolve().parent / "material" / "steps"

Category = Literal["code", "daily-life", "business", "maths"]
CATEGORIES: tuple[Category, ...] = ("code", "daily-life", "business", "maths")

Part = Literal["start", "end", "action", "input", "output", "question", "more", "fork", "join"]

_SLOT = re.compile(r"\{(\w+)\}")
_TRIES = 40
"""Draws of a text before one that the chart has already gets a number."""


@dataclass(frozen=True)
class Topic:
    """Patterns that belong together, so that a chart tells of one thing."""

    category: Category
    patterns: Mapping[Part, Sequence[str]]
    words: Mapping[str, Sequence[str]]
    choices: Sequence[Sequence[str]]
    """A question and its answers, each."""
    lanes: Sequence[str]
    answers: Sequence[Sequence[str]]
    """The words for yes and no, each."""

    def left(self, part: Part, taken: set[str]) -> int:
        """Return how many patterns of a part, of those without slots, the chart does not have."""
        return sum(pattern not in taken for pattern in self.patterns[part])

    def text(self, chance: Chance, part: Part, taken: set[str]) -> str:
        """Draw a text that the chart does not have yet, and note it."""
        for _ in range(_TRIES):
            pattern = chance.choice(self.patterns[part])
            text = _SLOT.sub(lambda slot: chance.choice(self.words[slot[1]]), pattern)
            if text not in taken:
                break
        else:
            text = f"{text} ({len(taken)})"
        taken.add(text)
        return text


@cache
def load_topics(language: Language) -> tuple[Topic, ...]:
    """Return the topics of a language, in order."""
    with (FOLDER / f"{language}.toml").open("rb") as file:
        found = tomllib.load(file)
    return tuple(_topic(topic, found) for topic in found["topic"])


def _topic(topic: dict[str, Any], common: dict[str, Any]) -> Topic:
    parts: tuple[Part, ...] = ("start", "end", "action", "input", "output", "question", "more")
    patterns: dict[Part, Sequence[str]] = {part: topic[part] for part in parts}
    return Topic(
        category=topic["category"],
        patterns=patterns | {"fork": common["fork"], "join": common["join"]},
        words=topic["words"],
        choices=topic["choice"],
        lanes=topic["lanes"],
        answers=common[topic.get("labels", "yes_no")],
    )
