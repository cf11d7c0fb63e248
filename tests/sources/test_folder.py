"""The source ``folder``: every kind of material in one directory, with notes and mishaps."""

from __future__ import annotations

import datetime as dt
import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Instance
from sources import folder_material, folder_pieces
from sources.folder import Folder
from tests.contracts.source_contract import SourceContract
from tests.servers import map_files as maps


def png() -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (8, 8), "white").save(out, "PNG")
    return out.getvalue()


PLOT = "\\begin{tikzpicture}\n\\draw (0,0) -- (1,1);\n\\end{tikzpicture}\n"
TABLE = "% \\begin{tikzpicture} is only spoken of\n\\begin{tabular}{ll}a & b\\end{tabular}\n"
CSS = "body { margin: 0; background: white; color: black; font-size: 20px }\n" * 20
FILES: dict[str, bytes | str] = {
    "equation.tex": "\\[ E = mc^2 \\]\n",
    "plot.tex": PLOT,
    "plot.json": json.dumps(
        {"author": "Ada Example", "licence": "CC-BY-4.0", "created": "2024-05-01"}
    ),
    "table.tex": TABLE,
    "latex/algorithm/odd.tex": "\\documentclass{article}\\begin{document}x\\end{document}\n",
    "song.ly": '\\version "2.24.0"\n{ c\' }\n\\addlyrics { la }\n',
    "music/piano/etude.ly": '\\version "2.24.0"\n{ c\' }\n',
    "duo.ly": "<< \\new Staff { c' }\n\\new Staff { d' } >>\n",
    "tea.xmind": maps.xmind(maps.TEA),
    "tea.png": png(),
    "loan.dot": 'digraph { a [label="Ask for it"]; a -> b }\n',
    "flowchart/tea.gv": 'digraph { a [label="烧水"]; b [label="泡茶"]; a -> b }\n',
    "deep/er/plan.mmap": maps.mmap("Plan", "a", "b"),
    "mindmap/bread.md": maps.OUTLINE,
    "mindmap/own.json": json.dumps({"text": "Own", "children": [{"text": "a"}]}),
    "site/index.html": "<!DOCTYPE html><link rel=stylesheet href=a.css><img src=i.png>",
    "site/a.css": CSS,
    "site/i.png": png(),
    "site/material.toml": 'author = "Grace Example"\nlicence = "MIT"\npublishable = true\n'
    'created = 2023-03-01\nurl = "https://example.org/"\n',
    "blog/_config.yml": "title: blog\n",
    "blog/index.md": "---\nlayout: none\n---\n# Hello\n",
    "blog/.git/config": "hidden",
    "page.html": "<!DOCTYPE html><title>alone</title><p>alone</p>",
    "webpage/css/shot.png": png(),
    ".hidden.tex": "\\[ x \\]",
    ".private/x.tex": "\\[ x \\]",
}
MISHAPS: dict[str, tuple[bytes | str, str]] = {
    "notes.md": ("# Notes\n- a\n", "only in a folder of the name mindmap"),
    "data.bin": (b"\0\1", "a file of no kind that is read"),
    "alone.png": (png(), "needs a folder that names a scenario"),
    "webpage/nowhere.png": (png(), "html, css, javascript"),
    "webpage/html/fake.jpg": (b"<html>", "no PNG, JPEG or WebP"),
    "latex/table/wrong.ly": ("{ c' }", "in a folder for latex"),
    "binary.tex": (b"\xff\x00\x81", "not UTF-8"),
    "empty.ly": ("", "empty"),
    "broken.xmind": (b"PK\x03\x04", "archive is damaged"),
    "single.xmind": (maps.xmind(maps.topic("Alone")), "nodes: 1"),
    "dated/material.toml": ("created = 3\n", "created"),
    "noted.tex": ("\\[ x \\]", "licence"),
    "noted.json": ('{"licence": 7}', ""),
}


def build(folder: Path, *, mishaps: bool = True) -> Path:
    content = {**FILES, **({name: one[0] for name, one in MISHAPS.items()} if mishaps else {})}
    for number, (name, data) in enumerate(content.items()):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        day = dt.datetime(2025, 1, 1 + number % 28, 12, tzinfo=dt.UTC).timestamp()
        os.utime(path, (day, day))
    (folder / "link.tex").symlink_to(folder / "equation.tex")
    (folder / "linked").symlink_to(folder / "deep")
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    return build(tmp_path_factory.mktemp("material"))


class TestContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _source(self, built):
        type(self).source = Folder(built)


@pytest.fixture(scope="module")
def found(built):
    return list(Folder(built).collect())


@pytest.fixture(scope="module")
def good(found):
    return {one.value.id: one.value for one in found if isinstance(one, Ok)}


def test_scenario_and_subset_are_said_by_folders_or_told_by_the_content(good):
    assert {name: one.subset for name, one in good.items()} == {
        "webpage/blog": "html",
        "mindmap/deep/er/plan.mmap": "en",
        "flowchart/flowchart/tea.gv": "zh",
        "flowchart/loan.dot": "en",
        "music/duo.ly": "voices",
        "latex/equation.tex": "equation",
        "latex/latex/algorithm/odd.tex": "algorithm",
        "mindmap/mindmap/bread.md": "zh",
        "mindmap/mindmap/own.json": "en",
        "music/music/piano/etude.ly": "piano",
        "webpage/page.html": "html",
        "latex/plot.tex": "plot",
        "webpage/site": "css",
        "music/song.ly": "lyrics",
        "latex/table.tex": "table",
        "mindmap/tea.xmind": "en",
        "webpage/webpage/css/shot.png": "css",
    }


def test_every_mishap_is_a_failure_of_one_line(found):
    lost = [one for one in found if isinstance(one, Failed)]
    for name, (_, told) in MISHAPS.items():
        if told:
            about = [one.message for one in lost if name.rpartition(".")[0] in one.message]
            assert any(told in message for message in about), (name, about)
    assert len(lost) == sum(bool(told) for _, told in MISHAPS.values())
    assert all(one.final and one.subject for one in lost)


def test_notes_say_who_when_and_whether_it_may_be_passed_on(good):
    site, plot, bare = (
        good[f"{name}"].provenance for name in ("webpage/site", "latex/plot.tex", "latex/table.tex")
    )
    assert (site.author, site.licence, site.publishable) == ("Grace Example", "MIT", True)
    assert (site.created, site.url) == (dt.date(2023, 3, 1), "https://example.org/")
    assert (plot.author, plot.licence, plot.publishable) == ("Ada Example", "CC-BY-4.0", False)
    assert (bare.author, bare.licence, bare.publishable) == ("unknown", "LicenseRef-unknown", False)
    assert bare.created == dt.date(2025, 1, 4)
    assert "last change" in bare.made


def test_a_folders_note_holds_below_it_until_a_nearer_one(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "material.toml").write_text('author = "Top"\nlicence = "MIT"\n')
    (tmp_path / "a" / "material.toml").write_text('author = "Middle"\n')
    (tmp_path / "a" / "b" / "x.tex").write_text("\\[ x \\]")
    (tmp_path / "a" / "b" / "x.json").write_text('{"licence": "CC0-1.0"}')
    (only,) = Folder(tmp_path).collect()
    assert (only.value.provenance.author, only.value.provenance.licence) == ("Middle", "CC0-1.0")


def test_a_site_is_one_piece_with_its_pictures_beside_it(good):
    site = good["webpage/site"]
    assert [one["filename"] for one in json.loads(site.truth)] == ["index.html", "a.css"]
    assert set(site.assets) == {"i.png"}
    blog = json.loads(good["webpage/blog"].truth)
    assert {one["filename"] for one in blog} == {"index.md", "_config.yml"}
    alone = json.loads(good["webpage/page.html"].truth)
    assert [one["filename"] for one in alone] == ["index.html"]


def test_a_picture_alone_has_no_truth_and_only_metrics_of_pictures(good):
    shot = good["webpage/webpage/css/shot.png"]
    assert shot.truth is None
    assert shot.picture == png()
    assert set(shot.metrics) == {"pixel", "ssim", "lpips", "cis", "ems"}


def test_a_picture_of_the_same_name_is_what_is_shown(good):
    tea = good["mindmap/tea.xmind"]
    assert tea.picture == png()
    assert json.loads(tea.truth)["text"] == "Tea"


