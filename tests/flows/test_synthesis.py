"""`rerender synthesize mindmap`: files that agree with each other, the same bytes twice."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest

from benchmark.outcome import Failed, Kind, Stage
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
