"""JSON put in order token by token: one pass, no recursion, no backtracking."""

from __future__ import annotations

import re
from typing import NamedTuple

JSON_DEPTH = 150
"""Deepest nesting that is read; pydantic reads back at most 200 levels of stored JSON."""

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[{}\[\],:]|[^"{}\[\],:\s]++|\s++', re.DOTALL)
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(
    rf"\\(u[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}|u{_HEX}{{4}}|[a-zA-Z]+|.|\Z)",
    re.DOTALL,
)
_CONTROL = re.compile(r"[\x00-\x1f]")
_LITERAL = re.compile(r"true|false|null|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_CLOSER = {"{": "}", "[": "]"}

_LATEX = frozenset(
    re.findall(
        r"[a-z]+",
        """
        nabla natural ncong nearrow neq newcommand newline newpage nexists ngeq nleftarrow nleq
        nmid nocite node noindent nolimits nonumber normalfont normalsize notin nparallel
        nrightarrow nsim nsubseteq nwarrow raggedright raisebox rangle rbrace rbrack rceil ref
        renewcommand resizebox rfloor rho right rightarrow rightharpoonup rightleftharpoons rm
        rotatebox rtimes rule rvert tableofcontents tabularnewline tag tau tbinom text textbf
        textcolor textit textrm textsc textsf textstyle texttt textup textwidth tfrac therefore
        theta thinspace tikz tikzset tilde times tiny title today toprule triangle triangleleft
        triangleright
        """,
    )
)
_LATEX_OR_WORD = frozenset({"ne", "neg", "ni", "not", "nu", "tan", "tanh", "to", "top"})
"""Commands whose tail is also a likely first word of a line; read as commands only in company."""


class Tidy(NamedTuple):
    """JSON text in order, and what was done to it."""

    text: str
    end: int
    cut_off: bool
    damaged: bool
    repairs: tuple[str, ...]


class _Writer:
    """The tokens written so far and the brackets that are still open."""

    def __init__(self) -> None:
        self.tokens: list[str] = []
        self.stack: list[str] = []
        self.repairs: dict[str, None] = {}
        self.damaged = False

    def add(self, token: str) -> None:
        """Write one token."""
        if token[0] == '"':
            self._add_string(token)
            return
        if token in _CLOSER:
            self.stack.append(token)
        elif token in _CLOSER.values():
            self._drop_comma("trailing commas dropped")
            if self.stack:
                self.stack.pop()
        self.tokens.append(token)

    def close(self) -> None:
        """Close what a cut-off text left open; a key without a value is dropped."""
        tokens = self.tokens
        if tokens and tokens[-1][0] not in '"{}[],:' and not _LITERAL.fullmatch(tokens[-1]):
            tokens.pop()
        self._drop_key()
        self._drop_comma(None)
        tokens.extend(_CLOSER[opening] for opening in reversed(self.stack))

    def _drop_key(self) -> None:
        tokens = self.tokens
        if tokens and tokens[-1] == ":":
            del tokens[-2:]
        elif tokens and tokens[-1][0] == '"' and self.stack[-1:] == ["{"] and tokens[-2] in "{,":
            tokens.pop()

    def _drop_comma(self, repair: str | None) -> None:
        while self.tokens and self.tokens[-1] == ",":
            self.tokens.pop()
            if repair:
                self.repairs[repair] = None

    def _add_string(self, token: str) -> None:
        body = token[1:]
        if _is_closed(token):
            body = body[:-1]
        if _CONTROL.search(body):
            self.repairs["raw control characters in strings kept"] = None
        if "\\" in body:
            body, repairs = _repair_escapes(body)
            self.damaged |= _DAMAGE in repairs
            self.repairs.update(dict.fromkeys(repairs))
        self.tokens.append(f'"{body}"')


_DAMAGE = "backslashes of LaTeX commands doubled (escape_damage)"
_DOUBLED = "single backslashes doubled"
_SURROGATES = "lone surrogates replaced"
_APOSTROPHE = "escaped apostrophes unescaped"


def tidy(text: str, start: int) -> Tidy | None:
    """Put the JSON value that begins at `start` in order; None where it is nested too deeply.

    Stops where the value ends. Whitespace between tokens is dropped, strings are kept apart from
    the repairs that ``read_json`` names.
    """
    writer = _Writer()
    end = len(text)
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token.isspace():
            continue
        writer.add(token)
        if len(writer.stack) > JSON_DEPTH:
            return None
        if not writer.stack:
            end = match.end()
            break
    cut_off = bool(writer.stack)
    if cut_off:
        writer.close()
    return Tidy("".join(writer.tokens), end, cut_off, writer.damaged, tuple(writer.repairs))


def _is_closed(token: str) -> bool:
    if len(token) == 1 or token[-1] != '"':
        return False
    before = token[1:-1]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0


def _repair_escapes(body: str) -> tuple[str, list[str]]:
    """Return a string's inside with valid escapes only, and the repairs made."""
    repairs: list[str] = []

    def repair(match: re.Match[str], *, latex: bool) -> str:
        escape = match[1]
        fixed, what = _repair_escape(escape, latex=latex)
        if what:
            repairs.append(what)
        return fixed

    fixed = _ESCAPE.sub(lambda match: repair(match, latex=False), body)
    if _DAMAGE in repairs or _DOUBLED in repairs:
        repairs.clear()
        fixed = _ESCAPE.sub(lambda match: repair(match, latex=True), body)
    return fixed, repairs


def _repair_escape(escape: str, *, latex: bool) -> tuple[str, str | None]:
    r"""Return what to write for a backslash and what follows it.

    ``\b`` and ``\f`` before a letter never mean backspace and form feed; ``\n``, ``\r`` and
    ``\t`` are part of a LaTeX command only if a known command results.
    """
    kept = "\\" + escape
    doubled = "\\" + kept
    result: tuple[str, str | None] = (kept, None)
    if escape == "":
        result = ("", None)
    elif escape == "'":
        result = ("'", _APOSTROPHE)
    elif escape[0] == "u" and len(escape) > 1 and re.match(_HEX + "{4}", escape[1:]):
        lone = len(escape) == len("uXXXX") and escape[1] in "dD" and escape[2] in "89abcdefABCDEF"
        result = ("\\ufffd", _SURROGATES) if lone else result
    elif escape[0] in "bf" and len(escape) > 1:
        result = (doubled, _DAMAGE)
    elif escape[0] in "nrt":
        command = escape in _LATEX or (latex and escape in _LATEX_OR_WORD)
        result = (doubled, _DAMAGE) if command else result
    elif escape not in ("b", "f", '"', "\\", "/"):
        result = (doubled, _DOUBLED)
    return result
