"""`rerender score`, against golden values where they are at hand."""

import json

import numpy as np
import pytest
from PIL import Image

from tests.flows.test_cli import rerender


@pytest.fixture
def pictures(tmp_path):
    noise = np.random.default_rng(0).integers(0, 256, (40, 60, 3)).astype(np.uint8)
    Image.fromarray(noise).save(tmp_path / "a.png")
    Image.fromarray(noise[:, ::-1].copy()).save(tmp_path / "b.png")
    return tmp_path


def test_equal_pictures_have_the_best_values(pictures):
    path = str(pictures / "a.png")
    done = rerender("score", "images", path, path, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert (told["pixel"], told["ssim"], told["ems"]) == (1.0, 1.0, 1.0)
    missing = {name for name, value in told.items() if value is None}
    assert missing == set(told["reasons"])


def test_pairs_are_read_from_a_file(pictures):
    (pictures / "pairs.tsv").write_text("a.png\ta.png\nb.png\ta.png\n")
    done = rerender("score", "images", "--pairs", str(pictures / "pairs.tsv"), "--json")
    first, second = json.loads(done.stdout)["pairs"]
    assert first["ems"] == 1.0
    assert 0 <= second["ems"] < 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.png"], "name a prediction and a reference"),
        (["a.png", "text.txt"], "text.txt"),
        (["a.png", "absent.png"], "absent.png"),
        (["--pairs", "text.txt"], "not two columns"),
        (["a.png", "a.png", "--fit", "crop"], "--fit is resize or pad"),
    ],
)
def test_unusable_input_is_named(pictures, arguments, message):
    (pictures / "text.txt").write_text("one column\n")
    paths = [str(pictures / a) if "." in a else a for a in arguments]
    done = rerender("score", "images", *paths)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2


def test_published_predictions_have_the_published_scores(shared):
    folder = shared / "golden" / "mindbench"
    maps = rerender("score", "mindbench", str(folder / "xmind_en_test_easy.jsonl"), "--json")
    told = json.loads(maps.stdout)
    golden = json.loads((folder / "values.json").read_text())
    assert told["nted_accuracy_donut"] == pytest.approx(golden["ted_accuracy"], abs=1e-9)
    assert told["field_f1_donut"] == pytest.approx(golden["f1_accuracy"], abs=1e-9)
    answers = rerender(
        "score", "mindbench", str(folder / "synth_test_structured_vqa.jsonl"), "--json"
    )
    assert json.loads(answers.stdout)["vqa_f1"] == pytest.approx(
        golden["structured_vqa_f1"], abs=1e-9
    )


def test_questions_are_scored_by_kind_with_partial_credit(shared):
    path = shared / "golden" / "mindbench" / "synth_test_structured_vqa.jsonl"
    told = json.loads(rerender("score", "mindbench", str(path), "--json").stdout)
    kinds = {part["name"]: part for part in told["parts"][1:]}
    assert {name: part["n"] for name, part in kinds.items()} == {
        "theme": 8, "parent": 7, "children": 11, "level": 9, "nodes_at_level": 4,
        "parent_child": 5, "siblings": 6,
    }  # fmt: skip
    right = sum(part["vqa_match"] * part["n"] for part in kinds.values())
    assert right == pytest.approx(43)
    assert told["vqa_match"] == pytest.approx(43 / 50)
    assert told["vqa_f1"] == pytest.approx(2 * 43 / (50 + 43))
    assert told["answer_f1"] >= kinds["children"]["vqa_match"], "partial credit takes nothing away"
    assert told["answer_iou"] is None
    assert told["reasons"]["answer_iou"] == "no answer holds a box"
    table = rerender("score", "mindbench", str(path)).stdout
    assert all(kind in table for kind in kinds)


def test_maps_and_questions_in_one_file_are_scored_apart(pictures):
    tree = "<s_map><s_node-0><s_text>R</s_text></s_node-0></s_map>"
    asked = [
        ("Write the tree.", tree, tree),
        ("Write what is in <bbox>1,2,3,4</bbox>.", tree, "nothing"),
        ("Return the bounding box of 'R'.", "<bbox>0,0,10,10</bbox>", "<bbox>0,0,10,20</bbox>"),
    ]
    lines = [
        json.dumps({"conversations": [{}, {"value": q}, {"value": truth}], "model_answer": answer})
        for q, truth, answer in asked
    ]
    (pictures / "x.jsonl").write_text("\n".join(lines))
    told = json.loads(rerender("score", "mindbench", str(pictures / "x.jsonl"), "--json").stdout)
    parts = {part["name"]: part for part in told["parts"]}
    assert list(parts) == ["maps", "full", "part_box", "label_box"]
    assert (parts["full"]["nted_accuracy"], parts["part_box"]["nted_accuracy"]) == (1.0, 0.0)
    assert parts["label_box"]["answer_iou"] == 0.5
    assert parts["label_box"]["vqa_f1"] == 0.0


def test_only_a_newline_ends_a_line(pictures):
    tree = "<s_map><s_node-0><s_text>R\u2028S\x85T\x0b</s_text></s_node-0></s_map>"
    turns = [{}, {"value": "Write the tree."}, {"value": tree}]
    line = json.dumps({"conversations": turns, "model_answer": tree}, ensure_ascii=False)
    path = pictures / "x.jsonl"
    path.write_bytes(f"{line}\r\n{line}\n".encode())
    told = json.loads(rerender("score", "mindbench", str(path), "--json").stdout)
    assert told["n"] == 2
    assert told["nted_accuracy_donut"] == 1.0


def test_a_file_of_another_kind_is_told(pictures):
    (pictures / "x.jsonl").write_text("{}\n")
    done = rerender("score", "mindbench", str(pictures / "x.jsonl"))
    assert done.returncode == 2
    assert "line 1 is not a MindBench prediction" in done.stderr
