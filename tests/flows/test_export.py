"""A snapshot goes out as Hugging Face data sets and comes back through our own sources."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import typer
from pyarrow.parquet import read_table
from typer.testing import CliRunner

from benchmark import registry, snapshot
from benchmark.outcome import Failed, Kind, Ok, Stage
from benchmark.records import Asset, Instance, Material, Provenance
from benchmark.snapshot import Snapshot
from benchmark.store import Store
from flows import export_cli, export_i2s
from flows.export import ExportError, Share, export
from sources.bundled import Bundled
from sources.image2struct import Image2Struct
from sources.published import Published
from tests.sources.i2s_copy import build, picture

WITHHELD = "words that nobody may pass on"


def instance(store: Store, material: Material, number: int, **changes) -> Instance:
    """Return what a refresh makes of a material, with a picture of ours."""
    shown = material.picture or picture(50 + number, 30, number)
    return Instance(
        id=material.id,
        scenario=material.scenario,
        subset=material.subset,
        image=store.put(shown),
        truth=None if material.truth is None else store.put(material.truth.encode()),
        assets=tuple(
            Asset(path=path, digest=store.put(data))
            for path, data in sorted(material.assets.items())
        ),
        provenance=material.provenance,
        attributes={**material.attributes, "width": 50 + number, "height": 30, "pages": 1},
        metrics=material.metrics,
    ).model_copy(update=changes)


def frozen(store: Store, *instances: Instance) -> Snapshot:
    made = Snapshot(
        name="fresh",
        created=max(one.provenance.created for one in instances),
        about="a <b>snapshot</b> | of tests",
        licences=dict(Counter(one.provenance.licence for one in instances)),
        tools={"tex": "version 1, image abc"},
        instances=instances,
    )
    snapshot.freeze(store, made)
    return made


@pytest.fixture
def store(tmp_path, monkeypatch) -> Store:
    monkeypatch.setenv("RERENDER_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("RERENDER_HTTP_CACHE", str(tmp_path / "http"))
    return Store(str(tmp_path / "store"))


@pytest.fixture
def bundled(store) -> list[Instance]:
    found = [outcome.value for outcome in Bundled().collect(limit=4)]
    return [instance(store, material, number) for number, material in enumerate(found)]


def recipe(store: Store, scenario: str, subset: str, truth: str) -> Instance:
    """Return an instance whose licence keeps it at home."""
    material = Material(
        id=f"{scenario}/{subset}/secret",
        scenario=scenario,
        subset=subset,
        truth=truth,
        provenance=Provenance(
            source="arxiv",
            author="A. Example",
            licence="LicenseRef-arXiv-nonexclusive",
            created="2026-11-02",
            url="https://arxiv.org/abs/2611.00001v1",
            publishable=False,
            recipe={"url": "https://arxiv.org/src/2611.00001v1", "place": "main.tex:120"},
        ),
        attributes={"text": WITHHELD, "question": WITHHELD, "lines": 7, "difficulty": "hard"},
    )
    return instance(store, material, 200)


def collected(source) -> tuple[dict[str, Material], list[Failed]]:
    outcomes = list(source.collect())
    found = [outcome.value for outcome in outcomes if isinstance(outcome, Ok)]
    return {m.id: m for m in found}, [one for one in outcomes if isinstance(one, Failed)]


def by_name(store: Store, instances: list[Instance], materials: dict[str, Material]):
    """Pair instances with what came back, told apart by their pictures."""
    back = {store.put(material.picture): material for material in materials.values()}
    return [(one, back[one.image]) for one in instances]


def test_image2struct_comes_back_as_it_was(store, bundled, tmp_path):
    export(store, frozen(store, *bundled), tmp_path / "out", private=False)
    materials, failures = collected(Image2Struct(tmp_path / "out"))
    assert failures == []
    own = [one for one in bundled if one.scenario in export_i2s.SETS]
    assert len(materials) == len(own) == 12
    for before, after in by_name(store, own, materials):
        assert (after.scenario, after.subset) == (before.scenario, before.subset)
        assert after.truth == store.get(before.truth).decode()
        assert after.assets == {asset.path: store.get(asset.digest) for asset in before.assets}
        for field in ("licence", "author", "created", "publishable"):
            assert getattr(after.provenance, field) == getattr(before.provenance, field)
        assert after.metrics == before.metrics
        assert after.attributes["compared_with"] == "picture"
        assert "width" not in after.attributes
    assert any(material.assets for material in materials.values())


def test_figures_go_out_with_their_files_and_come_back(store, tmp_path):
    figures = [o.value for o in Bundled().collect() if o.value.subset == "figure"]
    kept = figures[0].provenance.model_copy(
        update={"publishable": False, "licence": "LicenseRef-arXiv-nonexclusive"}
    )
    figures[0] = figures[0].model_copy(update={"provenance": kept})
    instances = [instance(store, material, n) for n, material in enumerate(figures)]
    shares = export(store, frozen(store, *instances), tmp_path / "out", private=False)
    assert [(s.whole, s.recipe, s.left_out) for s in shares] == [
        (len(figures) - 1, 0, 0),
        (0, 1, 0),
    ]
    materials, failures = collected(Image2Struct(tmp_path / "out"))
    assert len(failures) == 1, "what may not be passed on is a recipe"
    assert len(materials) == len(figures) - 1
    for material, before in zip(materials.values(), figures[1:], strict=True):
        assert (material.subset, material.truth) == ("figure", before.truth)
        assert material.assets == before.assets
    file = tmp_path / "out/i2s-latex/figure/validation-00000-of-00001.parquet"
    names = [row["asset_names"] for row in read_table(file).to_pylist()]
    assert names == [[], *(sorted(figure.assets) for figure in figures[1:])]


def test_published_instances_come_back_under_their_names(store, tmp_path):
    copy = build(tmp_path / "copy")
    first, _ = collected(Image2Struct(copy))
    instances = [instance(store, material, 0) for material in first.values()]
    export(store, frozen(store, *instances), tmp_path / "out", private=True)
    again, failures = collected(Image2Struct(tmp_path / "out"))
    assert failures == []
    assert again.keys() == first.keys()
    for name, before in first.items():
        after = again[name]
        assert (after.truth, after.picture) == (before.truth, before.picture)
        assert (after.assets, after.metrics) == (before.assets, before.metrics)
        assert after.attributes == before.attributes
        assert after.provenance.recipe == before.provenance.recipe
        assert after.provenance.created == before.provenance.created


def test_mindbench_comes_back_as_it_was(store, tmp_path):
    maps = [o.value for o in Bundled().collect() if o.value.scenario == "mindmap"][:4]
    asked = [
        registry.scenarios.get(name).derive(mind_map, turn=turn, seed=3)
        for name in ("mindmap-part", "mindmap-vqa")
        for turn, mind_map in enumerate(maps)
    ]
    instances = [instance(store, material, n) for n, material in enumerate([*maps, *asked])]
    export(store, frozen(store, *instances), tmp_path / "out", private=False)
    materials, failures = collected(Published(tmp_path / "out" / "mindbench"))
    assert failures == []
    assert len(materials) == 12
    for before, after in by_name(store, instances, materials):
        scenario = registry.scenarios.get(before.scenario)
        assert (after.scenario, after.subset) == (before.scenario, before.subset)
        was, now = scenario.read(store.get(before.truth).decode()), scenario.read(after.truth)
        assert now.value.tree == was.value.tree
        assert after.provenance.licence == "CC0-1.0"
        assert after.provenance.author == before.provenance.author
        question = before.attributes.get("question")
        assert question is None or after.attributes["question"] == question
        assert after.metrics == before.metrics


def load(path: Path, config: str, split: str, column: str) -> list:
    """Load a data set as anybody does, in a process of its own without our code."""
    code = (
        "import json, sys\nfrom datasets import load_dataset\n"
        "rows = load_dataset(sys.argv[1], sys.argv[2], split=sys.argv[3])\n"
        "sizes = [list(row['image'].size) for row in rows if hasattr(row['image'], 'size')]\n"
        "print(json.dumps([rows.column_names, rows[sys.argv[4]][:], sizes]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), config, split, column],
        capture_output=True, text=True, check=True, timeout=120, cwd=path,
        env=os.environ | {
            "HF_HOME": str(path.parent / "hf"), "HF_HUB_OFFLINE": "1",
            "HF_ENDPOINT": "http://127.0.0.1:9", "PYTHONPATH": "",
        },
    )  # fmt: skip
    return json.loads(done.stdout)


def test_anybody_can_load_it(store, bundled, tmp_path):
    export(store, frozen(store, *bundled), tmp_path / "out", private=False)
    columns, categories, sizes = load(
        tmp_path / "out" / "i2s-latex", "equation", "validation", "category"
    )
    assert {"uuid", "category", "difficulty", "structure", "image", "text", "assets"} < {*columns}
    assert categories == ['"equation"'], "quoted as in the published sets"
    equation = next(n for n, one in enumerate(bundled) if one.subset == "equation")
    assert sizes == [[50 + equation, 30]]
    columns, turns, _ = load(
        tmp_path / "out" / "mindbench", "synth_test_full_parse", "test", "conversations"
    )
    assert columns == ["image", "conversations", "rerender"]
    assert all(asked[2]["value"].startswith("<s_map>") for asked in turns)


def test_what_may_not_be_passed_on_goes_out_as_a_recipe(store, bundled, tmp_path):
    latex = recipe(store, "latex", "equation", rf"\text{{{WITHHELD}}}")
    tree = json.dumps({"text": WITHHELD, "children": []})
    mind_map = recipe(store, "mindmap", "en", tree)
    made = frozen(store, *bundled, latex, mind_map)
    shares = export(store, made, tmp_path / "out", private=False)
    reference = "LicenseRef-arXiv-nonexclusive"
    assert Share("latex", reference, whole=0, recipe=1, left_out=0) in shares
    assert Share("latex", "CC0-1.0", whole=4, recipe=0, left_out=0) in shares
    for path in (tmp_path / "out").rglob("*"):
        assert not path.is_file() or WITHHELD.encode() not in path.read_bytes(), path
    _, failures = collected(Image2Struct(tmp_path / "out"))
    _, lost = collected(Published(tmp_path / "out" / "mindbench"))
    for failure in (*failures, *lost):
        assert (failure.stage, failure.kind) == (Stage.FILTER, Kind.NO_LICENCE)
        assert failure.message.startswith("only the recipe is published: ")
        assert "2611.00001v1" in failure.message
    assert len(failures) == len(lost) == 1
    card = (tmp_path / "out" / "i2s-latex" / "README.md").read_text()
    assert f"| {reference} | latex | 0 | 1 |" in card
    assert "<b>" not in card
    assert "Not to be passed on" not in card


def test_published_sets_of_others_go_out_as_recipes(store, tmp_path):
    found, _ = collected(Image2Struct(build(tmp_path / "copy")))
    instances = [instance(store, material, 0) for material in found.values()]
    shares = export(store, frozen(store, *instances), tmp_path / "out", private=False)
    assert {(share.licence, share.whole) for share in shares} == {("LicenseRef-unknown", 0)}
    materials, failures = collected(Image2Struct(tmp_path / "out"))
    assert materials == {}
    assert len(failures) == len(found)
    assert all("stanford-crfm/i2s-" in failure.message for failure in failures)


def test_private_exports_hold_everything_and_say_so(store, tmp_path):
    latex = recipe(store, "latex", "equation", rf"\text{{{WITHHELD}}}")
    shares = export(store, frozen(store, latex), tmp_path / "out", private=True)
    assert [(share.whole, share.recipe) for share in shares] == [(1, 0)]
    materials, failures = collected(Image2Struct(tmp_path / "out"))
    assert failures == []
    (back,) = materials.values()
    assert WITHHELD in back.truth
    assert back.attributes["text"] == WITHHELD
    assert not back.provenance.publishable
    assert "Not to be passed on" in (tmp_path / "out" / "i2s-latex" / "README.md").read_text()


def test_equal_snapshots_give_equal_files(store, bundled, tmp_path):
    made = frozen(store, *bundled)
    for name in ("one", "two"):
        export(store, made, tmp_path / name, private=False)
    files = sorted(path for path in (tmp_path / "one").rglob("*") if path.is_file())
    assert len(files) > 10
    for path in files:
        assert (
            path.read_bytes()
            == (tmp_path / "two" / path.relative_to(tmp_path / "one")).read_bytes()
        )


def test_a_folder_in_use_is_refused_and_a_failed_export_leaves_nothing(store, bundled, tmp_path):
    made = frozen(store, *bundled)
    (tmp_path / "used").mkdir()
    (tmp_path / "used" / "thesis.txt").write_text("mine")
    with pytest.raises(ExportError, match="not empty"):
        export(store, made, tmp_path / "used", private=False)
    image = bundled[1].image
    blob = Path(store.path("blobs", image[:2], image))
    blob.unlink()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(KeyError):
        export(store, made, tmp_path / "deep" / "out", private=False)
    assert sorted((tmp_path / "deep").iterdir()) == []
    assert sorted(p for p in tmp_path.iterdir() if p.name != "deep") == before
    (tmp_path / "empty").mkdir()
    export(store, frozen_again(store, bundled[:1]), tmp_path / "empty", private=False)
    assert [path.name for path in (tmp_path / "empty").iterdir()] == ["i2s-webpage"]


@pytest.mark.parametrize("spelled", ["link", "empty/below/..", "new/"])
def test_a_folder_may_be_spelled_in_any_way(store, bundled, tmp_path, spelled):
    made = frozen(store, *bundled[:1])
    (tmp_path / "empty").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "empty")
    before = {path.name for path in tmp_path.glob(".*")}
    export(store, made, Path(f"{tmp_path}/{spelled}"), private=False)
    assert [path.name for path in (tmp_path / spelled.split("/")[0]).iterdir()] == ["i2s-webpage"]
    assert {path.name for path in tmp_path.glob(".*")} == before


def test_the_working_folder_is_not_replaced(store, bundled, tmp_path, monkeypatch):
    made = frozen(store, *bundled[:1])
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    with pytest.raises(ExportError, match="name one below"):
        export(store, made, Path(), private=False)


def frozen_again(store: Store, instances: list[Instance]) -> Snapshot:
    made = frozen_named(store, "other", instances)
    snapshot.freeze(store, made)
    return made


def frozen_named(store: Store, name: str, instances: list[Instance]) -> Snapshot:
    return Snapshot(
        name=name,
        created=instances[0].provenance.created,
        licences={"CC0-1.0": len(instances)},
        tools={},
        instances=tuple(instances),
    )


def test_the_command_tells_what_went_out_how(store, bundled, tmp_path):
    frozen(store, *bundled, recipe(store, "music", "melody", "{ c'4 }"))
    app = typer.Typer()
    app.command()(export_cli.export)
    done = CliRunner().invoke(app, ["fresh", str(tmp_path / "out")], env={"COLUMNS": "200"})
    assert done.exit_code == 0, done.output
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in done.stdout.splitlines()]
    assert ["music", "CC0-1.0", "4", "0", "0"] in rows
    assert ["music", "LicenseRef-arXiv-nonexclusive", "0", "1", "0"] in rows
    again = CliRunner().invoke(app, ["fresh", str(tmp_path / "out")])
    assert again.exit_code == 2
    assert again.stderr.count("\n") == 1
