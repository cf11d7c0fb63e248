r"""Which package or TikZ library makes a command, an environment or a key known.

Only packages that the renderer's image has are named, and only commands that one package alone
defines in practice.
"""

from __future__ import annotations

import re

from scenarios.languages.tex_source import body, has, mask

CLASSIC = ("algorithm", "algorithmic")
PSEUDOCODE = ("algorithm", "algpseudocode")
PROGRAM = ("algorithm2e",)

ALGORITHM_FAMILIES = (
    (
        PROGRAM,
        r"\\(?:KwData|KwIn|KwOut|KwResult|KwRet|SetKw\w*|SetAlgo\w*|RestyleAlgo|DontPrintSemicolon|tcp|tcc"
        r"|lIf|uIf|eIf|ForEach|LinesNumbered|Begin(?=\s*\{))(?![a-zA-Z])",
    ),
    (
        CLASSIC,
        r"\\(?:STATE|WHILE|FOR|FORALL|IF|ELSIF|REQUIRE|ENSURE|RETURN|REPEAT|LOOP)(?![a-zA-Z])",
    ),
    (
        PSEUDOCODE,
        r"\\(?:State|Statex|While|For|ForAll|If|ElsIf|Require|Ensure|Return|Repeat|Loop|Function"
        r"|Procedure|Call|Comment)(?![a-zA-Z])",
    ),
)
"""The three families that do not go together, each with the commands that tell it; in order."""

ALGORITHM_PACKAGES = frozenset(
    {"algorithm", "algorithm2e", "algorithmic", "algorithmicx", "algpseudocode", "algcompatible"}
)

_STANDARD = (
    "fontenc inputenc lmodern textcomp geometry amsmath amssymb amsfonts amsthm mathtools bm "
    "mathrsfs cancel nicefrac siunitx xcolor array booktabs multirow tabularx longtable makecell "
    "diagbox threeparttable colortbl graphicx rotating adjustbox listings tikz pgfplots caption "
    "subcaption enumitem float pifont ulem url verbatim"
)
STANDARD = frozenset(_STANDARD.split())
"""Packages of the renderer's standard preamble; a snippet need not load them again."""

UNICODE_PACKAGES = frozenset(
    {"fontspec", "xeCJK", "ctex", "unicode-math", "xltxtra", "polyglossia", "mathspec"}
)
"""Packages that work only with XeLaTeX (or LuaLaTeX), or best."""

PACKAGES = {
    "algorithm2e": r"KwData KwIn KwOut KwResult SetAlgoLined",
    "amsmath": r"align* align gather gather* multline multline* equation* aligned gathered cases"
    r" matrix pmatrix bmatrix vmatrix Vmatrix smallmatrix split text dfrac tfrac binom dbinom"
    r" operatorname DeclareMathOperator eqref intertext tag boxed iint iiint substack xrightarrow"
    r" xleftarrow overset underset numberwithin",
    "amssymb": r"mathbb mathfrak leqslant geqslant varnothing nmid lesssim gtrsim square"
    r" blacksquare therefore because complement triangleq checkmark nexists hslash",
    "amsthm": r"newtheorem* theoremstyle proof",
    "mathtools": r"coloneqq coloneq eqqcolon DeclarePairedDelimiter mathclap prescript dcases"
    r" xhookrightarrow psmallmatrix",
    "bm": r"bm",
    "bbm": r"mathbbm",
    "dsfont": r"mathds",
    "mathrsfs": r"mathscr",
    "cancel": r"cancel bcancel xcancel cancelto",
    "nicefrac": r"nicefrac",
    "siunitx": r"SI si num qty unit ang SIrange sisetup",
    "physics": r"dv pdv ket bra braket abs norm expval dd",
    "booktabs": r"toprule midrule bottomrule cmidrule addlinespace specialrule",
    "multirow": r"multirow",
    "makecell": r"makecell thead Xhline",
    "diagbox": r"diagbox",
    "tabularx": r"tabularx",
    "longtable": r"longtable",
    "threeparttable": r"threeparttable tablenotes",
    "colortbl": r"rowcolor cellcolor columncolor arrayrulecolor",
    "xcolor": r"color textcolor colorbox definecolor fcolorbox",
    "graphicx": r"includegraphics resizebox scalebox rotatebox",
    "adjustbox": r"adjustbox adjincludegraphics",
    "rotating": r"sidewaystable sidewaysfigure turn",
    "subcaption": r"subfigure subtable subcaption subcaptionbox",
    "caption": r"caption* captionof captionsetup",
    "float": r"restylefloat newfloat",
    "enumitem": r"setlist",
    "hyperref": r"href hypersetup autoref",
    "url": r"url",
    "listings": r"lstlisting lstinputlisting lstset lstinline lstdefinestyle",
    "ulem": r"uline sout uwave",
    "soul": r"hl st",
    "pifont": r"ding",
    "pgfplots": r"axis addplot pgfplotsset semilogyaxis semilogxaxis loglogaxis",
    "tikz": r"tikzpicture tikz usetikzlibrary tikzset",
    "tikz-cd": r"tikzcd",
    "circuitikz": r"circuitikz",
    "forest": r"forest",
    "pgf-pie": r"pie",
    "tcolorbox": r"tcolorbox tcbset",
    "multicol": r"multicols",
    "geometry": r"geometry newgeometry",
    "wasysym": r"smiley frownie",
    "textcomp": r"textdegree texttimes",
    "eurosym": r"euro",
    "chemfig": r"chemfig",
    "mhchem": r"ce",
}

