from concurrent.futures import ThreadPoolExecutor

import pytest

from benchmark.outcome import Failed, Kind, Ok, Stage, ok
from benchmark.records import Score
from benchmark.store import Journal, Store
from flows.batching import Work, each, finish
from flows.progress import observed_by

MODEL = Failed.of(Stage.SCORE, Kind.TIMEOUT, "slow")
INFRA = Failed.of(Stage.SCORE, Kind.SANDBOX_LOST, "gone")


class Count:
    def __init__(self):
        self.results = []

    def expect(self, stage, count):
        raise AssertionError("a batch never changes the total")

    def advance(self, stage, result):
        self.results.append(result)


@pytest.fixture
def store(tmp_path):
    return Store(str(tmp_path))


def journal(store):
    return Journal(store, "score", "m/s", Score)


def score(value):
    return Score(metric="m", version="1", value=value)


def run(store, work, do):
    seen = Count()
    with ThreadPoolExecutor(2) as executor, observed_by(seen):
        outcomes = finish(Stage.SCORE, work, do, journal(store), executor)
    return outcomes, sorted(seen.results)


def test_only_what_is_missing_is_done(store):
    calls = []

    def do(item):
        calls.append(item)
        return {"a": ok(score(1)), "b": MODEL, "c": INFRA}[item]

    work = [Work((item,), item) for item in "abc"]
    _, first = run(store, work, each(do))
    assert first == ["done", "failed", "infra"]
    outcomes, second = run(store, work, each(do))
    assert second == ["cached", "cached", "infra"], "only the infra failure is tried again"
    assert sorted(calls) == ["a", "b", "c", "c"]
    assert outcomes["b"] == MODEL


def test_an_unexpected_exception_fails_one_instance_only(store):
    def do(item):
        if item == "bad":
            raise ZeroDivisionError("by zero")
        return ok(score(1))

    outcomes, results = run(store, [Work((i,), i) for i in ("good", "bad", "fine")], each(do))
    assert results == ["done", "done", "infra"]
    assert outcomes["bad"].kind is Kind.INTERNAL_ERROR
    assert "ZeroDivisionError: by zero" in outcomes["bad"].message
    assert isinstance(outcomes["good"], Ok)


def test_a_full_disk_has_its_own_kind(store):
    def do(item):
        raise OSError(28, "No space left on device")

    outcomes, _ = run(store, [Work(("k",), 1)], each(do))
    assert outcomes["k"].kind is Kind.DISK_FULL


def test_a_new_metric_is_the_only_one_computed(store):
    asked = []

    def do(item, missing):
        asked.append(missing)
        return {key: ok(score(1)) for key in missing}

    run(store, [Work(("i/ems", "i/ssim"), "i")], do)
    run(store, [Work(("i/ems", "i/ssim", "i/lpips"), "i")], do)
    assert asked == [("i/ems", "i/ssim"), ("i/lpips",)]


def test_the_same_key_twice_is_done_once(store):
    calls = []

    def do(item):
        calls.append(item)
        return ok(score(1))

    outcomes, results = run(store, [Work(("k",), 1), Work(("k",), 2)], each(do))
    assert len(calls) == 1
    assert results == ["cached", "done"]
    assert set(outcomes) == {"k"}


def test_what_cannot_be_done_here_is_not_journalled(store):
    run(store, [Work(("i/ems", "i/cis"), "i")], lambda item, keys: {"i/ems": ok(score(1))})
    assert journal(store).get("i/cis") is None
    _, results = run(store, [Work(("i/ems", "i/cis"), "i")], lambda item, keys: {})
    assert results == ["cached"]


def test_what_could_not_be_journalled_is_an_infra_failure_of_its_instance(store, monkeypatch):
    def full(self, outcomes):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "add_all", full)
    outcomes, results = run(store, [Work(("k",), 1)], each(lambda item: ok(score(1))))
    assert outcomes["k"].kind is Kind.DISK_FULL
    assert results == ["infra"]
