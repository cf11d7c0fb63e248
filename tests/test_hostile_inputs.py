"""Hostile inputs of our own by the whole road, so that a checkout by itself shows what holds."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest

from benchmark.outcome import Kind, Stage
from flows import trial
from tests.renderers.web_sites import named
from tests.roads import expect, hurried_roads, road, road_for


@pytest.fixture(scope="module")
def latex():
    yield from road("latex")


@pytest.fixture(scope="module")
def lilypond():
    yield from road("lilypond")


@pytest.fixture(scope="module")
def web():
    yield from road("web")


@pytest.fixture(scope="module")
def graphviz():
    yield from road("graphviz")


@pytest.fixture(scope="module")
def hurried():
    yield from hurried_roads()


def site(**files: str) -> str:
    """Write an answer that is a site."""
    contents = named(files)
    return json.dumps([{"filename": name, "content": text} for name, text in contents.items()])


OURS = {
    "TeX opens the file of users": (
        "latex",
        "\\newread\\spy\\openin\\spy=/etc/passwd \\read\\spy to\\seen\\closein\\spy Seen: \\seen",
        "unsafe_input",
    ),
    "TeX writes outside its folder": (
        "latex",
        "\\newwrite\\out\\immediate\\openout\\out=/tmp/planted.tex Written.",
        "unsafe_input",
    ),
    "TeX doubles a macro until memory ends": (
        "latex",
        "\\def\\grow#1{\\grow{#1,#1}}\\grow{1}",
        "resource_limit",
    ),
    "LilyPond reads the file of passwords": (
        "lilypond",
        '\\version "2.24.0"\n\\markup \\verbatim-file "/etc/shadow"\n',
        "empty_render",
    ),
    "LilyPond forks without end": (
        "lilypond",
        "\\version \"2.24.0\"\n#(begin (define (two) (primitive-fork) (two)) (two))\n{ d'2 e' }",
        "timeout resource_limit",
    ),
    "a page never comes to an end": (
        "web",
        "<p>begun</p><script>for (let n = 0; ; n++) document.title = n</script>",
        "timeout",
    ),
    "names of files leave the folder": (
        "web",
        site(index_dot_html="<p>a", css__dot_dot__="x").replace("css/..", "css/../../../.bashrc"),
        "unsafe_input",
    ),
    "JSON nests without end": ("web", "[" * 200_000, "truncated"),
    "Liquid counts without end": (
        "web",
        site(index_dot_html="---\n---\n{% for n in (1..800000000) %}{{ n }}{% endfor %}"),
        "timeout resource_limit",
    ),
    "a graph asks for an absurd size": (
        "graphviz",
        'graph { size="7000,7000!"; ratio=fill; x -- y }',
        "resource_limit",
    ),
    "a graph has too many nodes": (
        "graphviz",
        "graph { " + " ".join(f"v{n};" for n in range(60_000)) + " }",
        "resource_limit",
    ),
}
"""Hostile inputs of our own: whose road, what it is and what may come of it."""


@pytest.mark.parametrize("name", OURS)
def test_hostile_input_of_ours(name, request):
    area, text, kinds = OURS[name]
    expect(road_for(request, area, kinds).take(text), kinds)


HARMLESS = {
    "TeX asks for a shell": (
        "latex",
        "\\immediate\\write18{cat /etc/hostname > answer.aux}Quiet.",
        "Quiet.",
    ),
    "LilyPond calls the system": (
        "lilypond",
        '\\version "2.24.0"\n#(system "rm -rf /work /tmp; id > /tmp/planted")\n{ g\'4 a\' }',
        "\\version \"2.24.0\"\n{ g'4 a' }",
    ),
    "a frame shows a file of the host": (
        "web",
        "<p>b</p><iframe src='file:///etc/hostname' width=400></iframe>",
        "<p>b</p><iframe width=400></iframe>",
    ),
    "a site brings a plug-in": (
        "web",
        site(
            index_dot_html="---\n---\n<p>plain</p>",
            _plugins__run_dot_rb="File.write('index.html', 'owned'); Dir.mkdir('/work/site')",
        ),
        "<p>plain</p>",
    ),
    "a node shows a file of the host": (
        "graphviz",
        'digraph { n [image="/etc/passwd"]; n -> m }',
        "digraph { n; n -> m }",
    ),
}
"""Hostile inputs of our own that are drawn, and what they must look like."""


@pytest.mark.parametrize("name", HARMLESS)
def test_hostile_input_is_drawn_as_the_harmless_one(name, request):
    area, text, harmless = HARMLESS[name]
    road = request.getfixturevalue(area)
    assert road.picture(text).png == road.picture(harmless).png
    for folder in (Path(tempfile.gettempdir()), Path.cwd()):
        assert not list(folder.glob("planted*"))


def test_endless_tex_is_ended(hurried):
    failure = hurried("latex").failure("\\def\\again{\\again}Once \\again")
    assert failure.kind is Kind.TIMEOUT


class TestArchivesOfOurs:
    def test_a_link_out_of_the_site(self, tmp_path):
        path = tmp_path / "site.tar"
        with tarfile.open(path, "w") as archive:
            link = tarfile.TarInfo("_includes")
            link.type, link.linkname = tarfile.SYMTYPE, "../../../../etc"
            archive.addfile(link)
            page = tarfile.TarInfo("index.html")
            page.size = 4
            archive.addfile(page, io.BytesIO(b"<p>x"))
        failure = trial.run("web", path, None, tmp_path).failure
        assert failure is not None
        assert (failure.stage, failure.kind) == (Stage.FETCH, Kind.UNSAFE_INPUT)

    def test_a_bomb(self, tmp_path):
        path = tmp_path / "site.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("index.html", bytes(60_000_000))
        failure = trial.run("web", path, None, tmp_path).failure
        assert failure is not None
        assert failure.kind in (Kind.RESOURCE_LIMIT, Kind.UNSAFE_INPUT)
