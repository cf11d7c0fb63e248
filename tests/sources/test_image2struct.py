"""The published Image2Struct sets, from a small copy in their layout."""

from __future__ import annotations

import base64
import datetime as dt
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage
from sources import image2struct_sets
from sources.image2struct import Image2Struct, wanted_revision
from sources.image2struct_rows import RELEASED
from sources.image2struct_sets import PARTS
from tests.contracts.source_contract import SourceContract
from tests.sources.i2s_copy import CONFIGS, SOURCES, build, picture, repository, row, write_rows


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("i2s"))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("RERENDER_STORE", str(tmp_path / "store"))


class TestContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _source(self, folder):
        type(self).source = Image2Struct(folder)


def collect(folder: Path, *, split="validation", compare=None, **options) -> list:
    return list(Image2Struct(folder, split=split, compare=compare).collect(**options))


def one(tmp_path: Path, config: str, *rows: dict) -> list:
    """Collect rows of one configuration alone."""
    name = next(part.set for part in PARTS if part.config == config)
    write_rows(tmp_path / name / config / "validation-00000-of-00001.parquet", list(rows))
    return collect(tmp_path)


def test_every_configuration_is_there(folder):
    found = [outcome.value for outcome in collect(folder)]
    counts = Counter((m.attributes["set"], m.attributes["category"]) for m in found)
    assert counts == {(name, config): 2 for name, some in CONFIGS.items() for config in some}
    assert {m.attributes["split"] for m in found} == {"validation"}
    assert all(m.id == f"{m.scenario}/{m.attributes['category']}/{m.attributes['uuid']}"
               for m in found)  # fmt: skip


def test_the_split_of_the_board_is_the_default(folder, monkeypatch):
    monkeypatch.setenv("RERENDER_I2S_FOLDER", str(folder))
    ids = {outcome.value.id for outcome in Image2Struct().collect()}
    assert ids == {outcome.value.id for outcome in collect(folder, split="validation")}
    monkeypatch.setenv("RERENDER_I2S_SPLIT", "test")
    assert all("-test-" in outcome.value.id for outcome in Image2Struct().collect())


def test_a_structure_is_the_truth_and_the_published_picture_is_shown(folder):
    found = {m.value.id: m.value for m in collect(folder)}
    latex = found["latex/table/table-validation-1"]
    assert latex.truth == SOURCES["table"] % 1
    assert latex.picture == picture(61, 40, 40)
    assert latex.attributes["difficulty"] == "medium"
    assert latex.attributes["text"] == "words of table 1"
    assert latex.attributes["compared_with"] == "picture"
    assert latex.metrics is None
    assert latex.provenance.created == dt.date(2024, 2, 15)
    assert latex.provenance.url == "https://example.org/table/1"
    assert not latex.provenance.publishable
    assert latex.provenance.recipe["uuid"] == "table-validation-1"
    drawn = collect(folder, compare="drawing")
    assert {m.value.attributes.get("compared_with") for m in drawn} == {"drawing", None}


def test_a_repository_is_unpacked_as_a_perfect_answer_writes_it(folder):
    page = next(m.value for m in collect(folder) if m.value.subset == "css")
    files = {item["filename"]: item["content"] for item in json.loads(page.truth)}
    assert list(files) == ["index.html", "css/style.css"]
    assert page.assets == {"sea.png": picture(8, 8)}
    read = registry.scenarios.get("webpage").read(page.truth)
    assert isinstance(read, Ok)
    assert read.value.flags == read.value.repairs == ()


def test_wild_pictures_and_music_have_no_truth(folder):
    found = [m.value for m in collect(folder) if m.value.subset in ("wild", "scan")]
    assert Counter(m.scenario for m in found) == {"webpage": 2, "latex": 2, "music": 2}
    for material in found:
        assert material.truth is None
        assert material.picture
        assert material.metrics == ("pixel", "ssim", "lpips", "cis", "ems")
        assert "compared_with" not in material.attributes


def test_configurations_take_turns(folder):
    published = [part.config for part in PARTS if part.published]
    first = [m.value.attributes["category"] for m in collect(folder)[: len(published)]]
    assert first == published
    few = [m.value for m in collect(folder, limit=3)]
    assert Counter(m.scenario for m in few) == {"webpage": 3, "latex": 3, "music": 2}
    assert len({m.subset for m in few if m.scenario == "latex"}) == 3


