"""The whole road through the command line, with the real renderers, metrics and baselines."""

import csv
import json

import pytest

from benchmark import registry
from tests.flows.test_cli import rerender

pytestmark = pytest.mark.timeout(1200)  # two whole demos, and a busy machine is slow


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    run = {
        "first": rerender("demo", "--limit", "1", "-o", str(folder / "report"), store=folder / "s"),
        "second": rerender("demo", "--limit", "1", "-o", str(folder / "again"), store=folder / "s"),
        "folder": folder,
    }
    assert run["first"].returncode == 0, run["first"].stderr
    assert run["second"].returncode == 0, run["second"].stderr
    run["board"] = json.loads((folder / "report" / "leaderboard.json").read_text())
    return run


def rows(demo, model):
    return {
        table["scenario"]: row
        for table in demo["board"]["tables"] if table["subset"] is None
        for row in table["rows"] if row["model"] == model
    }  # fmt: skip


def test_every_scenario_met_every_baseline(demo):
    bundled = registry.sources.get("bundled")
    scenarios = {*bundled.scenarios, *bundled.derived}
    for model in ("oracle", "blank", "ocr"):
        assert set(rows(demo, model)) == scenarios


def test_the_oracle_has_the_best_value_of_every_metric(demo):
    for scenario, row in rows(demo, "oracle").items():
        assert row["rendered"]["mean"] == 1.0
        assert row["clean"] == row["n"] == 1
        for cell in row["cells"]:
            metric = registry.metrics.get(cell["metric"])
            best = metric.range[1] if metric.higher_is_better else metric.range[0]
            mean = cell["interval"]["mean"]
            assert mean == best or (mean is None and cell["reason"]), (scenario, cell)


def test_the_blank_floor_renders_and_scores_below(demo):
    for row in rows(demo, "blank").values():
        assert row["rendered"]["mean"] == 1.0
    rates = {row["model"]: row["win_rate"] for row in demo["board"]["overall"]}
    assert rates["oracle"] > rates["ocr"] > rates["blank"]


def test_the_terminal_shows_the_leaderboard_and_where_the_report_is(demo):
    text = demo["first"].stdout
    for word in ("Overall", "oracle", "mindmap", "leaderboard.json", "index.html"):
        assert word in text
    page = demo["folder"] / "report" / "index.html"
    assert "oracle" in page.read_text()
    with (demo["folder"] / "report" / "leaderboard.csv").open() as file:
        assert {row["model"] for row in csv.DictReader(file)} == {"oracle", "blank", "ocr"}


def test_a_second_demo_finds_everything_done(demo):
    assert "everything was cached" in demo["second"].stdout
    for name in ("leaderboard.json", "leaderboard.csv", "index.html"):
        again = (demo["folder"] / "again" / name).read_bytes()
        assert again == (demo["folder"] / "report" / name).read_bytes(), "to the byte"
