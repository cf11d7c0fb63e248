"""Scores of a rendering: every metric of its scenario, each pair of pictures decoded once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, TypeVar

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Metric, MetricUnavailable, Needs, Scenario
from benchmark.records import Answer, Instance, Rendering, Score, digest_json
from benchmark.store import Store
from flows.judges import Judge
from metrics.judge import JudgedMetric
from metrics.judge_rubric import Case
from metrics.network import device_name, stay_on_one_core
from renderers import canvas

T = TypeVar("T")


def score_key(
    name: str,
    scenario: Scenario,
    instance: Instance,
    rendering: Rendering,
    judge: Judge | None = None,
) -> str:
    """Return the key of one metric of one rendering.

    Raises:
        ValueError: a judge gives the metric its values, and none is named.
    """
    metric = registry.metrics.get(name)
    content: dict[str, Any] = {"metric": [name, metric.version]}
    if metric.needs is Needs.IMAGES:
        content |= {"fit": [scenario.fit, canvas.VERSION]}
        content |= {"prediction": rendering.image, "reference": instance.compared}
        content |= {"device": device_name()}
    else:
        prediction = rendering.tree if metric.needs is Needs.TREES else rendering.text
        content |= {"prediction": prediction, "reference": instance.truth}
        content |= {"scenario": [scenario.name, scenario.version]}
    if metric.needs is Needs.JUDGMENT:
        if judge is None:
            raise ValueError(f"{name} has no key without its judge")
        content |= {"judge": judge.settings(), "question": instance.attributes.get("question")}
    return digest_json(content)


class Scorer:
    """Scores the answers of one scenario; safe for threads.

    `unavailable` maps each metric that cannot run here to the reason, once that is known.
    """

    def __init__(self, store: Store, scenario: Scenario, judge: Judge | None = None) -> None:
        """Prepare to score; nothing is loaded yet.

        Args:
            store: holds pictures and truths.
            scenario: whose answers are scored.
            judge: gives the values of judged metrics; needed where the scenario has one.
        """
        self.unavailable: dict[str, str] = {}
        self.scenario = scenario.name
        self._store = store
        self._scenario = scenario
        self._judge = judge
        self._truths: dict[str, Outcome[Answer]] = {}
        self._lock = threading.Lock()
        stay_on_one_core()  # whoever holds a scorer calls it from as many threads as are cores

    def key(self, name: str, instance: Instance, rendering: Rendering) -> str:
        """Return the key of one metric of one rendering."""
        return score_key(name, self._scenario, instance, rendering, self._judge)

    def score(
        self, instance: Instance, rendering: Rendering, names: Sequence[str]
    ) -> dict[str, Outcome[Score]]:
        """Return outcomes by metric name; metrics that cannot run here are left out."""
        outcomes: dict[str, Outcome[Score]] = {}
        inputs: dict[Needs, Outcome[tuple[Any, Any]]] = {}
        for name in names:
            metric = registry.metrics.get(name)
            if name in self.unavailable:
                continue
            if metric.needs not in inputs:
                inputs[metric.needs] = self._inputs(metric.needs, instance, rendering)
            compared = inputs[metric.needs]
            if isinstance(compared, Failed):
                outcomes[name] = compared
                continue
            if metric.needs is Needs.JUDGMENT:
                outcomes[name] = self._judged(metric, instance, *compared.value)
                continue
            try:
                value = float(metric(*compared.value))
            except MetricUnavailable as reason:
                self.unavailable[name] = str(reason)
                continue
            outcomes[name] = ok(Score(metric=name, version=metric.version, value=value))
        return outcomes

    def _judged(
        self, metric: Metric, instance: Instance, answer: str, reference: str
    ) -> Outcome[Score]:
        """Have an answer judged."""
        question = instance.attributes.get("question")
        if self._judge is None or not isinstance(metric, JudgedMetric):
            reason = f"{metric.name} has no {'scale' if self._judge else 'judge'}"
            return Failed.of(Stage.SCORE, Kind.INTERNAL_ERROR, reason)
        if not isinstance(question, str) or not question:
            reason = "nothing to judge by: the instance has no attribute question"
            return Failed.of(Stage.SCORE, Kind.INTERNAL_ERROR, reason)
        case = Case(question=question, reference=reference, answer=answer)
        return self._judge.score(metric, case, instance.id)

    def _inputs(
        self, needs: Needs, instance: Instance, rendering: Rendering
    ) -> Outcome[tuple[Any, Any]]:
        if needs is Needs.IMAGES:
            return self._pictures(instance, rendering)
        truth = self._truth(instance)
        if isinstance(truth, Failed):
            return truth
        if needs is Needs.TREES:
            return ok((rendering.tree, truth.value.tree))
        return ok((rendering.text, truth.value.text))

    def _pictures(self, instance: Instance, rendering: Rendering) -> Outcome[tuple[Any, Any]]:
        if rendering.image is None:
            reason = f"{self._scenario.name} renders nothing, so it has no pictures to compare"
            return Failed.of(Stage.SCORE, Kind.INTERNAL_ERROR, reason)
        prediction = canvas.decode(self._store.get(rendering.image))
        if isinstance(prediction, Failed):
            return prediction
        reference = _ours(canvas.decode(self._store.get(instance.compared)), "picture")
        if isinstance(reference, Failed):
            return reference
        return ok(canvas.fit(prediction.value, reference.value, self._scenario.fit))

    def _truth(self, instance: Instance) -> Outcome[Answer]:
        if instance.truth is None:
            reason = "the truth of this instance is not known, only its picture"
            return Failed.of(Stage.SCORE, Kind.INTERNAL_ERROR, reason)
        with self._lock:
            if instance.truth not in self._truths:
                text = self._store.get(instance.truth).decode()
                self._truths[instance.truth] = _ours(self._scenario.read(text), "truth")
            return self._truths[instance.truth]


def _ours(outcome: Outcome[T], what: str) -> Outcome[T]:
    """Blame the snapshot, not the model, for a reference that cannot be used."""
    if isinstance(outcome, Failed):
        message = f"the {what} of the instance cannot be read: {outcome.message}"
        return Failed.of(Stage.SCORE, Kind.INTERNAL_ERROR, message)
    return outcome
