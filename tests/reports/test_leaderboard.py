"""The leaderboard's rules, on made-up results."""

from __future__ import annotations

import csv
import dataclasses
import datetime as dt
import io

import pytest

from benchmark.outcome import Failed, Kind, Stage
from benchmark.records import Flag, Provenance, Score
from reports.leaderboard import Leaderboard, Result, Row, Table, leaderboard, to_csv
from reports.terminal import footnotes
from tests.reports.samples import METRICS, Named, answered, failed, instance, pending

WEB = Named("webpage")


def board(results: list[Result], *scenarios: Named, **options: object) -> Leaderboard:
    return leaderboard(results, METRICS, scenarios or (WEB,), **options)


def whole(found: Leaderboard) -> Table:
    return next(table for table in found.tables if table.subset is None)


def row(table: Table, model: str) -> Row:
    return next(row for row in table.rows if row.model == model)


def mean(table: Table, model: str, metric: str) -> float | None:
    cells = row(table, model).cells
    return next(cell.interval.mean for cell in cells if cell.metric == metric)


def made_on(day: dt.date) -> Provenance:
    return instance("any").provenance.model_copy(update={"created": day})


ITEMS = [instance(f"page-{number}") for number in range(4)]


def test_a_failure_of_the_model_counts_as_the_worst_value() -> None:
    scenario = Named("webpage", metrics=("ssim", "distance"))
    results = [answered("a", item, {"ssim": 0.8, "distance": 1.0}) for item in ITEMS[:3]]
    results.append(failed("a", ITEMS[3], Kind.COMPILE_ERROR))
    table = whole(board(results, scenario))
    assert mean(table, "a", "ssim") == pytest.approx(0.6)
    assert mean(table, "a", "distance") == pytest.approx((3 * 1.0 + 9.0) / 4)
    assert row(table, "a").rendered.mean == 0.75
    assert [(f.kind, f.count) for f in row(table, "a").failures] == [(Kind.COMPILE_ERROR, 1)]


def test_a_failure_of_the_infrastructure_is_not_scored_but_told() -> None:
    results = [answered("a", item, {"ssim": 0.8, "edit": 0.4}) for item in ITEMS[:3]]
    results.append(failed("a", ITEMS[3], Kind.PROVIDER_ERROR))
    found = row(whole(board(results)), "a")
    assert found.cells[0].interval.mean == pytest.approx(0.8)
    assert (found.n, found.infra, found.failed, found.rendered.n) == (4, 1, 0, 3)
    assert "1 of 4 lost to the infrastructure (25.0%)" in found.warning
    assert found.failures[0].blame == "infra"


def test_up_to_two_percent_of_lost_instances_pass_without_a_warning() -> None:
    items = [instance(f"p{number}") for number in range(50)]
    results = [answered("a", item, {"ssim": 0.8, "edit": 0.4}) for item in items[1:]]
    results.append(failed("a", items[0], Kind.NETWORK))
    assert row(whole(board(results)), "a").warning == ""


def test_unfinished_instances_are_told() -> None:
    results = [answered("a", ITEMS[0], {"ssim": 0.8, "edit": 0.4}), pending("a", ITEMS[1])]
    found = row(whole(board(results)), "a")
    assert (found.pending, found.n, found.rendered.n) == (1, 2, 1)
    assert "1 of 2 not done yet" in found.warning


def test_a_metric_without_any_value_is_missing_for_all_with_the_reason() -> None:
    results = [
        answered("a", item, {"ssim": 0.8, "edit": None}, reason="no weights") for item in ITEMS
    ]
    results += [failed("b", item, Kind.TIMEOUT) for item in ITEMS]
    table = whole(board(results))
    for model in ("a", "b"):
        assert mean(table, model, "edit") is None
        assert row(table, model).cells[1].reason == "no weights"
    assert mean(table, "b", "ssim") == 0.0


