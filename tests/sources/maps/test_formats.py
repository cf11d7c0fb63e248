"""One small map with everything in it, written in each format here; none is taken from a file."""

import io
import json
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scenarios.trees
from benchmark.outcome import Failed, Kind
from sources.maps import model
from sources.maps.model import Boundary, Format, Relationship, Sheet, Topic, to_json
from sources.maps.reader import read


def packed(**entries):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in entries.items():
            archive.writestr(name.replace("_", "."), text)
    return buffer.getvalue()


def only(name, data):
    (sheet,) = read(name, data).value.sheets
    return sheet


JSON = {
    "title": "Sheet",
    "rootTopic": {
        "id": "r",
        "title": "茶",
        "children": {
            "attached": [
                {"id": "a", "title": "绿\n茶", "notes": {"plain": {"content": "steep\n"}}},
                {"id": "b", "markers": [{"markerId": "star-red"}], "image": {"src": "xap:i.png"}},
            ],
            "detached": [{"id": "f", "title": "floats", "position": {"x": -3, "y": 4.5}}],
            "summary": [{"id": "s", "title": "both"}],
            "callout": [{"id": "c", "title": "said"}],
            "unheard-of": [{"title": "?"}],
        },
        "summaries": [{"topicId": "s", "range": "(0,1)"}],
        "boundaries": [{"range": "(1,1)", "title": "frame"}, {"range": "master"}],
        "labels": ["hot"],
        "href": "https://example.org",
    },
    "relationships": [{"end1Id": "a", "end2Id": "f", "title": "see"}],
}
XML = """<?xml version="1.0"?><xmap-content xmlns="urn:xmind:xmap:xmlns:content:2.0"
 xmlns:svg="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:xhtml="http://www.w3.org/1999/xhtml"><sheet><topic id="r"
 xlink:href="https://example.org"><title>茶</title><labels><label>hot</label></labels>
<children><topics type="attached"><topic id="a"><title>绿
茶</title><notes><plain>steep
</plain><html><xhtml:p>steep</xhtml:p></html></notes></topic><topic id="b"><marker-refs>
<marker-ref marker-id="star-red"/></marker-refs><xhtml:img xhtml:src="xap:i.png"/></topic></topics>
<topics type="detached"><topic id="f"><title>floats</title><position svg:x="-3" svg:y="4.5"/>
</topic></topics><topics type="callout"><topic id="c"><title>said</title></topic></topics>
<topics type="summary"><topic id="s"><title>both</title></topic></topics>
<topics type="unheard-of"><topic id="u"><title>?</title></topic></topics></children>
<boundaries><boundary range="(1,1)"><title>frame</title></boundary><boundary range="master"/>
</boundaries><summaries><summary range="(0,1)" topic-id="s"/></summaries></topic>
<title>Sheet</title><relationships><relationship end1="a" end2="f"><title>see</title>
</relationship></relationships></sheet></xmap-content>"""


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (packed(content_json=json.dumps([JSON])), Format.XMIND),
        (json.dumps([JSON]).encode(), Format.XMIND),
        (packed(content_xml=XML), Format.XMIND8),
        (XML.encode(), Format.XMIND8),
        (XML.replace('"1.0"', '"1.0" encoding="UTF-16"', 1).encode("utf-16"), Format.XMIND8),
    ],
    ids=["content.json", "bare JSON", "content.xml", "bare XML", "UTF-16"],
)
def test_both_generations_of_xmind_give_the_same_sheet(data, form):
    outcome = read("tea.xmind", data)
    assert outcome.value.format is form
    (sheet,) = outcome.value.sheets
    root = sheet.root
    assert (sheet.title, root.text, root.labels) == ("Sheet", "茶", ("hot",))
    assert root.link == "https://example.org"
    assert [one.text for one in root.children] == ["绿\n茶", ""]
    assert root.children[0].notes == "steep"
    assert (root.children[1].markers, root.children[1].image) == (("star-red",), "xap:i.png")
    assert [(one.text, one.position) for one in root.floating] == [("floats", (-3.0, 4.5))]
    assert [one.text for one in root.callouts] == ["said"]
    assert [(one.topic.text, one.first, one.last) for one in root.summaries] == [("both", 0, 1)]
    assert root.boundaries == (Boundary("frame", 1, 1), Boundary("", None, None))
    assert sheet.relationships == (Relationship("a", "f", "see"),)


def test_the_json_of_a_map_is_its_tree_and_extras_come_after_the_children():
    sheet = only("tea.xmind", packed(content_json=json.dumps([JSON])))
    assert to_json(sheet) == {"text": "茶", "children": [{"text": "绿\n茶"}]}
    every = to_json(sheet, model.EXTRAS)
    texts = [one["text"] for one in every["children"]]
    assert texts == ["绿\n茶", "floats", "said", "both"]


