import datetime as dt

import pytest

from benchmark import snapshot
from benchmark.records import Instance, Provenance
from benchmark.snapshot import Snapshot, SnapshotError
from benchmark.store import Store


def make(name: str = "s1", ident: str = "a") -> Snapshot:
    provenance = Provenance(
        source="test", author="us", licence="CC0-1.0", created=dt.date(2026, 1, 1)
    )
    instance = Instance(
        id=ident, scenario="latex", subset="table", image="0" * 64, truth=None,
        provenance=provenance,
    )  # fmt: skip
    return Snapshot(
        name=name, created=dt.date(2026, 1, 1), licences={"CC0-1.0": 1}, tools={},
        instances=(instance,),
    )  # fmt: skip


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path))


def test_a_snapshot_comes_back_as_it_was(store):
    frozen = make()
    snapshot.freeze(store, frozen)
    assert snapshot.load(store, "s1") == frozen
    assert snapshot.names(store) == ["s1"]


def test_a_snapshot_is_never_changed(store):
    snapshot.freeze(store, make())
    snapshot.freeze(store, make())
    with pytest.raises(SnapshotError, match="never changed"):
        snapshot.freeze(store, make(ident="b"))
    assert snapshot.load(store, "s1").instances[0].id == "a"


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "x" * 200])
def test_a_name_cannot_leave_the_folder(store, name):
    with pytest.raises(SnapshotError, match="cannot name a snapshot"):
        snapshot.freeze(store, make(name))


def test_what_is_missing_or_damaged_is_said(store):
    with pytest.raises(SnapshotError, match=r"no snapshot is called 'x' \(known: none yet\)"):
        snapshot.load(store, "x")
    store.write_document("snapshots/bad.json", "{}")
    with pytest.raises(SnapshotError, match="not readable"):
        snapshot.load(store, "bad")
