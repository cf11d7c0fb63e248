"""Files on their way into a store, and what is left of them when a process is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmark import drafts
from benchmark.store import Store

WRITES = """
import os, signal, sys
from pathlib import Path
from benchmark.store import Store
Path.replace = lambda *place: os.kill(os.getpid(), signal.SIGKILL)
Store(sys.argv[1]).put(b"half")
"""


def files(root):
    return sorted(path for path in Path(root).rglob("*") if path.is_file())


def test_what_a_killed_process_was_writing_is_swept(tmp_path):
    store = Store(str(tmp_path))
    kept = store.put(b"whole")
    done = subprocess.run([sys.executable, "-c", WRITES, str(tmp_path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(files(tmp_path)) == 2
    assert store.documents("blobs", "") == []
    store.sweep()
    assert [path.name for path in files(tmp_path)] == [kept]


def test_what_somebody_still_writes_is_left_alone(tmp_path):
    place = tmp_path / "runs" / "a.json"
    strange = tmp_path / "runs" / drafts.FOLDER / "elsewhere.1.abc"
    with drafts.draft(tmp_path, place, b"{}") as mine:
        strange.write_bytes(b"of another machine")
        assert drafts.sweep(tmp_path) == 0
        assert mine.read_bytes() == b"{}"
        mine.replace(place)
    assert place.read_bytes() == b"{}"
    past = time.time() - drafts.ABANDONED_SECONDS - 1
    os.utime(strange, (past, past))
    assert drafts.sweep(tmp_path) == 1
    assert files(tmp_path) == [place]


def test_a_folder_of_the_store_may_lie_on_another_disk(tmp_path):
    """Each draft is written below the first folder of its place, which may be a link."""
    large = tmp_path / "large"
    large.mkdir()
    root = tmp_path / "store"
    root.mkdir()
    (root / "blobs").symlink_to(large)
    with drafts.draft(root, root / "blobs" / "ab" / "abc", b"x") as mine:
        assert mine.resolve().is_relative_to(large)
        os.link(mine, root / "blobs" / "ab" / "abc")
    assert (large / "ab" / "abc").read_bytes() == b"x"
    assert drafts.sweep(root) == 0


def test_there_is_nothing_to_sweep_where_there_is_no_store(tmp_path):
    Store(str(tmp_path / "none")).sweep()
    Store("memory://none").sweep()
    assert not (tmp_path / "none").exists()
