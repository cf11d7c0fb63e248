r"""Which pieces are found in a document, where they lie, and what truth is made of each."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok
from renderers.tex_document import LIBRARIES, PLOT_LIBRARIES
from sources.latex_files import Files, Main
from sources.latex_snippets import Paper, read
from sources.latex_truths import LENGTHS, MOST_OF_A_SORT, STANDARD_LIBRARIES, choose

LONG = r"\sum_{i=1}^{n} a_i x^{i} + \frac{b}{c}"
"""Long enough for a formula."""


def paper(body: str, preamble: str = "", **files: str) -> Paper:
    text = f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}"
    content = {f"{name.replace('__', '.')}": data.encode() for name, data in files.items()}
    found = read(Files({"main.tex": text.encode(), **content}), Main("main.tex", "test"))
    assert isinstance(found, Ok), found
    return found.value


def truths(body: str, preamble: str = "", **files: str) -> list[str]:
    chosen = choose(paper(body, preamble, **files))
    return [each.outcome.value.text for each in chosen if isinstance(each.outcome, Ok)]


def reasons(body: str, preamble: str = "", **files: str) -> list[str]:
    chosen = choose(paper(body, preamble, **files))
    return [each.outcome.message for each in chosen if isinstance(each.outcome, Failed)]


def one(body: str, preamble: str = "", **files: str) -> str:
    found = truths(body, preamble, **files)
    assert len(found) == 1, found
    return found[0]


FORMULAE = [
    *(f"\\begin{{{name}{star}}}{LONG}\\end{{{name}{star}}}"
      for name in ("equation", "align", "gather", "multline", "flalign", "eqnarray")
      for star in ("", "*")),
    f"\\begin{{displaymath}}{LONG}\\end{{displaymath}}",
    f"\\begin{{alignat}}{{2}}{LONG}\\end{{alignat}}",
    f"\\[{LONG}\\]",
    f"$${LONG}$$",
    f"\\begin{{equation}}\\begin{{split}}a&={LONG}\\\\&=b\\end{{split}}\\end{{equation}}",
    f"\\begin{{equation}}\\begin{{aligned}}a&={LONG}\\end{{aligned}}\\end{{equation}}",
    f"\\begin{{subequations}}\\begin{{align}}a&={LONG}\\end{{align}}\\end{{subequations}}",
]  # fmt: skip


@pytest.mark.parametrize("formula", FORMULAE)
def test_formulae_are_taken_whole(formula):
    found = paper(f"words {formula} words")
    assert one(f"words {formula} words") == formula
    outer = [piece for piece in found.pieces if not piece.inside]
    assert [piece.text.scan.text[piece.start : piece.end] for piece in outer] == [formula]


@pytest.mark.parametrize(
    "body",
    [
        f"% \\[{LONG}\\]",
        f"\\begin{{verbatim}}\\[{LONG}\\]\\end{{verbatim}}",
        f"\\begin{{lstlisting}}\n\\[{LONG}\\]\n\\end{{lstlisting}}",
        f"\\begin{{minted}}{{tex}}\\[{LONG}\\]\\end{{minted}}",
        f"\\begin{{comment}}\\[{LONG}\\]\\end{{comment}}",
        f"\\iffalse\\[{LONG}\\]\\fi",
        f"\\verb|\\[{LONG}\\]|",
        f"${LONG}$ and \\({LONG}\\)",
        f"\\newcommand{{\\x}}{{\\[{LONG}\\]}}",
        f"\\end{{document}}\\[{LONG}\\]",
        f"\\begin{{tabular}}{{c}}\\[{LONG}\\]\\end{{tabular}}",
        f"\\[{LONG}",
        f"{LONG}\\]",
        f"\\[{LONG}\\end{{equation}}",
    ],
)
def test_what_is_no_displayed_formula_is_not_taken_for_one(body):
    assert truths(body) == []


def test_nothing_of_the_preamble_is_taken():
    assert truths("", f"\\newsavebox{{\\x}}\\savebox{{\\x}}{{$${LONG}$$}}") == []


TABLE = (
    "\\begin{tabular}{ll}\n  a long name & a value \\\\\n  another name & its value \\\\\n"
    "\\end{tabular}"
)


def test_a_table_is_taken_with_its_caption():
    whole = f"\\begin{{table}}[t]\n\\caption{{Two things.}}\n{TABLE}\n\\end{{table}}"
    labelled = whole.replace("{Two things.}", "{Two things.}\\label{tab}\n  \\label{other}")
    assert one(labelled) == whole


@pytest.mark.parametrize("caption", [r"As in \cite{x}.", r"See~\ref{x}.", r"\input{words}"])
def test_of_a_table_that_depends_on_the_paper_what_does_not_is_taken(caption):
    whole = f"\\begin{{table*}}\\caption{{{caption}}}\n{TABLE}\\end{{table*}}"
    assert one(whole) == TABLE


def test_a_table_in_a_file_of_its_own_is_found():
    found = paper("\\begin{table}\\caption{c}\\input{t}\\end{table}", t__tex=TABLE)
    assert [piece.text.path for piece in found.pieces] == ["t.tex", "main.tex"]
    assert one("\\begin{table}\\caption{c}\\input{t}\\end{table}", t__tex=TABLE) == TABLE


def test_a_drawing_is_taken_out_of_its_figure():
    drawing = (
        "\\begin{tikzpicture}\n\\draw (0,0) -- (1,1) node {$x$};\n"
        "\\draw (1,0) -- (0,1) node {$y$} -- cycle;\n\\end{tikzpicture}"
    )
    body = f"\\begin{{figure}}\\centering {drawing}\\caption{{c \\cite{{x}}}}\\end{{figure}}"
    assert one(body) == drawing
    assert paper(body).pieces[-1].sort == "figure"


ALGORITHM = (
    "\\begin{algorithm}\n\\caption{Steps}\n\\begin{algorithmic}\n"
    "\\State $x \\gets 1$, a first step\n"
    "\\State $y \\gets 2$, a second step\n\\State \\Return the sum of both\n\\end{algorithmic}\n"
    "\\end{algorithm}"
)


def test_an_algorithm_is_taken_whole_or_without_what_cites():
    assert one(ALGORITHM) == ALGORITHM
    inner = ALGORITHM[ALGORITHM.index("\\begin{algorithmic}") : ALGORITHM.rindex("\n")]
    assert one(ALGORITHM.replace("Steps", r"\cite{x}")) == inner


@pytest.mark.parametrize(
    ("definition", "carried"),
    [
        (r"\newcommand{\own}{\mathbb{R}}", None),
        (r"\newcommand\own{\mathbb{R}}", None),
        (r"\newcommand*{\own}[1]{#1}", None),
        (r"\newcommand{\own}[2][x]{#1#2}", None),
        (r"\providecommand{\own}{y}", None),
        (r"\def\own#1#2{#1}", None),
        (r"\let\own=\alpha", None),
        (r"\let\own\alpha", None),
        (r"\DeclareMathOperator{\own}{own}", r"\newcommand{\own}{\operatorname{own}}"),
        (r"\DeclareMathOperator*{\own}{o\,n}", r"\newcommand{\own}{\operatorname*{o\,n}}"),
        (r"\DeclarePairedDelimiter{\own}{\lvert}{\rvert}", None),
        (r"\NewDocumentCommand{\own}{m}{#1}", None),
        (
            "\\newcommand{\\own}{% a comment\n  \\mathbb{R}}",
            "\\newcommand{\\own}{%\n  \\mathbb{R}}",
        ),
        (r"\newlength{\own}", None),
    ],
)
def test_definitions_come_along(definition, carried):
    body = f"\\[{LONG} + \\own{{z}}\\]"
    expected = f"{carried or definition}\n{body}"
    assert one(body, definition) == expected
    assert one(body, r"\input{macros}", macros__tex=definition) == expected
    assert one(body, r"\usepackage{amsmath,ours}", ours__sty=definition) == expected


def test_definitions_come_along_with_what_they_use_and_no_others():
    preamble = "\n".join(
        [
            r"\newcommand{\one}{\two + \two}",
            r"\newcommand{\unused}{\one}",
            r"\newcommand{\two}{\three}",
            r"\newcommand{\three}{\mathcal{X}}",
        ]
    )
    found = one(f"\\[{LONG} \\one\\]", preamble)
    assert found.splitlines()[:-1] == [preamble.splitlines()[line] for line in (0, 2, 3)]


def test_the_definition_in_force_is_that_before_the_piece():
    first, second = r"\newcommand{\own}{A}", r"\renewcommand{\own}{B}"
    a, b = f"\\[{LONG} = \\own\\]", f"\\[{LONG} = \\own + 1\\]"
    found = truths(f"{first}{a}{second}{b}")
    assert sorted(found) == sorted([f"{first}\n{a}", f"\\newcommand{{\\own}}{{B}}\n{b}"])


def test_redefinitions_keep_what_they_redefine():
    preamble = "\\let\\old\\phi\n\\renewcommand{\\phi}{\\varphi}"
    assert one(f"\\[{LONG} \\phi \\old\\]", preamble) == f"{preamble}\n\\[{LONG} \\phi \\old\\]"


def test_what_latex_defines_is_redefined_each_time():
    preamble = "\\let\\old\\vec\n\\renewcommand{\\vec}[1]{\\mathbf{#1}}\n"
    again = "\\renewcommand{\\vec}[1]{\\old{#1}}"
    piece = f"\\[{LONG} \\vec{{x}}\\]"
    assert one(piece, preamble + again) == f"\\let\\old\\vec\n{again}\n{piece}"


def test_a_name_ends_before_an_at_sign():
    definition = r"\newcommand{\Recall}{\mathrm{R}}"
    assert one(f"\\[{LONG} \\Recall@1\\]", definition).startswith(definition)


def test_internal_names_come_between_makeatletter_and_makeatother():
    preamble = "\\makeatletter\\newcommand{\\own}{\\own@in}\\newcommand{\\own@in}{x}\\makeatother"
    lines = one(f"\\[{LONG} \\own\\]", preamble).splitlines()
    assert (lines[0], lines[3]) == (r"\makeatletter", r"\makeatother")


def test_names_of_the_standard_document_are_freed_before():
    found = one(f"\\[{LONG} \\bm{{x}}\\]", r"\newcommand{\bm}[1]{\mathbf{#1}}")
    assert found.startswith("\\let\\bm\\relax\n\\newcommand{\\bm}")


def test_own_environments_columns_colours_lengths_and_styles_come_along():
    cells = "a long name & a long value \\\\ another name & another long value"
    preamble = "\n".join(
        [
            r"\newenvironment{own}{\begin{center}}{\end{center}}",
            r"\newcolumntype{Q}{>{\bfseries}l}",
            r"\definecolor{sea}{rgb}{0,0,1}",
            r"\newlength{\gap}",
            r"\setlength{\gap}{3mm}",
            r"\tikzset{my box/.style={draw}}",
            r"\tikzset{every node/.style={font=\small}}",
            r"\tikzstyle{edge} = [draw, thick]",
            r"\usetikzlibrary{calc,shapes.callouts}",
            r"\pgfplotsset{compat=1.18}",
        ]
    )
    table = f"\\begin{{tabular}}{{Ql}} \\color{{sea}} \\hspace{{\\gap}} {cells} \\end{{tabular}}"
    assert one(table, preamble).splitlines()[:-1] == preamble.splitlines()[1:5]
    drawing = (
        "\\begin{tikzpicture} \\node[my box] {words and words and words and words}; "
        "\\path[edge] (0,0) -- (3,3); \\end{tikzpicture}"
    )
    lines = one(drawing, preamble).splitlines()[:-1]
    assert lines == [r"\usetikzlibrary{shapes.callouts}", *preamble.splitlines()[5:8]]
    own = f"\\begin{{table}}\\begin{{own}}{TABLE}\\end{{own}}\\end{{table}}"
    assert one(own, preamble).startswith(preamble.splitlines()[0])


def test_pictures_that_another_run_makes_are_made_in_this_one():
    preamble = "\\usetikzlibrary{external}\\tikzexternalize\\tikzset{external/prefix=x/}"
    drawing = "\\begin{tikzpicture}\\draw (0,0) -- (1,1);" + "\\draw (0,1) -- (1,0);" * 3
    assert one(drawing + "\\end{tikzpicture}", preamble) == drawing + "\\end{tikzpicture}"
    asked = reasons(f"{drawing}\\tikzsetnextfilename{{x}}\\end{{tikzpicture}}", preamble)
    assert asked == ["it asks TeX for more than setting text (\\tikzsetnextfilename)"]


def test_commands_that_stand_for_begin_and_end_are_written_out():
    preamble = r"\newcommand{\be}{\begin{equation}}\def\ee{\end{equation}}"
    assert one(f"\\be {LONG} \\label{{x}}\\ee", preamble) == (
        f"\\begin{{equation}} {LONG}\\end{{equation}}"
    )


NAMES = [f"\\m{chr(97 + number // 26)}{chr(97 + number % 26)}" for number in range(50)]
MANY_NAMES = " ".join(NAMES)
MANY_DEFINITIONS = "".join(f"\\newcommand{{{name}}}{{x}}" for name in NAMES)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (f"\\[{LONG} \\text{{by \\eqref{{x}}}}\\]", "refers or cites (\\eqref)"),
        (f"\\[{LONG} \\text{{by \\citep{{x}}}}\\]", "refers or cites (\\citep)"),
        (f"\\[{LONG} \\text{{by \\Cref{{x}}}}\\]", "refers or cites (\\Cref)"),
        (f"\\[{LONG} \\shown\\]", "its \\shown refers or cites (\\ref)"),
        (f"\\[{LONG} \\includegraphics{{x}}\\]", "reads a file"),
        (f"\\[{LONG} \\input{{x}}\\]", "reads a file"),
        (f"\\[{LONG} \\immediate\\write18{{ls}}\\]", "more than setting text"),
        (f"\\[{LONG} {{\\]}}", "groups do not close"),
        ("\\[ x = 1 \\]", "fewer than 25"),
        (f"\\[{LONG * 100}\\]", "more than 1500"),
        (f"\\[{LONG} {'{' * 50}{'}' * 50}\\]", "nests more than"),
        (f"\\[{LONG}\\] \\[{LONG} \\]", "twice"),
        (f"\\[{LONG} {MANY_NAMES}\\]", "more than 40 definitions"),
        ("\\begin{tabular}{l}" + "a long cell without any column beside it " * 3 + "\\end{tabular}",
         "fewer than two rows or columns"),
        ("\\begin{algorithm}" + "x \\gets y " * 20 + "\\end{algorithm}", "fewer than four lines"),
        ("\\begin{tikzpicture}\\begin{axis}\\addplot table[x=a] {data/run.csv};\\end{axis}"
         + "\n\\draw (0,0) -- (1,1) -- (2,2) -- (3,3) -- (4,4);\\end{tikzpicture}", "plots a file"),
        ("\\begin{tikzpicture}\\draw plot function {sin(x)};" + "\\draw (0,0) -- (1,1);" * 4
         + "\\end{tikzpicture}", "another program"),
    ],
)  # fmt: skip
def test_what_cannot_be_set_by_itself_is_dropped_with_a_reason(body, reason):
    found = reasons(body, r"\newcommand{\shown}{\ref{x}}" + MANY_DEFINITIONS)
    assert any(reason in each for each in found), found


def test_equal_pieces_count_as_one():
    chosen = list(choose(paper(f"\\[{LONG}\\] \\[{LONG} \\]")))
    assert [each.outcome.kind for each in chosen if isinstance(each.outcome, Failed)] == [
        Kind.DUPLICATE
    ]


def test_few_of_each_sort_are_taken_in_turns_and_always_the_same():
    body = "".join(f"\\[{LONG} + {n}\\] {TABLE.replace('value', f'value {n}')}" for n in range(20))
    found = list(choose(paper(body)))
    assert [each.sort for each in found] == ["table", "equation"] * MOST_OF_A_SORT
    assert found == list(choose(paper(body)))


def test_inner_commands_that_read_a_file_are_seen():
    preamble = r"\makeatletter\newcommand{\own}{\@@input secret }\makeatother"
    assert reasons(f"\\[{LONG}\\own\\]", preamble) == [r"its \own reads a file (\input)"]


def test_what_cites_in_a_path_of_tikz_is_seen():
    path = r"\path[mine] (0,0) node {\cite{a}} -- (1,1) node[above] {b};"
    body = (
        f"\\begin{{tikzpicture}}{path}\\draw (0,0) -- (1,1) -- (2,2) -- (3,3);\\end{{tikzpicture}}"
    )
    assert truths(body) == []
    cited = body.replace(r"\cite{a}", "a")
    styled = "\\tikzset{mine/.style={red}}"
    assert one(cited, styled).startswith(styled)


def test_inline_data_is_no_file():
    body = (
        "\\begin{tikzpicture}\\begin{axis}\\addplot table {x y\n 1 2.5\n 2 3.5\n 4 5.5\n};"
        "\\addplot[mark=*] {x^2 + 3*x - 1.5};\\end{axis}\\end{tikzpicture}"
    )
    assert one(body) == body


def test_line_ends_become_one_kind():
    body = f"\\begin{{equation}}\r\n  {LONG}\r\n  \\label{{x}}\r\n\\end{{equation}}"
    assert one(body) == f"\\begin{{equation}}\n  {LONG}\n\\end{{equation}}"


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("a\n  \\label{x} \\label{y}\nb", "a\nb"),
        ("a \\label{x}\nb", "a\nb"),
        ("a\\\\\\label{x} b", "a\\\\ b"),
        (r"a\\label{x}", r"a\\label{x}"),
        (r"\alpha\label{x}b", r"\alpha b"),
        (r"\alpha \label{x}\beta", r"\alpha\beta"),
        ("a\\ \\label{x}", "a\\ "),
    ],
)
def test_labels_go_and_nothing_else(written, left):
    assert one(f"\\[{LONG}{written}\\]") == f"\\[{LONG}{left}\\]"


def test_the_standard_libraries_are_those_of_the_renderer():
    assert {*LIBRARIES, *PLOT_LIBRARIES} == STANDARD_LIBRARIES


@pytest.mark.parametrize(
    "body",
    [
        "{" * 100_000 + "\\end{equation}" * 1000,
        "\\begin{table}" * 3_000 + TABLE + "\\end{table}" * 3_000,
        "\\begin{equation}" * 20_000,
        "\\[x\\]" * 20_000,
        "\\newcommand{\\a}{" * 8_000,
        "\\def\\a#1" * 8_000,
        "\\newcommand{\\a}[" * 8_000,
        f"\\def\\a{{\\a\\a}}\\[{LONG}\\a\\]" * 2_000,
        "\\tikzset{" + "a" * 500_000 + "}",
        "\\label{" * 20_000 + f"\\[{LONG}\\]",
        "\\begin{tabular}{" + "{" * 2_000 + "}" * 2_000 + "}" + "&\\\\" * 1_000 + "\\end{tabular}",
        "\x00\x01" * 1_000,
        f"\\[{LONG}" + " " * 90_000 + "\\]",
        f"\\[{LONG}" + " " * 1_000 + "\\label{a}\\]",
        f"\\begin{{tikzpicture}}{LONG * 3}\\table" + "\n" * 30_000 + "\\end{tikzpicture}",
        "\\begin{comment}" * 20_000,
        "\\newcommand{" * 30_000 + "}" * 30_000,
    ],
    ids=lambda text: repr(text[:20]),
)
def test_hostile_documents_end_and_stay_within_the_limits(body):
    text = f"\\documentclass{{article}}\\begin{{document}}{body}"
    found = read(Files({"main.tex": text.encode()}), Main("main.tex", "test"))
    if isinstance(found, Failed):
        assert found.kind in (Kind.UNSUITABLE, Kind.TOO_LARGE)
        return
    for each in choose(found.value):
        if isinstance(each.outcome, Ok):
            assert len(each.outcome.value.text) <= LENGTHS[each.sort][1] * 3


CHUNKS = st.sampled_from(
    [
        "Words, 50\\% of them.",
        "$x$ and $y$",
        "% \\begin{equation} not this\n",
        "\n\n",
        "{\\bf group}",
        "\\begin{verbatim}\\begin{align} $$ { % \\end{verbatim}",
        "\\iffalse \\[ nor this \\] { \\fi",
        "\\verb|\\begin{table}{|",
        "\\begin{itemize}\\item a\\end{itemize}",
        "\\newcommand{\\eq}{\\begin{equation}}",
    ]
)
PIECES = st.sampled_from(
    [*FORMULAE, TABLE, ALGORITHM, "\\begin{tikzpicture}\\draw (0,0) -- (1,1);\\end{tikzpicture}"]
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(CHUNKS, st.one_of(st.none(), PIECES)), max_size=12))
def test_a_piece_is_the_text_between_the_marks(parts):
    text, marks = "\\documentclass{article}\n\\begin{document}\n", []
    for chunk, piece in parts:
        text += chunk + "\n"
        if piece is not None:
            marks.append((len(text), len(text) + len(piece)))
            text += piece + "\n"
    text += "\\end{document}"
    found = read(Files({"main.tex": text.encode()}), Main("main.tex", "test"))
    assert isinstance(found, Ok)
    outer = [(piece.start, piece.end) for piece in found.value.pieces if not piece.inside]
    assert outer == marks
