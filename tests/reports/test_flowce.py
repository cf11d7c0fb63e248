"""FlowCE's table and figures in every form of a report, from made-up answers."""

from __future__ import annotations

import csv
import io
import json

import pytest
from rich.console import Console

from benchmark import registry
from benchmark.outcome import Failed, Kind, Stage, ok
from benchmark.records import Completion, Judgment, Rendering, Score, Usage
from reports.flowce import DIMENSIONS
from reports.flowce_text import to_csv, to_markdown
from reports.leaderboard import leaderboard
from reports.leaderboard import to_csv as board_csv
from reports.results import Result
from reports.site import write_site
from reports.terminal import tables
from tests.reports.samples import Blobs, Named, failed, instance, png

SCENARIOS = {scenario: metric for _, _, scenario, metric in DIMENSIONS}
METRICS = {name: registry.metrics.get(name) for name in (*SCENARIOS.values(), "effective_factor")}
OFFLINE = Judgment(judge="offline: lexical")
PAID = Judgment(
    judge="openai/gpt-4o",
    reason="<b>close</b>",
    usage=Usage(input_tokens=1_000_000, output_tokens=1000),
)


def question(scenario, number, image="0" * 64):
    return instance(
        f"{scenario}/{number}", scenario=scenario, subset="en", image=image, url=f"chart/{number}"
    )


def answered(model, scenario, number, value, *, judge=OFFLINE, tree="yes", image="0" * 64):
    name = SCENARIOS[scenario]
    judgment = judge if name.startswith("judge") else None
    scores = [Score(metric=name, version="1", value=value, judgment=judgment)]
    if scenario == "flowce-extraction":
        scores.append(Score(metric="effective_factor", version="1", value=0.8 if number else 1.0))
    return Result(
        model=model,
        instance=question(scenario, number, image),
        completion=ok(Completion(text="an answer")),
        rendering=ok(Rendering(image=None, text="an answer", tree=tree)),
        scores=tuple(scores),
    )


def unjudged(model, scenario, number):
    failure = Failed.of(Stage.SCORE, Kind.NO_JUDGMENT, "the judge refused")
    lost = Score(
        metric=SCENARIOS[scenario], version="1", value=None, reason=str(failure), failure=failure
    )
    full = answered(model, scenario, number, 1.0)
    return Result(full.model, full.instance, full.completion, full.rendering, (lost,))


def whole(model, *values, judge=OFFLINE, image="0" * 64):
    """Two answers to each dimension, the second one the worse by what its scale allows."""
    return [
        answered(model, scenario, number, value, judge=judge, image=image)
        for scenario, pair in zip(SCENARIOS, values, strict=True)
        for number, value in enumerate(pair)
    ]


GOOD = ((1.0, 1.0), (40.0, 20.0), (5.0, 3.0), (4.0, 2.0), (9.0, 8.0))
POOR = ((1.0, 0.0), (10.0, 0.0), (1.0, 0.0), (2.0, 1.0), (1.0, 1.0))


def truth(item):
    return "yes" if item.id.endswith("/0") else "no"


def board(results):
    scenarios = [Named(name, ("en",), (metric,)) for name, metric in SCENARIOS.items()]
    return leaderboard(results, METRICS, scenarios, baselines=["oracle"], truth=truth)


def row(found, model):
    return next(row for row in found.flowce.rows if row.model == model)


def means(found, model):
    return [score.interval.mean for score in row(found, model).scores]


