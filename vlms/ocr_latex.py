r"""Lines of text as LaTeX: one paragraph for each row of the picture, everything in text mode.

No attempt is made at fractions, sub- and superscripts or rules. What pdfTeX's standard fonts lack
(Chinese, say) is left out; mathematical symbols are set as such.
"""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from vlms.reader import Line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\ensuremath{<}",
    ">": r"\ensuremath{>}",
    "|": r"\ensuremath{|}",
}
SYMBOLS = {
    "×": "times", "÷": "div", "±": "pm", "·": "cdot", "≤": "leq", "≥": "geq", "≠": "neq",
    "≈": "approx", "≡": "equiv", "→": "rightarrow", "←": "leftarrow", "↔": "leftrightarrow",
    "⇒": "Rightarrow", "∞": "infty", "∂": "partial", "∇": "nabla", "∑": "sum", "∏": "prod",
    "∫": "int", "∈": "in", "∉": "notin", "∩": "cap", "∪": "cup", "⊂": "subset", "⊆": "subseteq",
    "∅": "emptyset", "∀": "forall", "∃": "exists", "¬": "neg", "∧": "wedge", "∨": "vee",
    "√": "surd", "−": "-", "∥": "parallel", "⊥": "perp", "∝": "propto", "°": "circ",
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi",
    "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta",
    "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
QUOTES = {
    "⁄": "/",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "–": "--",
    "—": "---",
    "…": r"\dots{}",
}
LAST_LETTER = 0x17F
"""The last letter of Latin Extended-A, most of which the T1 fonts have."""
NOT_IN_T1 = "ĦħĸĿŀŉŦŧſ"


def write(picture: NDArray[np.uint8], lines: list[Line]) -> str | None:  # noqa: ARG001 - a writer
    """Return the rows as paragraphs, or None if there is no text that LaTeX can set."""
    paragraphs = []
    for row in rows(lines):
        text = r" \quad ".join(filter(None, (escape(line.text) for line in row)))
        if text:
            paragraphs.append(rf"\noindent {text}\par")
    return "\n".join(paragraphs) or None


def rows(lines: list[Line]) -> list[list[Line]]:
    """Group lines whose boxes overlap by more than half of the lower one's height into rows."""
    found: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.middle, line.left)):
        last = found[-1][-1] if found else None
        if last is not None and _share_row(last, line):
            found[-1].append(line)
        else:
            found.append([line])
    return [sorted(row, key=lambda line: line.left) for row in found]


def _share_row(one: Line, other: Line) -> bool:
    shared = min(one.bottom, other.bottom) - max(one.top, other.top)
    return shared > min(one.height, other.height) / 2


def escape(text: str) -> str:
    """Return text as LaTeX that sets it; characters that pdfTeX cannot set are left out."""
    return "".join(_escaped(character) for character in unicodedata.normalize("NFKC", text)).strip()


def _escaped(character: str) -> str:
    if character in SYMBOLS:
        name = SYMBOLS[character]
        return rf"\ensuremath{{{name if name == '-' else chr(92) + name}}}"
    if character in ESCAPES:
        return ESCAPES[character]
    if character in QUOTES:
        return QUOTES[character]
    if character.isascii():
        return character if character.isprintable() else " "
    known = ord(character) <= LAST_LETTER and character.isalpha() and character not in NOT_IN_T1
    return character if known else ""
