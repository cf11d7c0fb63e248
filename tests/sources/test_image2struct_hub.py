"""The published Image2Struct sets from a stand-in of the hub, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.test_evaluate import PROJECT
from tests.servers.hub_server import COMMIT, NEXT_COMMIT, Hub, hub_of
from tests.sources.i2s_copy import build, row, write_rows

COLLECT = """
import json, sys
from benchmark.outcome import Failed
from sources.image2struct import Image2Struct
for outcome in Image2Struct().collect(limit=int(sys.argv[1]) if sys.argv[1:] else None):
    if isinstance(outcome, Failed):
        print(json.dumps([str(outcome.kind), outcome.message]))
    else:
        p = outcome.value.provenance
        print(json.dumps([outcome.value.id, p.recipe["revision"], p.made]))
"""


def collect(home: Path, endpoint: str, *arguments: str, **environment: str) -> list[list[str]]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HF_")}
    done = subprocess.run(
        [sys.executable, "-c", COLLECT, *arguments],
        capture_output=True, text=True, check=True, cwd=PROJECT, timeout=120,
        env=kept | {
            "HF_HOME": str(home / "hf"), "HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1",
            "RERENDER_STORE": str(home / "store"), "RERENDER_HTTP_CACHE": str(home / "http"),
            **environment,
        },
    )  # fmt: skip
    assert done.stderr == ""
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def published(tmp_path) -> dict[str, Path]:
    folder = build(tmp_path / "copy")
    for path in folder.iterdir():  # what must never be opened: it names another address, and code
        config = "configs:\n- config_name: css\n  data_files: http://127.0.0.1:9/evil.parquet\n"
        (path / "README.md").write_text(f"---\n{config}---\n")
        (path / f"{path.name}.py").write_text("raise SystemExit(3)\n")
    return {f"stanford-crfm/{path.name}": path for path in folder.iterdir()}


def opened(served: Hub) -> set[str]:
    return {path.rsplit("/", 1)[-1] for path in served.asked if "/resolve/" in path}


def test_a_pinned_revision_is_loaded_and_stays(published, tmp_path):
    with hub_of(published) as served:
        found = collect(tmp_path, served.address)
        assert len(found) == 20
        assert {revision for _, revision, _ in found} == {COMMIT}
        assert {made.split(",")[0].split("/")[-1] for _, _, made in found} == {"validation"}
        assert opened(served) == {"validation-00000-of-00001.parquet"}, "no card, code, other split"
        pins = sorted((tmp_path / "store" / "pins").glob("*.json"))
        assert [path.name for path in pins] == [
            f"stanford-crfm__{name}.json" for name in ("i2s-latex", "i2s-musicsheet", "i2s-webpage")
        ]
        served.commit, served.asked[:] = NEXT_COMMIT, []
        assert collect(tmp_path, served.address, "1") == [
            one for one in found if one[0].startswith(("webpage/css", "latex/eq", "music"))
            and one[0].endswith("-0")
        ]  # fmt: skip
        assert not [path for path in served.asked if path.endswith("/revision/main")]
        pins[0].write_text('{"revision": "v1"}')
        odd = collect(tmp_path, served.address, "1")
        assert [one[0].partition("/")[0] for one in odd] == ["missing_resource", "webpage", "music"]
        assert f"pins/{pins[0].name}" in odd[0][1]
        assert pins[0].read_text() == '{"revision": "v1"}', "a pin is never replaced by itself"
        pins[0].unlink()
        newer = collect(tmp_path, served.address, "1")
        assert [revision for _, revision, _ in newer] == [COMMIT, NEXT_COMMIT, COMMIT]


def test_settings_name_a_revision_for_each_set(published, tmp_path):
    with hub_of(published) as served:
        served.commit = NEXT_COMMIT
        found = collect(
            tmp_path, served.address, "1", RERENDER_I2S_REVISION=f"i2s-latex={COMMIT}"
        )  # fmt: skip
    assert [revision for _, revision, _ in found] == [NEXT_COMMIT, COMMIT, NEXT_COMMIT]
    assert not (tmp_path / "store" / "pins" / "stanford-crfm__i2s-latex.json").exists()


def test_an_unknown_revision_or_set_is_gone_and_the_others_are_loaded(published, tmp_path):
    del published["stanford-crfm/i2s-musicsheet"]
    with hub_of(published) as served:
        asked = {"RERENDER_I2S_REVISION": "i2s-latex=v9"}
        found = collect(tmp_path, served.address, "1", **asked)
    assert [one[0] for one in found] == ["gone", "gone", "webpage/css/css-validation-0"]
    assert "i2s-latex" in found[0][1]
    assert "RERENDER_I2S_FOLDER" in found[1][1]


def test_a_hub_that_is_down_ends_the_source(published, tmp_path):
    with hub_of(published) as served:
        served.down = True
        (only,) = collect(tmp_path, served.address)
    assert only[0] == "network"
    assert "RERENDER_I2S_FOLDER" in only[1]
    (only,) = collect(tmp_path, "http://127.0.0.1:9")
    assert only[0] == "network"
    assert not (tmp_path / "store").exists(), "nothing was pinned"


def test_a_missing_configuration_is_told(published, tmp_path):
    lost = published["stanford-crfm/i2s-webpage"] / "css" / "validation-00000-of-00001.parquet"
    lost.rename(lost.with_name("train-00000-of-00001.parquet"))
    write_rows(
        published["stanford-crfm/i2s-latex"] / "equation" / lost.name, [row("equation", 0)]
    )  # fmt: skip
    with hub_of(published) as served:
        found = collect(tmp_path, served.address)
    assert found[0][0] == "gone", found[0]
    assert "i2s-webpage/css/validation" in found[0][1]
    assert len(found) == 18
