"""The published sets, in a small copy of their layout and from a stand-in of the hub."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
import tracemalloc
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from benchmark import registry
from benchmark.outcome import Failed, Kind, Ok
from sources.mindbench_files import ARCHIVE, find_pictures, read_lines, read_pictures
from sources.mindbench_questions import TASKS, kind_of
from sources.published import RELEASED, Published, size_of
from tests.contracts.source_contract import SourceContract

TOKENS = (
    "<s_map><s_node-0><s_text>R</s_text><s_node-1><s_text>a</s_text></s_node-1></s_node-0></s_map>"
)
QUESTIONS = {
    "xmind_en_test.jsonl": [("xmind_en_png/a b.png", "Write the tree.", TOKENS)] * 2,
    "zhixi_test_easy.jsonl": [("zhixi_png/zhixi_png_0/图.png", "写出结构。", TOKENS)],
    "synth_test_full_parse.jsonl": [("synth_v2/cn_test/img/1.jpg", "写出结构。", TOKENS)],
    "synth_test_part_parse.jsonl": [("synth_v2/en_test/img/2.jpg", "Write the part 'a'.", TOKENS)],
    "synth_test_pos_parse.jsonl": [
        ("synth_v2/en_test/img/2.jpg", "Write what is in <bbox>1,2,3,4</bbox>.", TOKENS)
    ],
    "synth_test_structured_vqa.jsonl": [
        ("synth_v2/en_test/img/2.jpg", 'What are the child nodes of "R"?', "['a']"),
        ("synth_v2/cn_test/img/1.jpg", "核心主题是什么？", "R"),
    ],
    "synth_test_pos_vqa.jsonl": [
        ("synth_v2/en_test/img/2.jpg", "The bounding box of 'R'?", "<bbox>1,2,3,4</bbox>"),
        ("synth_v2/cn_test/img/1.jpg", "<bbox>1,2,3,4</bbox>内是什么文本？", "R"),
    ],
}


def line(image: str, question: str, answer: str) -> str:
    turns = [
        {"from": "user", "value": "<image>"},
        {"from": "user", "value": question},
        {"from": "assistant", "value": answer},
    ]
    return json.dumps({"image": [image], "conversations": turns}, ensure_ascii=False)


def picture(name: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20), "white").save(buffer, "PNG" if name.endswith("png") else "JPEG")
    return buffer.getvalue()


def build(folder: Path, *, pictures: bool = True) -> Path:
    folder.mkdir(exist_ok=True)
    for file, asked in QUESTIONS.items():
        text = "".join(line(*one) + "\n" for one in asked)
        (folder / file).write_text(text, encoding="utf-8")
        for name, _, _ in asked if pictures else ():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture(name))
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("mindbench"))


class TestContract(SourceContract):
    @pytest.fixture(autouse=True)
    def _source(self, folder):
        type(self).source = Published(folder)


def outcomes(folder: Path, **options) -> list:
    return list(Published(folder).collect(**options))


def test_every_task_is_there(folder):
    found = [outcome.value for outcome in outcomes(folder)]
    counts = Counter((material.scenario, material.subset) for material in found)
    assert counts == {
        ("mindmap", "en"): 2, ("mindmap", "zh"): 2, ("mindmap-part", "en"): 1,
        ("mindmap-position", "en"): 1, ("mindmap-vqa", "en"): 1, ("mindmap-vqa", "zh"): 1,
        ("mindmap-position-vqa", "en"): 1, ("mindmap-position-vqa", "zh"): 1,
    }  # fmt: skip
    assert Counter(material.attributes["set"] for material in found)["XMind"] == 2
    for material in found:
        scenario = registry.scenarios.get(material.scenario)
        read = scenario.read(material.truth)
        assert isinstance(read, Ok)
        assert read.value.flags == ()
        assert material.picture
        assert material.provenance.licence == "CC-BY-NC-4.0"
        assert set(material.metrics or ()) <= set(scenario.metrics)


def test_metrics_follow_from_the_kind(folder):
    found = {m.value.attributes["kind"]: m.value.metrics for m in outcomes(folder)}
    assert found["children"] == ("vqa_match", "answer_f1")
    assert found["label_box"] == ("vqa_match", "answer_iou")
    assert found["theme"] == found["box_text"] == ("vqa_match",)
    assert found["full"] is found["part"] is None


def test_a_limit_is_shared_among_the_sets(folder):
    found = [m.value for m in outcomes(folder, limit=3) if m.value.scenario == "mindmap"]
    assert {material.attributes["set"] for material in found} == {"XMind", "Zhixi", "Synthetic"}


def test_what_is_older_is_left_out(folder):
    assert outcomes(folder, since=RELEASED.replace(year=RELEASED.year + 1)) == []


def test_pictures_that_still_lie_in_the_archive(tmp_path):
    build(tmp_path, pictures=False)
    with tarfile.open(tmp_path / ARCHIVE, "w:gz") as archive:
        for name in ("./synth_v2/cn_test/img/1.jpg", "data/synth_v2/en_test/img/2.jpg", "/etc/x"):
            member = tarfile.TarInfo(name)
            data = picture(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("xmind_en_png/a b.png")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    found = outcomes(tmp_path)
    assert sum(isinstance(one, Ok) for one in found) == 7
    lost = [one for one in found if isinstance(one, Failed)]
    assert {one.kind for one in lost} == {Kind.MISSING_RESOURCE}
    assert all("png" in one.message for one in lost)


def test_a_damaged_archive_is_told(tmp_path):
    build(tmp_path, pictures=False)
    (tmp_path / ARCHIVE).write_bytes(b"\x1f\x8b" + b"broken" * 10)
    messages = {one.message for one in outcomes(tmp_path)}
    assert any("is damaged" in message for message in messages)


@pytest.mark.parametrize(
    "name",
    [
        "{out}",
        "/{out}",
        "//{out}",
        "../secret.png",
        "a/../../secret.png",
        "",
        "link.png",
        "up/s.png",
    ],
)
def test_names_never_lead_out_of_the_folder(tmp_path, name):
    (tmp_path / "data").mkdir()
    (tmp_path / "other").mkdir()
    for secret in (tmp_path / "secret.png", tmp_path / "other" / "s.png"):
        secret.write_bytes(b"secret")
    (tmp_path / "data" / "link.png").symlink_to(tmp_path / "secret.png")
    (tmp_path / "data" / "up").symlink_to(tmp_path / "other")
    name = name.format(out=tmp_path / "secret.png")
    found = read_pictures(tmp_path / "data", {name})
    assert isinstance(found[name], Failed)
    assert found[name].kind is Kind.UNSAFE_INPUT
    assert find_pictures(tmp_path / "data", {name}) == set()


@pytest.mark.parametrize("name", ["x" * 300, "a\0b.png", "\ud800.png", "circle"])
def test_what_is_no_name_is_a_missing_picture(tmp_path, name):
    (tmp_path / "circle").symlink_to("circle")
    found = read_pictures(tmp_path, {name})
    assert isinstance(found[name], Failed)
    assert found[name].kind is Kind.MISSING_RESOURCE


def test_a_line_that_names_no_picture_ends_nothing(tmp_path):
    name = "synth_v2/en_test/img/2.jpg"
    lines = [line("x" * 300, "Write the tree.", TOKENS), line(name, "Write the tree.", TOKENS)]
    (tmp_path / "bxmind_test.jsonl").write_text("\n".join(lines))
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_bytes(picture(name))
    lost, found = outcomes(tmp_path)
    assert isinstance(lost, Failed)
    assert lost.kind is Kind.MISSING_RESOURCE
    assert isinstance(found, Ok)


def test_the_limit_counts_what_has_a_picture(tmp_path):
    build(tmp_path)
    shutil.rmtree(tmp_path / "xmind_en_png")
    found = [one.value for one in outcomes(tmp_path, limit=1) if isinstance(one, Ok)]
    counts = Counter(material.scenario for material in found)
    assert counts == dict.fromkeys(Published.scenarios, 1)


def test_files_may_lie_in_a_folder_of_the_folder(folder, tmp_path):
    build(tmp_path / "MindBench")
    assert outcomes(tmp_path) == outcomes(folder)
    shutil.rmtree(tmp_path / "MindBench" / "synth_v2")
    name = "synth_v2/cn_test/img/1.jpg"
    write_archive(tmp_path / "MindBench" / ARCHIVE, {name: picture(name)})
    assert any(
        one.value.attributes["file"] == name for one in outcomes(tmp_path) if isinstance(one, Ok)
    )


def test_a_line_is_not_read_beyond_the_limit(tmp_path, monkeypatch):
    monkeypatch.setattr("sources.mindbench_files.MOST_LINE_CHARACTERS", 500)
    good = line("a.png", "Write the tree.", TOKENS)
    path = tmp_path / "bxmind_test.jsonl"
    path.write_text("\n".join([good, " " * 1_700, good[:-2] + "\u2028" + good[-2:], "y" * 600]))
    first, second, third, last = read_lines(path)
    assert isinstance(first, Ok)
    assert first.value.number == 1
    assert {second.kind, last.kind} == {Kind.RESOURCE_LIMIT}
    assert "line 3" in third.message
    assert "line 4" in last.message


def test_a_header_is_not_read_beyond_the_limit(tmp_path):
    build(tmp_path, pictures=False)
    name = "synth_v2/cn_test/img/1.jpg"
    write_archive(tmp_path / ARCHIVE, {name: picture(name)}, longest=30_000_000)
    tracemalloc.start()
    found = outcomes(tmp_path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000
    assert sum(isinstance(one, Ok) for one in found) == 3, "those before the header"
    assert any("headers of more than" in one.message for one in found if isinstance(one, Failed))


def write_archive(path: Path, files: dict[str, bytes], *, longest: int = 0) -> None:
    with tarfile.open(path, "w:gz", format=tarfile.GNU_FORMAT) as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
        if longest:
            archive.addfile(tarfile.TarInfo("x" * longest))


def test_questions_about_a_picture_know_the_size_of_its_map(tmp_path):
    whole = (
        "<s_map><s_node-0><s_text>R</s_text><s_node-1><s_text>a</s_text><s_node-2><s_text>b"
        "</s_text></s_node-2></s_node-1></s_node-0></s_map>"
    )
    build(tmp_path)
    with (tmp_path / "synth_test_full_parse.jsonl").open("a") as file:
        file.write(line("synth_v2/en_test/img/2.jpg", "Write the tree.", whole))
    for outcome in outcomes(tmp_path, limit=1):
        material = outcome.value
        shows = material.attributes["file"]
        expected = (3, 3) if shows == "synth_v2/en_test/img/2.jpg" else (2, 2)
        assert (material.attributes["nodes"], material.attributes["depth"]) == expected
        if material.scenario != "mindmap" and expected == (3, 3):
            assert material.drawn_from.text == whole
            described = registry.scenarios.get("mindmap")
            read = described.read(whole).value
            assert described.describe(read) == {"nodes": 3, "depth": 3}


def test_sizes_of_official_maps_are_what_the_scenario_counts(shared):
    mindmap = registry.scenarios.get("mindmap")
    path = shared / "golden" / "mindbench" / "synth_test_full_parse.questions.jsonl"
    lines = [one.value for one in read_lines(path)]
    assert lines
    for one in lines:
        assert size_of(one.answer) == mindmap.describe(mindmap.read(one.answer).value)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"image": [], "conversations": []}', "[" * 10_000, '{"image": "x"}']
)
def test_lines_of_another_form_are_failures(tmp_path, text):
    (tmp_path / "bxmind_test.jsonl").write_text(text + "\n")
    (only,) = outcomes(tmp_path)
    assert isinstance(only, Failed)
    assert "bxmind_test.jsonl, line 1" in only.message


def test_an_empty_folder_says_what_is_missing(tmp_path):
    (only,) = outcomes(tmp_path)
    assert isinstance(only, Failed)
    assert "xmind_en_test.jsonl" in only.message


def test_official_questions_are_of_known_kinds(shared):
    counts: Counter = Counter()
    expected = {"full_parse": "mindmap", "part_parse": "mindmap-part"}
    expected |= {"pos_parse": "mindmap-position", "pos_vqa": "mindmap-position-vqa"}
    expected |= {"structured_vqa": "mindmap-vqa"}
    for path in sorted((shared / "golden" / "mindbench").glob("synth_test_*.jsonl")):
        task = path.name.split(".")[0].removeprefix("synth_test_")
        for text in path.read_text(encoding="utf-8").splitlines():
            turns = json.loads(text)["conversations"]
            kind = kind_of(turns[1]["value"], turns[2]["value"])
            assert kind is not None, turns
            assert TASKS[kind] == expected[task]
            counts[kind] += 1
    assert sum(counts.values()) == 150
    assert len(counts) >= 17


@pytest.mark.parametrize(
    ("question", "answer", "kind"),
    [
        ('Which is the parent node of the node "all child nodes on level 3"?', "x", "parent"),
        ("标记为“父子层”的节点的所有子节点？", "None", "children"),
        ("How is the weather?", "fine", None),
        ("Return the bounding box of the subgraph 'x'.", "<bbox>1,2,3,4</bbox>", "subgraph_box"),
    ],
)
def test_labels_do_not_decide_the_kind(question, answer, kind):
    assert kind_of(question, answer) == kind


def test_kinds_are_those_of_our_own_questions():
    from scenarios.mindbench.questions import Kind as Asked

    assert set(TASKS) == {"full", "part", "part_box", *Asked}
