r"""What is left of a score after a cut, written as LilyPond source again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from sources.score_file import ScoreFile
from sources.score_node import walk
from sources.score_tokens import Kind, Token, Unreadable, matching
from sources.score_words import is_plain_scheme

VERSION_LINE = '\\version "2.24.0"'


@dataclass
class Cut:
    """What is left of a file: the tokens that go, and what stands in the place of some."""

    file: ScoreFile
    gone: set[int] = field(default_factory=set)
    changed: dict[int, str] = field(default_factory=dict)
    limits: dict[str, Fraction | None] = field(default_factory=dict)
    """How far each name that is used is heard; None: whole."""
    words: dict[str, tuple[str, Fraction]] = field(default_factory=dict)
    """How lyrics with a name are cut: by ``notes`` or ``time``, and how many."""

    def drop(self, begin: int, end: int) -> None:
        """Leave tokens out."""
        self.gone.update(range(begin, end))


def write(cutting: Cut, spans: Sequence[tuple[int, int]]) -> str:
    """Write what is left.

    Args:
        cutting: the tokens that go and those that change.
        spans: first token and end of each name that is used, in order, and of the music, last.

    Raises:
        Unreadable: what is left holds Scheme of the piece's own.
    """
    durations = _Durations(cutting)
    lines = [VERSION_LINE]
    if cutting.file.language and cutting.file.language != "nederlands":
        lines.append(f'\\language "{cutting.file.language}"')
    *names, score = spans
    lines += [durations.write(begin, end) for begin, end in names]
    music = durations.write(*score)
    lines.append("\\score {\n  " + music.replace("\n", "\n  ") + "\n  \\layout { }\n}")
    return "\n\n".join(lines) + "\n"


class _Durations:
    """Writes tokens; a note whose length was implied by one that is gone gets it written."""

    def __init__(self, cutting: Cut) -> None:
        self.cutting = cutting
        self.current = ""
        roots = [*cutting.file.names.values(), cutting.file.music]
        self.events = {
            each.begin: each
            for root in roots
            if root is not None
            for each in walk(root)
            if each.kind in ("event", "rest", "skip") and each.written and each.word != "skip"
        }

    def write(self, begin: int, end: int) -> str:
        parts: list[str] = []
        pending: dict[int, str] = {}
        opens = -1
        for at in range(begin, end):
            event = self.events.get(at)
            if event is not None and at not in self.cutting.gone:
                if event.place >= 0 and self.current != event.written:
                    pending[event.place] = event.written
                self.current = event.written
                if at in self.cutting.changed:
                    self.current = ""
            if at <= opens or at in self.cutting.gone:
                continue
            opens = self._past_sound(at)
            if opens > at:
                continue
            token = self.cutting.file.tokens[at]
            _check_scheme(token)
            text = self.cutting.changed.get(at, token.text) + pending.pop(at, "")
            gap = token.gap if parts else ""
            lost = at - 1 in self.cutting.gone and parts and not gap
            parts.append((" " if lost else gap) + text)
        return _tidy("".join(parts))

    def _past_sound(self, at: int) -> int:
        r"""Return the end of a ``\with`` block that is only about sound, or `at`."""
        tokens = self.cutting.file.tokens
        if tokens[at].text != r"\with":
            return at
        end = matching(tokens, at + 1)
        words = [each.text for each in tokens[at + 2 : end] if each.kind is Kind.WORD]
        commands = [each for each in tokens[at + 2 : end] if each.kind is Kind.COMMAND]
        names = [word for word in words if word[:1].islower()]
        only = bool(names) and all(name.startswith("midi") for name in names)
        return end if only and not commands else at


def _check_scheme(token: Token) -> None:
    if token.kind is Kind.SCHEME and not is_plain_scheme(token.text):
        raise Unreadable("Scheme of the piece's own")


def _tidy(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)
