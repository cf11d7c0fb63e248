r"""The pieces of a paper that make a picture of their own: where they lie and what they need.

A paper is read from its main file on, into whatever it includes, as TeX does. What is between
``\begin{document}`` and ``\end{document}`` is searched for formulae on lines of their own, tables,
algorithms, plots and figures; definitions are collected wherever they stand, also in classes and
packages that come with the paper.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from sources.latex_definitions import Arguments
from sources.latex_figures import graphics_paths
from sources.latex_files import MOST_OF_ALL, Files, Main, Text
from sources.latex_macros import DEFINING, Definitions, define
from sources.latex_tokens import Scan, Token

Sort = Literal["equation", "table", "algorithm", "plot", "figure"]

ENVIRONMENTS: dict[str, Sort] = {
    **dict.fromkeys(
        (
            "equation", "equation*", "align", "align*", "alignat", "alignat*", "gather", "gather*",
            "multline", "multline*", "flalign", "flalign*", "eqnarray", "eqnarray*", "displaymath",
            "subequations",
        ),
        "equation",
    ),
    **dict.fromkeys(
        (
            "table", "table*", "tabular", "tabular*", "tabularx", "tabulary", "longtable",
            "sidewaystable", "sidewaystable*", "threeparttable",
        ),
        "table",
    ),
    **dict.fromkeys(("algorithm", "algorithm*", "algorithmic", "algorithmic*"), "algorithm"),
    **dict.fromkeys(("tikzpicture", "tikzcd", "tikzcd*"), "plot"),
    **dict.fromkeys(
        (
            "figure", "figure*", "sidewaysfigure", "sidewaysfigure*", "wrapfigure", "SCfigure",
            "SCfigure*",
        ),
        "figure",
    ),
}  # fmt: skip
"""Environments that are searched for, by what they show."""

DISPLAYS = {"\\[": "\\]", "$$": "$$"}
MOST_PIECES = 3_000
MOST_FILES = 200
MOST_AROUND = 8
"""Environments around a piece that are noted of each file."""
MOST_DEPTH = 15
"""TeX itself has at most 15 files open at once."""
_PACKAGES = frozenset({"usepackage", "RequirePackage", "documentclass", "LoadClass"})


@dataclass(frozen=True)
class Piece:
    """A piece as it lies in its file, at characters `start` to `end`."""

    sort: Sort
    environment: str
    r"""Its name with the star, ``\[`` or ``$$``."""
    text: Text
    start: int
    end: int
    inner: tuple[int, int]
    """Where what is between its begin and end lies; other than `start` and `end` say, where
    commands of the author's stand for begin and end."""
    order: int
    """Its place in the order of reading."""
    inside: tuple[Sort, ...]
    """The sorts of the environments around it, from without."""
    sound: bool
    """Whether groups that open in it close in it."""
    folder: str
    """The folder that names of files in it start from."""


@dataclass
class Paper:
    """What was found in a paper."""

    main: Main
    definitions: Definitions = field(default_factory=Definitions)
    pieces: list[Piece] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    """The files, in the order in which they were begun."""
    content: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """All files of the paper by path."""
    graphics_paths: list[tuple[int, tuple[str, ...]]] = field(default_factory=list)
    r"""What each ``\graphicspath`` says, with its place in the order of reading."""


def read(files: Files, main: Main) -> Outcome[Paper]:
    """Read a paper from its main file on.

    Returns:
        Its pieces, in the order in which they end; or a failure of kind UNSUITABLE (no document
        begins, a file of it is binary) or TOO_LARGE.
    """
    reader = _Reader(files, Paper(main, content=files.content))
    try:
        reader.enter(main.path, posixpath.dirname(main.path), 0)
    except _Stopped as stopped:
        return stopped.failure
    if not reader.begun:
        message = f"no document begins in {main.path} or in what it includes"
        return Failed.of(Stage.FILTER, Kind.UNSUITABLE, message)
    return ok(reader.paper)


class _Stopped(Exception):
    def __init__(self, failure: Failed) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass
class _Open:
    """A group or an environment that is open."""

    name: str
    token: Token
    order: int


class _Stack:
    """What is open in one file, whose names start from a folder."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.open: list[_Open] = []
        self.names: Counter[str] = Counter()
        self.sorts: list[Sort] = []
        """What is open of the environments that are searched for, from without."""

    def push(self, name: str, token: Token, order: int) -> None:
        self.open.append(_Open(name, token, order))
        self.names[name] += 1
        if name in ENVIRONMENTS:
            self.sorts.append(ENVIRONMENTS[name])

    def pop(self, name: str) -> tuple[_Open, bool] | None:
        """Close the innermost of a name; tell whether nothing else was open within."""
        if not self.names[name]:
            return None
        sound = True
        while True:
            last = self.open.pop()
            self.names[last.name] -= 1
            if last.name in ENVIRONMENTS:
                self.sorts.pop()
            if last.name == name:
                return last, sound
            sound = False


class _Reader:
    """Goes through the files of a paper in the order in which TeX reads them."""

    def __init__(self, files: Files, paper: Paper) -> None:
        self.files = files
        self.paper = paper
        self.order = 0
        self.begun = self.ended = False
        self.documents = 0
        self.characters = 0
        self.around: list[tuple[Sort, ...]] = []

    def enter(self, path: str, folder: str, depth: int) -> None:
        """Read a file, unless it was read before or lies too deep."""
        if path in self.paper.read or depth > MOST_DEPTH or len(self.paper.read) >= MOST_FILES:
            return
        text = self.files.text(path)
        if isinstance(text, Failed):
            if path == self.paper.main.path or text.kind is Kind.TOO_LARGE:
                raise _Stopped(text)
            return
        self.characters += len(text.value.scan.text)
        if self.characters > MOST_OF_ALL:
            message = f"the paper has more than {MOST_OF_ALL} characters of LaTeX"
            raise _Stopped(Failed.of(Stage.FILTER, Kind.TOO_LARGE, message))
        self.paper.read.append(path)
        included = {
            token.start: (inner, base)
            for token, inner, base in self.files.included(text.value, folder)
        }
        self._go_through(text.value, folder, included, depth)

    def _go_through(
        self, text: Text, folder: str, included: dict[int, tuple[str, str]], depth: int
    ) -> None:
        stack, after = _Stack(folder), 0
        for token in text.scan.tokens:
            if token.start < after or self.ended:
                continue
            self.order += 1
            if token.kind == "macro":
                after = self._command(text, token, stack) or after
                if token.start in included:
                    inner, base = included[token.start]
                    self.around.append(tuple(stack.sorts[:MOST_AROUND]))
                    self.enter(inner, base, depth + 1)
                    self.around.pop()
                elif token.text in _PACKAGES:
                    self._own_packages(text.scan, token, folder, depth)
            else:
                self._structure(text, token, stack)

    def _command(self, text: Text, token: Token, stack: _Stack) -> int | None:
        """Take in a definition; or the begin or end that a command of the author's stands for."""
        known = self.paper.definitions
        if token.text in known.aliases:
            step, environment = known.aliases[token.text]
            self._environment(text, token, stack, step, environment)
            return None
        if token.text == "graphicspath":
            listed = Arguments(text.scan, token.end).group() or ""
            self.paper.graphics_paths.append((self.order, graphics_paths(listed)))
        if token.text not in DEFINING:
            return None
        # what a table or a plot defines is gone with its end
        local = self.begun and bool(stack.sorts)
        into = Definitions() if local else known
        return define(into, text.scan, token, text.path, self.order)

    def _own_packages(self, scan: Scan, token: Token, folder: str, depth: int) -> None:
        """Read the packages and the class that come with the paper."""
        arguments = Arguments(scan, token.end)
        arguments.optional(most=2_000)
        names = arguments.group() or ""
        suffix = ".cls" if token.text in ("documentclass", "LoadClass") else ".sty"
        for name in names.split(",")[:50]:
            path = self.files.find(folder, name, suffixes=(suffix,))
            if path is not None:
                self.enter(path, folder, depth + 1)

    def _structure(self, text: Text, token: Token, stack: _Stack) -> None:
        if token.kind in ("begin", "end"):
            if token.text == "document":
                self._document(token.kind)
            else:
                self._environment(text, token, stack, token.kind, token.text)
        elif token.kind == "open":
            stack.push("{", token, self.order)
        elif token.kind == "close":
            stack.pop("{")
        elif token.kind == "display":
            self._display(text, token, stack)

    def _document(self, step: str) -> None:
        """Begin or end the document, or one of the documents that it includes (subfiles)."""
        self.documents += 1 if step == "begin" else -1
        self.begun = True
        self.ended = self.documents <= 0

    def _display(self, text: Text, token: Token, stack: _Stack) -> None:
        if token.text == "$$" and stack.names["$$"]:
            self._close(text, token, stack, "$$")
        elif token.text in DISPLAYS:
            stack.push(token.text, token, self.order)
        elif token.text == "\\]":
            self._close(text, token, stack, "\\[")

    def _environment(self, text: Text, token: Token, stack: _Stack, step: str, name: str) -> None:
        if step == "begin":
            stack.push(name, token, self.order)
        else:
            self._close(text, token, stack, name)

    def _close(self, text: Text, token: Token, stack: _Stack, name: str) -> None:
        closed = stack.pop(name)
        sort = ENVIRONMENTS.get(name, "equation" if name in DISPLAYS else None)
        if closed is None or sort is None or not self.begun:
            return
        opened, sound = closed
        inside = (*(sort for sorts in self.around for sort in sorts), *stack.sorts[:MOST_AROUND])
        if len(self.paper.pieces) < MOST_PIECES:
            self.paper.pieces.append(
                Piece(
                    sort=sort,
                    environment=name,
                    text=text,
                    start=opened.token.start,
                    end=token.end,
                    inner=(opened.token.end, token.start),
                    order=opened.order,
                    inside=inside,
                    sound=sound,
                    folder=stack.folder,
                )
            )
