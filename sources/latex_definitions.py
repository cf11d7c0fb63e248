r"""How LaTeX defines things: the commands that do, and how their arguments are read."""

from __future__ import annotations

import re
from collections.abc import Callable

from sources.latex_tokens import Scan

_SPACE = re.compile(r"(?:\s|%[^\n]*\n)*")
_CONTROL = re.compile(r"\\([a-zA-Z@]+|[^a-zA-Z])")
_PARAMETERS = re.compile(r"[^{}\n]{0,100}(?=\{)")
_EQUALS = re.compile(r"\s?=?\s?")
_ASSIGNMENT = re.compile(r"\s*\+?=\s*")
_STYLE = re.compile(r"([\w*'>< -]{1,60}?)\s{0,9}/\.(?:style|append style|pic|default|initial)\b")
_BRACKET = re.compile(r"[\]{]")
_LONGEST_NAME = 200
"""Longer groups are no names; to copy each of very many that lie in each other would take hours."""
_LONGEST_STYLES = 20_000
_LONGEST_STYLE = 2_000


class Arguments:
    """Reads what follows a command."""

    def __init__(self, scan: Scan, place: int) -> None:
        self.scan = scan
        self.place = place

    def skip(self) -> None:
        """Pass over blanks and comments."""
        found = _SPACE.match(self.scan.text, self.place)
        self.place = found.end() if found else self.place

    def star(self) -> bool:
        """Read a star, if there is one."""
        self.skip()
        if self.scan.text[self.place : self.place + 1] != "*":
            return False
        self.place += 1
        return True

    def group(self) -> str | None:
        """Read a group in braces and return what is in it."""
        self.skip()
        end = self.scan.closing.get(self.place)
        if end is None:
            return None
        inner = self.scan.text[self.place + 1 : end - 1]
        self.place = end
        return inner

    def name(self) -> str | None:
        """Read a group that is as short as names are, and return what is in it."""
        self.skip()
        end = self.scan.closing.get(self.place)
        return None if end is None or end - self.place > _LONGEST_NAME else self.group()

    def optional(self, most: int = 200) -> str | None:
        """Read an argument in brackets, of at most so many characters."""
        self.skip()
        text = self.scan.text
        if text[self.place : self.place + 1] != "[":
            return None
        place, last = self.place + 1, self.place + most
        while (mark := _BRACKET.search(text, place, last)) is not None:
            if mark[0] == "]":
                inner = text[self.place + 1 : mark.start()]
                self.place = mark.end()
                return inner
            place = self.scan.closing.get(mark.start(), mark.end())
        return None

    def control(self) -> str | None:
        r"""Read the name of a command, ``\name`` or ``{\name}``, and return it with backslash."""
        self.skip()
        if self.scan.text[self.place : self.place + 1] == "{":
            found = _CONTROL.fullmatch((self.name() or "").strip())
            return found[0] if found else None
        found = _CONTROL.match(self.scan.text, self.place)
        if found is None:
            return None
        self.place = found.end()
        return found[0]

    def groups(self, most: int) -> list[str]:
        """Read as many groups as follow each other."""
        found: list[str] = []
        while len(found) < most and (inner := self.group()) is not None:
            found.append(inner)
        return found


Read = tuple[tuple[str, ...], str | None]
"""Keys, and what the definition says; None: what is written."""


def _command(arguments: Arguments) -> Read | None:
    arguments.star()
    name = arguments.control()
    arguments.optional()
    arguments.optional()
    body = arguments.group()
    if body is None and name is not None:
        body = arguments.control()
    return None if name is None or body is None else ((name,), None)


def _document_command(arguments: Arguments) -> Read | None:
    name = arguments.control()
    return ((name,), None) if name and len(arguments.groups(2)) == 2 else None


def _def(arguments: Arguments) -> Read | None:
    name = arguments.control()
    parameters = _PARAMETERS.match(arguments.scan.text, arguments.place)
    if name is None or parameters is None:
        return None
    arguments.place = parameters.end()
    return None if arguments.group() is None else ((name,), None)


