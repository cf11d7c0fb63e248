"""Personal data: found where it surely is, masked in shape, and nothing else is touched."""

from __future__ import annotations

import datetime as dt
import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.outcome import Failed, Kind, Ok
from benchmark.records import Material, Provenance, Subject
from sources.bundled import Bundled
from sources.map_folder import materials_of
from sources.personal_data import PersonalData, find, mask

PROVENANCE = Provenance(source="s", author="a", licence="MIT", created=dt.date(2026, 1, 1))

FOUND = [
    ("write to ada@uni.edu.", "email", "ada@uni.edu", "xxx@xxx.xxx"),
    ("<a href='mailto:Bob.B2@x.co.uk'>", "email", "Bob.B2@x.co.uk", "Xxx.X0@x.xx.xx"),
    (r"\href{mailto:bob@x.org}{Bob}", "email", "bob@x.org", "xxx@x.xxx"),
    (r"\texttt{ada\_b@x.de}", "email", r"ada\_b@x.de", r"xxx\_x@x.xx"),
    ("ada&#64;uni.edu", "email", "ada&#64;uni.edu", "xxx&#64;xxx.xxx"),
    ("ada&commat;uni.edu", "email", "ada&commat;uni.edu", "xxx&commat;xxx.xxx"),
    (r"$\{ada, bob\}$ {ada, bob}@uni.edu", "email", "{ada, bob}@uni.edu", "{xxx, xxx}@xxx.xxx"),
    ("+44 20 7946 0958", "phone", "+44 20 7946 0958", "+00 00 0000 0000"),
    ("call +49 (0)30 9018200 now", "phone", "+49 (0)30 9018200", "+00 (0)00 0000000"),
    ("+1 (650) 253-0000", "phone", "+1 (650) 253-0000", "+0 (000) 000-0000"),
    ("Tel.: 030 123 45 67", "phone", "030 123 45 67", "000 000 00 00"),
    ("Fax 030/1234567", "phone", "030/1234567", "000/0000000"),
    ('href="tel:+16502530000"', "phone", "+16502530000", "+00000000000"),
    ("电话：010 6552 9988", "phone", "010 6552 9988", "000 0000 0000"),
    ("DE89 3704 0044 0532 0130 00", "iban", "DE89 3704 0044 0532 0130 00",
     "XX00 0000 0000 0000 0000 00"),
    ("4111 1111 1111 1111", "card", "4111 1111 1111 1111", "0000 0000 0000 0000"),
]  # fmt: skip

NOT_FOUND = [
    "version 1.2.3.4567, 10.0.19045.3324 and 2.24.3-1",
    "arXiv:2410.22456v1, doi 10.1103/PhysRevLett.116.061102",
    "ISBN 978-3-16-148410-0, ISSN 2049-3630",
    "2026-11-30 12:30:45+01:00, 30.11.2026, +2026-11-30",
    "48.8584, 2.2945; +48.8584 +2.2945; +40.20361-075.00417/; +52.516275 13.377704",
    "1920 1080 0 0 255 255 255 128; viewBox='0 0 1200 630'; d='M10 10 20 20 +30 40'",
    "c4 d8 e16 f32 g1 a2. b4 | r1*2 s2 \\tuplet 3/2 { c8 d e }",
    "x = +3.14159265358979 + 12345678 - 1234567890",
    "phone 1234567.89, tel. 7, fax: 0000000, Telefon 555-0142, (212) 555 0199, phone",
    "git@github.com:a/b.git, pkg@1.2.3, logo@2x.png, @media print, a@example.com, x@y.test",
    r"\makeatletter\pgf@x.de\tikz@lib.to\@ifnextchar",
    "ada at uni dot edu",
    "DE88 3704 0044 0532 0130 00, 4111 1111 1111 1112, 4111111111111111",
    "192.168.100.200, 00:1A:2B:3C:4D:5E, 550e8400-e29b-41d4-a716-446655440000, #123456",
    "xxx@xxx.xxx +00 00 0000 0000 XX00 0000 0000 0000 0000 00",
]


def material(truth: str | None, scenario: str = "latex", **more: Any) -> Material:
    values = {"id": "x/1", "subset": "s", "scenario": scenario, "truth": truth} | more
    return Material.model_validate(values | {"provenance": PROVENANCE})


def masked(piece: Material) -> Material:
    outcome = PersonalData().judge(piece)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


@pytest.mark.parametrize(("text", "kind", "written", "stand_in"), FOUND)
def test_what_is_surely_personal_is_found_and_keeps_its_shape(text, kind, written, stand_in):
    assert [(each.kind, each.text) for each in find(text)][:1] == [(kind, written)]
    assert mask(written) == stand_in
    assert len(stand_in) == len(written)
    after = masked(material(text))
    assert after.truth == text.replace(written, stand_in)
    assert after.attributes["masked"][kind] >= 1
    assert masked(after) == after


@pytest.mark.parametrize("text", NOT_FOUND)
def test_other_numbers_and_signs_are_left_alone(text):
    assert list(find(text)) == []
    assert masked(material(text)) == material(text)


