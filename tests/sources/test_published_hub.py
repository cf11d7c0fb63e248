"""The published sets from the hub: a stand-in on the loopback, in a process of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile

import pytest

from sources.mindbench_files import ARCHIVE
from sources.published import REPOSITORY
from tests.flows.test_evaluate import PROJECT
from tests.servers.hub_server import COMMIT, NEXT_COMMIT, hub_of
from tests.sources.test_published import QUESTIONS, build, picture

COLLECT = """
import json
from benchmark.outcome import Failed
from sources.published import Published
for outcome in Published().collect():
    if isinstance(outcome, Failed):
        print(json.dumps([str(outcome.kind), outcome.message]))
    else:
        print(json.dumps([outcome.value.id, outcome.value.provenance.url]))
"""


def collect(home, endpoint: str, **environment: str) -> list[list[str]]:
    done = subprocess.run(
        [sys.executable, "-c", COLLECT],
        capture_output=True, text=True, check=True, cwd=PROJECT, timeout=120,
        env=os.environ | {
            "HF_HOME": str(home), "HF_ENDPOINT": endpoint, "HF_HUB_DISABLE_XET": "1",
            "RERENDER_STORE": str(home / "store"), **environment,
        },
    )  # fmt: skip
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.fixture
def published(tmp_path):
    folder = tmp_path / "hub"
    folder.mkdir()
    build(folder, pictures=False)
    (folder / "synth_train_00.tar.gz").write_bytes(b"600 gigabytes")
    with tarfile.open(folder / ARCHIVE, "w:gz") as archive:
        for name in {name for asked in QUESTIONS.values() for name, _, _ in asked}:
            data = picture(name)
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return folder


def test_the_test_files_are_downloaded_at_one_revision(published, tmp_path):
    with hub_of({REPOSITORY: published}) as served:
        endpoint = served.address
        found = collect(tmp_path / "home", endpoint)
        assert len(found) == 10
        assert all(url.endswith(f"/tree/{COMMIT}") for _, url in found)
        assert not [path for path in served.asked if "train" in path], "no training data"
        served.commit = NEXT_COMMIT
        assert collect(tmp_path / "home", endpoint) == found, "the first commit is kept"
        pinned = collect(tmp_path / "home", endpoint, RERENDER_MINDBENCH_REVISION=COMMIT)
    assert pinned == found
    assert collect(tmp_path / "home", "http://127.0.0.1:9") == found, "the cache serves offline"


def test_no_network_is_a_failure_that_says_what_to_do(tmp_path):
    (only,) = collect(tmp_path / "home", "http://127.0.0.1:9")
    assert only[0] == "network"
    assert "RERENDER_MINDBENCH_FOLDER" in only[1]
