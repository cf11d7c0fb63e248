"""Repositories from the stand-in of GitHub along the road to a reference, in the real sandboxes."""

from __future__ import annotations

import datetime as dt
import json

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from flows.road import refer
from flows.workshop import Workshop
from renderers import canvas
from sources.github_pages import GithubPages
from tests.servers import github_content as content
from tests.servers.github_server import Repo, github

SINCE = dt.date(2026, 11, 1)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory):
    opened = Workshop(Settings(store=str(tmp_path_factory.mktemp("store")), workers=1))
    yield opened
    opened.close()


@pytest.fixture
def references(workshop, monkeypatch, tmp_path):
    """Return what becomes of repositories: the reference of each that is material."""

    def run(*repositories):
        with github(list(repositories)) as hub:
            monkeypatch.setenv("RERENDER_MIRRORS", json.dumps(hub.mirrors))
            monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
            monkeypatch.delenv("RERENDER_GITHUB_TOKEN", raising=False)
            found = list(GithubPages(today=dt.date(2026, 11, 30)).collect(since=SINCE))
        materials = [outcome.value for outcome in found if isinstance(outcome, Ok)]
        return {m.attributes["repository"].partition("/")[0]: refer(workshop, m) for m in materials}

    return run


def pixels(workshop, outcome):
    assert isinstance(outcome, Ok), outcome
    return canvas.decode(workshop.store.get(outcome.value.image)).value


def test_a_finished_site_and_a_jekyll_source_become_references(workshop, references):
    made = references(*content.good())
    assert set(made) == {"ada-q", "ben", "cleo", "dan"}
    for outcome in made.values():
        assert pixels(workshop, outcome).shape == (1080, 1920, 3)
    background = (238, 238, 255)
    for name in ("ada-q", "ben"):  # both are dressed by their style sheets
        assert tuple(pixels(workshop, made[name])[-1, -1]) == background
    assert (pixels(workshop, made["ada-q"]) == (34, 68, 102)).all(axis=2).sum() == 120 * 80
    assert made["ada-q"].value.assets[0].path == "boat.png"
    assert made["ben"].value.attributes["jekyll"] is True


def test_a_theme_that_is_dropped_for_own_layouts_leaves_a_clean_reference(workshop, references):
    themed = {**content.JEKYLL, "_config.yml": b"title: Lamps\ntheme: jekyll-theme-slate\n"}
    made = references(Repo("a/a.github.io", themed), Repo("b/b.github.io", content.JEKYLL))
    assert (pixels(workshop, made["a"]) == pixels(workshop, made["b"])).all()


def test_a_source_in_docs_is_built_from_there(workshop, references):
    files = {f"docs/{name}": data for name, data in content.JEKYLL.items()}
    made = references(Repo("a/a.github.io", files), Repo("b/b.github.io", content.JEKYLL))
    assert (pixels(workshop, made["a"]) == pixels(workshop, made["b"])).all()


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({**content.JEKYLL, "_config.yml": b"plugins: [jekyll-scholar]\n"},
         Kind.MISSING_RESOURCE, "jekyll-scholar"),
        ({**content.JEKYLL, "_layouts/default.html": content.page("{% include head.html %}")},
         Kind.MISSING_RESOURCE, "head.html"),
        ({**content.PLAIN, "css/site.css": b"@import url(https://fonts.example.org/a.css);\n"},
         Kind.MISSING_RESOURCE, "fonts.example.org"),
        ({"index.html": content.page("x", head=content.LINK)},
         Kind.MISSING_RESOURCE, "css/site.css"),
    ],
    ids=["plug-in", "include", "import from elsewhere", "style sheet"],
)  # fmt: skip
def test_a_page_that_lacks_something_never_passes(references, files, kind, said):
    outcome = references(Repo("a/a.github.io", files))["a"]
    assert isinstance(outcome, Failed)
    assert outcome.kind is kind
    assert said in outcome.message


def test_real_repositories_become_references(workshop, references, shared):
    made = references(*[
        Repo(f"{name}/{name}.github.io", {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file()
        })
        for name in ("image2struct_valid_repo", "mdn_letter", "cayman")
        for folder in [shared / "real" / "jekyll" / name]
    ])  # fmt: skip
    assert isinstance(made["mdn_letter"], Ok), made["mdn_letter"]
    jekyll = made["image2struct_valid_repo"]
    if isinstance(jekyll, Ok):
        assert jekyll.value.attributes["jekyll"] is True
    else:  # it moves, and on a busy machine the page may be cut off before it stands still
        assert jekyll.kind is Kind.TIMEOUT, jekyll
    assert "fonts.googleapis.com" in made["cayman"].message