def _let(arguments: Arguments) -> Read | None:
    name = arguments.control()
    equals = _EQUALS.match(arguments.scan.text, arguments.place)
    arguments.place = equals.end() if equals else arguments.place
    return ((name,), None) if name and arguments.control() else None


def _operator(arguments: Arguments) -> Read | None:
    r"""Read ``\DeclareMathOperator``, which LaTeX allows only in a preamble."""
    star = "*" if arguments.star() else ""
    name, body = arguments.control(), arguments.group()
    if name is None or body is None:
        return None
    return (name,), f"\\newcommand{{{name}}}{{\\operatorname{star}{{{body}}}}}"


def _delimiter(arguments: Arguments) -> Read | None:
    name = arguments.control()
    arguments.optional()
    return ((name,), None) if name and len(arguments.groups(3)) >= 2 else None


def _environment(arguments: Arguments) -> Read | None:
    name = arguments.name()
    arguments.optional()
    arguments.optional()
    return ((f"{{{name}}}",), None) if name and len(arguments.groups(2)) == 2 else None


def _column(arguments: Arguments) -> Read | None:
    letter = arguments.name()
    arguments.optional()
    return ((f"column {letter.strip()}",), None) if letter and arguments.groups(1) else None


def _colour(arguments: Arguments) -> Read | None:
    arguments.optional()
    name = arguments.name()
    return ((f"word {name}",), None) if name and arguments.groups(2) else None


def _length(arguments: Arguments) -> Read | None:
    name = arguments.control()
    return ((name,), None) if name else None


def _set_length(arguments: Arguments) -> Read | None:
    name = arguments.control()
    return ((f"sets {name}",), None) if name and arguments.groups(1) else None


def _styles(arguments: Arguments) -> Read | None:
    inner = arguments.group()
    if inner is None or "external" in inner:
        return None  # pictures that another run of TeX made
    names = tuple(f"word {name.strip()}" for name in _STYLE.findall(inner[:_LONGEST_STYLES]))
    return names or ("tikz",), None


def _style(arguments: Arguments) -> Read | None:
    name = arguments.name()
    rest = _ASSIGNMENT.match(arguments.scan.text, arguments.place)
    arguments.place = rest.end() if rest else arguments.place
    return (
        ((f"word {name}",), None)
        if name and arguments.optional(_LONGEST_STYLE) is not None
        else None
    )


def _plot_settings(arguments: Arguments) -> Read | None:
    return (("pgfplots",), None) if arguments.group() is not None else None


def _keywords(arguments: Arguments) -> Read | None:
    arguments.star()
    names = [f"\\{name}" for name in arguments.groups(8) if re.fullmatch("[a-zA-Z]+", name)]
    return (tuple(names), None) if names else None


READERS: dict[str, Callable[[Arguments], Read | None]] = {
    **dict.fromkeys(
        (
            "newcommand", "renewcommand", "providecommand", "DeclareRobustCommand",
            "algnewcommand", "algrenewcommand",
        ),
        _command,
    ),
    **dict.fromkeys(
        (
            "NewDocumentCommand", "RenewDocumentCommand", "ProvideDocumentCommand",
            "DeclareDocumentCommand",
        ),
        _document_command,
    ),
    **dict.fromkeys(("def", "gdef", "edef", "xdef"), _def),
    "let": _let,
    "DeclareMathOperator": _operator,
    **dict.fromkeys(("DeclarePairedDelimiter", "DeclarePairedDelimiterX"), _delimiter),
    **dict.fromkeys(("newenvironment", "renewenvironment"), _environment),
    "newcolumntype": _column,
    **dict.fromkeys(("definecolor", "colorlet", "providecolor"), _colour),
    "newlength": _length,
    "setlength": _set_length,
    "tikzset": _styles,
    "tikzstyle": _style,
    "pgfplotsset": _plot_settings,
    **dict.fromkeys(
        (
            "SetKwInput", "SetKwInOut", "SetKwFunction", "SetKwProg", "SetKwData", "SetKwComment",
            "SetKw", "SetKwFor", "SetKwIF", "SetKwRepeat", "SetKwBlock", "SetKwArray",
        ),
        _keywords,
    ),
}  # fmt: skip
"""The commands that define something, each with what reads its arguments."""
