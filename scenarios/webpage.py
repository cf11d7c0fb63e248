"""Web pages: the site behind a screenshot, as in Image2Struct (arXiv 2410.22456)."""

from __future__ import annotations

from pathlib import Path

from benchmark.outcome import Failed, Outcome
from benchmark.protocols import Fit
from benchmark.records import Answer, Instance
from scenarios.languages.web import Web, write

_PROMPTS = Path(__file__).parent / "prompts"

_BLANK = """\
<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Blank</title></head>
<body><hr></body>
</html>
"""


class Webpage:
    """The model is shown a browser window and writes the files of a web site.

    The subsets are those of Image2Struct: the language that most of a site is written in, and
    ``wild`` for screenshots whose site nobody has. Pictures that a site shows are assets: the
    prompt names them, truth and answer use the same files.
    """

    name = "webpage"
    version = "1"
    subsets = ("html", "css", "javascript", "wild")
    renderer = "web"
    metrics = ("pixel", "ssim", "lpips", "cis", "ems", "edit")
    fit = Fit.RESIZE

    def __init__(self) -> None:
        self._language = Web()

    def prompt(self, instance: Instance) -> str:
        """Return the prompt, with the names of the instance's assets."""
        paths = ", ".join(asset.path for asset in instance.assets)
        about = _text("webpage_assets") if paths else _text("webpage_no_assets")
        return _text("webpage").replace("{assets}", about.strip().replace("{paths}", paths))

    def blank(self) -> str:
        """Return a site of one page that shows a thin line and nothing else.

        A page without a single visible pixel would be an ``empty_render``, no floor.
        """
        return write({"index.html": _BLANK})

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read the files of a site; see ``scenarios.languages.web``."""
        return self._language.read(text, truncated=truncated)

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:
        """As ``Web.repair``."""
        return self._language.repair(answer, failure)


def _text(name: str) -> str:
    return (_PROMPTS / f"{name}.txt").read_text(encoding="utf-8")
