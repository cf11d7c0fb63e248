"""Judges: points, failures that are never the judged model's, budgets and keys."""

from __future__ import annotations

import json

import pytest

from benchmark.outcome import Blame, Failed, Kind, Ok, Stage
from benchmark.protocols import Fit
from benchmark.records import Rendering, Usage
from benchmark.registry import RegistryError
from benchmark.settings import Settings
from flows.budget import Budget
from flows.judges import READINGS, ModelJudge, OfflineJudge, build_judge, is_judged
from flows.scoring import Scorer, score_key
from metrics.judge import METRIC_5, METRIC_10
from metrics.judge_rubric import SCHEMA, Case
from tests.reports.samples import instance
from tests.servers.openai_server import OpenAIServer, answer, error
from vlms.judge import JudgeModel
from vlms.patience import Patience

NAME = "openai-api/stand-in/judge-1"
CASE = Case("What comes last?", "The end.", "It ends.")


@pytest.fixture(scope="module")
def openai_server():
    with OpenAIServer() as server:
        yield server


class Bench:
    """A judge of the stand-in server, with its budget and waits."""

    def __init__(self, server):
        self.server, self.waits, self.budget = server, [], Budget()
        settings = Settings(judge_base_url=server.url, model_timeout=20)
        patience = Patience(retries=2, sleep=self.waits.append)
        model = JudgeModel(NAME, settings, SCHEMA, patience)
        self.judge = ModelJudge(model, lambda: self.budget)

    def score(self, *behaviours, metric=METRIC_5):
        self.server.script(*behaviours)
        return self.judge.score(metric, CASE, "flowce/1")


@pytest.fixture
def bench(openai_server, monkeypatch):
    monkeypatch.setenv("STAND_IN_API_KEY", "test-key")
    return Bench(openai_server)


def mark(points, usage=(90, 10, 0)):
    return answer(json.dumps({"reason": "close enough", "points": points}), usage=usage)


def infra(outcome, kind):
    assert isinstance(outcome, Failed), outcome
    assert (outcome.stage, outcome.kind, outcome.blame) == (Stage.SCORE, kind, Blame.INFRA)
    assert not outcome.final
    return outcome


class TestModel:
    def test_gives_points_with_reason_and_usage(self, bench):
        score = bench.score(mark(4)).value
        assert (score.metric, score.version, score.value) == ("judge_5", "1", 4.0)
        assert (score.judgment.judge, score.judgment.reason) == (NAME, "close enough")
        assert score.judgment.model == "stand-in-2026"
        assert score.judgment.usage == Usage(input_tokens=90, output_tokens=10)
        assert (bench.budget.tokens, bench.budget.judge_tokens) == (100, 100)

    def test_the_reference_answer_has_all_points_without_asking(self, bench):
        bench.server.script(mark(0))
        same = Case(CASE.question, CASE.reference, f"{CASE.reference}\n")
        score = bench.judge.score(METRIC_10, same, "flowce/1").value
        assert score.value == METRIC_10.best
        assert "was not asked" in score.judgment.reason
        assert not bench.server.requests

    def test_the_scale_is_that_of_the_metric(self, bench):
        assert bench.score(mark(9), metric=METRIC_10).value.value == 9.0
        infra(bench.score(mark(9)), Kind.NO_JUDGMENT)

    @pytest.mark.parametrize("text", ["5 points!", '{"reason": "x", "points": 6}', '{"points"'])
    def test_an_unreadable_reply_is_asked_again(self, bench, text):
        score = bench.score(answer(text, usage=(90, 10, 0)), mark(2)).value
        assert score.value == 2.0
        assert score.judgment.usage.input_tokens == 180, "both replies are paid for"
        assert bench.budget.tokens == 200

    def test_unreadable_to_the_end_is_no_score(self, bench):
        failure = infra(bench.score(answer("yes")), Kind.NO_JUDGMENT)
        assert len(bench.server.requests) == READINGS
        assert "gave no judgment in 3 replies" in failure.message
        assert bench.budget.judge_tokens == READINGS * 18

    def test_a_refusal_is_the_judges_not_the_models(self, bench):
        failure = infra(bench.score(answer(None, refusal="I will not.")), Kind.NO_JUDGMENT)
        assert "I will not." in failure.message

    def test_an_empty_or_cut_off_reply_likewise(self, bench):
        infra(bench.score(answer("")), Kind.NO_JUDGMENT)
        infra(bench.score(answer("", finish="length")), Kind.NO_JUDGMENT)

    def test_a_server_error_then_success(self, bench):
        assert bench.score(error(500, "oops"), mark(1)).value.value == 1.0

    def test_a_rate_limit_is_waited_for_and_may_last(self, bench):
        limit = error(429, "slow down", {"retry-after": "9"})
        assert bench.score(limit, mark(0)).value.value == 0.0
        assert bench.waits[0] >= 9
        infra(bench.score(limit), Kind.RATE_LIMITED)

    def test_a_wrong_key_says_which(self, bench):
        failure = infra(bench.score(error(401, "no")), Kind.UNAUTHORIZED)
        assert "STAND_IN_API_KEY" in failure.message

    def test_nobody_is_asked_when_the_budget_is_used_up(self, bench):
        bench.budget = Budget(most_tokens=100)
        assert isinstance(bench.score(mark(3)), Ok)
        failure = infra(bench.score(mark(3)), Kind.QUOTA)
        assert "100 of 100 tokens, 100 by the judge" in failure.message
        assert not bench.server.requests