def test_scenarios_read_what_the_folder_gives(good):
    for material in good.values():
        scenario = registry.scenarios.get(material.scenario)
        if material.truth is not None:
            assert isinstance(scenario.read(material.truth), Ok), material.id
        assert scenario.prompt(
            Instance(
                id=material.id,
                scenario=material.scenario,
                subset=material.subset,
                image="0" * 64,
                truth=None,
                provenance=material.provenance,
            )
        )


def test_links_and_hidden_files_are_passed_over(found):
    told = [one.value.id if isinstance(one, Ok) else one.subject for one in found]
    assert not any("hidden" in name or "link" in name or "private" in name for name in told)


def test_names_that_are_not_utf_8_are_values_that_can_be_stored(tmp_path):
    odd = b"/\xff"
    for end in (b".tex", b".dot", b".xmind"):
        Path(os.fsdecode(os.fsencode(tmp_path) + odd + end)).write_bytes(b"x")
    inner = Path(os.fsdecode(os.fsencode(tmp_path) + odd))
    inner.mkdir()
    (inner / "index.html").write_text("<p>x</p>")
    found = list(Folder(tmp_path).collect())
    assert {one.kind for one in found} == {Kind.UNSUPPORTED}
    assert len(found) == 4
    assert all(Failed.model_validate_json(one.model_dump_json()) == one for one in found)


def test_the_root_itself_may_be_a_site(tmp_path):
    (tmp_path / "index.html").write_text("<!DOCTYPE html><p>x</p>")
    (only,) = Folder(tmp_path).collect()
    assert only.value.id == f"webpage/{tmp_path.name}"


def test_counts_and_sizes_are_limited(tmp_path, monkeypatch):
    build(tmp_path)
    monkeypatch.setattr(folder_material, "TEXT_BYTES", 10)
    monkeypatch.setattr(folder_material, "PICTURE_BYTES", 10)
    monkeypatch.setattr(folder_material, "SITE_FILES", 1)
    found = {one.subject: one for one in Folder(tmp_path).collect() if isinstance(one, Failed)}
    assert found["plot.tex"].kind is Kind.TOO_LARGE
    assert found["webpage/css/shot.png"].kind is Kind.TOO_LARGE
    assert found["site"].kind is Kind.RESOURCE_LIMIT
    monkeypatch.setattr(folder_pieces, "ENTRIES", 3)
    (only,) = Folder(tmp_path).collect()
    assert only.kind is Kind.RESOURCE_LIMIT


def test_folders_within_folders_are_limited(tmp_path):
    deep = tmp_path.joinpath(*(["d"] * 30))
    deep.mkdir(parents=True)
    (deep / "x.tex").write_text("\\[ x \\]")
    (only,) = Folder(tmp_path).collect()
    assert only.kind is Kind.RESOURCE_LIMIT


@pytest.mark.parametrize("set_to", [None, "absent"])
def test_without_a_folder_one_failure_says_what_to_set(tmp_path, monkeypatch, set_to):
    monkeypatch.delenv("RERENDER_FOLDER", raising=False)
    if set_to:
        monkeypatch.setenv("RERENDER_FOLDER", str(tmp_path / set_to))
    (only,) = registry.sources.get("folder").collect()
    assert only.kind is Kind.MISSING_RESOURCE
    assert "set it to a folder" in only.message


def test_material_that_people_made(shared, tmp_path):
    """Real sites, scores and papers laid out as a user would, by links to none of them."""
    for kind, scenario in (("jekyll", "webpage"), ("ly", "music"), ("mm", "mindmap")):
        for path in sorted((shared / "real" / kind).iterdir())[:6]:
            target = tmp_path / scenario / path.name
            target.parent.mkdir(exist_ok=True)
            for file in [path] if path.is_file() else sorted(path.rglob("*")):
                if file.is_file():
                    copy = target if path.is_file() else target / file.relative_to(path)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    copy.write_bytes(file.read_bytes())
    found = list(Folder(tmp_path).collect())
    made = [one.value for one in found if isinstance(one, Ok)]
    assert {one.scenario for one in made} == {"webpage", "music", "mindmap"}
    assert len(made) >= 12
    assert all(one.final for one in found if isinstance(one, Failed))
