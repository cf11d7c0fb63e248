"""Maps that people made, and MindBench's HTML exports with their published annotations.

The numbers come from a second reading that shares no code with the readers: regular expressions
and a stack over the tags of ``content.xml``, plain loops over ``content.json``, ElementTree for
texts.
"""

import json

import pytest

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Provenance
from scenarios.trees import from_json
from sources.map_folder import materials_of
from sources.maps.published import from_published, to_published
from sources.maps.reader import read
from tests.conftest import SHARED

# file: for each sheet topics of all kinds, of these without text, floating, callouts, summaries;
# relationships, boundaries
COUNTS = {
    "xmind/TestTemplate.xmind": [
        (109, 1, 8, 2, 3, 7, 3),
        (8, 0, 7, 0, 0, 7, 0),
        (2, 0, 0, 0, 0, 0, 0),
    ],
    "xmind/demo.xmind": [(7, 0, 1, 0, 0, 0, 0), (8, 0, 0, 0, 0, 1, 0)],
    "xmind/sdkjs_default.xmind": [(26, 0, 0, 0, 3, 0, 0)],
    "xmind/shoppingcart.xmind": [(11, 0, 0, 0, 0, 0, 0)],
    "xmind/test.xmind": [(13, 0, 2, 0, 0, 0, 0), (6, 0, 0, 0, 0, 1, 0), (6, 0, 0, 0, 0, 1, 0)],
    "xmind/test2.xmind": [(1, 0, 0, 0, 0, 0, 0), (5, 0, 0, 0, 0, 1, 0)],
    "xmind/test_case_by_xmind_v2.xmind": [(39, 3, 0, 0, 0, 0, 0)],
    "xmind/xmind2020.xmind": [(16, 0, 0, 0, 0, 1, 0)],
    "xmind/xmindOld.xmind": [(45, 4, 3, 0, 1, 4, 0)],
    "xmind/xmind_2026.xmind": [(42, 3, 1, 0, 1, 1, 0)],
    "xmind/xmind_native_elements.xmind": [(19, 0, 1, 1, 1, 0, 1)],
    "xmind/xmind_pro.xmind": [(40, 5, 1, 0, 1, 1, 0), (6, 0, 0, 0, 0, 0, 0)],
    "xmind/xmind_testcase_demo.xmind": [(36, 0, 0, 0, 0, 0, 0)],
    "xmind/xmind_zen.xmind": [(25, 1, 1, 1, 0, 0, 0), (3, 0, 0, 0, 0, 0, 0)],
    "xmind/xmindzen.xmind": [(22, 1, 1, 1, 0, 0, 0), (3, 0, 0, 0, 0, 0, 0)],
    "xmind/xmind用例模板1.5.1.xmind": [(45, 0, 0, 0, 0, 0, 0)],
    "xmind/zen_test_v2.xmind": [(30, 0, 0, 0, 0, 0, 0)],
    "xmind/zentao_testcase_template.xmind": [(56, 0, 1, 0, 0, 0, 0), (35, 0, 0, 0, 0, 0, 0)],
    "xmind/测试文件.xmind": [(172, 0, 0, 0, 0, 0, 0)],
    "mmap/Test_DOM.mmap": [(12, 1, 0, 0, 0, 2, 2)],
    "mmap/wise_bug2.mmap": [(31, 0, 0, 0, 0, 0, 0)],
    "mmap/wise_bug3.mmap": [(278, 35, 0, 0, 0, 2, 0)],
    "mmap/wise_cdata-support.mmap": [(1, 0, 0, 0, 0, 0, 0)],
    "mmap/wise_emptyNodes.mmap": [(75, 4, 0, 0, 0, 0, 0)],
    "mmap/wise_enc.mmap": [(24, 14, 0, 0, 0, 0, 0)],
    "mmap/wise_i18n.mmap": [(4, 0, 0, 0, 0, 0, 0)],
    "mmap/wise_process.mmap": [(71, 0, 0, 0, 0, 2, 0)],
    "mmap/wise_welcome.mmap": [(26, 1, 0, 0, 0, 0, 0)],
    "mm/Coggle.mm": [(72, 0, 2, 0, 0, 0, 0)],
    "mm/freemind1.mm": [(7, 1, 0, 0, 0, 0, 0)],
    "mm/freemind2.mm": [(482, 7, 0, 0, 0, 11, 4)],
    "mm/wise_bigmap.mm": [(193, 0, 0, 0, 0, 0, 0)],
    "mm/wise_cdata-support.mm": [(1, 0, 0, 0, 0, 0, 0)],
    "mm/wise_emptyNodes.mm": [(75, 4, 0, 0, 0, 0, 0)],
    "mm/wise_i18n2.mm": [(3, 0, 0, 0, 0, 0, 0)],
    "mm/wise_in_relationships.mm": [(11, 3, 0, 0, 0, 3, 0)],
    "opml/assessment-mindset.opml": [(468, 0, 0, 0, 0, 0, 0)],
    "opml/assessment-mindset_rev1.opml": [(367, 0, 0, 0, 0, 0, 0)],
    "opml/assessment-mindset_rev2.opml": [(403, 0, 0, 0, 0, 0, 0)],
    "opml/assessment-mindset_rev3.opml": [(412, 0, 0, 0, 0, 0, 0)],
    "opml/assessment_mindset.opml": [(731, 0, 0, 0, 0, 0, 0)],
    "other_mindmap/tabbedtext.txt": [(21, 0, 0, 0, 0, 0, 0)],
}
UNREADABLE = {
    "other_mindmap/MindMup.mup": "JSON, but not XMind's",
    "other_mindmap/complex.wxml": "XML of no format that is read: <map> with <topic>",
    "other_mindmap/sample1.wxml": "XML of no format that is read: <map> with <topic>",
    "other_mindmap/sample2.wxml": "XML of no format that is read: <map> with <topic>",
    "other_mindmap/sample4.wxml": "XML of no format that is read: <map> with <topic>",
}
FOLDERS = ("xmind", "mmap", "mm", "opml", "other_mindmap")
EXPORTS = sorted(path.stem for path in SHARED.glob("golden/mindbench/html_export/*.html"))
SOMEBODY = Provenance(source="test", author="?", licence="LicenseRef-test", created="2020-01-01")


