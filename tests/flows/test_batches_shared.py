"""Batches of one part that several workers do, in a folder and on S3, without Prefect."""

from collections import Counter

import pytest

from benchmark.outcome import Ok
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot, freeze
from flows import batches
from flows.batches import Batch
from flows.workshop import Workshop
from tests.flows import toy
from tests.servers.s3_server import S3Server


@pytest.fixture(scope="module")
def server():
    with S3Server() as running:
        yield running


@pytest.fixture(params=["folder", "s3"])
def place(request, server, tmp_path, monkeypatch):
    import s3fs

    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    yield server.make_bucket() if request.param == "s3" else str(tmp_path / "store")
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def workers(place):
    """Two workers, each with all that a process of its own would have open."""
    toy.register()
    pair = [Workshop(Settings(store=place, workers=1)) for _ in range(2)]
    yield pair
    for each in pair:
        each.close()


def frozen(workshop) -> list[str]:
    """Freeze six instances and return their names."""
    materials = [each.value for each in toy.ToySource().collect(limit=7)]
    made = batches.refer_batch(workshop, "toy", materials)
    instances = tuple(each.value for each in made.values() if isinstance(each, Ok))
    snapshot = Snapshot(
        name="toys", created=toy.PROVENANCE.created, licences={"CC0-1.0": 6}, tools={},
        instances=instances,
    )  # fmt: skip
    freeze(workshop.store, snapshot)
    return [each.id for each in instances]


def test_a_stage_finds_what_another_worker_has_done_of_the_one_before(workers):
    one, two = workers
    names = frozen(one)
    first, second = (
        Batch(snapshot="toys", model="oracle", scenario="toy", instances=tuple(chunk))
        for chunk in (names[:3], names[3:])
    )
    assert batches.query_batch(one, first).done == 3
    assert batches.render_batch(two, first).done == 3
    assert batches.query_batch(one, second).done == 3, "the other has read the journal by now"
    assert batches.render_batch(two, second).done == 3
    assert batches.score_batch(one, first).done == 6
    assert batches.score_batch(one, second).done == 6
    assert batches.render_batch(one, second).done == 3


def test_what_another_worker_drew_for_a_reference_is_not_drawn_again(workers, monkeypatch):
    one, two = workers
    batches.refer_batch(two, "toy", [each.value for each in toy.ToySource().collect(limit=1)])
    names = frozen(one)  # which the other has read nothing of
    drawn = []
    render = toy.ToyRenderer.render
    monkeypatch.setattr(
        toy.ToyRenderer, "render", lambda self, it: drawn.append(it.text) or render(self, it)
    )
    batch = Batch(snapshot="toys", model="oracle", scenario="toy", instances=tuple(names))
    assert batches.query_batch(two, batch).done == 6
    assert batches.render_batch(two, batch).done == 6
    assert drawn == [], "the oracle's answers are the references"


def test_an_answer_costs_few_requests(workers, place, server):
    workshop = workers[0]
    names = frozen(workshop)
    batch = Batch(snapshot="toys", model="oracle", scenario="toy", instances=tuple(names))
    counts = {}
    for stage in ("query", "render", "score"):
        before = len(server.asked())
        getattr(batches, f"{stage}_batch")(workshop, batch)
        counts[stage] = Counter(one.method for one in server.asked()[before:])
    if not place.startswith("s3://"):
        assert not any(counts.values())
        return
    n = len(names)
    # query: the picture, and the truth, which is what the oracle answers; render: the picture
    assert counts["query"]["PUT"] <= n
    assert counts["render"]["PUT"] <= 2 * n
    assert counts["score"]["PUT"] <= n, "all metrics of an instance in one"
    assert counts["query"]["GET"] <= 2 * n + 6
    assert counts["render"]["GET"] <= 6
    assert counts["score"]["GET"] <= 3 * n + 6
    assert not any(each["HEAD"] for each in counts.values())
