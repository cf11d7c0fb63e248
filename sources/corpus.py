"""Text that we may ship: classic works in the public domain, and lists of topics of our own.

``sources/material/corpus/<language>/`` holds running text (``*.txt``) and topics (``*.words``); the
first line of each file names what it is from. The authors of all works died more than 70 years ago.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from benchmark.chance import Chance

Language = Literal["en", "zh"]

FOLDER = Path(__file__).resolve().parent / "material" / "corpus"
EMOJI = ("📌", "⭐", "✅", "❗", "💡", "📅", "🔧", "📚", "🌱", "🎯", "🧪", "🏠")

_LOOSE_ENDS = "，。；：！？、”》）,.;:!?)\"' "
"""What a piece of text does not begin with."""

_WORDS = {"short": (1, 3), "phrase": (4, 8), "sentence": (9, 16)}
_CHARACTERS = {"short": (2, 5), "phrase": (6, 14), "sentence": (15, 32)}
_KINDS = (("topic", 34), ("short", 26), ("phrase", 28), ("sentence", 12))
_EMOJI_PERCENT = 4


@dataclass(frozen=True)
class Corpus:
    """The text of one language."""

    language: Language
    passages: tuple[tuple[str, ...], ...]
    """Each as words, or as characters where words are not spaced."""
    topics: tuple[str, ...]
    works: tuple[str, ...]
    """What each file is from, by its first line."""

    def label(self, chance: Chance) -> str:
        """Draw the text of a node: a topic, or a piece of running text of 1 to 16 words.

        A piece may begin and end anywhere between two words, as in the paper's synthetic maps. It
        has single spaces, and none at its ends.
        """
        kind = chance.weighted(_KINDS)
        text = chance.choice(self.topics) if kind == "topic" else self._piece(chance, kind)
        return f"{chance.choice(EMOJI)} {text}" if chance.happens(_EMOJI_PERCENT) else text

    def _piece(self, chance: Chance, kind: str) -> str:
        units, joint = (_WORDS, " ") if self.language == "en" else (_CHARACTERS, "")
        passage = chance.choice(self.passages)
        size = min(len(passage), chance.between(*units[kind]))
        start = chance.below(len(passage) - size + 1)
        text = joint.join(passage[start : start + size]).lstrip(_LOOSE_ENDS)
        return text or chance.choice(self.topics)


@cache
def load(language: Language) -> Corpus:
    """Read the corpus of a language."""
    passages: list[tuple[str, ...]] = []
    topics: list[str] = []
    works: list[str] = []
    for path in sorted((FOLDER / language).iterdir(), key=lambda path: path.name):
        title, *lines = path.read_text(encoding="utf-8").splitlines()
        works.append(title.removeprefix("# "))
        filled = [line.strip() for line in lines if line.strip()]
        if path.suffix == ".words":
            topics += filled
        else:
            passages += [tuple(line.split() if language == "en" else line) for line in filled]
    return Corpus(language, tuple(passages), tuple(topics), tuple(works))
