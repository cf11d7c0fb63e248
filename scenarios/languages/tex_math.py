r"""Repairs of missing or doubled mathematics mode, each for the one error that it answers.

Each function takes a body (what stands between ``\begin{document}`` and ``\end{document}``) and
returns it changed, or None when the repair does not apply.
"""

from __future__ import annotations

import re

from scenarios.languages.tex_closing import Unpaired, walk
from scenarios.languages.tex_source import DISPLAY, has, mask, substitute

_MATHEMATICS = re.compile(rf"\$\$?|\\\]|\\\)|\\end\{{(?:{DISPLAY}|math)\}}")
_ALIGNING = re.compile(
    r"\\end\{(?:tabular\w?\*?|longtable|array|matrix|\w*matrix\*?|cases|aligned|alignedat|split"
    rf"|{DISPLAY})\}}"
)
_INNER = r"(?:aligned|alignedat|gathered|split|cases|dcases|array|[pbBvV]?matrix|smallmatrix)\*?"
_WORDS = re.compile(r"[A-Za-z]{4,}|\b(?:and|the|for|are|let|of|is)\b")
_ARGUMENTS = re.compile(
    r"\\(?:text\w*|math\w+|mbox|operatorname\*?|begin|end)\s*\{[^{}]*\}|\\[a-zA-Z]+\*?"
)
_AMOUNT = re.compile(r"\$(?=\d[\d.,]*(?:[\s;:)%/-]|[kMBmb]\b|\Z))")
_DOLLAR = re.compile(r"(?<!\\)\$")
_DOLLAR_OR_END = re.compile(r"(?<!\\)\$|\n[ \t]*\n|\Z")
_PROSE_WORDS = 2
_UNDERSCORE = r"(?<=[A-Za-z0-9]{2})_(?=[A-Za-z0-9])"


def drop_outer_mathematics(body: str) -> str | None:
    r"""``$\begin{align*}…\end{align*}$`` → ``\begin{align*}…\end{align*}``, other shells too."""
    display = (
        rf"(?P<display>\\begin\{{(?P<name>{DISPLAY})\}}"
        r"(?:(?!\\end\{(?P=name)\}).)*\\end\{(?P=name)\})"
    )
    shells = (
        (r"\$\$?", r"\$\$?"),
        (r"\\\[", r"\\\]"),
        (r"\\\(", r"\\\)"),
        (r"\\begin\{equation\*?\}", r"\\end\{equation\*?\}"),
    )
    new = body
    for opening, closing in shells:
        new = substitute(
            rf"(?s:{opening}\s*{display}\s*{closing})",
            lambda match: match["display"],
            new,
        )
    return new if new != body else None


def drop_blank_lines(body: str) -> str | None:
    """Remove blank lines inside displayed mathematics, where TeX takes them for a paragraph."""
    displays = (
        rf"\\begin\{{(?P<name>{DISPLAY})\}}.*?\\end\{{(?P=name)\}}",
        r"(?<!\\)\\\[.*?\\\]",
        r"\$\$.*?\$\$",
    )
    new = body
    for pattern in displays:
        masked = mask(new)
        for match in reversed(list(re.finditer(pattern, masked, re.DOTALL))):
            inside = re.sub(r"\n(?:[ \t]*\n)+", "\n", new[match.start() : match.end()])
            new = new[: match.start()] + inside + new[match.end() :]
    return new if new != body else None


def set_as_display(body: str) -> str | None:
    """Put bare formulae, one per paragraph, into display mathematics; prose is left alone."""
    if has(r"\$|\\\[|\\\(", body) or has(rf"\\begin\s*\{{(?:{DISPLAY}|math)\}}", body):
        return None
    paragraphs = [part for part in re.split(r"\n[ \t]*\n", body) if mask(part).strip()]
    if not paragraphs or not all(_is_formula(part) for part in paragraphs):
        return None
    return "\n\n".join(_display(part.strip()) for part in paragraphs)


