"""Scores of a rendering: every metric of its scenario, each pair of pictures decoded once."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, TypeVar

from benchmark import registry
from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import MetricUnavailable, Needs, Scenario
from benchmark.records import Answer, Instance, Rendering, Score, digest_json
from benchmark.store import Store
from metrics.network import device_name, stay_on_one_core
from renderers import canvas

T = TypeVar("T")


def score_key(name: str, scenario: Scenario, instance: Instance, rendering: Rendering) -> str:
    """Return the key of one metric of one rendering."""
    metric = registry.metrics.get(name)
    content: dict[str, Any] = {"metric": [name, metric.version]}
    if metric.needs is Needs.IMAGES:
        content |= {"fit": [scenario.fit, canvas.VERSION]}
        content |= {"prediction": rendering.image, "reference": instance.compared}
        content |= {"device": device_name()}
    else:
        prediction = rendering.text if metric.needs is Needs.TEXTS else rendering.tree
        content |= {"prediction": prediction, "reference": instance.truth}
        content |= {"scenario": [scenario.name, scenario.version]}
    return digest_json(content)


class Scorer:
    """Scores the answers of one scenario; safe for threads.

    `unavailable` maps each metric that cannot run here to the reason, once that is known.
    """

    def __init__(self, store: Store, scenario: Scenario) -> None:
        """Prepare to score; nothing is loaded yet."""
        self.unavailable: dict[str, str] = {}
        self.scenario = scenario.name
        self._store = store
        self._scenario = scenario
        self._truths: dict[str, Outcome[Answer]] = {}
        self._lock = threading.Lock()
        stay_on_one_core()  # whoever holds a scorer calls it from as many threads as are cores

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
            try:
                value = float(metric(*compared.value))
            except MetricUnavailable as reason:
                self.unavailable[name] = str(reason)
                continue
            outcomes[name] = ok(Score(metric=name, version=metric.version, value=value))
        return outcomes

    def _inputs(
        self, needs: Needs, instance: Instance, rendering: Rendering
    ) -> Outcome[tuple[Any, Any]]:
        if needs is Needs.IMAGES:
            return self._pictures(instance, rendering)
        truth = self._truth(instance)
        if isinstance(truth, Failed):
            return truth
        if needs is Needs.TEXTS:
            return ok((rendering.text, truth.value.text))
        return ok((rendering.tree, truth.value.tree))

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
