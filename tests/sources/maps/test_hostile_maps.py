"""Files that want to break the reader; each must end in one failure of the right kind."""

import functools
import io
import json
import subprocess
import sys
import zipfile

import pytest

from benchmark.outcome import Failed, Kind
from benchmark.records import Provenance
from sources.map_folder import materials_of
from sources.maps import reader
from sources.maps.model import to_json
from sources.maps.reader import read
from tests.cases import hard_cases

DEEP = 100_000
REASONS = ("nested", "deeper than 64", "more than", "larger than")


def packed(entries, compression=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def nested(before, opening, closing, after, times):
    return (before + opening * times + closing * times + after).encode()


def html_topic(level):
    name, lead = ("h2", "") if level == 1 else ("h3", "&nbsp;" * min(level - 1, 66))
    return f'<{name} class="topic"><a>{lead}a</a></{name}>'


@functools.cache
def deep(times):
    """Return the same chain of topics in every format."""
    xmind = '<topic><title>a</title><children><topics type="attached">'
    mmap = '<ap:Topic><ap:Text PlainText="a"/><ap:SubTopics>'
    heading = '<h1 class="root"><a name="r">a</a></h1>'
    return {
        "a.json": b'[{"rootTopic":'
        + b'{"title":"a","children":{"attached":[' * times
        + b"]}}" * times
        + b"}]",
        "a.xml": nested(
            "<xmap-content><sheet>",
            xmind,
            "</topics></children></topic>",
            "</sheet></xmap-content>",
            times,
        ),
        "a.mmap": nested(
            '<ap:Map xmlns:ap="m"><ap:OneTopic>',
            mmap,
            "</ap:SubTopics></ap:Topic>",
            "</ap:OneTopic></ap:Map>",
            times,
        ),
        "a.mm": nested("<map>", '<node TEXT="a">', "</node>", "</map>", times),
        "a.opml": nested(
            "<opml><body>", '<outline text="a">', "</outline>", "</body></opml>", times
        ),
        "a.html": f"<html><body>{heading}{''.join(map(html_topic, range(1, times)))}".encode(),
        "a.md": "".join(f"{' ' * min(level, 66)}- a\n" for level in range(times)).encode()[
            :1_500_000
        ],
    }


@pytest.mark.parametrize("name", deep(1))
def test_64_levels_are_read(name):
    (sheet,) = read(name, deep(64)[name]).value.sheets
    assert max(depth for depth, _ in sheet.root.walk()) == 63


@pytest.mark.parametrize("name", deep(1))
def test_65_levels_are_refused(name):
    outcome = read(name, deep(65)[name])
    assert outcome.kind is Kind.PARSE_ERROR
    assert outcome.message == f"{name}: the map is deeper than 64 levels"


@pytest.mark.parametrize("name", deep(1))
def test_100_000_levels_are_a_clear_failure(name):
    outcome = read(name, deep(DEEP)[name])
    assert isinstance(outcome, Failed)
    assert outcome.kind in {Kind.PARSE_ERROR, Kind.RESOURCE_LIMIT}
    assert any(reason in outcome.message for reason in REASONS)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.mm", b"<map><node>" + b"<node/>" * 1_000 + b"</node></map>"),
        ("a.opml", b"<opml><body>" + b"<outline/>" * 1_000 + b"</body></opml>"),
        ("a.json", b'[{"rootTopic":{"children":{"attached":[' + b"{}," * 999 + b"{}]}}}]"),
        ("a.md", b"# a\n" + b"- b\n" * 1_000),
        ("a.txt", b"a\n" + b" b\n" * 1_000),
        (
            "a.html",
            b'<html><h1 class="root">a</h1>' + b'<h2 class="topic"><a>b</a></h2>' * 1_000,
        ),
    ],
    ids=["freemind", "opml", "xmind", "markdown", "indented", "html"],
)
def test_1_001_topics_are_refused(name, data):
    outcome = read(name, data)
    assert outcome.kind is Kind.RESOURCE_LIMIT
    assert "more than 1000 topics" in outcome.message


LAUGHS = "".join(
    f'<!ENTITY {chr(98 + level)} "{f"&{chr(97 + level)};" * 10}">' for level in range(9)
)


@pytest.mark.parametrize(
    "document",
    [
        f'<!DOCTYPE m [<!ENTITY a "ha">{LAUGHS}]><map><node TEXT="&j;"/></map>',
        '<!DOCTYPE m [<!ENTITY x SYSTEM "file:///etc/passwd">]><map><node TEXT="&x;"/></map>',
        '<!DOCTYPE m SYSTEM "http://127.0.0.1:9/m.dtd"><map><node TEXT="a"/></map>',
        '<!DOCTYPE m [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><map><node/></map>',
        "<!DOCTYPE map><map><node/></map>",
    ],
    ids=["billion laughs", "external entity", "external subset", "parameter entity", "empty"],
)
@pytest.mark.parametrize("name", ["a.mm", "a.md", "content.xml", "Document.xml"])
def test_any_document_type_is_refused(name, document):
    data = packed([(name, document)]) if name[0] in "cD" else document.encode()
    outcome = read(name, data)
    assert outcome.kind is Kind.UNSAFE_INPUT
    assert "root:" not in outcome.message


