"""`rerender judge-agreement`: files, bad lines, dimensions, and the points of a run."""

from __future__ import annotations

import json

import pytest

from benchmark.outcome import Failed, Kind, Stage, ok
from benchmark.records import Completion, Judgment, Rendering, Score
from flows.judge_agreement import ALL, judgments, pair_up, read_lines
from flows.judging import UnusableInput
from reports.results import Result
from tests.flows.test_cli import rerender
from tests.reports.samples import instance

ROWS = [(0, 1, "RS"), (1, 0, "RS"), (2, 3, "RS"), (3, 2, "RS"), (4, 5, "RS"), (5, 4, "RS"),
        (1, 2, "SM"), (1, 5, "SM"), (1, 9, "SM")]  # fmt: skip
CSV = "human,judge,dimension\n" + "".join(f"{h},{j},{d}\n" for h, j, d in ROWS)


def file(tmp_path, text, name="points.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("points.csv", CSV),
        ("points.csv", "\ufeff" + CSV),
        ("points.tsv", CSV.replace(",", "\t")),
        ("points.jsonl", "".join(
            json.dumps({"human": h, "judge": j, "dimension": d, "more": [1]}) + "\n\n"
            for h, j, d in ROWS)),
    ],
    ids=["csv", "with a byte order mark", "tsv", "jsonl"],
)  # fmt: skip
def test_every_form_gives_the_same(tmp_path, name, text):
    whole, reasoning, summary = pair_up(read_lines(file(tmp_path, text, name)), None)
    assert (whole.dimension, whole.n, whole.instances, whole.unjudged) == (ALL, 9, 9, 0)
    assert (reasoning.dimension, reasoning.n) == ("RS", 6)
    pearson, spearman, kappa = reasoning.measures
    assert pearson.value == pytest.approx(14.5 / 17.5)
    assert spearman.value == pytest.approx(1 - 36 / 210)
    assert kappa.value == pytest.approx(1 - 6 / 35)
    assert {one.value for one in summary.measures} == {None}
    assert summary.measures[0].reason == "undefined: all human points are equal"


class TestBadLines:
    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                "human,judge\n1,2\nx,3\n1,nan\n",
                "line 3: human is 'x', not a number of points; line 4: judge",
            ),
            ("human,judge\n,2\n", "line 2: no points in human"),
            ("human,judge\n" + "a,1\n" * 7, "and 2 more lines"),
            ("points,judge\n1,2\n", "has no column human in its first line"),
            ("", "has no column human"),
            ("human,judge\n", "holds no points"),
            ('human,judge\n"1,2\n', "holds no points|not a number|no points"),
        ],
    )
    def test_are_named(self, tmp_path, text, said):
        with pytest.raises(UnusableInput, match=said):
            read_lines(file(tmp_path, text))

    @pytest.mark.parametrize("text", ["[1]", "{", '{"human": true}', '{"human": {}}', "[" * 9999])
    def test_of_json_are_named(self, tmp_path, text):
        with pytest.raises(UnusableInput, match="line 1"):
            read_lines(file(tmp_path, text, "points.jsonl"))

    def test_lines_without_a_judge_are_named(self, tmp_path):
        lines = read_lines(file(tmp_path, "human,judge\n1,2\n1,\n"))
        with pytest.raises(UnusableInput, match="no judge in line 3"):
            pair_up(lines, None)

    def test_another_encoding_is_told(self, tmp_path):
        path = tmp_path / "points.csv"
        path.write_bytes("human,judge,dimension\n1,2,é\n".encode("latin-1"))
        with pytest.raises(UnusableInput, match="not UTF-8"):
            read_lines(path)


def judged(number, value):
    failure = Failed.of(Stage.SCORE, Kind.NO_JUDGMENT, "refused")
    score = Score(metric="judge_5", version="1", value=value, judgment=Judgment(judge="m"))
    if value is None:
        score = Score(metric="judge_5", version="1", value=None, reason="x", failure=failure)
    return Result(
        model="toy",
        instance=instance(f"q{number}"),
        completion=ok(Completion(text="a")),
        rendering=ok(Rendering(image=None, text="a")),
        scores=(score, Score(metric="edit", version="1", value=0.5)),
    )


class TestRun:
    results = (judged(0, 1.0), judged(1, 0.0), judged(2, 4.0), judged(3, None))

    def lines(self, tmp_path, models=("toy",)):
        rows = [f"q{n},{model},{n}" for model in models for n in range(4)]
        return read_lines(file(tmp_path, "instance,model,human\n" + "\n".join(rows)))

    def test_points_are_found_by_instance_and_model(self, tmp_path):
        (found,) = pair_up(self.lines(tmp_path), judgments(self.results))
        assert (found.n, found.unjudged, found.instances) == (3, 1, 3)
        assert found.measures[0].value == pytest.approx(3 / (2 * 26 / 3) ** 0.5)

    def test_a_file_of_another_run_is_told(self, tmp_path):
        with pytest.raises(UnusableInput, match="holds no judgment"):
            pair_up(self.lines(tmp_path, ["other"]), judgments(self.results))

    def test_lines_without_a_name_are_named(self, tmp_path):
        lines = read_lines(file(tmp_path, "instance,human\nq1,2\n"))
        with pytest.raises(UnusableInput, match="no instance and model in line 2"):
            pair_up(lines, judgments(self.results))


class TestCommand:
    def test_json_is_one_object(self, tmp_path):
        done = rerender("judge-agreement", str(file(tmp_path, CSV)), "--json")
        assert done.returncode == 0, done.stderr
        whole, *_ = json.loads(done.stdout)["groups"]
        assert (whole["dimension"], whole["n"]) == ("all", 9)
        assert [one["measure"] for one in whole["measures"]] == [
            *("pearson", "spearman", "quadratic_kappa")
        ]

    def test_the_table_shows_n_intervals_and_what_is_undefined(self, tmp_path):
        text = CSV + "".join(f"{h},{j},LR\n" for h, j, _ in ROWS + ROWS)
        done = rerender("judge-agreement", str(file(tmp_path, text)))
        assert done.returncode == 0, done.stderr
        undefined = "SM: pearson, spearman, quadratic kappa undefined"
        for text in ("0.829", "no interval: fewer than 10 instances", undefined, " to "):
            assert text in done.stdout

    @pytest.mark.parametrize(
        ("text", "options", "said"),
        [
            ("human,judge\nx,1\n", [], "line 2: human is 'x', not a number"),
            ("human,judge\n1e308,1\n", [], "line 2: human is '1e308', not a number of points"),
            (CSV, ["--run", "nothing"], "no run is called 'nothing'"),
        ],
    )
    def test_errors_are_one_line(self, tmp_path, text, options, said):
        store = tmp_path / "store"
        done = rerender("judge-agreement", str(file(tmp_path, text)), *options, store=store)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) <= 2
