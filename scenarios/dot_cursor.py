"""A place in the tokens of a DOT text: what stands there, what is taken from there."""

from __future__ import annotations

from benchmark.limits import GRAPH_TEXT
from benchmark.outcome import Failed, Kind, Stage
from scenarios.graph_labels import unquote
from scenarios.graphs import too_large
from scenarios.languages.dot_tokens import ID_KINDS, Token, TokenKind, tokenize

HTML = "\0"
"""Marks the value of an attribute as HTML-like; no other value is kept with such a sign."""


class Fault(Exception):
    """Carries a failure out of the parser."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.message)
        self.failed = failed


class Cursor:
    """Goes through the tokens in order; what does not fit is raised as a `Fault`."""

    def __init__(self, text: str) -> None:
        """Begin at the first token."""
        self.text = text
        self.tokens = tokenize(text)
        self.place = 0

    def value(self) -> str:
        """Read a value; one that is HTML-like keeps its first sign."""
        is_html = self.kind() is TokenKind.HTML
        value = self.identifier()
        return f"{HTML}{value}" if is_html else value.lstrip(HTML)

    def identifier(self) -> str:
        """Read a name or a value."""
        token = self.token()
        if token is None or token.kind not in ID_KINDS:
            raise self.fault("expected a name or a value")
        if not token.closed:
            raise self.fault("a string is not closed")
        if len(token.text) > GRAPH_TEXT + 2:
            raise Fault(too_large(f"a text has more than {GRAPH_TEXT} characters"))
        self.place += 1
        if token.kind is TokenKind.HTML:
            return token.text[1:-1]
        if token.kind is not TokenKind.QUOTED:
            return token.text
        pieces = [unquote(token.text)]
        while self.sign() == "+":
            self.place += 1
            more = self.token()
            if more is None or more.kind is not TokenKind.QUOTED or not more.closed:
                raise self.fault("expected a quoted string after +")
            pieces.append(unquote(more.text))
            self.place += 1
        return "".join(pieces)

    def token(self) -> Token | None:
        """Return the token here, if there is one."""
        return self.tokens[self.place] if self.place < len(self.tokens) else None

    def kind(self) -> TokenKind | None:
        """Return the kind of the token here."""
        token = self.token()
        return None if token is None else token.kind

    def here(self) -> str:
        """Return what stands here, for a message."""
        token = self.token()
        return "the end" if token is None else repr(token.text[:40])

    def sign(self) -> str:
        """Return the sign here, or nothing."""
        token = self.token()
        return token.text if token is not None and token.kind is TokenKind.SIGN else ""

    def word(self) -> str:
        """Return the name here in lower case, or nothing; quoted names are no words."""
        token = self.token()
        return token.text.lower() if token is not None and token.kind is TokenKind.NAME else ""

    def take(self, sign: str) -> bool:
        """Go past a sign if it stands here; tell whether it does."""
        taken = self.sign() == sign
        self.place += taken
        return taken

    def take_word(self, word: str) -> bool:
        """Go past a word if it stands here; tell whether it does."""
        taken = self.word() == word
        self.place += taken
        return taken

    def expect(self, sign: str) -> None:
        """Go past a sign that must stand here."""
        if not self.take(sign):
            raise self.fault(f"expected {sign}")

    def fault(self, message: str) -> Fault:
        """Return the fault of what stands here, with its line."""
        token = self.token()
        place = len(self.text) if token is None else token.start
        line = self.text.count("\n", 0, place) + 1
        return Fault(
            Failed.of(
                Stage.PARSE, Kind.PARSE_ERROR, f"DOT, line {line}: {message} at {self.here()}"
            )
        )