class TestTable:
    def test_columns_are_those_of_table_3(self):
        found = board(whole("good", *GOOD)).flowce
        assert [column.key for column in found.columns] == ["LV", "IE", "RS", "LR", "SM"]
        assert {column.judge for column in found.columns[2:]} == {"offline: lexical"}
        assert [column.judge for column in found.columns[:2]] == ["", ""]

    def test_scores_stand_on_the_scale_of_the_paper(self):
        found = board([*whole("good", *GOOD), *whole("poor", *POOR)])
        assert means(found, "good") == [100.0, 30.0, 80.0, 60.0, 85.0]
        assert row(found, "good").average.interval.mean == pytest.approx(71.0)
        assert means(found, "poor") == [50.0, 5.0, 10.0, 30.0, 10.0]
        assert [each.model for each in found.flowce.rows] == ["good", "poor"]
        assert all(score.best for score in row(found, "good").scores)
        average = row(found, "good").average.interval
        assert average.low < average.mean < average.high
        assert (average.n, average.clusters) == (10, 2)

    def test_a_failure_counts_as_the_worst_value_and_a_lost_judgment_not_at_all(self):
        results = whole("good", *GOOD)
        results = [one for one in results if not one.instance.id.endswith("summarization/1")]
        results.append(failed("good", question("flowce-summarization", 1), Kind.REFUSED))
        results = [one for one in results if not one.instance.id.endswith("reasoning/1")]
        results.append(unjudged("good", "flowce-reasoning", 1))
        found = row(board(results), "good")
        *_, reasoning, _, summary = found.scores
        assert summary.interval.mean == pytest.approx((90 + 10) / 2)
        assert (summary.n, summary.failed) == (2, 1)
        assert (reasoning.interval.mean, reasoning.n, reasoning.infra) == (100.0, 2, 1)
        assert found.average.infra == 1

    def test_there_is_no_average_of_fewer_than_five(self):
        results = [one for one in whole("good", *GOOD) if "localization" not in one.instance.id]
        found = row(board(results), "good")
        assert found.average.interval.mean is None
        assert found.average.reason == "LR is missing"
        assert found.scores[3].reason == "not evaluated"

    def test_a_run_without_flowcharts_has_none(self):
        assert board([]).flowce is None

    def test_baselines_are_not_the_best(self):
        found = board([*whole("oracle", *[(m, m) for m in (1.0, 100.0, 5.0, 5.0, 10.0)]),
                       *whole("good", *GOOD), *whole("poor", *POOR)])  # fmt: skip
        assert means(found, "oracle") == [100.0] * 5
        assert not any(score.best for score in row(found, "oracle").scores)
        assert row(found, "good").average.best


class TestFigures:
    def test_verdicts_are_counted_by_truth(self):
        results = [
            answered("m", "flowce-logic", 0, 1.0, tree="yes"),
            answered("m", "flowce-logic", 1, 0.0, tree="yes"),
            answered("m", "flowce-logic", 2, 0.0, tree="unknown"),
            answered("m", "flowce-logic", 3, 0.0, tree="unreadable"),
            failed("m", question("flowce-logic", 4), Kind.REFUSED),
            failed("m", question("flowce-logic", 5), Kind.NETWORK),
        ]
        (found,) = board(results).flowce.verdicts
        assert {said: n for said, n in found.counts["yes"].items() if n} == {"yes": 1}
        assert {said: n for said, n in found.counts["no"].items() if n} == {
            "yes": 1, "unknown": 1, "unreadable": 1, "failed": 1,
        }  # fmt: skip
        assert (found.n, found.left_out, found.accuracy) == (5, 1, 0.2)

    def test_without_truths_there_are_no_verdicts(self):
        results = whole("good", *GOOD)
        made = leaderboard(results, METRICS, [Named("flowce-logic", ("en",), ())])
        assert made.flowce.verdicts == ()

    def test_a_truth_that_is_gone_is_left_out(self):
        results = [answered("m", "flowce-logic", 0, 1.0)]
        made = leaderboard(results, METRICS, [], truth=lambda item: None)
        assert (made.flowce.verdicts[0].n, made.flowce.verdicts[0].left_out) == (0, 1)

    def test_factors_of_failures_stand_in_no_bar(self):
        results = [
            answered("m", "flowce-extraction", 0, 50.0),
            answered("m", "flowce-extraction", 1, 50.0),
            failed("m", question("flowce-extraction", 2), Kind.REFUSED),
        ]
        (found,) = board(results).flowce.factors
        assert found.counts == (0, 0, 0, 0, 0, 0, 0, 0, 1, 1)
        assert (found.n, found.failed, found.left_out) == (2, 1, 0)
        assert found.mean.mean == pytest.approx(0.9)


