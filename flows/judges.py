"""Who gives points for free answers in a run: the offline judge, or a model.

``metrics`` says what a judge is told and how its reply is read, ``vlms`` asks; here both meet. A
judge that fails, refuses or replies with anything but a judgment gives no score: the failure is the
infrastructure's, never that of the model whose answer it is, and the next run asks again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Needs, Scenario
from benchmark.records import Completion, Judgment, Score, Usage
from benchmark.registry import RegistryError
from benchmark.settings import Settings
from flows.budget import Budget
from metrics import judge_lexical, judge_rubric
from metrics.judge import JudgedMetric
from metrics.judge_rubric import Case, NoJudgment
from vlms.judge import JudgeModel

OFFLINE = "offline"
"""The setting that means the offline judge."""

READINGS = 3
"""How often a model is asked for one judgment, while its replies are none."""

SAME = "the answer is the reference answer; the judge was not asked"


class Judge(Protocol):
    """Gives points; safe for threads."""

    name: str
    """As the board shows it."""
    model: str | None
    """The model that is asked, and paid for; None where none is."""
    concurrency: int

    def settings(self) -> dict[str, Any]:
        """Return all that can change a judgment, besides the case and the metric's version."""

    def score(self, metric: JudgedMetric, case: Case, subject: str) -> Outcome[Score]:
        """Judge an answer; `subject` names it."""


class OfflineJudge:
    """Judges by the words alone; see ``metrics.judge_lexical``."""

    name: str = judge_lexical.NAME
    model: str | None = None
    concurrency: int = 1

    def settings(self) -> dict[str, Any]:
        """Return the name: the metric's version stands for the rest."""
        return {"name": self.name}

    def score(
        self,
        metric: JudgedMetric,
        case: Case,
        subject: str,  # noqa: ARG002 - as in Judge
    ) -> Outcome[Score]:
        """Compare the words of answer and reference."""
        value = float(metric(case.answer, case.reference))
        judgment = Judgment(judge=self.name, reason="by the words that both texts share")
        return ok(_score(metric, value, judgment))


class ModelJudge:
    """Judges by asking a model."""

    def __init__(self, model: JudgeModel, budget: Callable[[], Budget]) -> None:
        """Judge by a model, as long as the budget of the evaluation lasts."""
        self.name = model.name
        self.model: str | None = model.name
        self.concurrency = model.concurrency
        self._asked = model
        self._budget = budget

    def settings(self) -> dict[str, Any]:
        """Return the model, its settings and the version of the rubric."""
        settings = self._asked.settings()
        return {"name": self.name, "settings": settings, "rubric": judge_rubric.VERSION}

    def score(self, metric: JudgedMetric, case: Case, subject: str) -> Outcome[Score]:
        """Ask until a reply is a judgment, at most ``READINGS`` times.

        Nobody is asked about an answer that is the reference answer, sign by sign.
        """
        if case.answer.strip() == case.reference.strip():
            return ok(_score(metric, metric.best, Judgment(judge=self.name, reason=SAME)))
        brief = judge_rubric.brief(metric.scale, case)
        spent = Usage()
        said = ""
        for _ in range(READINGS):
            ended = self._budget().ended()
            if ended is not None:
                return Failed.of(Stage.SCORE, ended.kind, ended.message)
            reply = self._asked.ask(brief.rubric, brief.case, subject)
            if isinstance(reply, Failed):
                return _no_judgment(reply)
            self._budget().spend(self.name, reply.value.usage, judging=True)
            spent = _sum(spent, reply.value.usage)
            try:
                mark = judge_rubric.read_mark(reply.value.text, metric.scale)
            except NoJudgment as reason:
                said = str(reason)
                continue
            judgment = _judgment(self.name, mark.reason, reply.value, spent)
            return ok(_score(metric, float(mark.points), judgment))
        message = f"{self.name} gave no judgment in {READINGS} replies: {said}"
        return Failed.of(Stage.SCORE, Kind.NO_JUDGMENT, message)


def build_judge(settings: Settings, budget: Callable[[], Budget]) -> Judge:
    """Return the judge that the settings name; nothing is sent yet.

    Raises:
        RegistryError: no such judge.
    """
    if settings.judge == OFFLINE:
        return OfflineJudge()
    if "/" not in settings.judge:
        raise RegistryError(
            f"no judge is called {settings.judge!r}; RERENDER_JUDGE is {OFFLINE}, or a model such "
            f"as openai/gpt-4.1"
        )
    return ModelJudge(JudgeModel(settings.judge, settings, judge_rubric.SCHEMA), budget)


def is_judged(scenario: Scenario) -> bool:
    """Tell whether a judge gives a metric of a scenario its values.

    Such a scenario is scored in threads: where the judge is a model, they wait for it.
    """
    return any(registry.metrics.get(name).needs is Needs.JUDGMENT for name in scenario.metrics)


def _score(metric: JudgedMetric, value: float, judgment: Judgment) -> Score:
    return Score(metric=metric.name, version=metric.version, value=value, judgment=judgment)


def _judgment(judge: str, reason: str, reply: Completion, spent: Usage) -> Judgment:
    return Judgment(judge=judge, reason=reason, usage=spent, model=reply.model, notes=reply.notes)


def _no_judgment(failure: Failed) -> Failed:
    """Return a judge's failure as one that is not the judged model's fault."""
    kind = Kind.NO_JUDGMENT if failure.final else failure.kind
    message = f"the judge gave no judgment: {failure.message}"
    return Failed.of(Stage.SCORE, kind, message, failure.detail)


def _sum(one: Usage, other: Usage) -> Usage:
    return Usage(
        input_tokens=one.input_tokens + other.input_tokens,
        output_tokens=one.output_tokens + other.output_tokens,
        reasoning_tokens=one.reasoning_tokens + other.reasoning_tokens,
    )


def paid(models: Iterable[str], judge: Judge | None) -> list[str]:
    """Return all whose tokens count against the budget: who is asked, and the model that judges."""
    return [*models, *((judge.model,) if judge is not None and judge.model else ())]
