r"""LilyPond's music as a tree with exact times, so far as it can be followed without running it.

What cannot be followed (Scheme of the piece's own, commands that are not in
``sources.score_words``) makes the piece unreadable; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from sources.score_tokens import Kind, Token, Unreadable, matching
from sources.score_words import (
    AFTER_NOTES,
    ARGUMENTS,
    BREAKS,
    UNSUPPORTED,
    is_plain_scheme,
    pitch_names,
)

MOST_DEPTH = 60
NONE = Fraction(0)
_LENGTHS = {"breve": Fraction(2), "longa": Fraction(4), "maxima": Fraction(8)}
_BLOCKS = ("header", "layout", "midi", "paper")
_GRACES = ("grace", "acciaccatura", "appoggiatura", "slashedGrace")


@dataclass
class Node:
    """A piece of music: tokens `begin` to `end` (excluded) and how long it lasts."""

    kind: str
    """event, rest, skip, run, parallel, inner, scaled, command, bar, name, repeat, words, post."""
    begin: int
    end: int
    length: Fraction = NONE
    children: list[Node] = field(default_factory=list)
    word: str = ""
    """What it is called: a command, a name, a kind of repeat."""
    value: Fraction = NONE
    """A measure, a factor, a number of repeats."""
    written: str = ""
    """The duration of an event."""
    place: int = -1
    """The token that an implied duration goes after; -1 if it is written."""
    groups: list[list[Node]] = field(default_factory=list)
    """Alternatives of a repeat."""
    context: str = ""
    """Type and name of the context that it is in: ``Voice/upper``."""
    leans: bool = False
    """Whether it repeats what was before it (``q``, a bare duration)."""


class Reader:
    """Reads music from tokens, in the order of the file, as LilyPond does."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.names: dict[str, Node] = {}
        """What names of the file stand for."""
        self._default = ("4", Fraction(1, 4))
        self._depth = 0
        self._chords = False
        self.set_language("nederlands")

    def set_language(self, language: str) -> None:
        """Choose how notes are called."""
        names = pitch_names(language)
        if names is None:
            raise Unreadable(f"notes in the language {language!r}")
        self._pitch = names

    def restart(self, at: int) -> None:
        """Go to a place after music that was not understood."""
        self.at, self._depth, self._chords = at, 0, False

    # what stands at the place

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

    # music

    def music(self) -> Node:
        """Read one piece of music.

        Raises:
            Unreadable: it is not understood.
        """
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self.refuse("music within music, too deep")
        begin, text, kind = self.at, self.text(), self.kind()
        if text == "{":
            node = self._run()
        elif text == "<<":
            node = self._parallel()
        elif kind is Kind.COMMAND:
            node = self._command()
        elif text == "|":
            self.at += 1
            node = Node("bar", begin, self.at)
        else:
            node = self._event()
        self._depth -= 1
        return node

    def _run(self) -> Node:
        node = Node("run", self.at, self.at)
        self.at += 1
        while self.text() != "}":
            if not self.text():
                raise self.refuse("a brace that is not closed")
            node.children.append(self.music())
        self.at += 1
        node.end = self.at
        node.length = sum((child.length for child in node.children), NONE)
        return node

    def _parallel(self) -> Node:
        node = Node("parallel", self.at, self.at)
        self.at += 1
        while self.text() != ">>":
            if not self.text():
                raise self.refuse("<< that is not closed")
            if self.text() == r"\\":
                self.at += 1
                continue
            if self.text() == r"\addlyrics":
                node.children.append(self._added_words(node.children))
                continue
            node.children.append(self.music())
        self.at += 1
        node.end = self.at
        node.length = max((child.length for child in node.children), default=NONE)
        return node

    def _added_words(self, before: list[Node]) -> Node:
        begin = self.at
        self.at += 1
        words = self._words()
        target = next((node for node in reversed(before) if node.kind != "words"), None)
        if target is None:
            raise self.refuse("lyrics without music before them")
        target.context = target.context or f"Voice/line {begin}"
        return Node("words", begin, self.at, children=[words], word=target.context)

    def _words(self) -> Node:
        """Lyrics between braces, or the name of such."""
        begin = self.at
        if self.text() == r"\lyricmode":
            self.at += 1
        if self.text() == "{":
            opens = self.at
            self.at = matching(self.tokens, opens) + 1
            return Node("syllables", opens, self.at)
        if self.kind() is Kind.COMMAND and self.text()[1:] in self.names:
            self.at += 1
            return Node("name", begin, self.at, word=self.text(-1)[1:])
        raise self.refuse("lyrics that are not between braces")

    def _command(self) -> Node:
        begin, name = self.at, self.text()[1:]
        special = self._special().get(name)
        if special:
            self.at += 1
            node = special(name)
            node.begin, node.end = begin, self.at
            return node
        if name in self.names:
            self.at += 1
            known = self.names[name]
            length = NONE if known.kind in ("post", "syllables") else known.length
            return Node("name", begin, self.at, length, word=name)
        if name in ARGUMENTS and name not in UNSUPPORTED:
            self.at += 1
            self._arguments(ARGUMENTS[name])
            return Node("break" if name in BREAKS else "command", begin, self.at, word=name)
        raise self.refuse(f"\\{name} is not followed")

    def _special(self) -> dict[str, Callable[[str], Node]]:
        return {
            "relative": self._pitched, "fixed": self._pitched, "absolute": self._inner,
            "transpose": self._transposed, "new": self._context, "context": self._context,
            "tuplet": self._scaled, "times": self._scaled, "scaleDurations": self._scaled,
            "grace": self._grace, "acciaccatura": self._grace, "appoggiatura": self._grace,
            "slashedGrace": self._grace, "afterGrace": self._after_grace, "once": self._inner,
            "repeat": self._repeat, "time": self._time, "partial": self._partial,
            "skip": self._skip, "lyricsto": self._set_words, "chordmode": self._chord_mode,
            "chords": self._chord_mode, "lyricmode": self._timed_words, "tweak": self._tweak,
            "lyrics": self._timed_words, "parenthesize": self._inner, "tag": self._tag,
            "notemode": self._inner, "unfoldRepeats": self._inner, "temporary": self._inner,
            "sequential": self._inner, "simultaneous": self._inner,
        }  # fmt: skip

    def _inner(self, name: str) -> Node:
        inner = self.music()
        return Node("inner", 0, 0, inner.length, [inner], name)

    def _pitched(self, name: str) -> Node:
        if self.kind() is Kind.WORD and self._pitch.fullmatch(self.text()):
            self._pitch_tokens()
        return self._inner(name)

    def _transposed(self, name: str) -> Node:
        self._pitch_tokens()
        self._pitch_tokens()
        return self._inner(name)

    def _tag(self, name: str) -> Node:
        self.value()
        return self._inner(name)

    def _tweak(self, name: str) -> Node:
        self._path()
        self.value()
        return self._inner(name)

    def _context(self, name: str) -> Node:
        kind = self.text()
        if self.kind() is not Kind.WORD:
            raise self.refuse("a context without a type")
        self.at += 1
        called = ""
        if self.text() == "=":
            self.at += 1
            called = self.text().strip('"')
            self.at += 1
        self._with_block()
        if kind in ("Lyrics",) and self.text() != r"\lyricsto":
            if self.kind() is not Kind.COMMAND and self.text() != "{":
                return Node("command", 0, 0, context=f"{kind}/{called}", word=name)
            if self.text() in (r"\context", r"\new"):
                return Node("command", 0, 0, context=f"{kind}/{called}", word=name)
        inner = self.music()
        return Node("inner", 0, 0, inner.length, [inner], name, context=f"{kind}/{called}")

    def _with_block(self) -> None:
        while self.text() == r"\with":
            self.at += 1
            if self.text() != "{":
                raise self.refuse("\\with without a block")
            end = matching(self.tokens, self.at)
            self._check_block(self.at, end)
            self.at = end + 1

    def _check_block(self, begin: int, end: int) -> None:
        for token in self.tokens[begin:end]:
            if token.kind is Kind.SCHEME and not is_plain_scheme(token.text):
                raise Unreadable(f"line {token.line}: Scheme of the piece's own")

    def _scaled(self, name: str) -> Node:
        top, bottom = self._fraction()
        if top == 0:
            raise self.refuse("a tuplet of nothing")
        if name == "tuplet" and self.kind() is Kind.NUMBER:
            self._duration()
        inner = self.music()
        factor = Fraction(bottom, top) if name == "tuplet" else Fraction(top, bottom)
        return Node("scaled", 0, 0, factor * inner.length, [inner], name, factor)

    def _grace(self, name: str) -> Node:
        self.music()
        return Node("grace", 0, 0, word=name)

    def _after_grace(self, name: str) -> Node:
        if self.kind() is Kind.NUMBER:
            self._fraction()
        main = self.music()
        self.music()
        return Node("event", 0, 0, main.length, word=name, written=main.written)

    def _repeat(self, name: str) -> Node:  # noqa: ARG002 - the table gives it to all
        how = self.text().strip('"')
        self.at += 1
        if self.kind() is not Kind.NUMBER:
            raise self.refuse("\\repeat without a number")
        count = int(self._number())
        if not 1 <= count <= 500 or how not in ("volta", "unfold", "percent", "tremolo"):
            raise self.refuse(f"\\repeat {how} {count}")
        body = self.music()
        node = Node("repeat", 0, 0, body.length, [body], how, Fraction(count))
        if how != "volta":
            node.length *= count
        if self.text() == r"\alternative":
            self.at += 1
            self.expect("{")
            while self.text() != "}":
                node.groups.append([self.music()])
            self.at += 1
            if how != "volta":
                raise self.refuse("endings of a repeat that is written out")
            node.length += sum((group[0].length for group in node.groups), NONE)
        return node

    def _time(self, name: str) -> Node:
        if self.kind() is Kind.SCHEME:
            self.value()
        top, bottom = self._fraction()
        if top == 0:
            raise self.refuse("bars of no length")
        return Node("time", 0, 0, word=name, value=Fraction(top, bottom))

    def _partial(self, name: str) -> Node:
        return Node("partial", 0, 0, word=name, value=self._duration()[1])

    def _skip(self, name: str) -> Node:
        written, length = self._duration()
        return Node("skip", 0, 0, length, word=name, written=written)

    def _chord_mode(self, name: str) -> Node:
        before, self._chords = self._chords, True
        node = self._inner(name)
        self._chords = before
        if name == "chords":
            node.context = "ChordNames/"
        return node

    def _set_words(self, name: str) -> Node:  # noqa: ARG002 - the table gives it to all
        voice = self.text().strip('"')
        self.at += 1
        return Node("words", 0, 0, children=[self._words()], word=f"Voice/{voice}")

    def _timed_words(self, name: str) -> Node:
        if self.text() != "{":
            raise self.refuse(f"\\{name} without braces")
        opens = self.at
        self.at = matching(self.tokens, opens) + 1
        return Node("syllables", 0, 0, children=[], word=name, place=opens)

    # events

    def _event(self) -> Node:
        begin, text = self.at, self.text()
        node = Node("event", begin, begin)
        if text == "<":
            self._chord()
        elif text in ("r", "R", "s"):
            node.kind = "skip" if text == "s" else "rest"
            node.word = text
            self.at += 1
        elif text == "q":
            node.leans = True
            self.at += 1
        elif self.kind() is Kind.NUMBER:
            node.leans = True
        elif self.kind() is Kind.WORD and self._pitch.fullmatch(text):
            self._pitch_tokens()
        else:
            raise self.refuse(f"{text[:30]!r} is not followed")
        self._timed(node)
        self.after()
        node.end = self.at
        return node

    def _timed(self, node: Node) -> None:
        named = self.text()[1:] in _LENGTHS and self.kind() is Kind.COMMAND
        if self.kind() is Kind.NUMBER or named:
            self._default = self._duration()
        else:
            node.place = self.at - 1
        node.written, node.length = self._default
        if self._chords:
            self._chord_modifiers()

    def _chord_modifiers(self) -> None:
        if self.text() not in (":", "/"):
            return
        while self.text() and self.adjoins() and self.text() not in ("}", "|"):
            self.at += 1

    def _chord(self) -> None:
        self.at += 1
        while self.text() != ">":
            text, kind = self.text(), self.kind()
            if text == r"\tweak":
                self.at += 1
                self._path()
                self.value()
            elif kind is Kind.WORD and self._pitch.fullmatch(text):
                self._pitch_tokens()
            elif self._belongs_within_chord():
                self.at += 1
            elif text == r"\finger":
                self.at += 1
                self.value()
            else:
                raise self.refuse(f"{text[:30]!r} within a chord")
        self.at += 1

    def _belongs_within_chord(self) -> bool:
        text, kind = self.text(), self.kind()
        if kind is Kind.COMMAND:
            name = text[1:]
            return name.isdigit() or name in AFTER_NOTES or name == "parenthesize"
        return kind is Kind.NUMBER or text in ("-", "^", "_", "~", "!", "?", "[", "]", "(", ")")

    def _pitch_tokens(self) -> None:
        if self.kind() is not Kind.WORD or not self._pitch.fullmatch(self.text()):
            raise self.refuse(f"{self.text()[:30]!r} is no pitch")
        self.at += 1
        while self.text() in ("'", ",", "!", "?"):
            self.at += 1
        if self.text() == "=" and self.text(1) in ("'", ","):
            self.at += 1
            while self.text() in ("'", ","):
                self.at += 1

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
                self._path()
                self.value()
            elif kind is Kind.COMMAND and self.is_after_note(text[1:]):
                self.at += 1
            else:
                return

    def is_after_note(self, name: str) -> bool:
        """Tell whether a command belongs to the note before it."""
        known = self.names.get(name)
        return name in AFTER_NOTES or name.isdigit() or (known is not None and known.kind == "post")

    def _directed(self) -> None:
        text, kind = self.text(), self.kind()
        if text == r"\markup":
            self.markup()
        elif text == r"\tweak":
            self.at += 1
            self._path()
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

    # arguments

    def _number(self) -> str:
        if self.kind() is not Kind.NUMBER:
            raise self.refuse(f"{self.text()[:20]!r} is no number")
        self.at += 1
        return self.text(-1)

    def _fraction(self) -> tuple[int, int]:
        top = self._number()
        self.expect("/")
        bottom = self._number()
        if not top.isdigit() or not bottom.isdigit() or int(bottom) == 0:
            raise self.refuse("a fraction that is none")
        return int(top), int(bottom)

    def _duration(self) -> tuple[str, Fraction]:
        begin, text = self.at, self.text()
        if self.kind() is Kind.COMMAND and text[1:] in _LENGTHS:
            length = _LENGTHS[text[1:]]
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
                length *= Fraction(*self._fraction())
            else:
                length *= Fraction(self._number())  # may be 0: an event that only carries text
        if length > 10_000:
            raise self.refuse("a duration that is none")
        return "".join(token.text for token in self.tokens[begin : self.at]), length

    def _arguments(self, spec: str) -> None:
        for letter in spec:
            if letter in "snv":
                self.value()
            elif letter == "p":
                self._pitch_tokens()
            elif letter == "c":
                self.at += 1
            elif letter == "g":
                self._path()
            elif letter == "t":
                self._tempo()
            elif self.text() == letter:
                self.at += 1

    def _path(self) -> None:
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
            self._duration()
            self.expect("=")
            self._number()
            if self.text() == "-" and self.kind(1) is Kind.NUMBER:
                self.at += 2

    def markup(self) -> None:
        r"""Go past ``\markup`` and what it sets."""
        self.at += 1
        while True:
            text, kind = self.text(), self.kind()
            if text == "{":
                end = matching(self.tokens, self.at)
                self._check_block(self.at, end)
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


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all within it, in the order of the file."""
    yield node
    for child in node.children:
        yield from walk(child)
    for group in node.groups:
        for child in group:
            yield from walk(child)
