"""`rerender synthesize mindmap`: files that agree with each other, the same bytes twice."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from benchmark.outcome import Failed, Kind, Stage, ok
from benchmark.records import digest_bytes
from benchmark.settings import Settings
from flows import synthesis
from flows.synthesis import MANIFEST, PARTS, SynthesisError, answer_of, synthesise
from renderers import canvas
from renderers.graphviz import GraphvizRenderer
from sources.synthetic_mindmaps import make_map
from tests.flows.test_cli import rerender


def files(folder: Path) -> dict[str, bytes]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("synthetic") / "set"
    result = rerender(
        "synthesize", "mindmap", "--count", "4", "--lang", "zh", "--seed", "3", "-o", str(folder)
    )
    assert result.returncode == 0, result.stderr
    return folder


def test_every_map_has_its_files(made):
    lines = [json.loads(line) for line in (made / MANIFEST).read_text("utf-8").splitlines()]
    assert [line["id"] for line in lines] == [f"mindmap/zh/3-{n:06d}" for n in range(4)]
    assert len(files(made)) == 4 * len(PARTS) + 1
    for line in lines:
        contents = {part: (made / line[part]).read_bytes() for part in PARTS}
        assert line["digests"] == {part: digest_bytes(data) for part, data in contents.items()}
        array = canvas.decode(contents["picture"]).value
        assert array.shape[:2] == (line["height"], line["width"])
        boxes = json.loads(contents["boxes"])
        assert len(boxes) == line["nodes"] == contents["tree"].decode().count('"text"')
        assert all(0 <= x1 < x2 <= 999 and 0 <= y1 < y2 <= 999 for x1, y1, x2, y2 in boxes)
        assert contents["graph"].decode().count("label=") == line["nodes"]


def test_the_same_seed_writes_the_same_bytes(made, tmp_path):
    settings = Settings(workers=1)
    assert synthesise(tmp_path, "zh", 2, 3, settings) == (2, 0)
    again, first = files(tmp_path), files(made)
    manifest = again.pop(MANIFEST)
    assert all(first[path] == content for path, content in again.items())
    assert first[MANIFEST].startswith(manifest)
    assert len(again) == 2 * len(PARTS)


def test_what_is_there_is_not_made_again(made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    lines = (tmp_path / MANIFEST).read_text("utf-8").splitlines(keepends=True)
    (tmp_path / MANIFEST).write_text("".join(lines[:3]) + lines[3][:40], "utf-8")  # torn
    (tmp_path / "picture" / "zh-3-000001.png").write_bytes(b"damaged")
    asked = []
    original = GraphvizRenderer.draw_many

    def draw_many(self, structures):
        asked.extend(structures)
        return original(self, structures)

    monkeypatch.setattr(GraphvizRenderer, "draw_many", draw_many)
    assert synthesise(tmp_path, "zh", 4, 3, Settings(workers=1)) == (4, 0)
    assert len(asked) == 2
    assert files(tmp_path) == files(made)
    assert synthesise(tmp_path, "zh", 2, 3, Settings(workers=1)) == (2, 0)
    assert len(asked) == 2
    assert files(tmp_path) == files(made)


class Marking(GraphvizRenderer):
    """Draws nothing: what it is asked to draw it takes down."""

    digest = "sha256:one"
    asked: ClassVar[list] = []

    def image_digest(self):
        return ok(self.digest)

    def draw_many(self, structures):
        self.asked.extend(structures)
        png = canvas.encode(np.zeros((4, 6, 3), np.uint8))
        picture = SimpleNamespace(png=png, width=6, height=4)
        boxes = {f"n{number}": (0, 0, 1, 1) for number in range(500)}
        return [ok(SimpleNamespace(picture=picture, boxes=boxes)) for _ in structures]


@pytest.fixture
def asked(monkeypatch):
    monkeypatch.setattr("renderers.graphviz.GraphvizRenderer", Marking)
    monkeypatch.setattr("flows.synthesis.node_boxes", lambda boxes, tree: [])
    monkeypatch.setattr(Marking, "asked", [])
    return Marking.asked


def manifest(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / MANIFEST).read_text("utf-8").splitlines()]


def test_another_graph_is_drawn_again(tmp_path, monkeypatch, asked):
    assert synthesise(tmp_path, "en", 2, 0, Settings(workers=1)) == (2, 0)
    assert synthesise(tmp_path, "en", 2, 0, Settings(workers=1)) == (2, 0)
    assert len(asked) == 2
    original = synthesis.redraw

    def redraw(answer, style):
        drawn = original(answer, style)
        text = drawn.structure.text + "// another way to write it\n"
        files = {drawn.structure.entry: text.encode()}
        structure = drawn.structure.model_copy(update={"files": files})
        return drawn.model_copy(update={"structure": structure})

    monkeypatch.setattr(synthesis, "redraw", redraw)
    assert synthesise(tmp_path, "en", 2, 0, Settings(workers=1)) == (2, 0)
    assert len(asked) == 4
    assert len(manifest(tmp_path)) == 2


def test_lines_behind_a_torn_one_are_whole(tmp_path, monkeypatch, asked):
    synthesise(tmp_path, "en", 2, 0, Settings(workers=1))
    kept, torn = (tmp_path / MANIFEST).read_text("utf-8").splitlines(keepends=True)
    (tmp_path / MANIFEST).write_text(kept + torn[:50], "utf-8")
    original = synthesis._note

    def interrupted(folder, lines):
        original(folder, lines)
        raise KeyboardInterrupt

    monkeypatch.setattr(synthesis, "_note", interrupted)
    with pytest.raises(KeyboardInterrupt):
        synthesise(tmp_path, "en", 2, 0, Settings(workers=1))
    assert len(manifest(tmp_path)) == 2


def test_lines_of_other_sets_stay(tmp_path, monkeypatch, asked):
    synthesise(tmp_path, "zh", 2, 0, Settings(workers=1))
    synthesise(tmp_path, "en", 1, 0, Settings(workers=1))
    monkeypatch.setattr(Marking, "digest", "sha256:two")
    synthesise(tmp_path, "en", 2, 0, Settings(workers=1))
    told = {line["id"]: line["tools"]["image"] for line in manifest(tmp_path)}
    assert told == {
        "mindmap/en/0-000000": "sha256:two",
        "mindmap/en/0-000001": "sha256:two",
        "mindmap/zh/0-000000": "sha256:one",
        "mindmap/zh/0-000001": "sha256:one",
    }


def test_a_manifest_is_whole_whenever_it_is_looked_at(tmp_path, monkeypatch, asked):
    synthesise(tmp_path, "en", 2, 0, Settings(workers=1))
    before = (tmp_path / MANIFEST).read_bytes()

    def refuse(self, *arguments, **options):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", refuse)
        with pytest.raises(OSError, match="no space"):
            synthesise(tmp_path, "en", 2, 0, Settings(workers=1))
    assert (tmp_path / MANIFEST).read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {*PARTS, MANIFEST}


@pytest.mark.parametrize("text", ["[]", "1", '{"id": "a"}', '{"tools": {}}', '{"id":', "[" * 9_999])
def test_a_manifest_of_another_kind_is_told(tmp_path, asked, text):
    (tmp_path / MANIFEST).write_text(f"{text}\n")
    with pytest.raises(SynthesisError, match="line 1: not a line") as told:
        synthesise(tmp_path, "en", 1, 0, Settings(workers=1))
    assert "\n" not in str(told.value)
    assert (tmp_path / MANIFEST).read_text() == f"{text}\n"


@pytest.mark.parametrize("part", ["digests", "picture"])
def test_a_line_that_lacks_something_is_made_again(tmp_path, asked, part):
    synthesise(tmp_path, "en", 1, 0, Settings(workers=1))
    (line,) = manifest(tmp_path)
    (tmp_path / MANIFEST).write_text(json.dumps({**line, part: 3}) + "\n")
    assert synthesise(tmp_path, "en", 1, 0, Settings(workers=1)) == (1, 0)
    assert len(asked) == 2
    assert manifest(tmp_path) == [line]


def test_the_picture_shows_the_whole_of_every_text():
    for language, number in itertools.product(("en", "zh"), range(60)):
        answer, tree = answer_of(make_map(language, 5, number))
        assert "…" not in answer.structure.text
        assert answer.structure.text.count(" -> ") == len(list(tree.walk())) - 1


class Failing(GraphvizRenderer):
    """Fails for every map in one way."""

    kind = Kind.RESOURCE_LIMIT

    def draw_many(self, structures):
        return [Failed.of(Stage.RENDER, self.kind, "no room") for _ in structures]


def test_a_map_that_cannot_be_drawn_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("renderers.graphviz.GraphvizRenderer", Failing)
    assert synthesise(tmp_path, "en", 3, 0, Settings(workers=1)) == (0, 3)
    lines = [json.loads(line) for line in (tmp_path / MANIFEST).read_text().splitlines()]
    assert {line["failure"]["kind"] for line in lines} == {"resource_limit"}


def test_infrastructure_ends_it(tmp_path, monkeypatch):
    monkeypatch.setattr("renderers.graphviz.GraphvizRenderer", Failing)
    monkeypatch.setattr(Failing, "kind", Kind.ENGINE_UNAVAILABLE)
    with pytest.raises(SynthesisError, match="no room"):
        synthesis.synthesise(tmp_path, "en", 3, 0, Settings(workers=1))
    assert not files(tmp_path)


def test_bad_usage_is_told():
    assert rerender("synthesize", "mindmap", "--lang", "fr").returncode == 2
    assert rerender("synthesize", "mindmap", "--count", "0").returncode == 2
