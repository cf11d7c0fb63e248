import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Score
from benchmark.store import BlobDamaged, BlobMissing, Journal, Store, StoreError


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path / "store"))


def score(value: float) -> Score:
    return Score(metric="m", version="1", value=value)


def journal(store: Store) -> Journal[Score]:
    return Journal(store, "score", "model/scenario", Score)


INFRA = Failed.of(Stage.SCORE, Kind.DISK_FULL, "full")
MODEL = Failed.of(Stage.RENDER, Kind.TIMEOUT, "slow")


def test_blobs_are_kept_once_and_verified(store):
    digest = store.put(b"hello")
    assert store.put(b"hello") == digest
    assert store.get(digest) == b"hello"
    assert store.has(digest)
    Path(store.path("blobs", digest[:2], digest)).write_bytes(b"hullo")
    with pytest.raises(BlobDamaged, match="damaged"):
        store.get(digest)
    with pytest.raises(BlobMissing, match="not in the store"):
        store.get("0" * 64)


def test_a_store_that_did_not_answer_is_read_later(store, monkeypatch):
    journal(store).add("a", ok(score(1)))
    mine = journal(store)

    def down(folder):
        raise StoreError("no answer")

    with monkeypatch.context() as broken:
        broken.setattr(store.backend, "files", down)
        with pytest.raises(StoreError):
            mine.done("a")
    assert mine.done("a") == ok(score(1)), "not taken for an empty one"


def test_an_interrupted_write_leaves_no_blob(store, monkeypatch):
    monkeypatch.setattr(Path, "replace", lambda *a: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        store.put(b"data")
    assert [p for p in Path(store.root).rglob("*") if p.is_file()] == []


def test_a_journal_is_found_again(store):
    first = journal(store)
    first.add("a", ok(score(0.5)))
    first.add("b", MODEL)
    first.add("c", INFRA)
    again = journal(store)
    assert again.done("a") == ok(score(0.5))
    assert again.done("b") == MODEL
    assert again.done("c") is None, "an infra failure is work for the next run"
    assert again.get("c") == INFRA, "but it is shown"


def test_a_final_outcome_is_never_lost_to_an_infra_failure(store):
    for order in ([ok(score(1)), INFRA], [INFRA, ok(score(1))]):
        one = journal(store)
        for outcome in order:
            one.add(f"k{order.index(INFRA)}", outcome)
        assert isinstance(journal(store).done(f"k{order.index(INFRA)}"), Ok)


def test_a_half_written_line_is_skipped_and_never_appended_to(store):
    first = journal(store)
    first.add("a", ok(score(1)))
    first.close()
    (path,) = Path(first.folder).glob("*.jsonl")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"key":"b","outc')
    second = journal(store)
    assert second.done("a")
    assert second.get("b") is None
    second.add("b", ok(score(2)))
    assert path.read_bytes().endswith(b'"outc'), "another writer's file stays as it is"
    assert journal(store).done("b") == ok(score(2))


def test_lines_of_another_version_are_work_to_do(store):
    first = journal(store)
    first.add("a", ok(score(1)))
    first.close()
    (path,) = Path(first.folder).glob("*.jsonl")
    path.write_bytes(
        b"not json\n"
        + json.dumps({"key": "b", "outcome": {"outcome": "ok", "value": {"other": 1}}}).encode()
        + b"\n"
        + path.read_bytes()
    )
    again = journal(store)
    assert again.get("b") is None
    assert again.done("a")


def test_threads_share_a_journal(store):
    shared = journal(store)
    threads = [
        threading.Thread(
            target=lambda n=n: [shared.add(f"{n}-{i}", ok(score(i))) for i in range(50)]
        )
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = journal(store)
    assert all(again.done(f"{n}-{i}") for n in range(4) for i in range(50))


def test_what_a_killed_process_had_finished_is_there(store):
    code = (
        "import sys, os, signal\n"
        "from benchmark.store import Journal, Store\n"
        "from benchmark.records import Score\n"
        "from benchmark.outcome import ok\n"
        "j = Journal(Store(sys.argv[1]), 'score', 'model/scenario', Score)\n"
        "for i in range(5):\n"
        "    j.add(str(i), ok(Score(metric='m', version='1', value=i)))\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, store.location], check=False)
    assert done.returncode == -9
    assert [bool(journal(store).done(str(i))) for i in range(6)] == [True] * 5 + [False]


def test_the_store_works_on_a_file_system_without_paths():
    store = Store("memory://rerender-test")
    digest = store.put(b"x")
    assert store.get(digest) == b"x"
    store.write_document("runs/a.json", "{}")
    assert store.documents("runs") == ["a"]
    assert store.documents("nothing") == []


def test_what_is_not_on_disk_is_not_known(store, monkeypatch):
    one = journal(store)
    monkeypatch.setattr("os.fsync", lambda number: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(OSError, match="full"):
        one.add("a", ok(score(1)))
    assert one.done("a") is None


def test_after_a_failed_write_the_next_entry_is_whole(store, monkeypatch):
    """The disk was full in the middle of a line, and then was not."""
    one = journal(store)
    one.add("a", ok(score(1)))
    fsync = os.fsync

    def full(number):
        os.truncate(next(Path(one.folder).glob("*.jsonl")), 30)
        raise OSError(28, "full")

    with monkeypatch.context() as broken:
        broken.setattr("os.fsync", full)
        with pytest.raises(OSError, match="full"):
            one.add("b", ok(score(2)))
    assert os.fsync is fsync
    one.add("c", ok(score(3)))
    assert journal(store).done("c") == ok(score(3))


def test_a_line_that_is_being_written_is_read_when_it_is_whole(store):
    writer = journal(store)
    writer.add("a", ok(score(1)))
    writer.add("b", ok(score(2)))
    (path,) = Path(writer.folder).glob("*.jsonl")
    whole = path.read_bytes()
    reader = journal(store)
    for length in (len(whole) // 2 - 10, len(whole) - 1):
        path.write_bytes(whole[:length])
        reader.refresh()
        assert reader.done("b") is None
    path.write_bytes(whole)
    reader.refresh()
    assert [reader.done(key) for key in "ab"] == [ok(score(1)), ok(score(2))]


def test_the_latest_entry_counts_in_whichever_order_files_are_read(store):
    folder = Path(store.path("journals", "score", "model__scenario"))
    folder.mkdir(parents=True)
    value = {"outcome": "ok", "value": score(1).model_dump()}
    old = {"key": "k", "outcome": value}
    new = {"key": "k", "at": 5.0, "outcome": value | {"value": score(2).model_dump()}}
    for names in (("1", "2"), ("2", "1")):
        for name, entry in zip(names, (old, new), strict=True):
            (folder / f"{name}.jsonl").write_text(json.dumps(entry) + "\n")
        assert journal(store).done("k") == ok(score(2))
        assert journal(store).written("k") == 5.0
    ahead = journal(store)
    (folder / "3.jsonl").write_text(json.dumps(new | {"at": 4e9}) + "\n")
    ahead.add("k", ok(score(3)))
    assert journal(store).done("k") == ok(score(3)), "another machine's clock was ahead"


def test_of_a_name_only_the_first_is_kept(store):
    store.create_document("pins/a.json", "1")
    with pytest.raises(FileExistsError):
        store.create_document("pins/a.json", "2")
    assert store.read_document("pins/a.json") == "1"
    assert [path.name for path in Path(store.root).rglob("*") if path.is_file()] == ["a.json"]
