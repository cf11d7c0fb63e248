"""FlowCE's five dimensions: the contract, prompts, how answers and published labels are read."""

from __future__ import annotations

import csv
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok
from scenarios.flowce.tasks import (
    UNREADABLE,
    FlowceExtraction,
    FlowceLocalization,
    FlowceLogic,
    FlowceReasoning,
    FlowceSummarization,
)
from scenarios.flowce.texts import MOST_TEXTS, read_texts, write_texts
from tests.contracts.scenario_contract import ScenarioContract, instance

QUESTION = {"question": "What comes after “Start” in {this} chart?", "kind": "any"}
SCENARIOS = (
    FlowceLogic,
    FlowceExtraction,
    FlowceReasoning,
    FlowceLocalization,
    FlowceSummarization,
)


class TestLogic(ScenarioContract):
    scenario = FlowceLogic()
    sample = "Yes"
    attributes: ClassVar[dict] = QUESTION


class TestExtraction(ScenarioContract):
    scenario = FlowceExtraction()
    sample = '["Start", "Is it raining?", "End"]'
    attributes: ClassVar[dict] = QUESTION


class TestReasoning(ScenarioContract):
    scenario = FlowceReasoning()
    sample = "Call a cab."
    attributes: ClassVar[dict] = QUESTION


class TestLocalization(ScenarioContract):
    scenario = FlowceLocalization()
    sample = "'Start' is above it, nothing is on its left."
    attributes: ClassVar[dict] = QUESTION


class TestSummarization(ScenarioContract):
    scenario = FlowceSummarization()
    sample = "The flowchart describes a process.\n\nIt begins with a check."
    attributes: ClassVar[dict] = QUESTION


@pytest.mark.parametrize("kind", SCENARIOS)
def test_is_registered_and_asks_the_question_as_it_is(kind):
    scenario = registry.scenarios.get(kind.name)
    assert type(scenario) is kind
    for language in scenario.subsets:
        assert QUESTION["question"] in scenario.prompt(instance(scenario, language, QUESTION))


def tree(scenario, text):
    outcome = scenario.read(text)
    assert isinstance(outcome, Ok), outcome
    return outcome.value.tree


class TestVerdicts:
    @pytest.mark.parametrize(
        ("text", "verdict"),
        [
            ("No", "no"),
            ("Yes, the process proceeds.", "yes"),
            ("The statement is not correct.", "no"),
            ("False. No arrow leads there.", "no"),
            ("It cannot be determined from the flowchart.", "unknown"),
            ("Unknown", "unknown"),
            ("I can't tell.", "unknown"),
            ("No information is given about that, yes or no.", "unknown"),
            ('{"answer": "No"}', "no"),
            ("不成立", "no"),
            ("无法确定", "unknown"),
            ("The chart shows a loop over the drinks.", UNREADABLE),
            ("Either yes or no.", UNREADABLE),
        ],
    )
    def test_reads(self, text, verdict):
        assert tree(FlowceLogic(), text) == verdict

    def test_an_answer_without_a_verdict_is_an_answer_and_says_so(self):
        outcome = FlowceLogic().read("What a lovely chart.")
        assert isinstance(outcome, Ok)
        assert [flag.kind for flag in outcome.value.flags] == [Kind.PARSE_ERROR]

    def test_a_quoted_block_is_not_the_answer(self):
        quoted = "Yes.\n\n```mermaid\ngraph TD\nA-->B[No]\n```"
        assert tree(FlowceLogic(), quoted) == "yes"
        assert tree(FlowceLogic(), "It says:\n```\nprint(1)\n```\nSo no.") == "no"
        assert tree(FlowceLogic(), "```text\nYes\n```") == "yes"
        assert tree(FlowceLogic(), 'Here:\n```json\n{"answer": "No"}\n```') == "no"

    def test_what_a_model_thought_is_no_verdict(self):
        assert tree(FlowceLogic(), "<think>yes, no, unknown</think>No") == "no"


class TestFreeAnswers:
    @pytest.mark.parametrize(
        "scenario", [FlowceReasoning(), FlowceLocalization(), FlowceSummarization()]
    )
    def test_what_stands_around_a_block_is_part_of_the_answer(self, scenario):
        text = "A loop:\n\n```python\nprint(1)\n```\n\nThen it ends."
        assert tree(scenario, text) == text
        assert tree(scenario, f"<think>so</think>{text}") == text
        assert tree(scenario, "```text\nA loop.\n```") == "A loop."
        assert tree(scenario, "Nothing:\n```\n```") == "Nothing:\n```\n```"

    def test_what_is_cut_off_is_read_and_says_so(self):
        outcome = FlowceSummarization().read("It begins\n```\na", truncated=True)
        assert isinstance(outcome, Ok)
        assert [flag.kind for flag in outcome.value.flags] == [Kind.TRUNCATED]
        repeated = FlowceSummarization().read("It begins. " + "So on, " * 3000, truncated=True)
        assert isinstance(repeated, Failed)
        assert repeated.kind is Kind.TRUNCATED