def _is_formula(text: str) -> bool:
    masked = mask(text)
    environments = re.findall(r"\\begin\s*\{([^{}]*)\}", masked)
    if not all(re.fullmatch(_INNER, name) for name in environments):
        return False
    return _WORDS.search(_ARGUMENTS.sub(" ", masked)) is None


def _display(formula: str) -> str:
    masked = re.sub(
        rf"(?s)\\begin\{{(?P<name>{_INNER})\}}.*?\\end\{{(?P=name)\}}", "", mask(formula)
    )
    if re.search(r"(?<!\\)&|\\\\", masked):
        return f"\\begin{{align*}}\n{formula}\n\\end{{align*}}"
    return f"\\[\n{formula}\n\\]"


def align_display(body: str) -> str | None:
    r"""Supply ``aligned`` inside a display that holds alignment marks but nothing to align them."""

    def aligned(match: re.Match[str]) -> str:
        if not re.search(r"(?<!\\)&", match["inside"]) or "\\begin" in match["inside"]:
            return match[0]
        inside = f"\\begin{{aligned}}{match['inside']}\\end{{aligned}}"
        return match["opening"] + inside + match["closing"]

    new = body
    for opening, closing in (
        (r"(?<!\\)\\\[", r"\\\]"),
        (r"\$\$", r"\$\$"),
        (r"\\begin\{equation\*\}", r"\\end\{equation\*\}"),
    ):
        pattern = rf"(?s)(?P<opening>{opening})(?P<inside>.*?)(?P<closing>{closing})"
        new = substitute(pattern, aligned, new)
    return new if new != body else None


def escape_currency(body: str) -> str | None:
    """Escape the dollars of amounts of money in prose; a number alone in dollars is a formula."""
    masked, dollars, position = mask(body), [], 0
    while match := _DOLLAR.search(masked, position):
        position = match.end()
        end = _DOLLAR_OR_END.search(masked, position)
        inside = masked[position : end.start() if end else len(masked)]
        closed = end is not None and end[0] == "$"
        prose = not re.search(r"[\\=^+<>{}]", inside)
        words = len(re.findall(r"[A-Za-z]{2,}", inside))
        again = end is not None and _AMOUNT.match(masked, end.start()) is not None
        enough = words >= (1 if again else _PROSE_WORDS)
        if _AMOUNT.match(masked, match.start()) and (not closed or (prose and enough)):
            dollars.append(match.start())
        elif closed and end is not None:
            position = end.end()
    for dollar in reversed(dollars):
        body = f"{body[:dollar]}\\{body[dollar:]}"
    return body if dollars else None


def escape_prose(body: str) -> str | None:
    r"""Escape underscores, ampersands and number signs of prose: ``sales_2024``, ``R&D``, ``#1``.

    An underscore after a single letter (``x_1``) is a formula that lacks its dollars; that is not
    guessed here.
    """
    places: list[int] = []
    position, names = 0, tuple[str, ...]()
    try:
        for token, stack in walk(body):
            places += _signs(body, position, token.start(), names)
            position, names = token.end(), tuple(item.closing for item in stack)
    except Unpaired:
        return None
    places += _signs(body, position, len(body), names)
    for place in reversed(places):
        body = f"{body[:place]}\\{body[place:]}"
    return body if places else None


def _signs(body: str, start: int, end: int, closings: tuple[str, ...]) -> list[int]:
    """Return where the signs to escape are in plain text that stands in the given environments."""
    if any(_MATHEMATICS.fullmatch(closing) for closing in closings):
        return []
    aligned = any(_ALIGNING.fullmatch(closing) for closing in closings)
    pattern = _UNDERSCORE if aligned else rf"{_UNDERSCORE}|(?<!\\)&|#(?=\d|\s)"
    return [match.start() for match in re.compile(pattern).finditer(body, start, end)]