def counted(sheet):
    topics = sheet.topics()
    return (
        len(topics),
        sum(not topic.text.strip() for topic in topics),
        sum(len(topic.floating) for topic in topics),
        sum(len(topic.callouts) for topic in topics),
        sum(len(topic.summaries) for topic in topics),
        len(sheet.relationships),
        sum(len(topic.boundaries) for topic in topics),
    )


def test_every_real_file_is_in_one_of_the_tables(shared):
    found = {
        f"{folder}/{path.name}"
        for folder in FOLDERS
        for path in (shared / "real" / folder).iterdir()
    }
    assert found == COUNTS.keys() | UNREADABLE.keys()


@pytest.mark.parametrize("name", COUNTS)
def test_a_real_map_has_the_right_counts(shared, name):
    outcome = read(name, (shared / "real" / name).read_bytes())
    assert [counted(sheet) for sheet in outcome.value.sheets] == COUNTS[name]


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_unreadable_file_gives_one_clear_line(shared, name):
    outcome = read(name, (shared / "real" / name).read_bytes())
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.UNSUPPORTED
    assert outcome.message.startswith(f"{name}: {UNREADABLE[name]}")
    assert "\n" not in outcome.message


@pytest.mark.parametrize("name", COUNTS)
def test_the_content_decides_not_the_name(shared, name):
    data = (shared / "real" / name).read_bytes()
    assert read("map", data).value == read(name, data).value


def test_xmind_8_keeps_what_hangs_on_topics(shared):
    data = (shared / "real/xmind/xmind_pro.xmind").read_bytes()
    first, second = read("xmind_pro.xmind", data).value.sheets
    topics = {topic.text: topic for topic in first.topics()}
    assert (first.title, second.title, second.root.text) == ("Sheet 1", "Sheet 2", "test2")
    assert first.root.children[1].markers == ("task-done", "flag-red", "people-red", "arrow-up")
    assert topics["label"].labels == ("this is a  label",)
    assert topics["note2"].notes.splitlines() == ["line1", "line2"]
    assert topics["to url"].link == "http://test.com"
    assert first.root.floating[0].position == (369.0, 248.0)
    (summary,) = first.root.children[2].summaries
    assert (summary.topic.text, summary.first, summary.last) == ("aaa", 0, 2)
    names = {topic.id: topic.text for topic in first.topics()}
    (line,) = first.relationships
    assert (names[line.source], names[line.target]) == ("a", "</>{}[]*+-")


def test_the_newer_xmind_keeps_the_same(shared):
    data = (shared / "real/xmind/xmind_2026.xmind").read_bytes()
    (sheet,) = read("xmind_2026.xmind", data).value.sheets
    topics = {topic.text: topic for topic in sheet.topics()}
    assert len(topics["marker"].markers) == 7
    assert topics["label"].labels == ("this", "that", "then")
    assert topics["note2"].notes == "hello"
    assert topics["sticker1"].image.startswith("xap:resources/")
    assert topics["floating test"].position == (121.953125, 443.56640625)
    (summary,) = sheet.root.children[2].summaries
    assert (summary.topic.text, summary.first, summary.last) == ("aaa", 0, 2)
    assert "测试" in topics