def test_a_topic_without_text_stays_where_text_is_below_it():
    root = Topic("", children=(Topic(" ", children=(Topic("leaf"), Topic("\xa0"))), Topic("")))
    assert to_json(Sheet(root)) == {
        "text": "",
        "children": [{"text": " ", "children": [{"text": "leaf"}]}],
    }


def test_content_json_is_the_map_and_the_warning_page_is_not():
    lines = "Warning\n警告\nAttention\nWarnung\n경고"
    page = f"<xmap-content><sheet><topic><title>{lines}</title></topic></sheet></xmap-content>"
    both = packed(content_xml=page, content_json=json.dumps([JSON]))
    assert only("tea.xmind", both).root.text == "茶"
    alone = read("tea.xmind", packed(content_xml=page))
    assert alone.kind is Kind.UNSUPPORTED
    assert "content.json is missing" in alone.message


def test_a_rooted_entry_and_several_sheets():
    sheets = XML[XML.index("<sheet>") : XML.index("</xmap-content>")]
    data = XML.replace(sheets, sheets * 3)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("/content.xml", data)
    assert len(read("tea.xmind", buffer.getvalue()).value.sheets) == 3


MMAP = """<ap:Map xmlns:ap="http://schemas.mindjet.com/MindManager/Application/2003"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><ap:OneTopic>
<ap:Topic OId="r"><ap:SubTopics><ap:Topic OId="a"><ap:Text PlainText="绿茶"/><ap:FloatingTopics>
<ap:Topic><ap:Text PlainText="said"/></ap:Topic></ap:FloatingTopics><ap:Offset CX="1" CY="1"/>
</ap:Topic></ap:SubTopics><ap:FloatingTopics><ap:Topic OId="f"><ap:Text PlainText="floats"/>
<ap:Offset CX="-3" CY="4.5"/></ap:Topic></ap:FloatingTopics></ap:Topic></ap:OneTopic>
<ap:Relationships><ap:Relationship><ap:ConnectionGroup Index="0"><ap:Connection>
<ap:ObjectReference OIdRef="a"/></ap:Connection></ap:ConnectionGroup><ap:ConnectionGroup Index="1">
<ap:Connection><ap:ObjectReference OIdRef="f"/></ap:Connection></ap:ConnectionGroup>
</ap:Relationship></ap:Relationships></ap:Map>"""


@pytest.mark.parametrize(
    "data", [MMAP.encode(), packed(Document_xml=MMAP)], ids=["plain XML", "zip"]
)
def test_mindmanager(data):
    sheet = only("tea.mmap", data)
    assert sheet.root.text == ""
    assert [(one.text, one.position) for one in sheet.root.children] == [("绿茶", None)]
    assert [(one.text, one.position) for one in sheet.root.floating] == [("floats", (-3.0, 4.5))]
    assert [one.text for one in sheet.root.children[0].callouts] == ["said"]
    assert sheet.relationships == (Relationship("a", "f"),)


def test_freemind_with_what_freeplane_adds():
    sheet = only(
        "tea.mm",
        b"""<map version="freeplane"><node ID="r"><richcontent TYPE="NODE"><html><head><style>x
        </style></head><body><p>Green
          tea</p><ul><li>a <b>b</b></li></ul></body></html></richcontent>
        <hook NAME="MapStyle"><map_styles><stylenode TEXT="no"><stylenode TEXT="no"/></stylenode>
        </map_styles></hook><cloud/><icon BUILTIN="help"/>
        <node ID="1" TEXT="one" POSITION="left" LINK="#r"><arrowlink DESTINATION="2"
        MIDDLE_LABEL="to"/><richcontent TYPE="NOTE"><html><body><p>n</p></body></html>
        </richcontent></node>
        <node ID="g"><hook NAME="FirstGroupNode"/></node>
        <node ID="2" TEXT="two"/><node ID="3" TEXT="three"/>
        <node ID="s" TEXT="sum"><hook NAME="SummaryNode"/></node>
        <node ID="f" TEXT="free"><hook NAME="FreeNode"/></node></node></map>""",
    )
    root = sheet.root
    assert (root.text, root.markers, root.boundaries) == (
        "Green tea\na b",
        ("help",),
        (Boundary(),),
    )
    assert [one.text for one in root.children] == ["one", "two", "three"]
    one = root.children[0]
    assert (one.notes, one.link, one.side) == ("n", "#r", "left")
    assert [(one.topic.text, one.first, one.last) for one in root.summaries] == [("sum", 1, 2)]
    assert [one.text for one in root.floating] == ["free"]
    assert sheet.relationships == (Relationship("1", "2", "to"),)


