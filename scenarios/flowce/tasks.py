"""FlowCE's five dimensions as scenarios: nothing is rendered, answers are compared.

What is asked of an instance stands in its attributes:

* ``question``: the question, or the statement to be verified, in words;
* ``kind``: what is asked, for statistics;
* ``document``: the flowchart that it is asked about.

The tree of an answer is what the metrics compare: a verdict (``yes``, ``no``, ``unknown``,
``unreadable``), a list of texts, or the free text.
"""

from __future__ import annotations

from pydantic import JsonValue

from benchmark.outcome import Failed, Kind, Outcome, Stage, ok
from benchmark.protocols import Fit
from benchmark.records import Answer, Flag, Instance, Structure, whole
from scenarios.flowce.derivation import Deriving
from scenarios.flowce.questions import Dimension
from scenarios.flowce.texts import read_texts, write_texts
from scenarios.mindbench.phrasing import LANGUAGES, language_of, read_sections
from scenarios.parsing import Extracted, extract, extract_prose
from scenarios.verdicts import read_verdict

UNREADABLE = "unreadable"
"""The tree of an answer to a statement that holds no verdict, not even that it is unknown."""

_ANSWER = "answer.txt"
_TAGS = ("json", "text", "txt", "plaintext", "markdown")


class _Question(Deriving):
    """What the five have in common."""

    name: str
    family = "flowce"
    version = "2"
    subsets: tuple[str, ...] = LANGUAGES
    renderer = None
    metrics: tuple[str, ...]
    fit = Fit.PAD

    def prompt(self, instance: Instance) -> str:
        """Return the question and how to answer it, in the language of the instance."""
        sections = read_sections("flowce", language_of(instance.subset))
        frame = sections[self.name.removeprefix("flowce-")]
        return frame.replace("{question}", str(instance.attributes["question"]).strip())

    def blank(self) -> str:
        """Return an answer that says nothing."""
        return "None"

    def read(self, text: str, *, truncated: bool = False) -> Outcome[Answer]:
        """Read an answer, or a truth as it was published.

        Returns:
            An answer whose ``tree`` is what the metrics compare, or a failure of stage parse where
            there is no answer at all.
        """
        outcome = self._extract(text, truncated=truncated)
        if isinstance(outcome, Failed):
            return outcome
        found = outcome.value
        written = whole(found.text.strip())
        if not written:
            return Failed.of(Stage.PARSE, Kind.NO_ANSWER, "the completion holds no answer")
        return ok(self._answer(written, found))

    def repair(self, answer: Answer, failure: Failed) -> Answer | None:  # noqa: ARG002 - contract
        """Return None: nothing is rendered."""
        return None

    def _extract(self, text: str, *, truncated: bool) -> Outcome[Extracted]:
        return extract_prose(text, _TAGS, truncated=truncated)

    def _answer(self, written: str, found: Extracted) -> Answer:
        return _as_read(written, written, found)


def _as_read(written: str, tree: JsonValue, found: Extracted, *flags: Flag) -> Answer:
    return Answer(
        structure=Structure(files={_ANSWER: written.encode()}, entry=_ANSWER),
        text=written,
        tree=tree,
        repairs=found.repairs,
        flags=tuple(dict.fromkeys((*found.flags, *flags))),
    )


class FlowceLogic(_Question):
    """Logical verification: does a statement hold in the flowchart, yes or no?"""

    name = "flowce-logic"
    dimension = Dimension.LOGIC
    metrics = ("verdict_accuracy",)

    def blank(self) -> str:
        """Return an answer without a verdict of yes or no."""
        return "Unknown"

    def _answer(self, written: str, found: Extracted) -> Answer:
        verdict = read_verdict(written, "zh")
        if verdict is not None:
            return _as_read(written, verdict, found)
        message = "unreadable verdict: neither yes nor no, nor that it cannot be determined"
        return _as_read(written, UNREADABLE, found, Flag(kind=Kind.PARSE_ERROR, message=message))


class FlowceExtraction(_Question):
    """Information extraction: which texts stand in the flowchart, or in some of its boxes?"""

    name = "flowce-extraction"
    dimension = Dimension.EXTRACTION
    metrics = (
        *("effective_factor_score", "effective_factor"),
        *("extraction_precision", "extraction_recall", "extraction_f1"),
    )

    def blank(self) -> str:
        """Return an answer that names no text."""
        return "[]"

    def _extract(self, text: str, *, truncated: bool) -> Outcome[Extracted]:
        return extract(text, _TAGS, truncated=truncated)

    def _answer(self, written: str, found: Extracted) -> Answer:
        read = read_texts(written)
        answer = _as_read(write_texts(read.texts), list(read.texts), found, *read.flags)
        return answer.model_copy(update={"repairs": (*answer.repairs, *read.repairs)})


class FlowceReasoning(_Question):
    """Reasoning: what follows from the flowchart under some condition?"""

    name = "flowce-reasoning"
    dimension = Dimension.REASONING
    metrics = ("judge_5",)


class FlowceLocalization(_Question):
    """Localization recognition: what is where, and what is connected with what?"""

    name = "flowce-localization"
    dimension = Dimension.LOCALIZATION
    needs_places = True
    metrics = ("judge_5",)


class FlowceSummarization(_Question):
    """Summarization: what does the flowchart describe?"""

    name = "flowce-summarization"
    dimension = Dimension.SUMMARIZATION
    metrics = ("judge_10",)
