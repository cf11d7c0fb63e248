r"""LilyPond's music as a tree with exact times, so far as it can be followed without running it.

What cannot be followed (Scheme of the piece's own, commands that are not in
``sources.score_words``) makes the piece unreadable; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from sources.score_node import NONE, Node
from sources.score_place import LENGTHS, Place
from sources.score_tokens import Kind, Token, matching
from sources.score_words import AFTER_NOTES, ARGUMENTS, BAR_SETTINGS, BREAKS, UNSUPPORTED

MOST_DEPTH = 60


class Reader(Place):
    """Reads music from tokens, in the order of the file, as LilyPond does."""

    def __init__(self, tokens: list[Token]) -> None:
        super().__init__(tokens)
        self._default = ("4", Fraction(1, 4))
        self._depth = 0
        self._chords = False

    def restart(self, at: int) -> None:
        """Go to a place after music that was not understood."""
        self.at, self._depth, self._chords = at, 0, False

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
            self.arguments(ARGUMENTS[name])
            if not BAR_SETTINGS.isdisjoint(each.text for each in self.tokens[begin : self.at]):
                raise self.refuse("bars whose length is set by hand")
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
        if self.kind() is Kind.WORD and self.names_of_notes.fullmatch(self.text()):
            self.pitch()
        return self._inner(name)

    def _transposed(self, name: str) -> Node:
        self.pitch()
        self.pitch()
        return self._inner(name)

    def _tag(self, name: str) -> Node:
        self.value()
        return self._inner(name)

    def _tweak(self, name: str) -> Node:
        self.path()
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
            self.check_block(self.at, end)
            self.at = end + 1

    def _scaled(self, name: str) -> Node:
        top, bottom = self.fraction()
        if top == 0:
            raise self.refuse("a tuplet of nothing")
        if name == "tuplet" and self.kind() is Kind.NUMBER:
            self.duration()
        inner = self.music()
        factor = Fraction(bottom, top) if name == "tuplet" else Fraction(top, bottom)
        return Node("scaled", 0, 0, factor * inner.length, [inner], name, factor)

    def _grace(self, name: str) -> Node:
        self.music()
        return Node("grace", 0, 0, word=name)

    def _after_grace(self, name: str) -> Node:
        if self.kind() is Kind.NUMBER:
            self.fraction()
        main = self.music()
        self.music()
        return Node("event", 0, 0, main.length, word=name, written=main.written)

    def _repeat(self, name: str) -> Node:  # noqa: ARG002 - the table gives it to all
        how = self.text().strip('"')
        self.at += 1
        if self.kind() is not Kind.NUMBER:
            raise self.refuse("\\repeat without a number")
        count = int(self.number())
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
        top, bottom = self.fraction()
        if top == 0:
            raise self.refuse("bars of no length")
        return Node("time", 0, 0, word=name, value=Fraction(top, bottom))

    def _partial(self, name: str) -> Node:
        return Node("partial", 0, 0, word=name, value=self.duration()[1])

    def _skip(self, name: str) -> Node:
        written, length = self.duration()
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
        elif self.kind() is Kind.WORD and self.names_of_notes.fullmatch(text):
            self.pitch()
        else:
            raise self.refuse(f"{text[:30]!r} is not followed")
        self._timed(node)
        self.after()
        node.end = self.at
        return node

    def _timed(self, node: Node) -> None:
        named = self.text()[1:] in LENGTHS and self.kind() is Kind.COMMAND
        if self.kind() is Kind.NUMBER or named:
            self._default = self.duration()
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
                self.path()
                self.value()
            elif kind is Kind.WORD and self.names_of_notes.fullmatch(text):
                self.pitch()
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
