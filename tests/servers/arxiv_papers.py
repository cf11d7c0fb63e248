r"""Papers for the loopback arXiv: small ones written here, each kind of source that arXiv has."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

BY = "http://creativecommons.org/licenses/by/4.0/"
BY_NC_SA = "http://creativecommons.org/licenses/by-nc-sa/4.0/"
ARXIV = "http://arxiv.org/licenses/nonexclusive-distrib/1.0/"
ZERO = "http://creativecommons.org/publicdomain/zero/1.0/"

TIDES = r"""\documentclass{article}
\usepackage{amsmath,amssymb,booktabs}
\usepackage{algorithm,algpseudocode}
\usepackage{tikz,pgfplots}
\pgfplotsset{compat=1.18}
\graphicspath{{pictures/}}
\input{macros} % the authors' own
\begin{document}
\section{Tides}
The height obeys
\begin{equation}
  \label{eq:height}
  \height(t) = \sum_{k=1}^{K} A_k \cos\!\left( \frac{2\pi t}{\period{k}} + \phase \right), % sum
  \qquad \height \in \R .
\end{equation}
By~\eqref{eq:height} and \cite{moon},
\begin{align*}
  \dot\height &= \argmin_{v} \left\| v - \frac{\height(t + \tau) - \height(t)}{\tau} \right\|^2 .
\end{align*}
\input{results/table.tex}
\begin{algorithm}
  \caption{Fitting the constituents}
  \label{alg:fit}
  \begin{algorithmic}[1]
    \Require samples $\height(t_1), \dots, \height(t_n)$
    \For{$k = 1, \dots, K$}
      \State $A_k \gets$ amplitude at period $\period{k}$
      \State subtract the constituent from the samples
    \EndFor
    \State \Return $A_1, \dots, A_K$
  \end{algorithmic}
\end{algorithm}
\begin{figure}
  \centering
  \begin{tikzpicture}[mark size=1.5pt]
    \begin{axis}[width=8cm, height=5cm, xlabel={hours}, ylabel={metres}, grid=major]
      \addplot[shore, thick] coordinates {(0,1.2) (3,2.9) (6,4.1) (9,2.8) (12,1.1)};
      \addplot[dashed] coordinates {(0,1.0) (3,2.7) (6,4.0) (9,2.9) (12,1.3)};
    \end{axis}
  \end{tikzpicture}
  \caption{A day at the pier, after \cite{moon}.}
\end{figure}
\begin{figure}[t]
  \centering
  \subfigure[Ebb]{\includegraphics[width=0.3\linewidth]{ebb}}\hspace{5mm}
  \subfigure[Flood]{\includegraphics[width=0.3\linewidth]{flood.jpeg}}
  \caption{The water $\height(t)$ under the pier.}\label{fig:pier}
