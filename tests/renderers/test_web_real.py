"""Sites that people made, and the bundled ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmark.outcome import Failed, Kind, Ok
from tests.contracts.renderer_contract import fail, render
from tests.pictures import flagged, pixels
from tests.renderers.web_sites import folder

BUNDLED = Path(__file__).resolve().parents[2] / "sources" / "material" / "webpage"

REAL = {
    "cayman": ("index.md", "rendered", "jekyll-theme-cayman"),
    "contrast": ("index.html", "compile_error", "frame.sass"),
    "image2struct_valid_repo": ("index.html", "rendered", ""),
    "mdn_balls": ("index.html", "empty_render", ""),
    "mdn_bears": ("index.html", "rendered", "missing_files=2 (/media/bear.mp3, /media/bear.ogg)"),
    "mdn_birdwatch": ("index.html", "rendered", "fonts.googleapis.com"),
    "mdn_layout": ("index.html", "rendered", ""),
    "mdn_letter": ("index.html", "rendered", ""),
    "mdn_splash": ("index.html", "rendered", "www.youtube.com"),
    "mdn_typeset": ("index.html", "rendered", "Lovato-Light-webfont.ttf"),
    "minima": ("index.md", "rendered", "cdn.jsdelivr.net"),
}
"""Sites that people made: entry, outcome, and what a flag or the message must say. Contrast needs
a newer Sass than GitHub Pages has; the balls exercise starts from a page without ink."""


@pytest.mark.parametrize("name", REAL)
def test_a_real_site_ends_as_expected(web, shared, name):
    entry, wanted, text = REAL[name]
    structure = folder(shared / "real" / "jekyll" / name, entry)
    outcome = web.render(structure)
    if wanted == "rendered":
        assert isinstance(outcome, Ok), outcome
        assert flagged(outcome.value, text) if text else outcome.value.flags == ()
    else:
        assert isinstance(outcome, Failed)
        assert outcome.kind == wanted
        assert text in outcome.message


def test_a_real_site_drawn_by_a_script_is_the_same_twice(web, shared):
    structure = folder(shared / "real" / "jekyll" / "mdn_balls", "index-finished.html")
    first, second = (render(web, structure) for _ in range(2))
    assert first.png == second.png
    assert len(np.unique(pixels(first).reshape(-1, 3), axis=0)) > 20


def test_a_real_site_without_a_page_is_a_failure(web, shared):
    structure = folder(shared / "real" / "jekyll" / "image2struct_invalid_repo", "_config.yml")
    failure = fail(web, structure)
    assert failure.kind is Kind.MISSING_RESOURCE
    assert "no entry page" in failure.message


PIECES = sorted(path.relative_to(BUNDLED).as_posix() for path in BUNDLED.glob("*/*"))


@pytest.mark.parametrize("name", PIECES)
def test_bundled_site_renders_without_a_flag(web, name):
    path = BUNDLED / name
    entry = next(one for one in ("index.html", "index.md") if (path / one).is_file())
    picture = render(web, folder(path, entry))
    assert picture.flags == ()
    assert (picture.width, picture.height) == (1920, 1080)
    assert len(np.unique(pixels(picture).reshape(-1, 3), axis=0)) > 50


def test_bundled_sites_cover_what_the_issue_asks():
    assert len(PIECES) >= 12
    subsets = [name.split("/")[0] for name in PIECES]
    assert all(subsets.count(subset) >= 4 for subset in ("html", "css", "javascript"))
    jekyll = [name for name in PIECES if (BUNDLED / name / "_config.yml").is_file()]
    assert len(jekyll) >= 4