@pytest.mark.parametrize(
    ("entries", "kind"),
    [
        ([("../a", "x"), ("content.json", "[]")], Kind.UNSAFE_INPUT),
        ([("content.json", "[" + " " * 5_000_000 + "]")], Kind.RESOURCE_LIMIT),
        ([(f"{number}", "") for number in range(2_001)], Kind.RESOURCE_LIMIT),
        ([("x" * 300, ""), ("content.json", "[]")], Kind.RESOURCE_LIMIT),
        ([("content.xml", "<document/>")], Kind.UNSUPPORTED),
        ([("readme.txt", "x")], Kind.UNSUPPORTED),
        ([], Kind.UNSUPPORTED),
    ],
    ids=["name", "ratio", "count", "long name", "other root", "no map", "empty"],
)
def test_a_zip_is_read_within_limits(entries, kind):
    outcome = read("a.xmind", packed(entries, zipfile.ZIP_DEFLATED))
    assert outcome.kind is kind
    assert outcome.message.startswith("a.xmind: ")


def test_a_zip_that_is_cut_off_is_damaged():
    data = packed([("content.json", "[]")])
    assert read("a.xmind", data[:50]).kind is Kind.PARSE_ERROR


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.mm", b"", Kind.PARSE_ERROR),
        ("a.mm", b"<map/>", Kind.PARSE_ERROR),
        ("a.mm", b"<map><node TEXT='a'>", Kind.PARSE_ERROR),
        ("a.mm", b"<map><node TEXT='a&nbsp;b'/></map>", Kind.PARSE_ERROR),
        ("a.mm", b'<?xml version="1.0" encoding="x-none"?><map><node/></map>', Kind.UNSUPPORTED),
        ("a.mm", b'<?xml version="1.0" encoding="utf-7"?><map><node/></map>', Kind.UNSUPPORTED),
        ("a.opml", b"<opml><head/></opml>", Kind.PARSE_ERROR),
        ("a.mmap", b'<m:Map xmlns:m="m"><m:OneTopic/></m:Map>', Kind.PARSE_ERROR),
        ("a.xmind", b"[{]", Kind.PARSE_ERROR),
        ("a.xmind", b'[{"rootTopic":1}]', Kind.UNSUPPORTED),
        ("a.html", b"<!doctype html><p>a</p>", Kind.UNSUPPORTED),
        ("a.html", b'<html><h2 class="topic">a</h2><h1 class="root">b</h1>', Kind.PARSE_ERROR),
        ("a.md", b"only prose\nin two lines", Kind.UNSUPPORTED),
        ("a.md", "# 茶".encode("gb18030"), Kind.UNSUPPORTED),
        ("a.mm", bytes(range(256)), Kind.UNSUPPORTED),
        ("a.md", b"# a\0b", Kind.UNSUPPORTED),
    ],
)
def test_what_is_no_map_is_told_in_one_line(name, data, kind):
    outcome = read(name, data)
    assert outcome.kind is kind
    assert "\n" not in outcome.message


def test_nested_headings_do_not_take_quadratic_time():
    data = b'<html><body><h1 class="root">a</h1>' + b"<h2 class=topic><a name=x>q" * 9_000
    assert "headings inside" in read("a.html", data).message


def test_many_attributes_of_one_tag_do_not_take_quadratic_time():
    attributes = b" ".join(b"a%d" % number for number in range(150_000))
    data = b'<html><body><h1 class="root" ' + attributes + b">a</h1></body></html>"
    assert read("a.html", data).kind is Kind.RESOURCE_LIMIT


def test_foreign_values_in_json_are_passed_over():
    topic = {"title": 7, "children": {"attached": "x", "detached": [None, {"title": "\ud800"}]}}
    topic |= {"position": {"x": 10**400, "y": "?"}, "markers": [1], "labels": [2, "ok"]}
    (sheet,) = read("a.json", json.dumps([{"rootTopic": topic}]).encode()).value.sheets
    assert (sheet.root.text, sheet.root.position, sheet.root.labels) == ("", None, ("ok",))
    assert [one.text for one in sheet.root.floating] == ["?"]


def test_sizes_are_limited(monkeypatch):
    monkeypatch.setattr(reader, "DOCUMENT_BYTES", 20)
    monkeypatch.setattr(reader, "MAP_BYTES", 200)
    assert read("a.mm", b"<map><node/>" + b" " * 20 + b"</map>").kind is Kind.RESOURCE_LIMIT
    assert read("a.mm", b" " * 201).kind is Kind.RESOURCE_LIMIT


def test_a_folder_is_read_without_links_and_hidden_files(tmp_path):
    somebody = Provenance(source="t", author="?", licence="CC0-1.0", created="2020-01-01")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "a.md").write_text("# A\n- b\n")
    (tmp_path / ".hidden.md").write_text("# H\n")
    (tmp_path / "link.md").symlink_to(tmp_path / "inner" / "a.md")
    (tmp_path / "bare.mm").write_text("<map><node/></map>")
    (tmp_path / "bad.mm").write_text("<map>")
    found = list(materials_of(tmp_path, somebody))
    assert [one.message.split(":")[0] for one in found[:2]] == ["bad.mm", "bare.mm"]
    assert found[1].message == "bare.mm: no topic of the map has text"
    assert found[2].value.id == "mindmap/outline/inner/a.md"
    assert json.loads(found[2].value.truth) == {"text": "A", "children": [{"text": "b"}]}
    assert len(found) == 3
    (missing,) = materials_of(tmp_path / "none.mm", somebody)
    assert missing.kind is Kind.MISSING_RESOURCE


FILES = {case["id"]: case["input"] for case in hard_cases("mindmap")}


@pytest.mark.parametrize("ident", ["mind-018", "mind-019", "mind-021"])
def test_hard_cases_that_are_files(shared, ident, tmp_path):
    path = tmp_path / "case.xmind"
    subprocess.run([sys.executable, "-c", FILES[ident], str(path)], check=True)
    outcome = read(path.name, path.read_bytes())
    if ident == "mind-018":
        (sheet,) = outcome.value.sheets
        assert to_json(sheet) == {"text": "Root", "children": [{"text": "A"}]}
    else:
        assert outcome.kind is Kind.UNSAFE_INPUT