def test_the_offline_judge_is_named_as_such():
    score = OfflineJudge().score(METRIC_10, CASE, "x").value
    assert score.judgment.judge == "offline: lexical"
    assert score.value == METRIC_10(CASE.answer, CASE.reference)


class TestSetting:
    def test_offline_is_what_nobody_asked_for(self):
        assert isinstance(build_judge(Settings(), Budget), OfflineJudge)

    def test_a_model_is_opened_but_not_asked(self, openai_server, monkeypatch):
        monkeypatch.setenv("STAND_IN_API_KEY", "k")
        openai_server.script(mark(1))
        judge = build_judge(Settings(judge=NAME, judge_base_url=openai_server.url), Budget)
        assert (judge.name, judge.model, judge.concurrency) == (NAME, NAME, 8)
        assert judge.settings()["settings"]["base_url"].startswith(openai_server.url)
        assert not openai_server.requests

    @pytest.mark.parametrize("name", ["gpt-4", "nope/model"])
    def test_an_unknown_judge_is_told(self, name):
        with pytest.raises(RegistryError, match=r"no (judge|model) is called"):
            build_judge(Settings(judge=name), Budget)


class Talk:
    """A scenario of free answers."""

    name, version, subsets, renderer = "talk", "1", ("all",), None
    metrics, fit = ("judge_5", "edit"), Fit.PAD


class Truth:
    """A store that holds one truth."""

    def get(self, digest):
        return CASE.reference.encode()


class TestScorer:
    rendering = Rendering(image=None, text=CASE.answer)
    blank = instance("1", scenario="talk")
    asked = blank.model_copy(update={"attributes": {"question": CASE.question}})

    @pytest.fixture
    def scenario(self):
        from benchmark.outcome import ok
        from benchmark.records import Answer, Structure

        class Reading(Talk):
            def read(self, text, *, truncated=False):
                structure = Structure(files={"a": text.encode()}, entry="a")
                return ok(Answer(structure=structure, text=text))

        return Reading()

    def test_asks_its_judge_and_computes_the_rest(self, scenario):
        assert is_judged(scenario)
        found = Scorer(Truth(), scenario, OfflineJudge()).score(
            self.asked, self.rendering, scenario.metrics
        )
        assert found["judge_5"].value.judgment.judge == "offline: lexical"
        assert found["edit"].value.judgment is None

    def test_never_judges_without_a_judge(self, scenario):
        found = Scorer(Truth(), scenario).score(self.asked, self.rendering, ["judge_5"])
        infra(found["judge_5"], Kind.INTERNAL_ERROR)
        with pytest.raises(ValueError, match="no key without its judge"):
            score_key("judge_5", scenario, self.asked, self.rendering)

    def test_an_instance_without_a_question_is_our_fault(self, scenario):
        scorer = Scorer(Truth(), scenario, OfflineJudge())
        found = scorer.score(self.blank, self.rendering, ["judge_5"])
        assert "no attribute question" in infra(found["judge_5"], Kind.INTERNAL_ERROR).message

    def test_the_key_tells_judges_and_questions_apart(self, scenario, bench):
        other = self.asked.model_copy(update={"attributes": {"question": "And first?"}})
        keys = [
            Scorer(Truth(), scenario, judge).key("judge_5", item, self.rendering)
            for judge in (OfflineJudge(), bench.judge)
            for item in (self.asked, other)
        ]
        assert len(set(keys)) == 4
        plain = Scorer(Truth(), scenario, bench.judge).key("edit", other, self.rendering)
        assert plain == score_key("edit", scenario, self.asked, self.rendering)