def test_a_model_without_any_scored_picture_has_no_mean_of_its_failures() -> None:
    results = [answered("a", item, {"ssim": 0.8, "edit": 0.4}) for item in ITEMS]
    results += [answered("b", item, {"ssim": None, "edit": 0.4}, reason="lost") for item in ITEMS]
    results[-1] = failed("b", ITEMS[3], Kind.TIMEOUT)
    found = board(results)
    assert mean(whole(found), "b", "ssim") is None
    assert row(whole(found), "b").cells[0].reason == "lost"
    # ... and loses no comparison for it: one column is left, on which it is worse.
    assert row(whole(found), "b").win_rate == 0.0


def test_some_missing_values_are_left_out_and_counted() -> None:
    results = [answered("a", item, {"ssim": 0.8, "edit": 0.4}) for item in ITEMS[:3]]
    results.append(answered("a", ITEMS[3], {"ssim": None, "edit": 0.4}, reason="too large"))
    cell = row(whole(board(results)), "a").cells[0]
    assert (cell.interval.mean, cell.interval.n) == (pytest.approx(0.8), 3)
    assert (cell.unscored, cell.reason) == (1, "too large")


def test_metrics_that_need_a_truth_skip_instances_without_one() -> None:
    known, unknown = instance("known"), instance("unknown", truth=None)
    results = [
        answered("a", known, {"ssim": 1.0, "edit": 0.5}),
        failed("a", unknown, Kind.TIMEOUT),
    ]
    table = whole(board(results))
    assert mean(table, "a", "edit") == 0.5
    assert mean(table, "a", "ssim") == 0.5
    only_unknown = whole(board([failed("a", unknown, Kind.TIMEOUT)]))
    assert mean(only_unknown, "a", "edit") is None
    assert "not known" in row(only_unknown, "a").cells[1].reason


def test_clean_partial_and_repaired_pictures_are_told_apart() -> None:
    flag = Flag(kind=Kind.MISSING_RESOURCE, message="an image is missing")
    results = [
        answered("a", ITEMS[0], {"ssim": 1.0, "edit": 1.0}),
        answered("a", ITEMS[1], {"ssim": 1.0, "edit": 1.0}, flags=(flag,)),
        answered("a", ITEMS[2], {"ssim": 1.0, "edit": 1.0}, repairs=("closed a brace",)),
    ]
    found = row(whole(board(results)), "a")
    assert (found.clean, found.partial, found.repaired) == (2, 1, 1)
    assert found.rendered.mean == 1.0
    assert found.rendered.low < 1.0  # three successes prove little


def three_models() -> list[Result]:
    values = {"low": 0.2, "high": 0.9, "middle": 0.5}
    return [
        answered(model, item, {"ssim": value + 0.01 * place, "edit": value})
        for model, value in values.items()
        for place, item in enumerate(ITEMS)
    ]


def test_rows_are_sorted_by_win_rate_and_the_best_is_marked() -> None:
    found = board(three_models())
    assert [one.model for one in found.overall] == ["high", "middle", "low"]
    assert [one.win_rate for one in found.overall] == [1.0, 0.5, 0.0]
    assert [one.leads for one in found.overall] == [True, False, False]
    table = whole(found)
    assert [[cell.best for cell in one.cells] for one in table.rows] == [
        [True, True],
        [False, False],
        [False, False],
    ]
    assert (table.rows[1].win_rate_low, table.rows[1].win_rate_high) == (0.5, 0.5)


def test_lower_is_better_turns_best_and_win_rate() -> None:
    scenario = Named("webpage", metrics=("distance",))
    results = [answered("near", item, {"distance": 1.0}) for item in ITEMS]
    results += [answered("far", item, {"distance": 5.0}) for item in ITEMS]
    table = whole(board(results, scenario))
    assert [(one.model, one.cells[0].best) for one in table.rows] == [
        ("near", True),
        ("far", False),
    ]


def test_one_model_alone_has_no_win_rate_and_nothing_to_beat() -> None:
    found = board([answered("a", item, {"ssim": 1.0, "edit": 1.0}) for item in ITEMS])
    assert found.overall[0].win_rate is None
    assert not found.overall[0].leads
    assert not whole(found).rows[0].cells[0].best


