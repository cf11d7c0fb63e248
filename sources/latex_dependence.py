r"""On what a piece of LaTeX depends that does not come with it.

As in Image2Struct, what refers or cites is not taken, because what it prints depends on the rest of
the paper; nor is what reads a file or asks for a program.
"""

from __future__ import annotations

import re

_REFERS = re.compile(r"(?!href\b)[a-zA-Z]*ref|[cC]refrange|[a-zA-Z]*[cC]ite[a-zA-Z]*|hyperlink")
READS = frozenset(
    {
        "includegraphics", "includepdf", "includesvg", "includestandalone", "input", "include",
        "import", "subimport", "subfile", "verbatiminput", "lstinputlisting", "epsfig", "psfig",
        "epsfbox", "epsffile", "animategraphics", "pgfimage", "pgfuseimage", "DTLloaddb", "openin",
        "pgfdeclareimage", "csvreader", "csvautotabular", "InputIfFileExists", "adjustimage",
        "adjincludegraphics", "includeinkscape", "plotone", "plottwo", "includemedia",
    }
)  # fmt: skip
"""Commands that read a file."""
_RUNS = frozenset(
    {
        "write", "ShellEscape", "inputminted", "mint", "mintinline", "tikzexternalize",
        "tikzsetnextfilename", "directlua", "special", "immediate", "openout", "pdfliteral",
    }
)  # fmt: skip
_MACRO = re.compile(r"\\([a-zA-Z@]+)")
_DATA_FILE = re.compile(
    r"\btable\s*(?:\[[^\[\]]*\]\s*)?\{[^{}\n\\]*\.\w{1,5}\s*\}|\bgraphics\s*(?:\[[^\[\]]*\]\s*)?\{"
    r"|\\pgfplotstableread\s*(?:\[[^\[\]]*\]\s*)?\{[^{}\n\\]*\.\w{1,5}\s*\}"
)
_PROGRAM = re.compile(r"\\begin\s*\{minted\}|\bgnuplot\b|plot\s+function\b|\\addplot\s*shell\b")
_READING = re.compile(r"\\begin\s*\{([oO]verpic\*?|animateinline)\}")


def depends(text: str, reads: frozenset[str] = READS) -> str | None:
    r"""Return on what a text depends, as what follows "it"; None: on nothing.

    Args:
        text: LaTeX without comments and verbatim text.
        reads: the commands that must not read a file.
    """
    names = _names(text)
    if refers := next((name for name in sorted(names) if _REFERS.fullmatch(name)), None):
        return f"refers or cites (\\{refers})"
    reading = [f"\\{name}" for name in sorted(names & reads)]
    reading += [match[1] for match in [_READING.search(text)] if match]
    if reading:
        return f"reads a file ({reading[0]})"
    if _DATA_FILE.search(text):
        return "plots a file"
    if runs := names & _RUNS:
        return f"asks TeX for more than setting text (\\{min(runs)})"
    if _PROGRAM.search(text):
        return "asks for another program (minted, gnuplot)"
    return None


def reads_files(text: str) -> bool:
    """Tell whether a text reads any file."""
    return bool(READS & _names(text) or _READING.search(text))


def _names(text: str) -> set[str]:
    r"""Return the commands of a text, without at signs around them (``\@@input``)."""
    return {name.strip("@") for name in _MACRO.findall(text)}
