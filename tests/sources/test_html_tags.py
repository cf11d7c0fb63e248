"""The start tags of pages: what the HTML standard says of odd ones, and bounds on time."""

from __future__ import annotations

import pytest

from sources.html_tags import decode, read_tags


def read(text):
    return [(tag.name, dict(tag.attributes), tag.text) for tag in read_tags(text)]


@pytest.mark.parametrize(
    ("text", "name", "attributes", "after"),
    [
        ("<a href=x>y", "a", {"href": "x"}, "y"),
        ("<A HREF='x'>y", "a", {"href": "x"}, "y"),
        ('<a href = "x > y" b>z', "a", {"href": "x > y", "b": ""}, "z"),
        ('<a href="x"b="y">', "a", {"href": "x", "b": "y"}, ""),
        ("<a href=x href=y>", "a", {"href": "x"}, ""),
        ("<a/href=x/>", "a", {"href": "x/"}, ""),
        ("<br/>y", "br", {}, "y"),
        ("<a href=x'y\">z", "a", {"href": "x'y\""}, "z"),
        ('<a "b>c', "a", {'"b': ""}, "c"),
        ("<a ==x>", "a", {"=": "x"}, ""),
        ("<a b=&amp;&#65;>", "a", {"b": "&A"}, ""),
        ("<a b=>y", "a", {"b": ""}, "y"),
        ('<a b="never closed>', "a", {"b": '"never', "closed": ""}, ""),
        ("<a", "a", {}, ""),
    ],
)
def test_a_tag(text, name, attributes, after):
    assert read(text) == [(name, attributes, after)]


def test_scripts_and_titles_are_text_up_to_their_own_end():
    text = '<SCRIPT>a < b; "</p>" <a></Script ><title>x <b> y</title><p>z'
    assert read(text) == [
        ("script", {}, 'a < b; "</p>" <a>'),
        ("title", {}, "x <b> y"),
        ("p", {}, "z"),
    ]


def test_comments_end_tags_and_declarations_are_passed_over():
    text = "<!DOCTYPE html><!-- <a> --><?php <b> ?><p>1 < 2</p><!-- <c>"
    assert [name for name, _, _ in read(text)] == ["p"]
    assert read("<!--><a>") == [("a", {}, "")]
    assert read("a < b <- c") == []


def test_pages_are_decoded_as_they_declare_themselves():
    assert decode("知犀".encode()) == "知犀"
    assert decode('<meta charset="gbk">知犀'.encode("gbk")).endswith("知犀")
    assert decode(b"caf\xe9") == "café"
    assert decode("<meta charset=utf-8>知犀".encode()).endswith("知犀")
    assert decode(b"\xef\xbb\xbf<meta charset=gbk>" + "知".encode()).endswith("知")
    assert decode(b"<meta charset=nonsense>\xe9").endswith("é")
    assert decode(b"<meta charset=base64>\xe9").endswith("é")


@pytest.mark.parametrize(
    "text",
    [
        "<a " + " ".join(f"data-{n}=1" for n in range(300_000)) + ">",
        "<a" * 500_000,
        "<a '" * 300_000,
        "<script>" * 200_000,
        "<!--" * 400_000,
        "<" * 1_000_000,
        "<a " + "=" * 1_000_000,
        "<" + "a" * 1_000_000,
        "<a" + " " * 1_000_000,
        "<a b" + " " * 1_000_000,
        "</" * 500_000,
        "<title>" + "</titl" * 200_000,
    ],
    ids=str.__len__,
)
@pytest.mark.timeout(60)
def test_hostile_pages_take_no_more_time_than_long_ones(text):
    for _ in read_tags(text):
        pass