COMPANIONS = frozenset(
    {
        "amsmath",
        "amssymb",
        "mathtools",
        "bm",
        "mathrsfs",
        "cancel",
        "siunitx",
        "booktabs",
        "multirow",
        "makecell",
        "tabularx",
        "colortbl",
        "xcolor",
        "graphicx",
        "pifont",
    }
)
"""Packages that are loaded together with one that an error asked for, when the text uses them."""

MACROS = {
    "argmax": r"\DeclareMathOperator*{\argmax}{arg\,max}",
    "argmin": r"\DeclareMathOperator*{\argmin}{arg\,min}",
    **{
        name: rf"\DeclareMathOperator{{\{name}}}{{{name}}}"
        for name in ("diag", "rank", "sgn", "sign", "tr", "Tr", "Var", "Cov", "softmax", "ReLU")
    },
    **{name: rf"\newcommand{{\{name}}}{{\mathbb{{{name}}}}}" for name in "RNZQC"},
}
"""Commands that nearly every author defines in the same way, with their definitions."""

_OWNER = {name: package for package, names in reversed(PACKAGES.items()) for name in names.split()}

LIBRARIES = {
    "shapes.symbols": r"\b(?:cloud|starburst|signal|tape|magnifying glass)\b",
    "shapes.geometric": r"\b(?:diamond|ellipse|trapezium|semicircle|regular polygon|star|cylinder"
    r"|isosceles triangle|kite|dart|circular sector)\b",
    "shapes.misc": r"\b(?:rounded rectangle|cross out|strike out|chamfered rectangle)\b",
    "shapes.multipart": r"\b(?:rectangle split|circle split|ellipse split)\b",
    "shapes.arrows": r"\b(?:single arrow|double arrow|arrow box)\b",
    "shapes.callouts": r"\bcallout\b",
    "positioning": r"\b(?:right|left|above|below|base right|base left|above right|above left"
    r"|below right|below left)\s*=[^,\]]*\bof\b|\bnode distance\s*=[^,\]]*\band\b",
    "arrows.meta": r"\b(?:Stealth|Latex|Triangle|Circle|Square|Diamond|Bar|Bracket|Kite|Hooks"
    r"|Straight Barb|Computer Modern Rightarrow)\b",
    "arrows": r"\b(?:stealth'|latex'|triangle \d+|open triangle \d+|angle \d+|implies)",
    "calc": r"\(\$|\blet\s*\\p",
    "fit": r"\bfit\s*=",
    "backgrounds": r"\bon background layer\b|\bshow background|\bbackground rectangle\b|\bframed\b",
    "matrix": r"\bmatrix of (?:math )?nodes\b",
    "chains": r"\bstart chain\b|\bon chain\b",
    "automata": r"\[[^\]]*\b(?:initial|accepting|state)\b",
    "mindmap": r"\bmindmap\b|\bconcept\b",
    "trees": r"\bgrow cyclic\b|\bclockwise from\b|\bgrow via\b|\bedge from parent fork\b",
    "patterns": r"\bpattern\s*=",
    "shadows": r"\bdrop shadow\b|\bcopy shadow\b|\bcircular drop shadow\b",
    "quotes": r'edge\s*\[[^\]]*"',
    "intersections": r"\bname path\b|\bname intersections\b",
    "through": r"\bcircle through\b",
    "decorations.pathreplacing": r"\b(?:brace|expanding waves)\b",
    "decorations.pathmorphing": r"\b(?:snake|zigzag|coil|random steps|saw)\b",
    "decorations.markings": r"\bmarkings\b|\bmark\s*=\s*at position\b",
    "decorations.text": r"\btext along path\b",
    "spy": r"\bspy\b",
    "3d": r"\bcanvas is \w\w plane\b",
    "angles": r"\bpic\b[^;]*\bangle\b",
    "shadings": r"\bshading\s*=\s*(?:ball|radial|color wheel)\b|\b(?:lower|upper) left\s*=",
    "fadings": r"\bfading\b",
    "graphs": r"\\graph\b",
    "svg.path": r"\bsvg\b",
    "er": r"\b(?:entity|relationship|attribute)\b",
    "petri": r"\b(?:place|transition|tokens)\b",
}
"""TikZ libraries with patterns of what needs them, looked for in drawings only."""