class TestTexts:
    @pytest.mark.parametrize(
        ("label", "texts"),
        [
            ("CLIENT,1.HTTP request,SERVER", ["CLIENT", "1.HTTP request", "SERVER"]),
            ("See Issue, Delay,Mend it.,YES", ["See Issue, Delay", "Mend it.", "YES"]),
            ("Project, Plan, Design", ["Project", "Plan", "Design"]),
            ("Weather e.g. wind, rain,", ["Weather e.g. wind, rain"]),
            ("1,326 subjects", ["1,326 subjects"]),
            ("Fast?,>19,200 bps?,Safe?(04)", ["Fast?", ">19,200 bps?", "Safe?(04)"]),
            ("Age<20,\ufeff2.Score<8", ["Age<20", "\ufeff2.Score<8"]),
            ("over $10,000,Approve?", ["over $10,000", "Approve?"]),
            ("WriteLine,WriteLine", ["WriteLine", "WriteLine"]),
            ("[login] is valid,check(if any)", ["[login] is valid", "check(if any)"]),
        ],
    )  # fmt: skip
    def test_labels_are_split_as_they_were_joined(self, label, texts):
        assert tree(FlowceExtraction(), label) == texts

    @pytest.mark.parametrize(
        ("text", "texts"),
        [
            ('["a, B", "a, B"]', ["a, B", "a, B"]),
            ("```json\n[\"a\", 1, [\"b\"], {\"x\": \"c\"}, null]\n```", ["a", "1", "b", "c"]),
            ('The texts are: ["Start", "End"]', ["Start", "End"]),
            ('["Start", "En', ["Start", "En"]),
            ("['Start', 'End']", ["Start", "End"]),
            ("The boxes say:\n- Start, then stop\n- End", ["Start, then stop", "End"]),
            ("1. Start\n2) “End”", ["Start", "End"]),
            ("Start\n\nEnd", ["Start", "End"]),
            ('The text in the ellipses is "Start" and "End".', ["Start", "End"]),
            ("Answer: Start, End", ["Start", "End"]),
            ("开始、结束", ["开始", "结束"]),
            ("- **Start**\n- *Wait_ing*\n- __End__", ["Start", "*Wait_ing*", "End"]),
            ("**Start**", ["Start"]),
            ("a*b*c", ["a*b*c"]),
            ("[Start, Wait, End]", ["Start", "Wait", "End"]),
            ("[x > 0]", ["[x > 0]"]),
            ("All texts in the flowchart:\nStart\nEnd", ["Start", "End"]),
            ("The text in the first box is: Receive it.", ["Receive it."]),
            ("The text content is: Start, End.", ["Start", "End."]),
            ("None", []),
            ("[]", []),
        ],
    )  # fmt: skip
    def test_answers_are_read_in_every_form(self, text, texts):
        assert tree(FlowceExtraction(), text) == texts

    @given(st.lists(st.text(min_size=1).map(str.strip).filter(bool), max_size=9))
    def test_what_is_written_is_read_back(self, texts):
        clean = [text for text in texts if text.encode("utf-8", "ignore").decode() == text]
        read = read_texts(write_texts(clean))
        assert list(read.texts) == clean
        assert read.repairs == ()

    @pytest.mark.timeout(60)
    @pytest.mark.parametrize(
        "unit",
        ["[ ", '"', "“", "a,", "- \n", "1. ", '["', " ", ",\t", "The ", "**", "*a", "_", "["],
    )
    def test_hostile_length_is_read_in_bounded_time(self, unit):
        for text in (unit * (300_000 // len(unit)), "The " + unit * (300_000 // len(unit))):
            assert len(read_texts(text).texts) <= MOST_TEXTS


class TestOfficialLabels:
    def test_every_label_is_read_as_it_is_and_no_sign_of_it_is_lost(self, shared):
        path = shared / "real" / "flowce" / "flowce_benchmark" / "Information_extraction.tsv"
        with path.open(newline="", encoding="utf-8") as file:
            labels = [row["answer"] for row in csv.DictReader(file, delimiter="\t")]
        read = [read_texts(label) for label in labels]
        assert all(one.texts and not one.repairs and not one.flags for one in read)
        for label, one in zip(labels, read, strict=True):
            assert signs("".join(one.texts)) == signs(label)
        assert {number for number, one in enumerate(read) if "," in "".join(one.texts)} == {
            7, 20, 41, 54, 84,
        }  # fmt: skip
        assert sum(len(one.texts) for one in read) == 293


def signs(text):
    return "".join(text.replace(",", "").split())
