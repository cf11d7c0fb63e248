"""Sheet music: the LilyPond source of a picture of notes."""

from __future__ import annotations

from pathlib import Path

from benchmark.outcome import Failed, Outcome
from benchmark.protocols import Fit
from benchmark.records import Answer, Instance
from scenarios.languages.lilypond import Lilypond

_PROMPT = Path(__file__).parent / "prompts" / "music.txt"

_BLANK = """\
\\version "2.24.0"
{ s1 }
"""


class Music:
    """The model is shown a line or a page of music and writes LilyPond.

    ``scan`` are pictures of printed or written music whose source nobody has.
    """

    name = "music"
    version = "1"
    subsets = ("melody", "voices", "lyrics", "chords", "piano", "scan")
    renderer = "lilypond"
    metrics = ("pixel", "ssim", "lpips", "cis", "ems", "edit")
    fit = Fit.PAD

    def __init__(self) -> None:
        self._language = Lilypond()

    def prompt(self, instance: Instance) -> str:  # noqa: ARG002 - one prompt for all subsets
        """Return the prompt."""
        return _PROMPT.read_text(encoding="utf-8")

    def blank(self) -> str:
        """Return a score of one empty bar: staff, clef and time signature without any note."""
        return _BLANK

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read a score; see ``scenarios.languages.lilypond``."""
        return self._language.read(text, truncated=truncated)

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """As ``Lilypond.repair``."""
        return self._language.repair(answer, failure)
