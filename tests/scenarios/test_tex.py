"""LaTeX: what is read, what is taken out, what is repaired, and what is left alone."""

from __future__ import annotations

from functools import partial

import pytest

from benchmark.outcome import Failed, Kind, Stage
from scenarios.languages.tex import Tex
from scenarios.languages.tex_closing import close
from scenarios.languages.tex_packages import PROGRAM, algorithm_family
from tests.contracts.language_contract import LanguageContract
from tests.scenarios import reading

LANGUAGE = Tex()
read = partial(reading.read, LANGUAGE)
DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath}
\pagestyle{empty}
\begin{document}
% a comment
\begin{align*} x &= \frac{1}{2} \end{align*}
\end{document}"""


def source(text: str) -> str:
    return read(text).structure.text


def repair(text: str, message: str, kind: Kind = Kind.COMPILE_ERROR):
    """Read a text, let it fail with a message, and return what the language makes of that."""
    return LANGUAGE.repair(read(text), Failed.of(Stage.RENDER, kind, f"answer.tex:1: {message}"))


class TestContract(LanguageContract):
    language = LANGUAGE
    sample = DOCUMENT
    words = (
        "\\begin{align}", "\\end{align}", "\\documentclass{article}", "\\begin{document}", "$$",
        "\\end{document}", "\\label{a}", "\\cite[p. 1]{b}", "\\usepackage[x]{tikz}", "\\verb|",
        "\\begin{tikzpicture}", "\\begin{verbatim}", "\\[", "\\]", ";", "\\bye", "{\"latex\": ",
    )  # fmt: skip


class TestForms:
    def test_snippet_and_document(self):
        assert read("$x$").structure.options == {"form": "snippet"}
        assert read("$x$").repairs == ("preamble supplied",)
        assert read(DOCUMENT).structure.options == {"form": "document"}
        assert read(DOCUMENT).repairs == ()

    def test_a_class_in_a_comment_or_listing_makes_no_document(self):
        for text in (
            "% \\documentclass{article}\n$x$",
            "\\begin{verbatim}\n\\documentclass{a}\n\\end{verbatim}",
            "\\verb|\\documentclass|",
        ):
            assert read(text).structure.options["form"] == "snippet", text

    def test_json(self):
        answer = read('{"latex": "\\\\frac{a}{b}"}')
        assert answer.structure.text == "\\frac{a}{b}"
        outcome = LANGUAGE.read('{"latex": ""}')
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.NO_ANSWER

    def test_prose_around_a_document(self):
        answer = read(f"Here is the document.\n\n{DOCUMENT}\n\nIt needs amsmath.")
        assert answer.structure.text == DOCUMENT
        assert answer.repairs == ("prose around the document dropped",)

    def test_commands_before_the_class_stay(self):
        text = f"\\PassOptionsToPackage{{table}}{{xcolor}}\n{DOCUMENT}"
        assert source(text) == text

    def test_document_environment_without_a_class(self):
        answer = read("\\begin{document}x\\end{document}")
        assert answer.structure.text.startswith("\\documentclass{article}\\begin{document}")
        assert "document class article supplied" in answer.repairs

    def test_package_lines_of_a_snippet_go_to_the_preamble(self):
        answer = read(
            "\\usepackage[dvipsnames]{xcolor}\n\\usepackage{tikz, forest}\n"
            "\\usetikzlibrary{er}\n\\begin{tikzpicture}\\end{tikzpicture}"
        )
        assert answer.structure.options["preamble"] == (
            "\\usepackage{forest}\n\\usetikzlibrary{er}"
        )
        assert "usepackage" not in answer.structure.text

    def test_plain_tex_is_unsupported(self):
        outcome = LANGUAGE.read("\\magnification=1200 Hello \\bye")
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.UNSUPPORTED

    @pytest.mark.parametrize("package", ["xeCJK", "ctex", "fontspec"])
    def test_unicode_packages_choose_the_engine(self, package):
        text = DOCUMENT.replace("amsmath", package)
        assert read(text).structure.options["engine"] == "xelatex"

    def test_text_is_the_body_without_comments(self):
        assert read(DOCUMENT).text == "\\begin{align*} x &= \\frac{1}{2} \\end{align*}"
        assert read("% title\n$a$   $b$ % end\n").text == "$a$ $b$"
        assert "ps@plain" not in read(DOCUMENT.replace("\\pagestyle{empty}", "")).text


class TestCleaning:
    def test_numbering(self):
        answer = read("\\begin{equation}\\label{a} x \\end{equation} % \\begin{align}")
        assert answer.structure.text == "\\begin{equation*} x \\end{equation*} % \\begin{align}"
        assert answer.repairs[:2] == (
            "equation numbering removed",
            "labels, references and citations removed",
        )

    def test_without_amsmath_there_is_no_starred_equation(self):
        text = "\\documentclass{article}\\begin{document}\\begin{equation}x\\end{equation}"
        assert "\\begin{displaymath}x\\end{displaymath}" in source(f"{text}\\end{{document}}")

    def test_pointers(self):
        text = "see~\\cite[p.~3]{a}, (\\ref{b}), \\eqref{c} and \\href{d}{e}\\label{f}"
        assert source(text) == "see, ,  and \\href{d}{e}"

    def test_listings_are_left_alone(self):
        assert source("\\[\n x\n \\label{a} \n\\]") == "\\[\n x\n\\]"
        text = "\\begin{lstlisting}\n\\label{a} % \\begin{equation}\n\\end{lstlisting}"
        assert source(text) == text

    def test_document_style(self):
        answer = read("\\documentstyle[12pt]{article}\\begin{document}x\\end{document}")
        assert answer.structure.text.startswith("\\documentclass[12pt]{article}")
        assert "documentstyle rewritten to documentclass" in answer.repairs

    def test_page_numbers_go_unless_the_document_has_a_style(self):
        bare = "\\documentclass{article}\\begin{document}x\\end{document}"
        assert "page numbers suppressed" in read(bare).repairs
        fancy = bare.replace("\\begin", "\\pagestyle{headings}\\begin", 1)
        assert source(fancy) == fancy

    def test_own_macros_on_a_package_line_stay(self):
        line = "\\usepackage{amsmath,amssymb}\\newcommand{\\R}{\\mathbb{R}}"
        text = f"\\documentclass{{article}}{line}\\begin{{document}}$\\R$\\end{{document}}"
        assert line in source(text)


class TestClosing:
    @pytest.mark.parametrize(
        ("cut", "closed"),
        [
            ("\\begin{tabular}{l} a \\\\ \\hl", "\\begin{tabular}{l} a \\\\ \n\\end{tabular}"),
            ("\\[ \\frac{a}{b", "\\[ \\frac{a}{b}\\]"),
            ("$a$$b$ {c", "$a$$b$ {c}"),
            ("{a % b", "{a % b\n}"),
            ("\\begin{x} a \\\\", "\\begin{x} a \\\\\n\\end{x}"),
            ("\\begin{a}\\begin{b", "\\begin{a}\n\\end{a}"),
            (
                "\\begin{tikzpicture} \\draw (0,0); \\foreach \\x in {1} { \\draw (\\x,1); \\dr",
                "\\begin{tikzpicture} \\draw (0,0);\n\\end{tikzpicture}",
            ),
            (
                "\\begin{tikzpicture}\\begin{axis}[xlabel={$x$},legend pos=no",
                "\\begin{tikzpicture}\\begin{axis}\n\\end{axis}\n\\end{tikzpicture}",
            ),
        ],
    )
    def test_open_things_close_in_order(self, cut, closed):
        assert close(cut) == closed

    @pytest.mark.parametrize("text", ["$a$", "\\begin{a}\\end{b}", "a}", "\\begin{a}\\end{a}", ""])
    def test_whole_and_wrong_texts_stay(self, text):
        assert close(text) is None

    def test_cut_document_is_flagged_once(self):
        answer = read("```latex\n\\documentclass{article}\\begin{document}\nx", truncated=True)
        assert answer.structure.text.endswith("x\n\\end{document}")
        assert [flag.kind for flag in answer.flags] == [Kind.TRUNCATED]

    def test_long_texts_take_linear_time(self):
        text = "\\begin{tikzpicture}{" + "\\draw (0,0) -- (1,1);" * 20_000
        assert close(text) == "\\begin{tikzpicture}\n\\end{tikzpicture}"


class TestRepairs:
    @pytest.mark.parametrize(
        ("text", "message", "expected"),
        [
            ("E = mc^2", "Missing $ inserted.", "\\[\nE = mc^2\n\\]"),
            (
                "a &= b^2 \\\\ c &= d",
                "Misplaced alignment tab character &.",
                "\\begin{align*}\na &= b^2 \\\\ c &= d\n\\end{align*}",
            ),
            (
                "$\\begin{align*} a &= b \\end{align*}$",
                "Package amsmath Error: \\begin{align*} allowed only in paragraph mode.",
                "\\begin{align*} a &= b \\end{align*}",
            ),
            (
                "\\begin{align*}\nx\\\\\n\n  \ny\n\\end{align*}\n\nend",
                "Paragraph ended before \\align* was complete.",
                "\\begin{align*}\nx\\\\\ny\n\\end{align*}\n\nend",
            ),
            (
                "\\[ a &= b \\]",
                "Misplaced alignment tab character &.",
                "\\[\\begin{aligned} a &= b \\end{aligned}\\]",
            ),
            (
                "Pay $5 now, $2.50 later and $x_1$ too, $7$.",
                "Missing $ inserted.",
                "Pay \\$5 now, \\$2.50 later and $x_1$ too, $7$.",
            ),
            ("file a_b and data_set_2, $c_d$", "Missing $ inserted.", None),
            ("the R&D of sales_2024", "Missing $ inserted.", "the R\\&D of sales\\_2024"),
            (
                "\\begin{tabular}{ll}tax_rate & the word\\end{tabular}",
                "Missing $ inserted.",
                "\\begin{tabular}{ll}tax\\_rate & the word\\end{tabular}",
            ),
            (
                "$α ≤ β$ % ≤",
                "no character ≤ (U+2264) in pdfTeX's fonts",
                "$\\ensuremath{\\alpha} \\ensuremath{\\leq} \\ensuremath{\\beta}$ % ≤",
            ),
        ],
    )
    def test_one_change(self, text, message, expected):
        repaired = repair(text, message)
        if expected is None:
            assert repaired.structure.text == "file a_b and data\\_set\\_2, $c_d$"
            return
        assert repaired.structure.text == expected
        assert len(repaired.repairs) == len(read(text).repairs) + 1

    @pytest.mark.parametrize(
        "text",
        [
            "The value x^2 grows with the distance",
            "\\begin{itemize}\\item x_1\\end{itemize}",
            "$x$ and y_1",
            "Note that x_1 is small",
        ],
    )
    def test_prose_is_never_set_as_mathematics(self, text):
        repaired = repair(text, "Missing $ inserted.")
        assert repaired is None or "\\[" not in repaired.structure.text

    def test_the_same_repair_is_not_made_twice(self):
        once = repair("E = mc^2", "Missing $ inserted.")
        failure = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "answer.tex:1: Missing $ inserted.")
        assert LANGUAGE.repair(once, failure) is None

    def test_package_of_a_snippet_and_of_a_document(self):
        message = "Undefined control sequence \\href"
        snippet = repair("\\href{a}{b}", message)
        assert snippet.structure.options["packages"] == ["hyperref"]
        assert snippet.repairs[-1] == "package loaded: hyperref"
        document = repair(DOCUMENT, message)
        assert "\\usepackage{hyperref}\\begin{document}" in document.structure.text
        assert repair(DOCUMENT, "Undefined control sequence \\nosuch") is None

    def test_packages_that_a_document_needs_come_together(self):
        text = DOCUMENT.replace("% a comment", "\\toprule \\rowcolor{gray!20} \\multirow \\bm{x}")
        text = text.replace("\\pagestyle{empty}", "\\newcommand{\\bm}{}")
        repaired = repair(text, "Undefined control sequence \\toprule")
        assert repaired.repairs[-1] == "packages loaded: booktabs, colortbl, multirow, xcolor"

    def test_commands_that_everybody_defines(self):
        repaired = repair("$\\argmax x$", "Undefined control sequence \\argmax")
        line = "\\DeclareMathOperator*{\\argmax}{arg\\,max}"
        assert repaired.structure.options["preamble"] == line
        assert repair("\\foo", "Undefined control sequence \\foo") is None

    def test_colour_names(self):
        repaired = repair("x", "Package xcolor Error: Undefined color `SteelBlue'.")
        assert "svgnam.def" in repaired.structure.options["preamble"]
        assert repair("x", "Package xcolor Error: Undefined color `mycolour'.") is None

    def test_pseudo_code_decides_on_its_packages(self):
        text = (
            "\\documentclass{article}\\usepackage{amsmath,algorithmic}\\begin{document}"
            "\\begin{algorithmic}\\State x\\end{algorithmic}\\end{document}"
        )
        repaired = repair(text, "Undefined control sequence \\State")
        assert "\\usepackage{amsmath}" in repaired.structure.text
        assert "\\usepackage{algorithm,algpseudocode}" in repaired.structure.text

    @pytest.mark.parametrize(
        ("text", "family"),
        [
            ("\\begin{algorithm}\\KwData{x}\\While{a}{b\\;}\\end{algorithm}", ("algorithm2e",)),
            ("\\begin{algorithmic}\\STATE x\\end{algorithmic}", ("algorithm", "algorithmic")),
            ("\\begin{algorithmic}\\State x\\end{algorithmic}", ("algorithm", "algpseudocode")),
            ("$x$ \\SI{1}{m}", ()),
        ],
    )
    def test_families(self, text, family):
        assert algorithm_family(text) == family

    def test_tikz_libraries_come_together(self):
        text = "\\tikz{\\node[cloud](a){};\\node[right=of a]{};}"
        repaired = repair(text, "Package pgfkeys Error: I do not know the key '/tikz/cloud'")
        assert repaired.structure.options["libraries"] == ["shapes.symbols", "positioning"]
        assert repaired.repairs[-1] == "TikZ libraries loaded: shapes.symbols, positioning"

    def test_plot_library(self):
        repaired = repair("x", "LaTeX Error: Environment ternaryaxis undefined.")
        assert repaired.structure.options["plot_libraries"] == ["ternary"]

    def test_theorem(self):
        repaired = repair("x", "LaTeX Error: Environment lemma undefined.")
        assert repaired.structure.options["preamble"] == "\\newtheorem{lemma}{Lemma}"

    def test_chinese_gets_the_unicode_engine(self):
        message = "no character 结 (U+7ED3) in pdfTeX's fonts"
        snippet = repair("结果", message, Kind.UNSUPPORTED)
        assert snippet.structure.options["engine"] == "xelatex"
        text = DOCUMENT.replace("amsmath}", "amsmath}\\usepackage[T1]{fontenc}")
        document = repair(text, message, Kind.UNSUPPORTED)
        assert "\\usepackage{xeCJK}" in document.structure.text
        assert "fontenc" not in document.structure.text
        failure = Failed.of(Stage.RENDER, Kind.UNSUPPORTED, message)
        assert LANGUAGE.repair(document, failure) is None

    def test_standalone_holds_no_paragraphs(self):
        text = (
            "\\documentclass[tikz, border=2pt]{standalone}\\begin{document}"
            "\\begin{align*}x\\end{align*}\\end{document}"
        )
        message = "Package amsmath Error: \\begin{align*} allowed only in paragraph mode."
        repaired = repair(text, message)
        assert repaired.structure.text.startswith(
            "\\documentclass{article}\\pagestyle{empty}\\usepackage{tikz}\\begin{document}"
        )

    def test_missing_files_are_not_repaired(self):
        message = "file nosuch.sty not found"
        assert repair(DOCUMENT, message, Kind.MISSING_RESOURCE) is None


def test_algorithm2e_is_known_by_its_braces():
    text = "\\begin{algorithm}\n\\While{$n>0$}{$n \\gets n-1$ \\;}\n\\end{algorithm}"
    assert algorithm_family(text) == PROGRAM
    body = "\\While{$n>0$}\n\\EndWhile\n"
    lines = (
        f"\\begin{{algorithm}}\\begin{{algorithmic}}\n{body}\\end{{algorithmic}}\\end{{algorithm}}"
    )
    assert algorithm_family(lines) != PROGRAM
