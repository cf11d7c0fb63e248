r"""A place in LilyPond source, and what follows commands and notes there."""

from __future__ import annotations

import re
from fractions import Fraction

from sources.score_node import Node
from sources.score_tokens import Kind, Token, Unreadable, matching
from sources.score_words import AFTER_NOTES, is_plain_scheme, pitch_names

LENGTHS = {"breve": Fraction(2), "longa": Fraction(4), "maxima": Fraction(8)}


class Place:
    """Goes through tokens; knows what names of the file stand for so far."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.names: dict[str, Node] = {}
        """What names of the file stand for."""
        self.set_language("nederlands")

    def text(self, ahead: int = 0) -> str:
        """The token at the place, or nothing at the end."""
        at = self.at + ahead
        return self.tokens[at].text if at < len(self.tokens) else ""

    def kind(self, ahead: int = 0) -> Kind | None:
        """Its kind."""
        at = self.at + ahead
        return self.tokens[at].kind if at < len(self.tokens) else None

    def adjoins(self) -> bool:
        """Whether nothing stands between the token at the place and the last one."""
        return self.at < len(self.tokens) and not self.tokens[self.at].gap

    def refuse(self, what: str) -> Unreadable:
        """Say what is not understood, and where."""
        line = self.tokens[min(self.at, len(self.tokens) - 1)].line
        return Unreadable(f"line {line}: {what}")

    def expect(self, text: str) -> None:
        """Go past a token."""
        if self.text() != text:
            raise self.refuse(f"{text} is missing before {self.text()[:20]!r}")
        self.at += 1

    def set_language(self, language: str) -> None:
        """Choose how notes are called."""
        names = pitch_names(language)
        if names is None:
            raise Unreadable(f"notes in the language {language!r}")
        self.names_of_notes = names

    def check_block(self, begin: int, end: int) -> None:
        """Refuse a block with Scheme of the piece's own in it."""
        for token in self.tokens[begin:end]:
            if token.kind is Kind.SCHEME and not is_plain_scheme(token.text):
                raise Unreadable(f"line {token.line}: Scheme of the piece's own")

    def is_after_note(self, name: str) -> bool:
        """Tell whether a command belongs to the note before it."""
        known = self.names.get(name)
        return name in AFTER_NOTES or name.isdigit() or (known is not None and known.kind == "post")

    def after(self) -> None:
        """Go past all that belongs to the event before."""
        while True:
            text, kind = self.text(), self.kind()
            if text in ("(", ")", "[", "]", "~"):
                self.at += 1
            elif text in ("-", "^", "_"):
                self.at += 1
                self._directed()
            elif len(text) == 2 and kind is Kind.SIGN and text[0] in "-^_":
                self.at += 1
            elif text == ":" and self.kind(1) is Kind.NUMBER:
                self.at += 2
            elif text == r"\tweak":
                self.at += 1
                self.path()
                self.value()
            elif kind is Kind.COMMAND and self.is_after_note(text[1:]):
                self.at += 1
            else:
                return

    def _directed(self) -> None:
        text, kind = self.text(), self.kind()
        if text == r"\markup":
            self.markup()
        elif text == r"\tweak":
            self.at += 1
            self.path()
            self.value()
            if self.text() in ("-", "^", "_"):
                self.at += 1
            self._directed()
        elif kind is Kind.SCHEME:
            self.value()
        elif kind is Kind.COMMAND and not self.is_after_note(text[1:]):
            raise self.refuse(f"{text} after a note is not followed")
        elif kind is not Kind.SIGN or text in ("(", ")", "[", "]", "~"):
            self.at += 1
        else:
            raise self.refuse(f"{text[:20]!r} after a note")

    def number(self) -> str:
        """Go past a number and return it."""
        if self.kind() is not Kind.NUMBER:
            raise self.refuse(f"{self.text()[:20]!r} is no number")
        self.at += 1
        return self.text(-1)

    def fraction(self) -> tuple[int, int]:
        """Go past a fraction such as 3/4 and return its two numbers."""
        top = self.number()
        self.expect("/")
        bottom = self.number()
        if not top.isdigit() or not bottom.isdigit() or int(bottom) == 0:
            raise self.refuse("a fraction that is none")
        return int(top), int(bottom)

    def duration(self) -> tuple[str, Fraction]:
        """Go past a duration; return how it is written and how long it lasts, in whole notes."""
        begin, text = self.at, self.text()
        if self.kind() is Kind.COMMAND and text[1:] in LENGTHS:
            length = LENGTHS[text[1:]]
        elif text.isdigit() and int(text) in (1, 2, 4, 8, 16, 32, 64, 128, 256):
            length = Fraction(1, int(text))
        else:
            raise self.refuse(f"{text[:20]!r} is no duration")
        self.at += 1
        dot = length
        while self.text() == ".":
            self.at += 1
            dot /= 2
            length += dot
        while self.text() == "*":
            self.at += 1
            if self.text(1) == "/":
                length *= Fraction(*self.fraction())
            else:
                length *= Fraction(self.number())  # may be 0: an event that only carries text
        if length > 10_000:
            raise self.refuse("a duration that is none")
        return "".join(token.text for token in self.tokens[begin : self.at]), length

    def arguments(self, spec: str) -> None:
        """Go past what follows a command; see ``score_words.ARGUMENTS`` for the letters."""
        for letter in spec:
            if letter in "snv":
                self.value()
            elif letter == "p":
                self.pitch()
            elif letter == "c":
                self.at += 1
            elif letter == "g":
                self.path()
            elif letter == "t":
                self._tempo()
            elif self.text() == letter:
                self.at += 1

    def path(self) -> None:
        """The name of a property: words with dots, symbols of Scheme after it."""
        if self.kind() is Kind.STRING:
            self.at += 1
            return
        if self.kind() is Kind.WORD:
            self.at += 1
            while self.text() == "." and self.kind(1) in (Kind.WORD, Kind.SCHEME):
                self.at += 2
        while self.kind() is Kind.SCHEME and self.text().startswith("#'"):
            self.at += 1
            while self.text() == "." and self.kind(1) in (Kind.WORD, Kind.SCHEME):
                self.at += 2
            if self.text() == "=" or self.kind() is not Kind.SCHEME:
                return
            if self.kind(1) is not Kind.SCHEME and self.text(1) != "=":
                return

    def value(self) -> None:
        """Go past a value: text, a number, a markup, Scheme that only says something."""
        text, kind = self.text(), self.kind()
        if text == r"\markup":
            self.markup()
            return
        if kind is Kind.SCHEME and not is_plain_scheme(text):
            raise self.refuse("Scheme of the piece's own")
        if kind is Kind.SIGN and text != "-":
            raise self.refuse(f"{text!r} is no value")
        self.at += 1
        if text == "-":
            self.at += 1
        while kind is Kind.WORD and self.text() == "." and self.kind(1) is Kind.WORD:
            self.at += 2

    def _tempo(self) -> None:
        if self.text() == r"\markup":
            self.markup()
        elif self.kind() in (Kind.STRING, Kind.WORD, Kind.SCHEME):
            self.value()
        if self.kind() is Kind.NUMBER:
            self.duration()
            self.expect("=")
            self.number()
            if self.text() == "-" and self.kind(1) is Kind.NUMBER:
                self.at += 2

    def markup(self) -> None:
        r"""Go past ``\markup`` and what it sets."""
        self.at += 1
        while True:
            text, kind = self.text(), self.kind()
            if text == "{":
                end = matching(self.tokens, self.at)
                self.check_block(self.at, end)
                self.at = end + 1
                return
            if kind is Kind.SCHEME and not is_plain_scheme(text):
                raise self.refuse("Scheme of the piece's own")
            if kind is None or kind is Kind.SIGN:
                raise self.refuse("a markup that is not followed")
            self.at += 1
            sets = kind is Kind.COMMAND and re.fullmatch(r"\\(flat|sharp|natural|null)", text)
            if kind in (Kind.STRING, Kind.WORD) or sets:
                return

    def pitch(self) -> None:
        """Go past a pitch with its octave and accidental marks."""
        if self.kind() is not Kind.WORD or not self.names_of_notes.fullmatch(self.text()):
            raise self.refuse(f"{self.text()[:30]!r} is no pitch")
        self.at += 1
        while self.text() in ("'", ",", "!", "?"):
            self.at += 1
        if self.text() == "=" and self.text(1) in ("'", ","):
            self.at += 1
            while self.text() in ("'", ","):
                self.at += 1
