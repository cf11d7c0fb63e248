r"""One repair for one error: what is tried after a rendering failed, and on which message.

The renderer's messages begin with ``file:line:`` and go on as TeX wrote them; an undefined control
sequence is named. A repair changes one thing, says so in a few words, and is not made where it
could change what the author meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from benchmark.records import Structure
from scenarios.languages import tex_math
from scenarios.languages.tex_packages import (
    ALGORITHM_FAMILIES,
    ALGORITHM_PACKAGES,
    MACROS,
    PLOT_LIBRARIES,
    THEOREMS,
    algorithm_family,
    companions,
    libraries_for,
    loaded_libraries,
    loaded_packages,
    package_of,
)
from scenarios.languages.tex_source import body_span, has, insert_preamble, is_document, substitute
from scenarios.languages.tex_symbols import SYMBOLS, write_as_commands

UNICODE_ENGINE = "xelatex"
"""Value of the option ``engine`` for text that pdfTeX has no characters for."""

UNICODE_PREAMBLE = r"\usepackage{xeCJK}\setCJKmainfont{Noto Serif CJK SC}"

Repaired = tuple[Structure, str]


class Repair(NamedTuple):
    """Which messages a repair answers, and the repair: a function that may decline with None."""

    message: re.Pattern[str]
    apply: Callable[[Structure, re.Match[str]], Repaired | None]


def names(structure: Structure, option: str) -> list[str]:
    """Return an option that is a list of names."""
    value = structure.options.get(option)
    return [str(name) for name in value] if isinstance(value, list) else []


def with_option(structure: Structure, **options: object) -> Structure:
    """Return the structure with options set."""
    return structure.model_copy(update={"options": {**structure.options, **options}})


def load(structure: Structure, option: str, command: str, wanted: list[str]) -> Structure:
    r"""Load packages or libraries: by an option of a snippet, by a line of a document."""
    if is_document(structure.text):
        return structure.with_text(
            insert_preamble(structure.text, f"\\{command}{{{','.join(wanted)}}}")
        )
    return with_option(structure, **{option: [*names(structure, option), *wanted]})


def _on_body(change: Callable[[str], str | None], note: str) -> Callable[..., Repaired | None]:
    def apply(structure: Structure, _: re.Match[str]) -> Repaired | None:
        text = structure.text
        start, end = body_span(text)
        new = change(text[start:end])
        return None if new is None else (structure.with_text(text[:start] + new + text[end:]), note)

    return apply


def _package(structure: Structure, match: re.Match[str]) -> Repaired | None:
    """Load the package that defines the name; pseudo-code decides on its whole family."""
    name, text = match["name"], structure.text
    library = PLOT_LIBRARIES.get(name)
    if library and library not in names(structure, "plot_libraries"):
        return (
            load(structure, "plot_libraries", "usepgfplotslibrary", [library]),
            f"PGFPlots library {library} loaded",
        )
    if has(r"\\begin\s*\{algorithm", text):
        swapped = _family(structure, name)
        if swapped:
            return swapped
    package = package_of(name)
    known = loaded_packages(text) | set(names(structure, "packages"))
    if package is None or package in known:
        return _define(structure, name)
    more = companions(text) if is_document(text) else []
    wanted = [package, *(other for other in more if other not in known and other != package)]
    if "colortbl" in wanted and "xcolor" not in {*wanted, *known}:
        wanted.append("xcolor")  # it mixes the colours that tables use (gray!20)
    note = "packages loaded: " if len(wanted) > 1 else "package loaded: "
    return load(structure, "packages", "usepackage", wanted), note + ", ".join(wanted)


def _define(structure: Structure, name: str) -> Repaired | None:
    """Define a command that nearly every author defines in the same way."""
    if name not in MACROS:
        return None
    return _add_line(structure, MACROS[name]), f"command \\{name} defined"


def _add_line(structure: Structure, line: str) -> Structure:
    """Add a line to the preamble: of a snippet by its option, of a document in its text."""
    if is_document(structure.text):
        return structure.with_text(insert_preamble(structure.text, line))
    lines = [str(structure.options.get("preamble", "")), line]
    return with_option(structure, preamble="\n".join(filter(None, lines)))


def _environment(structure: Structure, match: re.Match[str]) -> Repaired | None:
    """Define a theorem-like environment, or load the package that has the environment."""
    name = match["name"]
    if name not in THEOREMS:
        return _package(structure, match)
    line = f"\\newtheorem{{{name}}}{{{name.capitalize()}}}"
    return _add_line(structure, line), f"environment {name} defined"


def _colours(structure: Structure, _: re.Match[str]) -> Repaired | None:
    """Load the colour names of SVG (``SteelBlue``) besides those of dvips."""
    return _add_line(structure, r"\input{svgnam.def}"), "SVG colour names loaded"


def _family(structure: Structure, name: str) -> Repaired | None:
    family = algorithm_family(structure.text)
    known = any(re.fullmatch(commands, f"\\{name}") for _, commands in ALGORITHM_FAMILIES)
    if not family or not (known or name in ("algorithm", "algorithm*", "algorithmic")):
        return None
    loaded = loaded_packages(structure.text)
    if not is_document(structure.text) or set(family) == loaded & ALGORITHM_PACKAGES:
        return None
    text = substitute(
        r"\\usepackage\s*(?:\[[^\]]*\])?\s*\{(?P<names>[^{}]*)\}", _without_families, structure.text
    )
    text = insert_preamble(text, f"\\usepackage{{{','.join(family)}}}")
    return structure.with_text(text), f"packages for pseudo-code chosen: {', '.join(family)}"


def _without_families(match: re.Match[str]) -> str:
    listed = [name.strip() for name in match["names"].split(",")]
    kept = [name for name in listed if name not in ALGORITHM_PACKAGES]
    if kept == listed:
        return match[0]
    return match[0].replace(match["names"], ",".join(kept)) if kept else ""


def _libraries(structure: Structure, _: re.Match[str]) -> Repaired | None:
    known = loaded_libraries(structure.text) | set(names(structure, "libraries"))
    wanted = [name for name in libraries_for(structure.text) if name not in known]
    if not wanted:
        return None
    return (
        load(structure, "libraries", "usetikzlibrary", wanted),
        f"TikZ libraries loaded: {', '.join(wanted)}",
    )


def _plot_library(structure: Structure, match: re.Match[str]) -> Repaired | None:
    return _package(structure, match) if match["name"] in PLOT_LIBRARIES else None


def _symbols(structure: Structure, match: re.Match[str]) -> Repaired | None:
    if chr(int(match["code"], 16)) not in SYMBOLS:
        return _unicode_engine(structure, match)
    new = write_as_commands(structure.text)
    if new == structure.text:
        return None
    return structure.with_text(new), "Unicode symbols written as commands"


def _unicode_engine(structure: Structure, _: re.Match[str]) -> Repaired | None:
    if structure.options.get("engine") == UNICODE_ENGINE:
        return None
    text = structure.text
    if is_document(text) and not has(r"xeCJK|ctex|fontspec", text):
        text = substitute(r"\\usepackage\s*\[[^\]]*\]\s*\{(?:inputenc|fontenc)\}", "", text)
        text = insert_preamble(text, UNICODE_PREAMBLE)
    engine = with_option(structure.with_text(text), engine=UNICODE_ENGINE)
    return engine, "set with XeLaTeX, which has the characters"


def _without_standalone(structure: Structure, _: re.Match[str]) -> Repaired | None:
    r"""Use article instead of standalone, which cannot hold displays, floats or paragraphs.

    Both look the same once the picture is cropped.
    """
    standalone = r"\\documentclass\s*(?:\[(?P<options>[^\]]*)\])?\s*\{standalone\}"
    if not has(standalone, structure.text):
        return None

    def article(match: re.Match[str]) -> str:
        packages = r"\usepackage{tikz}" if "tikz" in (match["options"] or "") else ""
        return r"\documentclass{article}\pagestyle{empty}" + packages

    text = substitute(standalone, article, structure.text)
    return structure.with_text(text), "class standalone replaced by article"


REPAIRS = (
    Repair(
        re.compile(
            r"only in paragraph mode|Bad math environment|Missing \$ inserted|outer par mode"
            r"|Paragraph ended before|perhaps a missing|prevdepth|LR mode|Missing \\endgroup"
        ),
        _without_standalone,
    ),
    Repair(
        re.compile(r"[Nn]o (?:character|glyph) .*?\(U\+(?P<code>[0-9A-F]+)\)"),
        _symbols,
    ),
    Repair(re.compile(r"fontspec|requires either XeTeX|ctex|XeTeX is required"), _unicode_engine),
    Repair(
        re.compile(r"allowed only in paragraph mode|Erroneous nesting|Bad math environment"),
        _on_body(tex_math.drop_outer_mathematics, "outer mathematics mode dropped"),
    ),
    Repair(
        re.compile(r"Paragraph ended before|Missing \$ inserted|Display math should end"),
        _on_body(tex_math.drop_blank_lines, "blank lines in displayed mathematics removed"),
    ),
    Repair(
        re.compile(r"Missing \$ inserted|allowed only in math mode|Misplaced alignment tab"),
        _on_body(tex_math.set_as_display, "formula set as display mathematics"),
    ),
    Repair(
        re.compile(r"Misplaced alignment tab"),
        _on_body(tex_math.align_display, "aligned supplied in a display"),
    ),
    Repair(
        re.compile(r"Missing \$ inserted"),
        _on_body(tex_math.escape_currency, "dollars of amounts escaped"),
    ),
    Repair(
        re.compile(r"Missing \$ inserted|Misplaced alignment tab|macro parameter character #"),
        _on_body(tex_math.escape_prose, "special characters in prose escaped"),
    ),
    Repair(
        re.compile(r"Undefined control sequence \\(?P<name>[a-zA-Z@]+)"),
        _package,
    ),
    Repair(re.compile(r"Command \\(?P<name>algorithm\w*|listof\w*) already defined"), _package),
    Repair(
        re.compile(r"Undefined color `[A-Z]\w+'|I do not know the key '/tikz/[A-Z][a-z]+[A-Z]\w+'"),
        _colours,
    ),
    Repair(re.compile(r"Environment (?P<name>[\w*-]+) undefined"), _environment),
    Repair(
        re.compile(r"I do not know the key '/(?:pgfplots|tikz)/(?P<name>[^']*)'"), _plot_library
    ),
    Repair(
        re.compile(
            r"I do not know the key '/tikz/|Unknown arrow tip kind|Unknown function `of'"
            r"|You need to (?:say \\usetikzlibrary|load a decoration library)"
            r"|I do not know the decoration|Unknown shape|Cannot parse this coordinate"
            r"|Giving up on this path"
        ),
        _libraries,
    ),
)
"""In the order in which they are tried; the first that applies is made."""