def test_nothing_is_found_in_what_people_wrote_and_we_know_has_none(shared):
    real = shared / "real"
    patterns = ("jekyll/**/*", "tex/**/*.tex", "ly/**/*.ly", "dot/*")
    paths = [path for pattern in patterns for path in sorted(real.glob(pattern))]
    texts = 0
    for path in paths:
        if path.is_file() and path.suffix not in {".png", ".jpg", ".pdf"}:
            text = path.read_text(encoding="utf-8", errors="replace")
            numbers = [each for each in find(text) if each.kind != "email"]
            assert numbers == [], path
            texts += 1
    assert texts > 150
    for outcome in [*materials_of(real / "xmind", PROVENANCE), *Bundled().collect()]:
        if isinstance(outcome, Ok):
            assert masked(outcome.value) == outcome.value, outcome.value.id


def test_a_page_stays_the_json_that_it_was():
    html = 'Mail <a href="mailto:ada@uni.edu">\nada@uni.edu</a>, Tel. 030 1234567 or 030 1234567'
    items = [{"filename": "index.html", "content": html}, {"filename": "ä.css", "content": "é"}]
    for options in ({}, {"ensure_ascii": False, "indent": 1}):
        truth = json.dumps(items, **options)
        after = masked(material(truth, "webpage"))
        assert after.truth is not None
        assert json.loads(after.truth) == [
            {
                "filename": "index.html",
                "content": 'Mail <a href="mailto:xxx@xxx.xxx">\nxxx@xxx.xxx</a>, '
                "Tel. 000 0000000 or 000 0000000",
            },
            items[1],
        ]
        assert len(after.truth) == len(truth)
        assert after.attributes["masked"] == {"email": 2, "phone": 2}


def test_an_address_after_an_escaped_newline_is_whole():
    truth = json.dumps({"text": "Write:\nnora@x.org", "children": [{"text": "\tnora@x.org"}]})
    after = masked(material(truth, "mindmap"))
    assert after.truth == truth.replace("nora@x.org", "xxxx@x.xxx")


def test_the_picture_of_a_part_is_masked_with_it():
    drawn = Subject(scenario="mindmap", text=json.dumps({"text": "ada@uni.edu"}))
    after = masked(material("how many? 3", "mindmap", drawn_from=drawn))
    assert after.drawn_from is not None
    assert after.drawn_from.text == '{"text": "xxx@xxx.xxx"}'
    assert after.truth == "how many? 3"
    after = masked(material(drawn.text, "mindmap", drawn_from=drawn))
    assert after.attributes["masked"] == {"email": 1}


def test_counts_add_up_over_runs():
    piece = material("ada@uni.edu", attributes={"masked": {"email": 2}, "nodes": 3})
    assert masked(piece).attributes == {"masked": {"email": 3}, "nodes": 3}


@pytest.mark.parametrize(
    ("piece", "reason"),
    [
        (material("ada@uni.edu", picture=b"PNG"), "1 email in the picture, which is not masked"),
        (material("x", assets={"ada@uni.edu/photo.png": b""}), "1 email in names of assets"),
        (material("x" * 101), "101 characters to search (at most 100)"),
    ],
)
def test_what_masking_would_not_hide_is_dropped(piece, reason):
    outcome = PersonalData(most_characters=100).judge(piece)
    assert isinstance(outcome, Failed)
    assert outcome.kind is Kind.PERSONAL_DATA
    assert reason in outcome.message
    assert "ada@" not in outcome.message


def test_a_directory_of_people_is_dropped_at_once():
    people = [{"text": f"u{n}@uni.edu", "children": []} for n in range(5_000)]
    began = time.process_time()
    outcome = PersonalData().judge(material(json.dumps(people), "mindmap"))
    assert time.process_time() - began < 10  # each of 5,000 stand-ins in each of 15,000 strings: 60
    assert isinstance(outcome, Failed)
    assert "5000 email: it is a directory (at most 200 are masked)" in outcome.message
    assert isinstance(PersonalData().judge(material(json.dumps(people[:200]), "mindmap")), Ok)


LENGTH = 100_000
LONG = ["a@" * LENGTH, "a." * LENGTH, "+1 " * LENGTH, "tel: 1" * LENGTH, "{a," * LENGTH,
        "DE89 3704 " * LENGTH, "a" * LENGTH, "1 " * LENGTH, "a\\_" * LENGTH, '\\"' * LENGTH,
        "a@" + "b." * LENGTH, "&#64;" * LENGTH]  # fmt: skip


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:9])
def test_long_texts_are_searched_in_one_pass(text):
    assert list(find(text)) == []  # an attempt per beginning would take hours
    assert masked(material(json.dumps([text]))).attributes == {}


PIECES = st.sampled_from(
    [written for _, _, written, _ in FOUND] + ["Tel. ", " ", "\n", '"', "{x}@"]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=8).map("".join), st.booleans())
@settings(derandomize=True, deadline=None, max_examples=200)
def test_masking_is_deterministic_and_done_once(text, as_json):
    piece = material(json.dumps({"text": text}) if as_json else text, "mindmap")
    outcome = PersonalData().judge(piece)
    assert outcome == PersonalData().judge(piece)
    if isinstance(outcome, Ok):
        assert PersonalData().judge(outcome.value) == outcome
        assert len(outcome.value.truth or "") == len(piece.truth or "")


@given(st.text(alphabet="a@.{}_\\-+0123456789() ", max_size=3000))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_any_text_is_searched(text):
    assert list(find(text)) == list(find(text))
