"""The store on a real S3 server, with writers in several processes."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Score
from benchmark.snapshot import Snapshot, SnapshotError, freeze
from benchmark.store import BlobDamaged, BlobMissing, Journal, Store, StoreError
from flows.batching import unexpected
from tests.servers.s3_server import S3Server
from tests.servers.site import Answer, serving, xml

PROJECT = Path(__file__).resolve().parents[2]

WRITER = """
import sys
from benchmark.outcome import ok
from benchmark.records import Score
from benchmark.store import Journal, Store
store = Store(sys.argv[1])
journal = Journal(store, "score", "model/scenario", Score)
for line in sys.stdin:
    name, first, last = line.split()
    for number in range(int(first), int(last)):
        journal.add(f"{name}-{number}", ok(Score(metric="m", version="1", value=number)))
        store.put(b"shared by all writers")
    print("done", flush=True)
"""
"""Adds entries when it is told to, and lives on."""


@pytest.fixture(scope="module")
def server():
    with S3Server() as running:
        yield running


@pytest.fixture
def place(server, monkeypatch):
    """An empty folder of a bucket, with this process's environment set to find it."""
    import s3fs

    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    yield server.make_bucket()
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def store(place):
    return Store(place)


@pytest.fixture
def writers(place):
    """Starts writers, and ends those that still run."""
    started = []

    def start() -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, place], cwd=PROJECT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def busy(monkeypatch):
    """A stand-in of a server, and a store on it."""
    import s3fs

    with serving() as site:
        for name, value in {
            "AWS_ENDPOINT_URL": site.address, "AWS_MAX_ATTEMPTS": "1",
            "AWS_ACCESS_KEY_ID": "someone", "AWS_SECRET_ACCESS_KEY": "secret",
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        s3fs.S3FileSystem.clear_instance_cache()
        yield site, Store("s3://bucket/store")
    s3fs.S3FileSystem.clear_instance_cache()


def refusal(status, code, message="no", more=""):
    return xml(f"<Error><Code>{code}</Code><Message>{message}</Message>{more}</Error>", status)


def tell(process, line):
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def has_done(process):
    return process.stdout.readline() == "done\n"


def score(value):
    return Score(metric="m", version="1", value=value)


def journal(store):
    return Journal(store, "score", "model/scenario", Score)


def lines(store):
    """Return the key of each line of the journal, as it lies in the bucket."""
    folder = store.path("journals", "score", "model__scenario")
    found = [store.backend.read(f"{folder}/{one.name}") for one in store.backend.files(folder)]
    return [json.loads(line)["key"] for data in found for line in data.splitlines()]


def test_blobs_are_verified_and_each_costs_one_request(store, server):
    before = len(server.asked())
    digest = store.put(b"hello")
    assert store.put(b"hello") == digest, "the same again changes nothing"
    assert store.get(digest) == b"hello"
    assert store.get(store.put(b"")) == b""
    asked = [one.method for one in server.asked()[before:]]
    assert asked == ["PUT", "PUT", "GET", "PUT", "GET"]
    assert store.has(digest)
    with pytest.raises(BlobMissing, match="not in the store"):
        store.get("0" * 64)
    store.fs.pipe_file(store.path("blobs", digest[:2], digest), b"hullo")
    with pytest.raises(BlobDamaged, match="damaged"):
        store.get(digest)


def test_documents_of_others_are_seen_at_once(store, place):
    assert store.documents("runs") == []
    assert store.newest("runs") is None
    other = Store(place)
    other.write_document("runs/b.json", "{}")
    assert store.documents("runs") == ["b"]
    other.write_document("runs/a.json", "{}")
    assert store.documents("runs") == ["a", "b"]
    assert store.newest("runs") in {"a", "b"}, "S3 tells whole seconds"
    with pytest.raises(FileNotFoundError):
        store.read_document("runs/c.json")


def test_only_one_of_two_freezes_a_name(store, place):
    import datetime as dt

    one = Snapshot(
        name="s", created=dt.date(2026, 1, 1), licences={}, tools={}, instances=(), about="one"
    )
    freeze(store, one)
    freeze(Store(place), one)
    with pytest.raises(SnapshotError, match="exists with other content"):
        freeze(Store(place), one.model_copy(update={"about": "two"}))
    with pytest.raises(FileExistsError):
        store.create_document("snapshots/s.json", "{}")


def test_what_a_killed_writer_had_finished_is_there(store, writers):
    killed = writers()
    tell(killed, "a 0 5")
    assert has_done(killed)
    tell(killed, "a 5 100000")
    while len(lines(store)) < 12:
        assert killed.poll() is None
    killed.kill()
    killed.wait()
    found = lines(store)
    assert found == [f"a-{number}" for number in range(len(found))], "none lost, none twice"
    mine = journal(store)
    assert all(isinstance(mine.done(key), Ok) for key in found)
    assert mine.done(f"a-{len(found)}") is None


def test_two_processes_write_at_once_and_nothing_is_lost_or_counted_twice(store, writers):
    one, two = writers(), writers()
    tell(one, "a 0 60")
    tell(two, "b 0 60")
    assert has_done(one)
    assert has_done(two)
    wanted = sorted(f"{name}-{number}" for name in "ab" for number in range(60))
    assert sorted(lines(store)) == wanted
    mine = journal(store)
    assert all(mine.done(key) == ok(score(int(key[2:]))) for key in wanted)


@pytest.mark.parametrize("where", ["disk", "s3"])
def test_a_process_that_lives_on_learns_what_another_has_written_since(
    where, place, tmp_path, server
):
    location = place if where == "s3" else str(tmp_path / "store")
    mine = journal(Store(location))
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, location], cwd=PROJECT, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        tell(process, "a 0 1")
        assert has_done(process)
        assert mine.done("a-0") == ok(score(0))
        mine.add("mine", ok(score(9)))
        tell(process, "a 1 3")
        assert has_done(process)
        assert mine.done("a-2") is None, "a journal is not read at every look"
        mine.refresh()
        assert [mine.done(f"a-{n}") for n in range(4)] == [*(ok(score(n)) for n in range(3)), None]
        assert mine.done("mine") == ok(score(9))
        before = len(server.asked())
        mine.refresh()
        assert len(server.asked()) - before == (1 if where == "s3" else 0), "only the listing"
    finally:
        process.kill()
        process.communicate()


