"""LaTeX: the source of a picture of formulae, a table, an algorithm, a plot or a figure."""

from __future__ import annotations

from pathlib import Path

from benchmark.outcome import Failed, Outcome
from benchmark.protocols import Fit
from benchmark.records import Answer, Instance
from scenarios.languages.tex import Tex

_PROMPTS = Path(__file__).parent / "prompts"

_BLANK = r"""\documentclass{article}
\pagestyle{empty}
\begin{document}
.
\end{document}
"""


class Latex:
    """The model is shown what LaTeX printed and writes a snippet or a document.

    The subsets are those of Image2Struct and ``figure``, which shows picture files. These are
    assets: the prompt names them, truth and answer use the same files. ``wild`` are pictures whose
    source nobody has.
    """

    name = "latex"
    version = "1"
    subsets = ("equation", "table", "algorithm", "plot", "figure", "wild")
    renderer = "tex"
    metrics = ("pixel", "ssim", "lpips", "cis", "ems", "edit")
    fit = Fit.PAD

    def __init__(self) -> None:
        self._language = Tex()

    def prompt(self, instance: Instance) -> str:
        """Return the common prompt with what the subset adds to it, and the names of the assets.

        The first line of a subset's file says what the picture shows; the others are items of the
        list of what the renderer does.
        """
        subject, _, items = _text(f"latex_{instance.subset}").partition("\n")
        paths = ", ".join(asset.path for asset in instance.assets)
        about = _text("latex_files" if paths else "latex_no_files").strip()
        prompt = _text("latex").replace("{subject}", subject).replace("{items}", items.strip())
        return prompt.replace("{files}", about.replace("{paths}", paths))

    def blank(self) -> str:
        """Return a document with a single full stop.

        TeX writes no page for an empty document, and a page without a visible mark is a failure
        (``empty_render``). A full stop is the smallest mark that every font has.
        """
        return _BLANK

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer; see ``scenarios.languages.tex``."""
        return self._language.read(text, truncated=truncated)

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """As ``Tex.repair``."""
        return self._language.repair(answer, failure)


def _text(name: str) -> str:
    return (_PROMPTS / f"{name}.txt").read_text(encoding="utf-8")