def test_overall_win_rate_is_over_the_columns_of_all_scenarios() -> None:
    latex = Named("latex", metrics=("ssim",))
    paper = instance("paper", scenario="latex")
    results = [
        answered("a", ITEMS[0], {"ssim": 0.9, "edit": 0.9}),
        answered("b", ITEMS[0], {"ssim": 0.1, "edit": 0.1}),
        answered("a", paper, {"ssim": 0.1}),
        answered("b", paper, {"ssim": 0.9}),
    ]
    found = board(results, WEB, latex)
    assert {one.model: one.win_rate for one in found.overall} == {
        "a": pytest.approx(2 / 3),
        "b": pytest.approx(1 / 3),
    }
    assert [table.scenario for table in found.tables] == ["webpage", "latex"]
    assert {one.n for one in found.overall} == {2}


def test_subsets_come_in_the_scenarios_order_and_only_if_there_are_several() -> None:
    items = [instance(f"{subset}-1", subset=subset) for subset in ("new", "hard", "easy")]
    found = board([answered("a", item, {"ssim": 1.0, "edit": 1.0}) for item in items])
    assert [table.subset for table in found.tables] == [None, "easy", "hard", "new"]
    alone = board([answered("a", items[0], {"ssim": 1.0, "edit": 1.0})])
    assert [table.subset for table in alone.tables] == [None]


