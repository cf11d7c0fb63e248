r"""Closing what a cut-off answer left open: groups, mathematics, environments, the document.

Text is only taken away where a token or a drawing command was itself cut in two; nothing is
invented but the closing tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from scenarios.languages.tex_source import TOKEN

DRAWINGS = r"tikzpicture|axis|semilogxaxis|semilogyaxis|loglogaxis|polaraxis|groupplot|scope"
"""Environments that hold commands ended by semicolons; half a command is an error there."""

_PAIRS = {"{": "}", "\\[": "\\]", "\\(": "\\)"}
_CUT_ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*(?:\{[^{}]*)?\Z")
_CUT_OPTIONS = re.compile(r"\\(?:[a-zA-Z]+\*?(?:\{[^{}]*\})*|\\)\[[^\[\]]*\Z")
_OPTIONS = re.compile(r"\s*\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)*\]")


class Opened(NamedTuple):
    """Something that was opened: its name, the token that closes it, where its inside begins."""

    name: str
    closing: str
    inside: int


class Unpaired(ValueError):
    """Tokens close what was not opened last, so that the text is wrong, not merely cut off."""


def walk(text: str, start: int = 0) -> Iterator[tuple[re.Match[str], list[Opened]]]:
    r"""Yield each token with all that is open after it (one list, which changes as one goes on).

    Stops at ``\end{document}``.

    Raises:
        Unpaired: as the class says.
    """
    stack: list[Opened] = []
    for token in TOKEN.finditer(text, start):
        top = stack[-1].closing if stack else ""
        if token["closed"] == "document" and top != "\\end{document}":
            raise Unpaired
        closing = _closing(token, top)
        opened = None if closing else _opening(token, top)
        if opened is not None:
            stack.append(opened)
        elif closing is not None:
            if closing != top:
                raise Unpaired
            stack.pop()
        yield token, stack
        if token["closed"] == "document":
            return


def _opening(token: re.Match[str], top: str) -> Opened | None:
    if token["begin"]:
        name = token["opened"]
        return Opened(name, f"\\end{{{name}}}", token.end())
    if token["dollars"]:
        # "$a$$b$" is one formula after another: the pair in the middle opens nothing new.
        return None if top == "$" else Opened("mathematics", token[0], token.end())
    closing = _PAIRS.get(token[0])
    return Opened(token[0], closing, token.end()) if closing else None


def _closing(token: re.Match[str], top: str) -> str | None:
    if token["end"]:
        return f"\\end{{{token['closed']}}}"
    if token["dollars"]:
        return token[0] if token[0] == top else None
    return token[0] if token[0] in _PAIRS.values() else None


def still_open(text: str) -> list[Opened]:
    """Return what is open at the end of the text, the outermost first.

    Raises:
        Unpaired: the text is wrong, not merely cut off.
    """
    stack: list[Opened] = []
    for _, stack in walk(text):  # noqa: B007 - only the last value matters
        pass
    return list(stack)


def close(text: str) -> str | None:
    r"""Return a cut-off text with all that is open closed in order; None if nothing is open.

    None is returned as well when the tokens of the text do not pair: TeX had better say so.

    Example:
        >>> close(r"\begin{tabular}{l} a \\ b")
        '\\begin{tabular}{l} a \\\\ b\n\\end{tabular}'
    """
    try:
        opened = still_open(text)
        if not opened:
            return None
        whole = _drop_half_tokens(text.rstrip(" \t\r\n"), opened)
        tail = "".join(_closing_text(item) for item in reversed(still_open(whole)))
    except Unpaired:
        return None
    in_comment = re.search(r"(?<!\\)%[^\n]*\Z", whole) is not None
    return whole + ("\n" if in_comment and not tail.startswith("\n") else "") + tail


def _closing_text(item: Opened) -> str:
    return f"\n{item.closing}" if item.closing.startswith("\\end") else item.closing


def _drop_half_tokens(text: str, opened: list[Opened]) -> str:
    drawings = [item for item in opened if re.fullmatch(DRAWINGS, item.name)]
    if drawings:
        return text[: _end_of_whole_command(text, drawings[-1].inside)]
    last = None
    for last in TOKEN.finditer(text):  # noqa: B007 - only the last value matters
        pass
    if last and last["command"] and last.end() == len(text) and last[0][1:].isalpha():
        text = text[: last.start()]  # the name may be half a name; a whole one is a small loss
    text = _CUT_ENVIRONMENT.sub("", text)
    return _CUT_OPTIONS.sub("", text)


def _end_of_whole_command(text: str, inside: int) -> int:
    """Where a drawing's last whole command ends: at a semicolon or an inner environment's end."""
    options = _OPTIONS.match(text, inside)
    end = position = options.end() if options else inside
    depth = 0
    for token, stack in walk(text, position):
        if depth == 0 and ";" in text[position : token.start()]:
            end = text.rindex(";", position, token.start()) + 1
        depth, position = len(stack), token.end()
        if depth == 0 and token["end"]:
            end = position
    if depth == 0 and ";" in text[position:]:
        end = text.rindex(";", position) + 1
    return end
