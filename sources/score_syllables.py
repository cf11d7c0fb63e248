"""How many notes of a voice take a syllable of the words under it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sources.score_node import Node
from sources.score_tokens import Token, Unreadable

MOST_VISITS = 200_000
"""Pieces of music that are looked at, each as often as it is heard."""


@dataclass
class Syllables:
    """Counts notes; slurs, ties, beams by hand and melismata under one syllable."""

    tokens: list[Token]
    names: Mapping[str, Node]
    gone: Collection[int]
    """Tokens that are cut off."""
    changed: Mapping[int, str]
    """Tokens with another text in their place: how often cut repeats are heard."""
    found: int = 0
    slurs: int = 0
    tied: bool = False
    beams_count: bool = False
    beamed: bool = False
    melisma: bool = False
    visits: int = 0

    def count(self, node: Node) -> None:
        """Count the notes of a piece of music.

        Raises:
            Unreadable: it is repeated too often, or says itself what takes a syllable.
        """
        self.visits += 1
        if self.visits > MOST_VISITS:
            raise Unreadable("music that is repeated too often")
        if node.begin in self.gone and node.kind != "repeat":
            return
        if node.kind == "name":
            self.count(self.names[node.word])
        elif node.kind == "event":
            self._event(node)
        elif node.kind == "command":
            self._command(node)
        elif node.kind == "repeat":
            for _ in range(self._times(node)):
                self.count(node.children[0])
        elif node.kind == "parallel" and any(child.length for child in node.children):
            for child in node.children:
                if not child.length or child is _longest(node):
                    self.count(child)
        elif node.kind not in ("words", "grace", "syllables"):
            for child in node.children:
                self.count(child)

    def _command(self, node: Node) -> None:
        if node.word in ("autoBeamOff", "autoBeamOn"):
            self.beams_count = node.word == "autoBeamOff"
        elif node.word in ("melisma", "melismaEnd"):
            self.melisma = node.word == "melisma"
        elif any("elisma" in self.tokens[at].text for at in range(node.begin, node.end)):
            raise Unreadable("melismata that are set by hand")

    def _times(self, node: Node) -> int:
        """How often the body of a repeat has words: once where it is printed once."""
        if node.word != "unfold" or node.begin in self.gone:
            return 1
        return int(self.changed.get(node.begin + 2, node.value))

    def _event(self, node: Node) -> None:
        texts = [self.tokens[at].text for at in range(node.begin, node.end)]
        if not (self.slurs > 0 or self.tied or self.beamed or self.melisma):
            self.found += 1
        self.slurs += texts.count("(") - texts.count(")")
        self.tied = "~" in texts
        if self.beams_count:
            self.beamed = (self.beamed or "[" in texts) and "]" not in texts


def _longest(node: Node) -> Node:
    return max(node.children, key=lambda child: child.length)