THEOREMS = frozenset(
    {
        "theorem",
        "lemma",
        "corollary",
        "proposition",
        "definition",
        "remark",
        "example",
        "claim",
        "conjecture",
    }
)
"""Environments that each author defines, nearly always the same way."""

PLOT_LIBRARIES = {
    "groupplot": "groupplots",
    "polaraxis": "polar",
    "ternaryaxis": "ternary",
    "smithchart": "smithchart",
    "fill between": "fillbetween",
    "boxplot": "statistics",
    "boxplot prepared": "statistics",
    "hist": "statistics",
    "date coordinates in": "dateplot",
}
"""PGFPlots libraries by the environment or key that needs them."""


def algorithm_family(text: str) -> tuple[str, ...]:
    """Return the packages that the pseudo-code in a text is written for; () if there is none."""
    floats = has(r"\\begin\s*\{algorithm\*?\}", text)
    lines = has(r"\\begin\s*\{algorithmic\}", text)
    if floats and not lines and has(r"\\;|\\(?:While|If|For|ForEach)\s*\{[^{}]*\}\s*\{", text):
        return PROGRAM  # the other families write their commands inside `algorithmic`
    for packages, commands in ALGORITHM_FAMILIES:
        if has(commands, text):
            return packages
    if lines:
        return PSEUDOCODE
    return PSEUDOCODE[:1] if floats else ()


def package_of(name: str) -> str | None:
    """Return the package that defines a command (without backslash) or an environment."""
    return _OWNER.get(name)


def companions(text: str) -> list[str]:
    """Return the packages, of those that go well with any other, whose commands a text uses."""
    masked = mask(text)
    own = set(re.findall(r"\\(?:newcommand|renewcommand|def|let)\*?\s*\{?\\([a-zA-Z]+)", masked))
    used = set(re.findall(r"\\([a-zA-Z]+)", masked)) - own
    used |= set(re.findall(r"\\begin\s*\{([^{}]*)\}", masked))
    return sorted({_OWNER[name] for name in used if _OWNER.get(name) in COMPANIONS})


def loaded_packages(text: str) -> set[str]:
    """Return the packages that a document loads by name."""
    found = re.findall(
        r"\\(?:usepackage|RequirePackage)\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}", mask(text)
    )
    return {name.strip() for names in found for name in names.split(",")}


def libraries_for(text: str) -> list[str]:
    """Return the TikZ libraries whose keys occur in a text, by name."""
    masked = mask(body(text))
    return [name for name, keys in LIBRARIES.items() if re.search(keys, masked)]


def loaded_libraries(text: str) -> set[str]:
    """Return the TikZ libraries that a text loads itself."""
    found = re.findall(r"\\usetikzlibrary\s*\{([^{}]*)\}", mask(text))
    return {name.strip() for names in found for name in names.split(",")}