def bomb(width: int, height: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("1", (width, height)).save(buffer, "PNG")
    return buffer.getvalue()


def broken(config: str, **changes) -> dict:
    return row(config, 0, **changes)


GOOD = base64.b64encode(picture()).decode()
HOSTILE = {
    "truncated base64": ("css", {"structure": "H4sIAAAA"}, Stage.FETCH, Kind.PARSE_ERROR),
    "no base64": ("css", {"structure": "<html>"}, Stage.FETCH, Kind.NOT_AS_CLAIMED),
    "no archive": ("css", {"structure": GOOD}, Stage.FETCH, Kind.PARSE_ERROR),
    "a path that leaves": (
        "css", {"structure": repository({"../../index.html": b"x"})},
        Stage.FETCH, Kind.UNSAFE_INPUT,
    ),
    "a link": (
        "css", {"structure": repository({"index.html": b"x"}, {"a.css": "/etc/passwd"})},
        Stage.FETCH, Kind.UNSAFE_INPUT,
    ),
    "not UTF-8": (
        "css", {"structure": repository({"index.html": "Fluß".encode("latin-1")})},
        Stage.FILTER, Kind.UNSUITABLE,
    ),
    "no text": (
        "css", {"structure": repository({"a.png": b"x"})}, Stage.FILTER, Kind.NO_SOURCE,
    ),
    "too many files": (
        "css", {"structure": repository({f"{n}.html": b"x" for n in range(501)})},
        Stage.FILTER, Kind.TOO_LARGE,
    ),
    "an empty structure": ("table", {"structure": " "}, Stage.FETCH, Kind.NO_SOURCE),
    "no structure": ("table", {"structure": None}, Stage.FETCH, Kind.NO_SOURCE),
    "40 megapixels": (
        "table", {"image": {"bytes": bomb(8000, 5000), "path": None}},
        Stage.FETCH, Kind.TOO_LARGE,
    ),
    "a bomb": (
        "table", {"image": {"bytes": bomb(30000, 30000), "path": None}},
        Stage.FETCH, Kind.TOO_LARGE,
    ),
    "no picture": (
        "table", {"image": {"bytes": b"<svg/>", "path": None}}, Stage.FETCH, Kind.NOT_AS_CLAIMED,
    ),
    "a picture elsewhere": (
        "table", {"image": {"bytes": None, "path": "/etc/hostname"}},
        Stage.FETCH, Kind.NOT_AS_CLAIMED,
    ),
    "no uuid": ("table", {"uuid": None}, Stage.FETCH, Kind.NOT_AS_CLAIMED),
    "another category": ("table", {"category": '"plot"'}, Stage.FILTER, Kind.UNSUITABLE),
}  # fmt: skip


@pytest.mark.parametrize("what", HOSTILE)
def test_a_bad_row_is_a_failure_and_the_next_one_is_read(tmp_path, what):
    config, changes, stage, kind = HOSTILE[what]
    bad, good = one(tmp_path, config, broken(config, **changes), row(config, 1))
    assert isinstance(bad, Failed), what
    assert (bad.stage, bad.kind) == (stage, kind)
    assert bad.subject.startswith(("latex/", "webpage/", "i2s-"))
    assert isinstance(good, Ok)


def test_a_name_that_occurs_twice(tmp_path):
    first, second = one(tmp_path, "table", row("table", 0), row("table", 0))
    assert isinstance(first, Ok)
    assert second.kind is Kind.DUPLICATE


def test_other_columns_make_failures_only(tmp_path):
    found = one(tmp_path, "table", {"question": "what?", "answer": "42"})
    assert [outcome.kind for outcome in found] == [Kind.NOT_AS_CLAIMED]
    odd = row("table", 0) | {"difficulty": None, "date": "tomorrow", "text": None}
    (read,) = one(tmp_path, "table", odd)
    assert read.value.provenance.created == RELEASED
    assert read.value.attributes["difficulty"] is None


def test_a_file_that_is_no_parquet_ends_its_configuration_only(tmp_path):
    build(tmp_path, ("validation",))
    path = tmp_path / "i2s-latex" / "plot" / "validation-00000-of-00001.parquet"
    path.write_bytes(path.read_bytes()[:200])
    found = collect(tmp_path)
    (bad,) = [outcome for outcome in found if isinstance(outcome, Failed)]
    assert bad.kind is Kind.NOT_AS_CLAIMED
    assert "i2s-latex/plot" in bad.message
    assert len(found) == 2 * (sum(part.published for part in PARTS) - 1) + 1


def test_a_group_that_grows_in_memory_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(image2struct_sets, "MOST_GROUP_BYTES", 1_000_000)
    made = row("equation", 0) | {"structure": "x" * 5_000_000}
    path = tmp_path / "i2s-latex" / "equation" / "validation-00000-of-00001.parquet"
    write_rows(path, [made])
    assert path.stat().st_size < 1_000_000
    (only,) = Image2Struct(tmp_path).collect()
    assert (only.kind, only.subject) == (Kind.TOO_LARGE, "i2s-latex/equation/validation")


def test_a_folder_without_the_sets_says_what_is_missing(tmp_path):
    (only,) = collect(tmp_path)
    assert only.kind is Kind.MISSING_RESOURCE
    assert "i2s-webpage/css/validation-*.parquet" in only.message


def test_nothing_on_the_hub_is_newer_than_the_sets():
    assert list(Image2Struct().collect(since=RELEASED + dt.timedelta(days=1))) == []


def test_rows_stream(tmp_path):
    """Never more than a group of rows is in memory, however many there are."""
    import numpy as np
    import pyarrow as pa

    rows = []
    for number in range(60):
        noise = np.random.default_rng(number).integers(0, 255, (200, 200, 3), dtype=np.uint8)
        buffer = io.BytesIO()
        Image.fromarray(noise).save(buffer, "PNG")
        image = {"bytes": buffer.getvalue(), "path": None}
        rows.append(row("table", 0, uuid=f"t{number}", image=image))
    write_rows(tmp_path / "i2s-latex/table/validation-00000-of-00001.parquet", rows, group=5)
    del rows
    before = pa.total_allocated_bytes()
    held = [
        pa.total_allocated_bytes() - before
        for _ in Image2Struct(tmp_path, split="validation").collect()
    ]
    assert len(held) == 60
    assert max(held) < 20 * len(buffer.getvalue()), "a few groups of five, of twelve"


def test_revisions_are_named_for_each_set():
    part = next(part for part in PARTS if part.set == "i2s-latex")
    assert wanted_revision(part, None) is None
    assert wanted_revision(part, "v1") == "v1"
    assert wanted_revision(part, "i2s-latex=abc, i2s-webpage=def") == "abc"
    assert wanted_revision(part, "i2s-webpage=def") is None