class TestForms:
    @pytest.fixture
    def made(self):
        results = [*whole("good|_x", *GOOD, judge=PAID), *whole("poor", *POOR, judge=PAID)]
        results.append(failed("poor", question("flowce-summarization", 2), Kind.REFUSED))
        return board(results)

    def test_csv_has_a_line_for_each_dimension_and_the_average(self, made):
        lines = list(csv.DictReader(io.StringIO(to_csv(made.flowce))))
        assert len(lines) == 12
        summary = next(x for x in lines if (x["model"], x["dimension"]) == ("poor", "SM"))
        assert (summary["score"], summary["n"], summary["failed"]) == ("10.0", "3", "1")
        assert summary["judge"] == "openai/gpt-4o"
        assert {line["dimension"] for line in lines} == {"LV", "IE", "RS", "LR", "SM", "Average"}

    def test_markdown_has_the_paper_s_columns_and_escapes_names(self, made):
        text = to_markdown(made.flowce)
        head, _, first, *_ = text.splitlines()
        assert head.startswith("| Models | LV (n = 2) | IE (n = 2) | RS (n = 2) | LR (n = 2) | SM")
        assert first.startswith(r"| good\|\_x | **100.00** (")
        assert "judged by openai/gpt-4o" in text
        assert "poor, SM: 1 of 3 failed" in text

    def test_the_terminal_shows_judge_intervals_and_failures(self, made):
        console = Console(file=io.StringIO(), width=160, no_color=True)
        for table in tables(made):
            console.print(table)
        text = console.file.getvalue()
        assert "FlowCE, table 3" in text
        assert "(openai/gpt-4o)" in text, "the heading of the judged metric"
        assert "judging poor took 6,000,000/6,000 tokens more, cost: $15.06" in text
        assert "RS, LR, SM judged by openai/gpt-4o" in text

    @pytest.mark.parametrize("width", [80, 40])
    def test_a_narrow_terminal_cuts_nothing_off(self, made, width):
        console = Console(file=io.StringIO(), width=width, no_color=True)
        for table in tables(made, width=width):
            console.print(table)
        _, text = console.file.getvalue().split("FlowCE, table 3", 1)
        for value in ("Average", "71.00", "100.00", "21.00", "not scored"):
            assert value in text
        assert "…" not in text

    def test_the_board_names_the_judge_in_its_files(self, made):
        lines = list(csv.DictReader(io.StringIO(board_csv(made))))
        assert {x["judge"] for x in lines if x["measure"].startswith("judge_")} == {"openai/gpt-4o"}
        assert {x["judge"] for x in lines if not x["measure"].startswith("judge_")} == {""}
        noted = [metric for table in json.loads(made.model_dump_json())["tables"]
                 for metric in table["metrics"] if metric["name"] == "judge_10"]  # fmt: skip
        assert [metric["judge"] for metric in noted] == ["openai/gpt-4o"]

    def test_the_page_shows_table_figures_and_judgments(self, tmp_path):
        blobs = Blobs()
        blobs.data["1" * 64] = b"the truth"
        image = blobs.put(png("a chart"))
        results = whole("good", *GOOD, judge=PAID, image=image)
        results += whole("poor", *POOR, judge=PAID, image=image)
        page = write_site(board(results), results, blobs.load, tmp_path / "report")
        text = page.read_text()
        assert "FlowCE, on the scale of its paper" in text
        assert text.count('class="histogram"') == 2
        assert 'class="said-yes"' in text
        assert "71.00" in text
        assert (page.parent / "flowce.csv").exists()
        assert (page.parent / "flowce.md").exists()
        assert "judge_5 (openai/gpt-4o)" in text
        reasons = (page.parent / "flowce-reasoning.html").read_text()
        assert "judge openai/gpt-4o: &lt;b&gt;close&lt;/b&gt;" in reasons