def test_opml_with_one_and_with_several_outlines():
    one = (
        '<opml><body><outline text="r"><outline text="" title="t" url="u"/></outline></body></opml>'
    )
    root = only("a.opml", one.encode()).root
    assert (root.text, root.children[0].text, root.children[0].link) == ("r", "t", "u")
    two = (
        '<opml version="2.0"><head><title>T</title></head><body><outline text="a" _note="n"/>'
        '<outline text="b"/></body></opml>'
    )
    root = only("a.opml", two.encode()).root
    assert (root.text, [(one.text, one.notes) for one in root.children]) == (
        "T",
        [("a", "n"), ("b", "")],
    )


def test_an_html_export_with_empty_topics_and_notes():
    data = """<html><head><title>茶</title></head><body><h1 class="root"><a name="r">茶</a></h1>
    <h2 class="topic"><a name="1"></a></h2><h3 class="topic"><a name="2">&nbsp;绿&amp;茶</a></h3>
    <p>a note</p><h3 class="topic"><a name="3">&nbsp;&nbsp;</a></h3></body></html>"""
    root = only("tea.html", data.encode()).root
    (first,) = root.children
    (second,) = first.children
    assert (first.text, second.text, second.notes) == ("", "绿&茶", "a note")
    assert second.children[0].text == ""
    assert to_json(Sheet(root)) == {
        "text": "茶",
        "children": [{"text": "", "children": [{"text": "绿&茶"}]}],
    }


def texts(topic):
    return [(depth, one.text) for depth, one in topic.walk()]


def test_markdown_headings_lists_and_notes():
    text = """---
title: front matter
---
Not part of the map.

# 茶 #

intro

## Green
- [x] **Sencha**
\t1. [Uji](https://example.org)
* ![leaf](leaf.png)

```
# no heading
```

Black
-----
- ***

---
"""
    root = only("tea.md", text.encode()).root
    assert texts(root) == [
        (0, "茶"),
        (1, "Green"),
        (2, "Sencha"),
        (3, "Uji"),
        (2, "leaf"),
        (1, "Black"),
        (2, "***"),
    ]
    assert root.notes == "intro"
    sencha, leaf = root.children[0].children
    assert (sencha.markers, sencha.children[0].link) == (("task-done",), "https://example.org")
    assert (leaf.image, leaf.notes) == ("leaf.png", "# no heading")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Root\n  a\n    b\n  c\n", [(0, "Root"), (1, "a"), (2, "b"), (1, "c")]),
        ("Root\n\ta\n        b\n", [(0, "Root"), (1, "a"), (2, "b")]),
        ("Tea\n- a\n- b\n", [(0, "Tea"), (1, "a"), (1, "b")]),
        ("- a\n- b\n", [(0, ""), (1, "a"), (1, "b")]),
        ("Tea\n===\n\ntext\n\nGreen\n---\n", [(0, "Tea"), (1, "Green")]),
        ("# A\n### B\n## C\n", [(0, "A"), (1, "B"), (1, "C")]),
        ("﻿# BOM\r\n- \r\n  - x\r\n", [(0, "BOM"), (1, ""), (2, "x")]),
    ],
)
def test_outlines(text, expected):
    assert texts(only("a.md", text.encode()).root) == expected


def test_markdown_that_begins_with_a_tag_or_a_bracket_is_an_outline():
    assert only("a.md", b"<p align=center>x</p>\n\n# T\n- a\n").root.text == "T"
    assert only("a.md", b"[x](y)\n\n# T\n- a\n").root.text == "T"


def test_an_encrypted_map_is_said_to_be_encrypted():
    manifest = {"file-entries": {"content.json": {"encryption-data": {}}}}
    data = packed(manifest_json=json.dumps(manifest), content_json="\x9c")
    assert "encrypted" in read("secret.xmind", data).message


WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
TOPICS = st.recursive(
    st.builds(Topic, WORDS),
    lambda below: st.builds(Topic, WORDS, children=st.lists(below, max_size=4).map(tuple)),
    max_leaves=20,
)


def as_xmind(topic):
    return {"title": topic.text, "children": {"attached": [as_xmind(o) for o in topic.children]}}


@settings(max_examples=60)
@given(TOPICS)
def test_what_is_written_as_content_json_is_read_again(root):
    data = packed(content_json=json.dumps([{"rootTopic": as_xmind(root)}]))
    assert only("a.xmind", data).root == root


@settings(max_examples=60)
@given(TOPICS)
def test_the_scenario_reads_the_json_as_it_reads_all_topics(root):
    def every(topic):
        return {"text": topic.text, "children": [every(one) for one in topic.children]}

    lean = scenarios.trees.from_json(to_json(Sheet(root)))
    assert lean == scenarios.trees.from_json(every(root))


@settings(max_examples=200)
@given(st.binary(max_size=200), st.sampled_from(["a.md", "a.mm", "a.xmind", "a.html", "a"]))
def test_any_bytes_give_a_map_or_a_failure(data, name):
    outcome = read(name, data)
    if isinstance(outcome, Failed):
        assert outcome.message.startswith(f"{name}: ")
    else:
        assert outcome.value.sheets
