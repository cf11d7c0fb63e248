"""Published rows become instances that are compared as HELM does, go out, and come back."""

from __future__ import annotations

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.settings import Settings
from benchmark.snapshot import Snapshot
from flows.export import export
from flows.road import refer
from flows.workshop import Workshop
from renderers import canvas
from sources.image2struct import Image2Struct
from tests.sources.i2s_copy import build, repository, row, write_rows


@pytest.fixture
def workshop(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
    made = Workshop(Settings())
    yield made
    made.close()


def referred(workshop, folder) -> list:
    """Make instances of all rows; what is compared as it was found needs no renderer."""
    found = Image2Struct(folder).collect()
    return [refer(workshop, outcome.value) for outcome in found if isinstance(outcome, Ok)]


def test_the_published_picture_is_shown_and_compared_with(workshop, tmp_path):
    made = referred(workshop, build(tmp_path / "copy", ("validation",)))
    assert all(isinstance(outcome, Ok) for outcome in made)
    instances = [outcome.value for outcome in made]
    assert {one.compared == one.image for one in instances} == {True}
    assert all((one.truth is None) == (one.subset in ("wild", "scan")) for one in instances)
    first = Image2Struct(tmp_path / "copy")
    shown = {outcome.value.id: outcome.value.picture for outcome in first.collect()}
    for one in instances:
        kept = canvas.decode(workshop.store.get(one.image)).value
        assert (kept == canvas.decode(shown[one.id]).value).all()


def test_a_refresh_goes_out_and_comes_back(workshop, tmp_path):
    folder = build(tmp_path / "copy", ("validation",))
    instances = tuple(outcome.value for outcome in referred(workshop, folder))
    made = Snapshot(
        name="s", created="2024-03-15", licences={}, tools={}, instances=instances
    )  # fmt: skip
    export(workshop.store, made, tmp_path / "out", private=True)
    again = {outcome.value.id: outcome.value for outcome in referred(workshop, tmp_path / "out")}
    assert len(again) == len(instances) == 20
    for before in instances:
        assert again[before.id].model_copy(update={"provenance": before.provenance}) == before
        kept = {"made"}  # says which copy it was read from
        assert again[before.id].provenance.model_dump(exclude=kept) == before.provenance.model_dump(
            exclude=kept
        )


def test_a_truth_that_no_text_can_be_compared_with_is_told(workshop, tmp_path):
    site = repository({"notes.txt": b"no page", "more.txt": b"none either"})
    path = tmp_path / "copy" / "i2s-webpage" / "html" / "validation-00000-of-00001.parquet"
    write_rows(path, [row("html", 0, structure=site)])
    (only,) = referred(workshop, tmp_path / "copy")
    assert isinstance(only, Failed)
    assert only.kind is Kind.MISSING_RESOURCE