\end{figure}
\end{document}
Left over after the end: \begin{equation} \text{never shown anywhere at all} \end{equation}
"""

MACROS = r"""\newcommand{\R}{\mathbb{R}}
\newcommand{\height}{\eta}
\newcommand{\period}[1]{T_{#1}}
\newcommand{\phase}{\varphi_k}
\newcommand{\unused}{\height^2}
\DeclareMathOperator*{\argmin}{arg\,min}
\definecolor{shore}{rgb}{0.1,0.4,0.7}
"""

TABLE = r"""\begin{table}
  \caption{Constituents, from \cite{moon}.}
  \begin{tabular}{lrr}
    \toprule
    Name & Period (h) & Amplitude (m) \\
    \midrule
    M2 & 12.42 & 1.91 \\
    S2 & 12.00 & 0.64 \\
    N2 & 12.66 & 0.38 \\
    \bottomrule
  \end{tabular}
\end{table}
"""

LETTER = r"""\documentclass{article}
\usepackage{amsmath}
\begin{document}
\[
  \Delta u + \lambda u^{3} = 0 \quad \text{in } \Omega, \qquad
  u = 0 \quad \text{on } \partial\Omega .
\]
$$ \int_{\Omega} |\nabla u|^{2}\,dx = \lambda \int_{\Omega} u^{4}\,dx + C_{\Omega} $$
\end{document}
"""

PLAIN = "\\input amstex\n\\magnification=1200\nPlain \\TeX{} of old, $x^2$.\n\\bye\n"
EMPTY = r"\documentclass{article}\begin{document}Words only, and $x$.\end{document}"


def tar_gz(files: Mapping[str, bytes | str]) -> bytes:
    """Pack files as arXiv does: flat, without a folder around them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, data in files.items():
            content = data if isinstance(data, bytes) else data.encode()
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(packed.getvalue(), mtime=0)


def tree(folder: Path) -> bytes:
    """Pack a folder of real files."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return tar_gz({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})


@dataclass(frozen=True)
class Paper:
    """A paper as the stand-in tells of it."""

    identifier: str
    submitted: dt.datetime
    source: bytes | None
    """What is sent for its latest version; None: 404."""
    version: int = 1
    authors: tuple[str, ...] = ("Ada Example", "Ben Example")
    categories: tuple[str, ...] = ("cs.LG",)
    comment: str = ""
    licence: str | None = BY
    deleted: bool = False
    changed: dt.date | None = None
    """Day of its record; None: that of its submission."""
    title: str = "On Invented Things"
    earlier: Mapping[int, bytes] = field(default_factory=dict)
    """Sources of earlier versions."""

    @property
    def name(self) -> str:
        return f"{self.identifier}v{self.version}"

    @property
    def recorded(self) -> dt.date:
        return self.changed or self.submitted.date()


def drawn(kind: str, rows: int) -> bytes:
    """Return a small picture: water up to a row."""
    from PIL import Image

    picture, buffer = Image.new("RGB", (60, 40), (240, 230, 200)), io.BytesIO()
    picture.paste((40, 90, 160), (0, rows, 60, 40))
    picture.save(buffer, kind)
    return buffer.getvalue()


TIDES_SOURCE = tar_gz(
    {
        "paper.tex": TIDES,
        "macros.tex": MACROS,
        "results/table.tex": TABLE,
        "pictures/ebb.png": drawn("PNG", 30),
        "pictures/flood.jpeg": drawn("JPEG", 10),
    }
)


def papers_of(day: dt.date) -> list[Paper]:
    """Return papers submitted on a day and before: three that give something, the rest drops."""
    noon = dt.datetime.combine(day, dt.time(12))
    earlier = noon - dt.timedelta(days=1)
    return [
        Paper("2611.00001", noon, TIDES_SOURCE, categories=("physics.ao-ph", "cs.LG")),
        Paper(
            "2611.00002",
            noon - dt.timedelta(hours=1),
            gzip.compress(LETTER.encode(), mtime=0),
            categories=("math.AP",),
            licence=ARXIV,
        ),
        Paper("2611.00003", noon - dt.timedelta(hours=2), b"%PDF-1.7\n%printed only\n"),
        Paper(
            "2611.00004",
            noon - dt.timedelta(hours=3),
            None,
            version=2,
            comment="This paper has been withdrawn by the author",
            earlier={1: TIDES_SOURCE},
        ),
        Paper("2611.00005", earlier, tar_gz({"withdrawn.txt": "withdrawn"}), version=3),
        Paper(
            "2611.00006",
            earlier - dt.timedelta(hours=1),
            tar_gz({"a.tex": LETTER, "b.tex": TIDES}),
            categories=("cs.CV", "stat.ML"),
        ),
        Paper(
            "2611.00007", earlier - dt.timedelta(hours=2), TIDES_SOURCE[: len(TIDES_SOURCE) // 2]
        ),
        Paper(
            "2611.00008", earlier - dt.timedelta(hours=3), gzip.compress(PLAIN.encode(), mtime=0)
        ),
        Paper(
            "2611.00009",
            earlier - dt.timedelta(hours=4),
            tar_gz({"main.tex": EMPTY, "main.bbl": "", "fig.png": b"\x89PNG"}),
        ),
    ]


def new_paper(day: dt.date) -> Paper:
    """Return a paper of a later day, of which two equations can be taken."""
    text = LETTER.replace("u^{3}", "u^{5}").replace("u^{4}", "u^{6}")
    noon = dt.datetime.combine(day, dt.time(12))
    return Paper("2612.00001", noon, tar_gz({"next.tex": text}), licence=ZERO)


def real_papers(shared: Path, day: dt.date) -> list[Paper]:
    """Return papers of a day whose sources are the trees of real files that lie in `shared`."""
    noon = dt.datetime.combine(day, dt.time(12))
    folders = sorted((shared / "real" / "tex").glob("tree_*"))
    return [
        Paper(f"2611.1{n:04}", noon - dt.timedelta(minutes=n), tree(folder), licence=ARXIV)
        for n, folder in enumerate(folders)
    ]