def test_instances_of_one_document_are_resampled_together() -> None:
    items = [instance(f"f{n}", url=f"https://example.org/{n // 5}") for n in range(20)]
    results = [
        answered("a", item, {"ssim": 0.2 * (place // 5), "edit": 1.0})
        for place, item in enumerate(items)
    ]
    table = whole(board(results))
    assert (table.n, table.documents) == (20, 4)
    assert row(table, "a").cells[0].interval.clusters == 4


def test_a_row_says_what_was_made_after_the_models_training_data_ends() -> None:
    old = instance("old").model_copy(update={"provenance": made_on(dt.date(2023, 10, 1))})
    new = instance("new").model_copy(update={"provenance": made_on(dt.date(2023, 10, 2))})
    scores = {"ssim": 0.5, "edit": 0.5}
    results = [
        answered(model, item, scores)
        for model in ("openai/gpt-4o-2024-08-06", "local/nobody-knows")
        for item in (old, new)
    ]
    rows = {row.model: row for row in leaderboard(results, METRICS, [Named("webpage")]).overall}
    known = rows["openai/gpt-4o-2024-08-06"]
    assert (known.cutoff, known.new_to_it, known.n) == (dt.date(2023, 10, 1), 1, 2)
    unknown = rows["local/nobody-knows"]
    assert (unknown.cutoff, unknown.new_to_it) == (None, None)
    notes = footnotes([known, unknown])
    assert notes == [
        "openai/gpt-4o-2024-08-06 was trained on data until 2023-10-01: 1 of 2 instances were "
        "made later"
    ]


def test_tokens_are_summed() -> None:
    results = [answered("a", item, {"ssim": 1.0, "edit": 1.0}) for item in ITEMS[:3]]
    results.append(failed("a", ITEMS[3], Kind.TIMEOUT))
    usage = board(results).overall[0].usage
    assert (usage.input_tokens, usage.output_tokens) == (300, 35)


def test_serialises_and_is_reproducible() -> None:
    first, again = board(three_models(), seed=4), board(three_models(), seed=4)
    text = first.model_dump_json(indent=1)
    assert text == again.model_dump_json(indent=1)
    assert Leaderboard.model_validate_json(text) == first


def test_no_results_make_an_empty_board() -> None:
    found = board([])
    assert (found.overall, found.tables) == ((), ())


def test_csv_holds_every_number_and_leaves_missing_ones_empty() -> None:
    results = three_models()
    results += [
        answered("new", item, {"ssim": 0.1, "edit": None}, reason="no weights, sorry")
        for item in ITEMS
    ]
    lines = list(csv.DictReader(io.StringIO(to_csv(board(results)))))
    assert len(lines) == 4 * 2 + 4 * 4
    missing = next(one for one in lines if one["model"] == "new" and one["measure"] == "edit")
    assert (missing["value"], missing["reason"]) == ("", "no weights, sorry")
    known = next(one for one in lines if one["model"] == "high" and one["measure"] == "edit")
    assert (float(known["value"]), known["best"], known["n"]) == (0.9, "1", "4")


def test_cells_tell_how_far_behind_the_best_they_are_on_the_same_instances() -> None:
    scenario = Named("webpage", metrics=("ssim", "distance"))
    # The second model is a little worse on each page, though pages differ far more.
    pages = [0.1, 0.4, 0.7, 0.9]
    results = [
        answered("first", item, {"ssim": value, "distance": 1.0})
        for item, value in zip(ITEMS, pages, strict=True)
    ]
    gaps = [0.01, 0.02, 0.03, 0.02]
    results += [
        answered("second", item, {"ssim": value - gap, "distance": 1.0 + place})
        for place, (item, value, gap) in enumerate(zip(ITEMS, pages, gaps, strict=True))
    ]
    table = whole(board(results, scenario))
    first, second = row(table, "first").cells, row(table, "second").cells
    assert first[0].behind is None
    assert second[0].behind.mean == pytest.approx(0.02)
    assert 0 < second[0].behind.low <= second[0].behind.high < 0.04
    assert not second[0].near_best
    assert second[1].behind.mean == pytest.approx(1.5)  # lower is better: more is behind


def test_a_model_that_is_now_better_now_worse_is_near_the_best() -> None:
    results = [answered("first", item, {"ssim": 0.5, "edit": 0.5}) for item in ITEMS]
    values = [0.1, 0.9, 0.2, 0.7]
    results += [
        answered("second", item, {"ssim": value, "edit": 0.1})
        for item, value in zip(ITEMS, values, strict=True)
    ]
    cells = row(whole(board(results)), "second").cells
    assert cells[0].near_best
    assert not cells[1].near_best


def test_baselines_are_ranked_but_the_best_is_sought_among_the_others() -> None:
    results = three_models() + [answered("oracle", item, {"ssim": 1, "edit": 1}) for item in ITEMS]
    found = board(results, baselines=["oracle"])
    assert [(one.model, one.baseline) for one in found.overall][:2] == [
        ("oracle", True),
        ("high", False),
    ]
    assert [one.model for one in found.overall if one.leads] == ["high"]
    assert [one.model for one in whole(found).rows if one.cells[0].best] == ["high"]
    assert row(whole(found), "oracle").cells[0].behind is None
    assert row(whole(found), "middle").cells[0].behind.mean == pytest.approx(0.4)


def test_baselines_are_compared_where_there_is_one_other_model() -> None:
    results = [answered("ocr", item, {"ssim": 0.5, "edit": 0.5}) for item in ITEMS]
    results += [answered("oracle", item, {"ssim": 1, "edit": 1}) for item in ITEMS]
    found = board(results, baselines=["oracle"])
    assert [one.model for one in whole(found).rows if one.cells[0].best] == ["oracle"]


def test_a_failure_of_scoring_counts_by_its_blame() -> None:
    items = [instance(f"page-{number}") for number in range(2)]
    for kind, mean, warned in (
        (Kind.RESOURCE_LIMIT, 0.45, False),
        (Kind.INTERNAL_ERROR, 0.9, True),
    ):
        fine, broken = (answered("good", item, {"ssim": 0.9, "edit": 0.9}) for item in items)
        failure = Failed.of(Stage.SCORE, kind, "too large")
        lost = Score(metric="ssim", version="1", value=None, reason=str(failure), failure=failure)
        broken = dataclasses.replace(broken, scores=(lost, broken.scores[1]))
        board = leaderboard([fine, broken], METRICS, [Named("webpage")])
        cells = {cell.metric: cell for cell in board.tables[0].rows[0].cells}
        assert cells["ssim"].interval.mean == pytest.approx(mean)
        assert ("lost to the infrastructure" in board.overall[0].warning) is warned
