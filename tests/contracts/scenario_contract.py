"""What every scenario must do; a test module subclasses ``ScenarioContract``."""

from __future__ import annotations

import datetime as dt
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok, Stage
from benchmark.protocols import Fit, Needs, Scenario
from benchmark.records import Answer, Instance, Provenance
from tests.contracts.language_contract import PARSE_KINDS, SIGNS


def instance(scenario: Scenario, subset: str, attributes: dict | None = None) -> Instance:
    """Return an instance that has everything but contents."""
    return Instance(
        id=f"{scenario.name}/{subset}/x",
        scenario=scenario.name,
        subset=subset,
        image="0" * 64,
        truth="1" * 64,
        provenance=Provenance(
            source="bundled", author="nobody", licence="CC0-1.0", created=dt.date(2026, 1, 1)
        ),
        attributes=attributes or {},
    )


class ScenarioContract:
    """Subclass, set ``scenario`` (an instance) and ``sample`` (a good answer).

    ``attributes`` are those that every instance of the scenario has, if it needs any to be asked.
    """

    scenario: Scenario
    sample: str
    attributes: ClassVar[dict] = {}

    def test_has_what_a_scenario_has(self):
        assert isinstance(self.scenario, Scenario)
        assert self.scenario.name
        assert self.scenario.version
        assert self.scenario.renderer is None or self.scenario.renderer in registry.renderers
        needs = {registry.metrics.get(name).needs for name in self.scenario.metrics}
        assert self.scenario.renderer is not None or Needs.IMAGES not in needs
        assert isinstance(self.scenario.fit, Fit)
        assert len(set(self.scenario.subsets)) == len(self.scenario.subsets) > 0
        assert len(set(self.scenario.metrics)) == len(self.scenario.metrics) > 0

    def test_each_subset_has_a_prompt(self):
        for subset in self.scenario.subsets:
            asked = instance(self.scenario, subset, self.attributes)
            prompt = self.scenario.prompt(asked)
            assert len(prompt.strip()) > 50
            assert prompt == self.scenario.prompt(asked)

    def test_blank_is_read_without_repairs(self):
        blank = self._read(self.scenario.blank())
        assert blank.repairs == ()
        assert blank.flags == ()
        assert blank.structure.digest != self._read(self.sample).structure.digest

    def test_sample_is_read_without_repairs_and_the_same_each_time(self):
        answer = self._read(self.sample)
        assert answer == self._read(self.sample)
        assert answer.repairs == ()
        assert answer.flags == ()
        assert answer.text

    def test_reasoning_and_prose_change_nothing(self):
        fenced = f"<think>hm</think>Here it is:\n```\n{self.sample}\n```\nDone."
        assert self._read(fenced).structure.digest == self._read(self.sample).structure.digest

    @pytest.mark.parametrize("text", ["", " \n", "```\n```", "<think>only thoughts"])
    def test_nothing_is_a_typed_failure(self, text):
        outcome = self.scenario.read(text)
        assert isinstance(outcome, Failed)
        assert outcome.kind in (Kind.NO_ANSWER, Kind.TRUNCATED)
        cut = self.scenario.read(text, truncated=True)
        assert isinstance(cut, Failed)
        assert cut.kind is Kind.TRUNCATED

    def test_repair_gives_up(self):
        answer = self._read(self.sample)
        failure = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "some error of the tool")
        for _ in range(10):
            repaired = self.scenario.repair(answer, failure)
            if repaired is None:
                return
            assert repaired.structure.digest != answer.structure.digest
            answer = repaired
        pytest.fail("repair never gives up")

    def test_any_text_is_read_or_fails_as_a_value(self):
        @given(st.text() | st.lists(SIGNS, max_size=50).map("".join), st.booleans())
        def check(text: str, truncated: bool) -> None:
            self._check(self.scenario.read(text, truncated=truncated))

        check()

    def test_any_prefix_is_read_or_fails_as_a_value(self):
        @given(st.integers(0, len(self.sample)))
        def check(length: int) -> None:
            self._check(self.scenario.read(f"```\n{self.sample[:length]}", truncated=True))

        check()

    def _read(self, text: str) -> Answer:
        outcome = self.scenario.read(text)
        assert isinstance(outcome, Ok), outcome
        return outcome.value

    @staticmethod
    def _check(outcome) -> None:
        if isinstance(outcome, Failed):
            assert outcome.stage is Stage.PARSE
            assert outcome.kind in PARSE_KINDS
        else:
            assert Answer.model_validate_json(outcome.value.model_dump_json()) == outcome.value
