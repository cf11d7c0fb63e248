"""The source ``mindmap-files``: a folder of files of several formats, some of them unreadable."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path

import pytest

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Instance
from sources.map_folder import MindmapFiles
from tests.contracts.source_contract import SourceContract

FILES = {
    "tea.md": b"# Tea\n- Green\n  - Sencha\n- Black\n",
    "sub/tree.opml": b"<opml><body><outline text='Tree'><outline text='leaf'/></outline></body>"
    b"</opml>",
    "sub/\u8336.md": "# \u8336\n- \u7eff\u8336\n- \u7ea2\u8336\n".encode(),
    "empty.md": b"",
    "picture.png": b"\x89PNG\r\n\x1a\n",
    ".hidden.md": b"# hidden\n- a\n",
}


def build(folder: Path) -> Path:
    for number, (name, data) in enumerate(FILES.items()):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        day = dt.datetime(2025, 1, 1 + number, 12, tzinfo=dt.UTC).timestamp()
        os.utime(path, (day, day))
    return folder


class TestContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _source(self, tmp_path):
        type(self).source = MindmapFiles(build(tmp_path))


def test_the_language_is_the_subset_and_decides_what_is_asked(tmp_path):
    found = [one.value for one in MindmapFiles(build(tmp_path)).collect() if isinstance(one, Ok)]
    assert {one.attributes["file"]: (one.subset, one.attributes["format"]) for one in found} == {
        "tea.md": ("en", "outline"),
        "sub/tree.opml": ("en", "opml"),
        "sub/\u8336.md": ("zh", "outline"),
    }
    scenario = registry.scenarios.get("mindmap")
    prompts = {
        one.subset: scenario.prompt(
            Instance(
                id=one.id, scenario=one.scenario, subset=one.subset, image="0" * 64,
                truth="1" * 64, provenance=one.provenance,
            )
        )
        for one in found
    }  # fmt: skip
    assert prompts["zh"] != prompts["en"]
    part = registry.scenarios.get("mindmap-part")
    assert any(part.derive(one, turn=0, seed=0) for one in found)


def test_what_cannot_be_read_is_a_failure_beside_the_others(tmp_path):
    build(tmp_path)
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_bytes(b"# a\n- b\n")
    found = list(MindmapFiles(tmp_path).collect())
    lost = {one.message.split(":")[0]: one.kind for one in found if isinstance(one, Failed)}
    assert lost.keys() == {"empty.md", "picture.png", "\\udcff.md"}
    assert sum(isinstance(one, Ok) for one in found) == 3


def test_the_setting_names_the_folder_or_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_MINDMAP_FOLDER", str(build(tmp_path) / "tea.md"))
    source = registry.sources.get("mindmap-files")
    (only,) = source.collect()
    assert only.value.attributes["nodes"] == 4


@pytest.mark.parametrize("path", [None, "absent"])
def test_without_a_folder_one_failure_says_what_to_set(tmp_path, monkeypatch, path):
    monkeypatch.delenv("RERENDER_MINDMAP_FOLDER", raising=False)
    (only,) = MindmapFiles(tmp_path / path if path else None).collect()
    assert isinstance(only, Failed)
    assert only.kind is Kind.MISSING_RESOURCE
    assert "RERENDER_MINDMAP_FOLDER" in only.message or "absent" in only.message
