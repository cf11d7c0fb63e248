"""How many notes of a voice take a syllable of the words under it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sources.score_node import Node
from sources.score_tokens import Token


@dataclass
class Syllables:
    """Counts notes; slurs, ties, and beams by hand under one syllable."""

    tokens: list[Token]
    names: Mapping[str, Node]
    gone: Collection[int]
    """Tokens that are cut off."""
    found: int = 0
    slurs: int = 0
    tied: bool = False
    beams_count: bool = False
    beamed: bool = False

    def count(self, node: Node) -> None:
        """Count the notes of a piece of music."""
        if node.begin in self.gone and node.kind != "repeat":
            return
        if node.kind == "name":
            self.count(self.names[node.word])
        elif node.kind == "event":
            self._event(node)
        elif node.kind == "command" and node.word in ("autoBeamOff", "autoBeamOn"):
            self.beams_count = node.word == "autoBeamOff"
        elif node.kind == "parallel" and any(child.length for child in node.children):
            for child in node.children:
                if not child.length or child is _longest(node):
                    self.count(child)
        elif node.kind not in ("words", "grace", "syllables"):
            for child in node.children:
                self.count(child)

    def _event(self, node: Node) -> None:
        texts = [self.tokens[at].text for at in range(node.begin, node.end)]
        if not (self.slurs > 0 or self.tied or self.beamed):
            self.found += 1
        self.slurs += texts.count("(") - texts.count(")")
        self.tied = "~" in texts
        if self.beams_count:
            self.beamed = (self.beamed or "[" in texts) and "]" not in texts


def _longest(node: Node) -> Node:
    return max(node.children, key=lambda child: child.length)
