"""The published MindBench prediction files give the published values."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metrics.mindbench import NotAPredictionFile, score_maps, score_questions


@pytest.fixture(scope="module")
def golden(shared: Path) -> Path:
    return shared / "golden" / "mindbench"


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_maps(golden: Path) -> None:
    expected = json.loads((golden / "values.json").read_text(encoding="utf-8"))
    scores = score_maps(lines(golden / "xmind_en_test_easy.jsonl"))
    assert scores.n == 69
    assert scores.accuracies_donut == pytest.approx(expected["ted_accuracies"], abs=1e-9)
    assert scores.nted_accuracy_donut == pytest.approx(expected["ted_accuracy"], abs=1e-9)
    assert scores.field_f1_donut == pytest.approx(expected["f1_accuracy"], abs=1e-9)
    # No list of these maps is mixed, so that the plain form agrees.
    assert scores.accuracies == pytest.approx(expected["ted_accuracies"], abs=1e-9)
    assert scores.field_f1 == pytest.approx(expected["f1_accuracy"], abs=1e-9)
    assert (scores.unreadable, scores.cut_off) == (0, 5)


def test_questions(golden: Path) -> None:
    expected = json.loads((golden / "values.json").read_text(encoding="utf-8"))
    scores = score_questions(lines(golden / "synth_test_structured_vqa.jsonl"))
    assert scores.n == 50
    assert scores.vqa_f1 == pytest.approx(expected["structured_vqa_f1"], abs=1e-9)


def entry(answer: str, truth: str) -> str:
    conversations = [{}, {}, {"from": "assistant", "value": truth}]
    return json.dumps({"conversations": conversations, "model_answer": answer})


def test_unreadable_and_cut_off_answers_are_counted() -> None:
    truth = "<s_map><s_node-0><s_text>R</s_text></s_node-0></s_map>"
    scores = score_maps([entry(truth, truth), entry("I cannot help with that", truth)])
    assert scores.accuracies == (1.0, 0.0)
    assert (scores.unreadable, scores.cut_off) == (1, 1)
    assert scores.nted_accuracy == 0.5


@pytest.mark.parametrize("line", ["{", "[]", '{"model_answer": "x"}'])
def test_other_files_are_refused_with_the_line(line: str) -> None:
    with pytest.raises(NotAPredictionFile, match="line 1 is not a MindBench prediction"):
        score_maps([line])
    with pytest.raises(NotAPredictionFile, match="no line"):
        score_questions([])
