"""What is cut out of papers renders by itself, in the real container, as a clean reference."""

from __future__ import annotations

import datetime as dt
from contextlib import closing

import pytest

from benchmark.outcome import Failed, Ok
from benchmark.settings import Settings
from flows import road
from flows.workshop import Workshop
from sources.arxiv_pieces import materials, read_choices
from sources.arxiv_site import Listed
from sources.arxiv_source import open_source
from tests.servers.arxiv_papers import TIDES_SOURCE, drawn, tar_gz, tree

PAPER = Listed("2611.00001", 1, dt.date(2026, 11, 29), ("Ada Example",), ("cs.LG",), "")

OWN = r"""\documentclass{article}
\usepackage{amsmath,tikz,algorithm2e}
\makeatletter
\newcommand{\my@inner}[1]{\mathcal{#1}}
\newcommand{\loss}{\my@inner{L}}
\makeatother
\newcommand\bm[1]{\boldsymbol{#1}}
\def\E#1#2{\mathbb{E}_{#1}\left[#2\right]}
\let\oldphi\phi
\renewcommand{\phi}{\varphi}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
\DeclareMathOperator*{\argmin}{arg\,min}
\DeclarePairedDelimiter{\norm}{\lVert}{\rVert}
\newcolumntype{R}{>{\raggedleft\arraybackslash}p{2cm}}
\newlength{\gap}
\setlength{\gap}{3mm}
\usetikzlibrary{shapes.symbols,calc}
\tikzset{box/.style={draw, rounded corners}, my cloud/.style={cloud, draw}}
\tikzstyle{line} = [draw, -latex]
\colorlet{soft}{blue!30}
\SetKwInput{KwParam}{Parameters}
\begin{document}
\be
  \loss(\bm{\theta}) = \argmin_x \E{x}{\phi(x) + \oldphi(x)} - \norm{y_k}_2^2 \hspace{\gap}
  \label{eq:loss}
\ee
\begin{tabular}{lR}
  \hline name & value \\ one & 1.0 \\ two & 2.0 \\ three & \multicolumn{1}{R}{3.0} \\ \hline
\end{tabular}
\begin{tikzpicture}
  \node[box, fill=soft] (a) {A};
  \node[my cloud] (b) at (3,0) {B};
  \path[line] (a) -- (b);
  \draw ($(a)!0.5!(b)$) circle (2pt);
\end{tikzpicture}
\begin{algorithm}[t]
  \SetAlgoLined
  \KwParam{step size $\eta$}
  \KwIn{$x$}
  \While{not converged}{
    $x \gets x - \eta \nabla f(x)$\; % a step
  }
  \caption{Descent}\label{alg}
\end{algorithm}
\end{document}
"""


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    settings = Settings(store=str(tmp_path_factory.mktemp("store")), workers=1)
    with closing(Workshop(settings)) as opened:
        yield opened


def rendered(workshop: Workshop, source: bytes) -> dict[str, object]:
    """Return what becomes of each piece that is taken of a source, by its environment."""
    files = open_source(source)
    assert isinstance(files, Ok), files
    read = read_choices(files.value)
    assert isinstance(read, Ok), read
    found = {}
    for outcome in materials(PAPER, *read.value, None):
        if isinstance(outcome, Ok):
            environment = outcome.value.attributes["environment"]
            found[f"{environment} {len(found)}"] = road.refer(workshop, outcome.value)
    return found


def test_pieces_with_all_that_their_paper_defines_are_clean_references(workshop):
    found = rendered(workshop, tar_gz({"main.tex": OWN}))
    assert [name.split()[0] for name in found] == [
        "tikzpicture",
        "algorithm",
        "tabular",
        "equation",
    ]
    assert not {name: each for name, each in found.items() if isinstance(each, Failed)}


@pytest.mark.parametrize(
    "figure",
    [
        r"\begin{wrapfigure}[9]{r}{0.4\textwidth}\centering\includegraphics[width=5cm]{a}"
        r"\caption{A pier at ebb.}\end{wrapfigure}",
        r"\begin{SCfigure}[1.2][t]\includegraphics[width=5cm]{a}\caption{A pier.}\end{SCfigure}",
        r"\begin{figure*}\subfloat[One]{\includegraphics[width=.4\linewidth]{a}}\hfill\subfigure"
        r"[Two]{\includegraphics*[trim=1 2 3 4,clip]{{b.c}.pdf}}\caption{\cite{x}}\end{figure*}",
    ],
    ids=["wrapfigure", "SCfigure", "figure*"],
)
def test_figures_are_clean_references(workshop, figure):
    text = f"\\documentclass{{article}}\n\\begin{{document}}\n{figure}\n\\end{{document}}\n"
    source = {"main.tex": text, "a.jpg": drawn("JPEG", 20), "b.c.pdf": drawn("PDF", 20)}
    (reference,) = rendered(workshop, tar_gz(source)).values()
    assert isinstance(reference, Ok), reference
    assert reference.value.subset == "figure"
    assert {asset.path for asset in reference.value.assets} <= {"figure1.jpg", "figure2.pdf"}


def test_the_papers_of_the_loopback_arxiv_are_clean_references(workshop):
    found = rendered(workshop, TIDES_SOURCE)
    assert len(found) == 6
    assert not {name: each for name, each in found.items() if isinstance(each, Failed)}


def test_pieces_of_a_real_paper_are_clean_references(workshop, shared):
    found = rendered(workshop, tree(shared / "real" / "tex" / "tree_emcee"))
    assert [name.split()[0] for name in found] == ["algorithm", "equation", "equation"]
    assert not {name: each for name, each in found.items() if isinstance(each, Failed)}


def test_a_real_paper_of_many_files_gives_clean_references_and_typed_failures(workshop, shared):
    found = rendered(workshop, tree(shared / "real" / "tex" / "tree_cl_dice"))
    assert len(found) == 8
    assert sum(isinstance(each, Ok) for each in found.values()) >= 5
    # it mixes two packages for pseudo-code, and uses one for dashed lines in tables
    assert all(each.final for each in found.values() if isinstance(each, Failed))
