r"""LaTeX source as tokens: what is code in a file, where its groups close.

The tokens are those of pylatexenc. Its parser is not used: it descends once for each nested group
and fails on hostile depth, and no part of this work needs a tree. What is not code gives no token:
comments, verbatim text, ``\iffalse … \fi``, and all that follows ``\end{document}``. Time and
memory grow linearly with the text, whatever it holds; nothing here recurses.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylatexenc.latexwalker import LatexWalker

VERBATIM = frozenset(
    {
        "verbatim", "verbatim*", "Verbatim", "Verbatim*", "BVerbatim", "LVerbatim", "alltt",
        "lstlisting", "minted", "filecontents", "filecontents*", "spverbatim",
    }
)  # fmt: skip
"""Environments whose content is text and no code."""

_ADDRESSES = frozenset({"url", "path", "nolinkurl"})
_RAW = _ADDRESSES | {"lstinline", "verb", "Verb"}
"""Commands whose argument is text and no code, with delimiters of their own."""
_AROUND_ADDRESSES = "{|!+\"'"
r"""What is taken for the delimiter of an address: papers define ``\url`` (``\def\url#1``), and TikZ
has a ``\path`` of its own (``\path[draw] (0,0)``)."""

_NOT_CONDITIONAL = re.compile(
    r"iff|ifthenelse|ifthispageodd|ifbool|iftoggle|ifblank|ifstr\w+|ifnum\w+|ifdim\w+|ifdef\w+"
    r"|ifcs\w+|ifundef|ifeqcase|if(?:Boolean|NoValue|Value)\w*|iffieldundef|iffloatpage"
)
_PRIMITIVE = frozenset({"ifnum", "ifdim", "ifdefined", "ifcsname"})

_NAME = re.compile(r"\s*\{([^{}\\%\n]{0,80})\}")
_MARK = re.compile(r"[\\{}$%]|\n[ \t\r]*\n")
_FI = re.compile(r"\\(if[a-zA-Z@]*|else|fi)(?![a-zA-Z@])|\\[^a-zA-Z]|%[^\n]*")
_DELIMITED = re.compile(r"\*?(?:\[[^\]\n]{0,200}\])?([^a-zA-Z\s*])")
_LONGEST_URL, _LONGEST_VERB = 2_000, 500
_END_OF_LINE = re.compile(r"\r\n?|\n")
_REST_OF_LINE = re.compile(r"[ \t]*(?:\r\n|\n)")
_END_OF_COMMENT = re.compile(r"\\end\{comment\}[^\r\n]*")


@dataclass(frozen=True, slots=True)
class Token:
    r"""A token that is code, at characters `start` to `end` of its text.

    `kind` is ``macro`` (`text` is its name without backslash), ``begin`` or ``end`` (`text` is the
    environment's name), ``open`` or ``close`` (a brace), ``display`` (``\[``, ``\]``, ``$$``),
    ``inline`` (``\(``, ``\)``, ``$``) or ``paragraph`` (an empty line).
    """

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Dead:
    """A place that gives no tokens: a comment, a branch never taken, or raw text that prints."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True)
class Scan:
    """A text with its tokens in order."""

    text: str
    tokens: tuple[Token, ...]
    closing: dict[int, int]
    """Where the group ends (after its brace) that opens at a place; no entry if it does not."""
    dead: tuple[Dead, ...]
    """What gives no tokens, in order."""
    ends: bool = False
    r"""Whether ``\end{document}`` was met."""

    def code(self, start: int, end: int) -> str:
        """Return a part of the text that prints the same, without its comments and dead branches.

        A line that holds nothing else goes: an empty one in its place would end a paragraph. Of a
        comment right after something the percent sign stays, which keeps the end of the line from
        becoming a blank.
        """
        pieces: list[str] = []
        begins = True  # a line, or the part itself
        for dead in self._dead_within(start, end):
            if dead.kind == "raw":
                continue
            piece = self.text[start : dead.start]
            line, rest = piece.rstrip(" \t"), _REST_OF_LINE.match(self.text, dead.end)
            begins = line.endswith("\n") or (begins and not line)
            if begins and rest:
                pieces.append(line)
                start = rest.end()
                continue
            if dead.kind == "comment" and not piece.endswith((" ", "\t")):
                piece += "%"
            pieces.append(piece)
            start = dead.end
        return "".join(pieces) + self.text[start:end]

    def plain(self, start: int, end: int) -> str:
        """Return a part of the text without anything that gives no tokens: to be looked through."""
        pieces = []
        for dead in self._dead_within(start, end):
            pieces.append(self.text[start : dead.start])
            start = dead.end
        return " ".join([*pieces, self.text[start:end]])

    def _dead_within(self, start: int, end: int) -> list[Dead]:
        first = bisect_left(self.dead, start, key=lambda dead: dead.start)
        return [*takewhile(lambda dead: dead.end <= end, islice(self.dead, first, None))]


def scan(text: str) -> Scan:
    """Read a text into tokens; never fails, whatever the text holds."""
    reader = _Reader(text)
    tokens = tuple(reader.read())
    closing: dict[int, int] = {}
    opened: list[int] = []
    for token in tokens:
        if token.kind == "open":
            opened.append(token.start)
        elif token.kind == "close" and opened:
            closing[opened.pop()] = token.end
    return Scan(text, tokens, closing, tuple(reader.dead), reader.ends)


class _Reader:
    """Goes once through a text."""

    def __init__(self, text: str) -> None:
        from pylatexenc.latexwalker import LatexWalker  # noqa: PLC0415 - slow to import

        self.text = text
        self.walker: LatexWalker = LatexWalker(text)
        self.outside = self.walker.make_parsing_state()
        self.within = self.outside.sub_context(in_math_mode=True, math_mode_delimiter="$")
        self.dead: list[Dead] = []
        self.ends = False
        self.in_dollars = False
        self.branches: list[str] = []  # that are open and in which: "true", "taken" or "unknown"

    def read(self) -> Iterator[Token]:
        place = 0
        while not self.ends and (mark := _MARK.search(self.text, place)):
            if mark[0][0] == "\n":
                self.in_dollars = False
                place = mark.end() - 1
                yield Token("paragraph", "", mark.start(), place)
                continue
            token = self._next(mark.start())
            place = token.end
            if token.kind == "comment":
                self.dead.append(Dead(token.start, token.end, "comment"))
            elif token.kind in ("macro", "begin"):
                place = yield from self._command(token)
            else:
                self.ends = token.kind == "end" and token.text == "document"
                yield token
        if self.ends:
            self.dead.append(Dead(place, len(self.text), "branch"))

    def _next(self, place: int) -> Token:
        """Return the token at a place that holds a backslash, brace, dollar or percent sign."""
        if place + 1 == len(self.text) and self.text[place] == "\\":
            return Token("comment", "", place, place + 1)
        state = self.within if self.in_dollars else self.outside
        # environments are read here: pylatexenc copies the rest of the text for each of them
        found = self.walker.get_token(place, environments=False, parsing_state=state)
        end = found.pos + found.len - len(found.post_space)
        if found.tok == "comment":
            line = _END_OF_LINE.search(self.text, place)
            return Token("comment", "", place, line.start() if line else len(self.text))
        if found.tok == "macro":
            return self._named(str(found.arg), place, end)
        if found.tok == "mathmode_inline":
            if found.arg == "$":
                self.in_dollars = not self.in_dollars
            return Token("inline", str(found.arg), place, end)
        if found.tok == "mathmode_display":
            return Token("display", str(found.arg), place, end)
        return Token("open" if found.arg == "{" else "close", str(found.arg), place, end)

    def _named(self, name: str, place: int, end: int) -> Token:
        if name in ("begin", "end"):
            environment = _NAME.match(self.text, end)
            if environment:
                return Token(name, environment[1].strip(), place, environment.end())
        return Token("macro", name, place, end)

    def _command(self, token: Token) -> Generator[Token, None, int]:
        """Yield a command or the begin of an environment; return where to go on."""
        name = token.text
        if token.kind == "macro" and (name in ("iffalse", "iftrue") or self.branches):
            end = self._conditional(token)
            if end is not None:
                self.dead.append(Dead(token.start, end, "branch"))
                return end
        if token.kind == "begin" and name == "comment":
            found = _END_OF_COMMENT.search(self.text, token.end)
            end = found.end() if found else len(self.text)
            self.dead.append(Dead(token.start, end, "comment"))
            return end
        yield token
        if token.kind == "begin" and name in VERBATIM:
            return self._raw(token.end, self.text.find(f"\\end{{{name}}}", token.end))
        if token.kind == "macro" and name in _RAW:
            return self._raw(token.end, self._after_argument(name, token.end))
        return token.end

    def _raw(self, start: int, end: int) -> int:
        """Note that text is raw, to its end or to that of all; return the end."""
        end = len(self.text) if end < 0 else end
        if end > start:
            self.dead.append(Dead(start, end, "raw"))
        return end

    def _after_argument(self, name: str, start: int) -> int:
        """Return the end of a verbatim argument; its start, if it is none."""
        delimiter = _DELIMITED.match(self.text, start)
        if delimiter is None or delimiter[1] == "}":
            return start
        if name in _ADDRESSES and self.text[start] not in _AROUND_ADDRESSES:
            return start
        braced = delimiter[1] == "{"
        first, most = delimiter.end(), delimiter.end() + (_LONGEST_URL if braced else _LONGEST_VERB)
        end = self.text.find("}" if braced else delimiter[1], first, most)
        return start if end < 0 or (not braced and "\n" in self.text[first:end]) else end + 1

    def _conditional(self, token: Token) -> int | None:
        r"""Pass over what is never taken of ``\iffalse`` and ``\iftrue``; None: it is code."""
        name = token.text
        if name == "iffalse":
            end, stopped_by = self._after_branch(token.end)
            if stopped_by == "else":
                self.branches.append("taken")
            return end
        if name == "iftrue":
            self.branches.append("true")
            return token.end
        if name == "else" and self.branches[-1] == "true":
            self.branches.pop()
            return self._after_branch(token.end, stop_at_else=False)[0]
        if name == "fi":
            return None if self.branches.pop() == "unknown" else token.end
        if _is_conditional(name):
            self.branches.append("unknown")
        return None

    def _after_branch(self, place: int, *, stop_at_else: bool = True) -> tuple[int, str]:
        r"""Return the end of the ``\fi`` or ``\else`` that ends a branch, and which it is."""
        depth = 0
        for found in _FI.finditer(self.text, place):
            name = found[1]
            if name == "fi" and depth == 0:
                return found.end(), name
            if name == "fi":
                depth -= 1
            elif name == "else" and depth == 0 and stop_at_else:
                return found.end(), name
            elif name is not None and _is_conditional(name):
                depth += 1
        return len(self.text), "end"


def _is_conditional(name: str) -> bool:
    r"""Tell whether a command needs a ``\fi``."""
    return name.startswith("if") and (name in _PRIMITIVE or not _NOT_CONDITIONAL.fullmatch(name))