def test_mindmanager_keeps_notes_icons_labels_and_lines(shared):
    data = (shared / "real/mmap/Test_DOM.mmap").read_bytes()
    (sheet,) = read("Test_DOM.mmap", data).value.sheets
    topics = {topic.text: topic for topic in sheet.topics()}
    assert topics["2"].notes == "Notes for 2"
    assert topics["3"].notes == "This is a test"
    assert topics["6"].markers == ("urn:mindjet:ExclamationMark",)
    assert topics[""].labels == ("Tag1",)
    assert topics["1"].link == "https://www.microsoft.com"
    names = {topic.id: topic.text for topic in sheet.topics()}
    lines = [(names[line.source], names[line.target]) for line in sheet.relationships]
    assert lines == [("1", "4"), ("12", "111")]


def test_freemind_keeps_rich_text_and_sides(shared):
    data = (shared / "real/mm/wise_i18n2.mm").read_bytes()
    (sheet,) = read("wise_i18n2.mm", data).value.sheets
    first, second = sheet.root.children
    assert (first.side, second.side) == ("right", "left")
    assert first.notes.startswith("This is a not in languange")
    assert second.text.startswith("Long text node:\n")


def unordered(annotation):
    stack = [annotation]
    while stack:
        node = stack.pop()
        if "relation" in node:
            node["relation"] = sorted(node["relation"])
        stack.extend(node.get("node", []))
    return annotation


@pytest.mark.parametrize("stem", EXPORTS)
def test_an_html_export_is_read_as_published(stem):
    folder = SHARED / "golden/mindbench/html_export"
    published = json.loads((folder / f"{stem}.json").read_text(encoding="utf-8"))
    outcome = read(f"{stem}.html", (folder / f"{stem}.html").read_bytes())
    (sheet,) = outcome.value.sheets
    assert unordered(to_published(sheet)) == unordered(published)


def test_there_are_fifteen_exports(shared):
    assert len(EXPORTS) == 15


def test_labels_of_an_export_are_labels(shared):
    path = shared / "golden/mindbench/html_export/_75436_Italy.html"
    (sheet,) = read(path.name, path.read_bytes()).value.sheets
    assert sheet.root.children[0].labels == ("L'Aquila", "10,794", "1,324,000")


def test_a_summary_and_a_relationship_of_an_export(shared):
    folder = shared / "golden/mindbench/html_export"
    (path,) = folder.glob("0AYFV2HP*.html")
    (sheet,) = read(path.name, path.read_bytes()).value.sheets
    ranges = [(one.first, one.last) for topic in sheet.topics() for one in topic.summaries]
    assert ranges == [(0, 2), (0, 2), (0, 2), (0, 9)]
    (path,) = folder.glob("_65060*.html")
    (sheet,) = read(path.name, path.read_bytes()).value.sheets
    assert len(sheet.relationships) == 4


def test_a_published_annotation_is_read(shared):
    for path in sorted(shared.glob("golden/mindbench/html_export/*.json")):
        published = json.loads(path.read_text(encoding="utf-8"))
        back = to_published(from_published(published).value)
        assert _without(back, "relation") == _without(published, "relation")


def _without(annotation, key):
    stack = [annotation]
    while stack:
        node = stack.pop()
        node.pop(key, None)
        if node.get("node") == []:
            del node["node"]
        stack.extend(node.get("node", []))
    return annotation


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_becomes_material_that_the_scenario_reads(shared, folder):
    outcomes = list(materials_of(shared / "real" / folder, SOMEBODY))
    good = [outcome.value for outcome in outcomes if isinstance(outcome, Ok)]
    failed = [outcome for outcome in outcomes if isinstance(outcome, Failed)]
    sheets = sum(len(rows) for name, rows in COUNTS.items() if name.startswith(f"{folder}/"))
    unreadable = [name for name in UNREADABLE if name.startswith(f"{folder}/")]
    assert (len(good), len(failed)) == (sheets, len(unreadable))
    assert len({material.id for material in good}) == len(good)
    for material in good:
        tree = from_json(json.loads(material.truth)).value
        assert sum(1 for _ in tree.walk()) == material.attributes["nodes"]


def test_the_language_of_a_map_is_told_by_its_letters(shared):
    outcomes = materials_of(shared / "real/xmind", SOMEBODY)
    languages = {one.value.attributes["file"]: one.value.attributes["language"] for one in outcomes}
    assert languages["测试文件.xmind"] == "zh"
    assert languages["shoppingcart.xmind"] == "zh"
    assert languages["sdkjs_default.xmind"] == "en"
