r"""The document around a LaTeX snippet, built with pylatex: one standard preamble for all.

The standard preamble is dumped into a format when the image is built (``containers/tex``), so that
TeX need not read it again for each document. The file there and this module say the same; a test
compares them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pylatex import Document

PACKAGES: tuple[tuple[str, str], ...] = (
    ("amsmath", ""),
    ("amssymb", ""),
    ("amsfonts", ""),
    ("amsthm", ""),
    ("mathtools", ""),
    ("bm", ""),
    ("mathrsfs", ""),
    ("cancel", ""),
    ("nicefrac", ""),
    ("siunitx", ""),
    ("xcolor", "table,dvipsnames"),
    ("array", ""),
    ("booktabs", ""),
    ("multirow", ""),
    ("tabularx", ""),
    ("longtable", ""),
    ("makecell", ""),
    ("diagbox", ""),
    ("threeparttable", ""),
    ("colortbl", ""),
    ("graphicx", ""),
    ("rotating", ""),
    ("adjustbox", ""),
    ("listings", ""),
    ("tikz", ""),
    ("pgfplots", ""),
    ("caption", ""),
    ("subcaption", ""),
    ("enumitem", ""),
    ("float", ""),
    ("pifont", ""),
    ("ulem", "normalem"),
    ("url", ""),
    ("verbatim", ""),
)
"""Packages of the standard preamble with their options, besides fonts, encodings and geometry."""

LIBRARIES = (
    "angles", "arrows", "arrows.meta", "automata", "backgrounds", "calc", "chains",
    "decorations.markings", "decorations.pathmorphing", "decorations.pathreplacing", "fit",
    "intersections", "matrix", "mindmap", "patterns", "positioning", "quotes", "shadows",
    "shapes.geometric", "shapes.misc", "shapes.multipart", "trees",
)  # fmt: skip
"""TikZ libraries of the standard preamble."""

PLOT_LIBRARIES = ("fillbetween", "groupplots", "polar", "statistics")
r"""PGFPlots libraries of the standard preamble. PGFPlots itself keeps the defaults that it has
without ``\pgfplotsset{compat=…}``, as in Image2Struct; a snippet may ask for newer ones."""

PAGE = {"margin": "1in"}
"""Letter paper with room for lines of 6.5 in; pictures are cropped to their content."""

CJK = r"\setCJKmainfont{Noto Serif CJK SC}\setCJKsansfont{Noto Sans CJK SC}"


def build(
    snippet: str,
    *,
    packages: Sequence[str] = (),
    libraries: Sequence[str] = (),
    plot_libraries: Sequence[str] = (),
    preamble: str = "",
    unicode_engine: bool = False,
) -> str:
    r"""Return a document that inputs the file ``snippet``, standard preamble first.

    Args:
        snippet: name of the file; a snippet stays in a file of its own, so that TeX's messages
            count its lines.
        packages: LaTeX packages to load besides the standard ones.
        libraries: TikZ libraries to load besides the standard ones.
        plot_libraries: PGFPlots libraries to load besides the standard ones.
        preamble: further lines of the preamble.
        unicode_engine: for XeLaTeX, with fonts for Chinese, Japanese and Korean.
    """
    from pylatex import Command, NoEscape, Package  # noqa: PLC0415 - --help starts without it

    document = _standard(unicode_engine)
    for package in packages:
        document.preamble.append(Package(NoEscape(package)))
    for library in libraries:
        document.preamble.append(Command("usetikzlibrary", NoEscape(library)))
    for library in plot_libraries:
        document.preamble.append(Command("usepgfplotslibrary", NoEscape(library)))
    if preamble:
        document.preamble.append(NoEscape(preamble))
    document.append(NoEscape(rf"\input{{{snippet}}}"))
    return str(document.dumps()) + "\n"


@cache
def standard_preamble() -> str:
    r"""Return the standard preamble for pdfTeX, from ``\documentclass`` to before the document."""
    text = _standard(unicode_engine=False).dumps()
    return str(text[: text.index(r"\begin{document}")]).rstrip("%\n") + "%\n"


def _standard(unicode_engine: bool) -> Document:
    from pylatex import Command, Document, NoEscape, Package  # noqa: PLC0415

    document = Document(
        documentclass="article",
        fontenc=None if unicode_engine else "T1",
        inputenc=None if unicode_engine else "utf8",
        lmodern=not unicode_engine,
        textcomp=True,
        page_numbers=False,
        geometry_options=PAGE,
    )
    for name, options in PACKAGES:
        document.packages.append(Package(name, options=options or None))
    if unicode_engine:
        document.packages.append(Package("xeCJK"))
        document.preamble.append(NoEscape(CJK))
    document.preamble.append(Command("usetikzlibrary", ",".join(LIBRARIES)))
    document.preamble.append(Command("usepgfplotslibrary", ",".join(PLOT_LIBRARIES)))
    return document
