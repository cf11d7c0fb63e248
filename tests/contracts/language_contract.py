"""What every language must do with any text; a test module subclasses ``LanguageContract``."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok, Stage
from benchmark.protocols import Language
from benchmark.records import Answer

SIGNS = st.sampled_from([*"{}[]<>\"'\\%#&$;:=-|*`~\n \t/", "```", "<think>", "->", "--"])
PARSE_KINDS = {
    Kind.PARSE_ERROR,
    Kind.NO_ANSWER,
    Kind.TRUNCATED,
    Kind.UNSUPPORTED,
    Kind.UNSAFE_INPUT,
    Kind.MISSING_RESOURCE,
    Kind.RESOURCE_LIMIT,
}


class LanguageContract:
    """Subclass, set ``language`` (an instance), ``sample`` (a good source) and ``words``."""

    language: Language
    sample: str
    words: tuple[str, ...] = ()

    def test_has_what_a_language_has(self):
        assert isinstance(self.language, Language)
        assert self.language.name
        assert self.language.version
        assert self.language.renderer

    def test_reads_a_bare_source_and_a_fenced_one_alike(self):
        bare = self._read(self.sample)
        fenced = self._read(f"Here it is:\n```{self.language.name}\n{self.sample}\n```\nDone.")
        assert bare.structure.digest == fenced.structure.digest
        assert bare.text == fenced.text
        assert bare.repairs == fenced.repairs == ()
        assert bare.flags == fenced.flags == ()

    def test_drops_reasoning(self):
        tag = self.language.name
        thought = f"<think>\n```{tag}\nnonsense\n```\n</think>\n```{tag}\n{self.sample}\n```"
        assert self._read(thought).structure.digest == self._read(self.sample).structure.digest

    @pytest.mark.parametrize("text", ["", "   \n", "```\n```", "<think>nothing</think>"])
    def test_empty_text_is_no_answer(self, text):
        outcome = self.language.read(text)
        assert isinstance(outcome, Failed)
        assert outcome.kind is Kind.NO_ANSWER

    def test_reading_is_a_function(self):
        assert self._read(self.sample) == self._read(self.sample)

    def test_repair_ends(self):
        answer = self._read(self.sample)
        failure = Failed.of(Stage.RENDER, Kind.COMPILE_ERROR, "some error of the tool")
        seen = {answer.structure.digest}
        for _ in range(10):
            repaired = self.language.repair(answer, failure)
            if repaired is None:
                return
            assert len(repaired.repairs) > len(answer.repairs)
            assert repaired.structure.digest not in seen
            seen.add(repaired.structure.digest)
            answer = repaired
        pytest.fail("repair never gives up")

    def test_resource_failures_are_not_repaired(self):
        answer = self._read(self.sample)
        for kind in (Kind.TIMEOUT, Kind.RESOURCE_LIMIT, Kind.UNSAFE_INPUT):
            failure = Failed.of(Stage.RENDER, kind, "the sandbox stopped it")
            assert self.language.repair(answer, failure) is None

    def test_any_text_is_read_or_fails_as_a_value(self):
        words = st.sampled_from(self.words) if self.words else st.nothing()

        @given(st.text() | st.lists(SIGNS | words, max_size=50).map("".join))
        def check(text: str) -> None:
            self._check(self.language.read(text))

        check()

    def test_any_prefix_of_a_source_is_read_or_fails_as_a_value(self):
        @given(st.integers(0, len(self.sample)))
        def check(length: int) -> None:
            self._check(self.language.read(self.sample[:length]))
            self._check(self.language.read(f"```{self.language.name}\n{self.sample[:length]}"))

        check()

    def _read(self, text: str) -> Answer:
        outcome = self.language.read(text)
        assert isinstance(outcome, Ok), outcome
        return outcome.value

    @staticmethod
    def _check(outcome) -> None:
        if isinstance(outcome, Failed):
            assert outcome.stage is Stage.PARSE
            assert outcome.kind in PARSE_KINDS
        else:
            answer = outcome.value
            assert answer.structure.entry in answer.structure.files
            Answer.model_validate_json(answer.model_dump_json())