def test_threads_that_add_at_once_share_requests(store, server):
    shared = journal(store)
    before = len(server.asked())
    threads = [
        threading.Thread(
            target=lambda n=n: [shared.add(f"{n}-{i}", ok(score(i))) for i in range(20)]
        )
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    puts = [one for one in server.asked()[before:] if one.method == "PUT"]
    assert len(puts) < 160
    assert len(lines(store)) == 160
    again = journal(store)
    assert all(again.done(f"{n}-{i}") for n in range(8) for i in range(20))


def test_an_object_that_is_full_is_followed_by_another(store, monkeypatch):
    monkeypatch.setattr("benchmark.appending.FULL", 500)
    mine = journal(store)
    other = journal(store)
    assert other.get("0") is None
    for number in range(20):
        mine.add(str(number), ok(score(number)))
        other.refresh()
        assert other.done(str(number)) == ok(score(number))
    assert len(store.backend.files(mine.folder)) > 2
    assert sorted(lines(store), key=int) == [str(number) for number in range(20)]


def test_an_entry_that_could_not_be_put_is_not_known(store, monkeypatch):
    mine = journal(store)
    mine.add("a", ok(score(1)))

    def down(path, data):
        raise StoreError("no answer")

    with monkeypatch.context() as broken:
        broken.setattr(store.backend, "write", down)
        with pytest.raises(StoreError):
            mine.add("b", ok(score(2)))
    assert mine.done("b") is None
    mine.add("c", ok(score(3)))
    assert sorted(lines(store)) == ["a", "c"]


def test_which_entry_counts_does_not_depend_on_who_is_read_first(store, place):
    infra = Failed.of(Stage.SCORE, Kind.NETWORK, "no answer")
    first, second = journal(store), journal(Store(place))
    first.add("a", ok(score(1)))
    second.add("a", ok(score(2)))
    second.add("a", infra)
    assert journal(store).done("a") == ok(score(2)), "the later, and never the infra failure"
    first.refresh()
    assert first.done("a") == ok(score(2))
    first.add("a", ok(score(3)))
    second.refresh()
    assert second.done("a") == ok(score(3))


class TestErrors:
    """One line each, with what to do."""

    def test_no_bucket(self, place):
        store = Store("s3://no-such-bucket/store")
        for work in (
            lambda: store.put(b"x"),
            lambda: store.get("0" * 64),
            lambda: store.documents("runs"),
            lambda: journal(store).add("a", ok(score(1))),
        ):
            with pytest.raises(StoreError, match=r"no bucket for s3://no-such-bucket/store; make"):
                work()

    def test_no_credentials(self, place, monkeypatch, tmp_path):
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
        with pytest.raises(StoreError, match="no credentials: set AWS_ACCESS_KEY_ID"):
            Store(place).documents("runs")

    def test_no_server(self, place, monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
        with pytest.raises(StoreError, match=r"no answer \(.*127\.0\.0\.1:9.*AWS_ENDPOINT_URL"):
            Store(place).put(b"x")

    def test_a_server_that_is_asked_too_much_is_asked_again(self, busy):
        site, store = busy
        site.under("/bucket", refusal(503, "SlowDown"), refusal(503, "SlowDown"), Answer(200),
                   method="PUT")  # fmt: skip
        store.put(b"x")
        assert len(site.asked) == 3

    def test_one_that_stays_so_is_no_fault_of_the_work(self, busy):
        site, store = busy
        slow = refusal(503, "SlowDown", "Please reduce your request rate.")
        site.under("/bucket", slow, method="PUT")
        with pytest.raises(
            StoreError, match=r"too many requests .*Please reduce.*; run again"
        ) as slowed:
            store.put(b"x")
        failure = unexpected(Stage.SCORE, slowed.value)
        assert (failure.kind, failure.final) == (Kind.NETWORK, False)
        assert len(site.asked) < 20

    @pytest.mark.parametrize("element", ["", "<Condition>If-None-Match</Condition>"])
    def test_a_name_that_is_taken_is_known_whoevers_server_says_so(self, busy, element):
        site, store = busy
        site.under("/bucket", refusal(412, "PreconditionFailed", more=element), method="PUT")
        with pytest.raises(FileExistsError):
            store.create_document("snapshots/s.json", "{}")

    def test_two_that_create_at_the_same_moment_ask_again(self, busy):
        site, store = busy
        conflict = refusal(409, "ConditionalRequestConflict")
        site.under("/bucket", conflict, conflict, Answer(200), method="PUT")
        store.create_document("snapshots/s.json", "{}")
        assert [one.headers.get("if-none-match") for one in site.asked] == ["*"] * 3
        site.under("/bucket", conflict, refusal(412, "PreconditionFailed"), method="PUT")
        with pytest.raises(FileExistsError):
            store.create_document("snapshots/s.json", "{}")
        site.under("/bucket", conflict, method="PUT")
        with pytest.raises(StoreError):
            store.create_document("snapshots/s.json", "{}")

    def test_the_endpoint_may_be_said_in_fsspecs_way(self, server, place, monkeypatch):
        import fsspec.config

        monkeypatch.delenv("AWS_ENDPOINT_URL")
        monkeypatch.setitem(fsspec.config.conf, "s3", {"endpoint_url": server.address})
        store = Store(place)
        assert store.get(store.put(b"x")) == b"x"

    @pytest.mark.parametrize("location", ["ftp://host/store", "nonsense://x", "http://host/x"])
    def test_what_is_not_safe_for_many_writers_is_refused(self, location):
        with pytest.raises(StoreError, match=r"set RERENDER_STORE to a folder, or to one of .*s3"):
            Store(location)
